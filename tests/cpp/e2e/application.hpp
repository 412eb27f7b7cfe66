// SPDX-License-Identifier: MIT
// Runs one of the examples in a process of its own and collects what it left behind.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "journal/decode.hpp"

namespace multipass::e2e {

using Environment = std::map<std::string, std::string>;

struct Outcome {
  int exit_code = -1;  // 128 + signal when a signal ended it
  std::string out;
  std::string err;
};

// A folder that is removed with the object.
class Folder final {
 public:
  Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder();
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  // The only file with this ending; an empty path when there is none.
  [[nodiscard]] std::filesystem::path only(const std::string& extension) const;

 private:
  std::filesystem::path path_;
};

[[nodiscard]] std::string example(const std::string& name);  // path of its executable
[[nodiscard]] std::string plugin();                          // path of the plugin

// `environment` is added to that of the test; variables of ROCm and of this project are taken out first.
[[nodiscard]] Outcome run(const std::string& program, const Environment& environment = {},
                          const std::vector<std::string>& arguments = {});
// With the plugin, into `folder`.
[[nodiscard]] Outcome run_profiled(const std::string& program, const std::string& events, const Folder& folder,
                                   Environment environment = {}, const std::vector<std::string>& arguments = {});

// Everything in a capture file.
struct Capture {
  RunMetadata run;
  std::vector<journal::AgentFrame> agents;
  std::map<std::uint64_t, KernelSymbol> kernels;
  std::vector<DispatchRecord> dispatches;  // by dispatch id
  std::vector<std::string> warnings;
  bool ended = false;

  [[nodiscard]] const journal::AgentFrame& gpu(std::uint32_t device = 0) const;
  // The value of a counter in one pass record; fails the test when it is not there.
  [[nodiscard]] double value(const PassRecord& pass, const std::string& counter, std::uint32_t device = 0) const;
  // The value of a counter of a dispatch, wherever it was read.
  [[nodiscard]] double value(const DispatchRecord& dispatch, const std::string& counter) const;
};
[[nodiscard]] Capture read_capture(const Folder& folder);

}  // namespace multipass::e2e
