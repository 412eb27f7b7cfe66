// SPDX-License-Identifier: MIT
//
// The kernels that the program has launched, each made known once. Owned by the runtime; any thread. Records live as
// long as the process. Sizes and register counts are made up, the same on every run: see kernels.cpp.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <unordered_map>

#include "multipass/sim/launch.h"
#include "sim/interface/runtime_table.h"

namespace multipass_sim {

class Kernels final {
 public:
  using Listener = void (*)(const multipass_sim_kernel* kernel);

  // The record of the kernel; the listener has heard of it when this returns.
  [[nodiscard]] const multipass_sim_kernel& of(const KernelLaunch& launch);

  // Replaces the listener (null: none); it hears of the kernels known so far before this returns.
  void listen(Listener listener);

 private:
  struct Record {
    multipass_sim_kernel kernel{};
    std::string name;
  };
  std::uint64_t code_object_of(const void* function);

  std::mutex mutex_;  // held while the listener runs, so that it hears of each kernel once
  Listener listener_ = nullptr;
  std::deque<Record> records_;
  std::unordered_map<const void*, const multipass_sim_kernel*> by_function_;
  std::unordered_map<const void*, std::uint64_t> code_objects_;  // load address of the module -> number
};

}  // namespace multipass_sim
