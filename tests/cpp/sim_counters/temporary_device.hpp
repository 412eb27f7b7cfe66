// SPDX-License-Identifier: MIT
//
// Device files made by a test.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "support.hpp"

namespace multipass_sim {

// A file of its own per test process, removed with the object.
class TemporaryDevice {
 public:
  explicit TemporaryDevice(const std::string& text)
      : path_(std::filesystem::temp_directory_path() / ("sim-device-" + std::to_string(getpid()) + ".json")) {
    std::ofstream(path_) << text;
  }
  TemporaryDevice(const TemporaryDevice&) = delete;
  TemporaryDevice& operator=(const TemporaryDevice&) = delete;
  ~TemporaryDevice() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

inline nlohmann::json tiny_json() {
  std::ifstream stream(device_path("tiny"));
  return nlohmann::json::parse(stream);
}

}  // namespace multipass_sim
