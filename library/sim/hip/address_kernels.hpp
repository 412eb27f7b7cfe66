// SPDX-License-Identifier: MIT
//
// Kernels that are known by their address only: name and parameters come from the symbol table of the kernel's file,
// parameters being numbers and pointers (a class has no size in a mangled name). Owned by the runtime; any thread.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "multipass/sim/launch.h"

namespace multipass_sim {

// How a parameter is passed (System V x86-64): in an integer register, extended from `size` bytes, or in a vector one.
struct KernelParameter {
  std::size_t size = 0;
  bool is_signed = false;
  bool is_real = false;
};

// The parameters in a demangled function: "void k<float>(float*, int)". Nothing when one of them is of another type.
[[nodiscard]] std::optional<std::vector<KernelParameter>> kernel_parameters(std::string_view demangled);

struct AddressKernel {
  std::string symbol;  // mangled; empty: the address is no function of a symbol table
  std::optional<std::vector<KernelParameter>> parameters;
};

class AddressKernels final {
 public:
  // A launch with copies of what `arguments` points to, a pointer per parameter. Nothing, and one line on stderr that
  // says why, when the kernel cannot be called. The launch's strings live as long as this object.
  [[nodiscard]] std::optional<KernelLaunch> describe(const void* function, void* const* arguments);

 private:
  const AddressKernel& find(const void* function);

  std::mutex mutex_;
  std::unordered_map<const void*, std::unique_ptr<const AddressKernel>> kernels_;
};

}  // namespace multipass_sim
