// SPDX-License-Identifier: MIT
//
// Finds the module-scope device variables of the modules whose kernels are launched, by the tag that `__device__`,
// `__constant__` and `__managed__` leave in the mangled name (multipass/sim/device.h). Static variables of functions
// are left out: the host has them too when the function is `__host__ __device__`. Owned by the runtime; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "sim/hip/allocations.hpp"

namespace multipass_sim {

// The kind of the variable with this mangled name: VARIABLE or MANAGED; 0: not a device variable.
[[nodiscard]] int kind_of_variable(std::string_view mangled) noexcept;

class DeviceVariables final {
 public:
  struct Managed {
    void* address = nullptr;
    std::size_t size = 0;
  };
  // Before the first launch of a kernel of a module on any device: the variables of the module become memory of
  // `device`. Those that are new and managed.
  [[nodiscard]] std::vector<Managed> learn(const void* kernel, std::uint32_t device, Allocations& allocations);

 private:
  std::mutex mutex_;
  std::unordered_set<const void*> kernels_;
  std::unordered_set<std::uintptr_t> modules_;
};

}  // namespace multipass_sim
