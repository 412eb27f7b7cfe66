// SPDX-License-Identifier: MIT
//
// hipLaunchKernelGGL: turns a kernel and its arguments into a launch that the runtime queues. The arguments are
// converted to the kernel's parameter types and copied on the launching thread, as the kernel-argument segment is.
// Errors are left for hipGetLastError.
#pragma once

#include <cstddef>
#include <memory>
#include <tuple>
#include <type_traits>
#include <typeinfo>

#include "hip/hip_runtime_api.h"
#include "multipass/sim/export.h"

// The compiler spells this type's mangled name with the kernel's own mangled name inside: that is how the runtime
// learns the name that a code object would have. Outside any namespace on purpose: the decoder counts on it.
template <auto Kernel>
struct MultipassSimSymbol {};

namespace multipass_sim {

// One launch. `arguments` belongs to the runtime once launch() is called, whatever it returns.
struct KernelLaunch {
  const void* host_function;
  const char* symbol_type;                // typeid(MultipassSimSymbol<kernel>).name()
  void (*invoke)(const void* arguments);  // runs one work-item
  void* arguments;
  void (*destroy)(void* arguments);
  std::size_t kernarg_size;  // bytes, each argument at its own alignment
  std::size_t argument_count;
};

MULTIPASS_SIM_API hipError_t launch(const KernelLaunch& launch, dim3 grid, dim3 block, std::size_t shared_bytes,
                                    hipStream_t stream) noexcept;

constexpr std::size_t append_argument(std::size_t offset, std::size_t size, std::size_t alignment) noexcept {
  return (offset + alignment - 1) / alignment * alignment + size;
}

template <auto Kernel, class Signature = decltype(Kernel)>
struct KernelTraits {
  static_assert(!std::is_same_v<Signature, Signature>, "a kernel is a function that returns void");
};

template <auto Kernel, class... Parameters>
struct KernelTraits<Kernel, void (*)(Parameters...)> {
  static_assert(((std::is_trivially_copyable_v<Parameters> && !std::is_reference_v<Parameters>) && ...),
                "kernel arguments are copied byte by byte to the device");
  using Arguments = std::tuple<std::remove_cv_t<Parameters>...>;

  static void invoke(const void* arguments) { std::apply(Kernel, *static_cast<const Arguments*>(arguments)); }
  static void destroy(void* arguments) { delete static_cast<Arguments*>(arguments); }

  static constexpr std::size_t kernarg_size() noexcept {
    std::size_t offset = 0;
    ((offset = append_argument(offset, sizeof(Parameters), alignof(Parameters))), ...);
    return offset;
  }

  // An ordinary call: arguments, grid (an int too) and stream (a literal 0 too) convert as they do in a kernel call.
  static void launch(dim3 grid, dim3 block, std::size_t shared_bytes, hipStream_t stream, Parameters... parameters) {
    auto arguments = std::make_unique<Arguments>(parameters...);
    const KernelLaunch launch{reinterpret_cast<const void*>(Kernel),
                              typeid(MultipassSimSymbol<Kernel>).name(),
                              &KernelTraits::invoke,
                              arguments.release(),
                              &KernelTraits::destroy,
                              kernarg_size(),
                              sizeof...(Parameters)};
    static_cast<void>(::multipass_sim::launch(launch, grid, block, shared_bytes, stream));
  }
};

template <auto Kernel, class... Parameters>
struct KernelTraits<Kernel, void (*)(Parameters...) noexcept> : KernelTraits<Kernel, void (*)(Parameters...)> {};

}  // namespace multipass_sim

#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define hipLaunchKernelGGL(kernel, ...) ::multipass_sim::KernelTraits<(kernel)>::launch(__VA_ARGS__)
