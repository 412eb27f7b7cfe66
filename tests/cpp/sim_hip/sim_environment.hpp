// SPDX-License-Identifier: MIT
//
// What the tests share: the kernel launches that the runtime table shows, as an SDK would see them.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "hip/hip_runtime.h"
#include "sim/hip/table.hpp"
#include "sim/interface/runtime_table.h"

namespace multipass_sim {

// Intercepts launches while it lives, one object at a time; hands each on as one execution and keeps what came of it.
class Capture final {
 public:
  struct Launch {
    std::string kernel;
    multipass_sim_packet packet{};
    multipass_sim_execution execution{};
  };

  Capture();
  ~Capture();
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  // Waits for the device and returns the launches so far, in the order of completion.
  [[nodiscard]] std::vector<Launch> launches();

  // The activity of the one launch there was.
  [[nodiscard]] multipass_sim_activity activity();

 private:
  static void submit(multipass_sim_packet* packet);

  std::mutex mutex_;
  std::vector<Launch> launches_;
};

// A flag that a test holds down and a kernel waits for.
class Gate final {
 public:
  void open() noexcept { open_.store(true); }
  void wait() const noexcept {
    while (!open_.load()) std::this_thread::yield();
  }

 private:
  std::atomic<bool> open_{false};
};

// Device memory for a test, freed at its end.
template <class T>
class DeviceArray final {
 public:
  explicit DeviceArray(const std::vector<T>& values) : size_(values.size()) {
    static_cast<void>(hipMalloc(&data_, size_ * sizeof(T)));
    static_cast<void>(hipMemcpy(data_, values.data(), size_ * sizeof(T), hipMemcpyHostToDevice));
  }
  ~DeviceArray() { static_cast<void>(hipFree(data_)); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  [[nodiscard]] T* get() const noexcept { return data_; }
  [[nodiscard]] std::vector<T> to_host() const {
    std::vector<T> values(size_);
    static_cast<void>(hipMemcpy(values.data(), data_, size_ * sizeof(T), hipMemcpyDeviceToHost));
    return values;
  }

 private:
  std::size_t size_;
  T* data_ = nullptr;
};

}  // namespace multipass_sim
