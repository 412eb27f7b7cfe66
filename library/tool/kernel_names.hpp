// SPDX-License-Identifier: MIT
//
// The names of kernels as people write them; KernelNames: those for messages, cut. Owned by the Pipeline. Threads: any.
// Memory is bounded: beyond kMaxNames a kernel is named by its number.
#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <unordered_map>

#include "model/ids.hpp"

namespace multipass::tool {

// "_Z4axpyPf.kd" -> "axpy(float*)". A name that is not mangled stays.
[[nodiscard]] std::string demangled(const std::string& name);

class KernelNames final {
 public:
  static constexpr std::size_t kMaxNames = 8192;
  static constexpr std::size_t kMaxLength = 80;  // bytes

  void add(KernelId kernel, const std::string& name);
  // "axpy(float*)"; "kernel 7" when its name is not known.
  [[nodiscard]] std::string of(KernelId kernel) const;

 private:
  mutable std::mutex mutex_;
  std::unordered_map<KernelId, std::string> names_;  // guarded by mutex_
};

}  // namespace multipass::tool
