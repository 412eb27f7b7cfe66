// SPDX-License-Identifier: MIT
//
// Launches. hipLaunchKernelGGL turns a kernel and its arguments into a launch that the runtime queues. The arguments
// are converted to the kernel's parameter types and copied on the launching thread, as the kernel-argument segment is.
// Errors are left for hipGetLastError. hipLaunchKernel has the kernel's address only: the runtime reads the parameters
// out of the kernel's mangled name in the symbol table, so they must be numbers or pointers, and the file not stripped.
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
  const char* symbol = nullptr;  // the kernel's mangled name itself, instead of `symbol_type`
};

MULTIPASS_SIM_API hipError_t launch(const KernelLaunch& launch, dim3 grid, dim3 block, std::size_t shared_bytes,
                                    hipStream_t stream) noexcept;

constexpr std::size_t append_argument(std::size_t offset, std::size_t size, std::size_t alignment) noexcept {
  return (offset + alignment - 1) / alignment * alignment + size;
}

// Decayed: named in a template, a kernel that depends on its parameters is a function to g++ 12, and no pointer to one.
template <auto Kernel, class Signature = std::decay_t<decltype(Kernel)>>
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

  static KernelLaunch describe(Parameters... parameters) {
    auto arguments = std::make_unique<Arguments>(parameters...);
    return {reinterpret_cast<const void*>(Kernel),
            typeid(MultipassSimSymbol<Kernel>).name(),
            &KernelTraits::invoke,
            arguments.release(),
            &KernelTraits::destroy,
            kernarg_size(),
            sizeof...(Parameters)};
  }

  // An ordinary call: arguments, grid (an int too) and stream (a literal 0 too) convert as they do in a kernel call.
  static void launch(dim3 grid, dim3 block, std::size_t shared_bytes, hipStream_t stream, Parameters... parameters) {
    static_cast<void>(::multipass_sim::launch(describe(parameters...), grid, block, shared_bytes, stream));
  }

  // With events around it, either of which may be null.
  static void launch_between(dim3 grid, dim3 block, std::size_t shared_bytes, hipStream_t stream, hipEvent_t start,
                             hipEvent_t stop, unsigned /*flags*/, Parameters... parameters) {
    if (start != nullptr && hipEventRecord(start, stream) != hipSuccess) return;
    const KernelLaunch launch = describe(parameters...);
    if (::multipass_sim::launch(launch, grid, block, shared_bytes, stream) != hipSuccess) return;
    if (stop != nullptr) static_cast<void>(hipEventRecord(stop, stream));
  }
};

template <auto Kernel, class... Parameters>
struct KernelTraits<Kernel, void (*)(Parameters...) noexcept> : KernelTraits<Kernel, void (*)(Parameters...)> {};

}  // namespace multipass_sim

#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define hipLaunchKernelGGL(kernel, ...) ::multipass_sim::KernelTraits<(kernel)>::launch(__VA_ARGS__)
#define hipExtLaunchKernelGGL(kernel, ...) ::multipass_sim::KernelTraits<(kernel)>::launch_between(__VA_ARGS__)

extern "C" {

// `arguments` points to one pointer for each parameter.
MULTIPASS_SIM_API hipError_t hipLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                                             std::size_t shared_bytes, hipStream_t stream);

// The rule is simple and knows nothing of registers: as many blocks as the waves of a compute unit hold, and as its LDS
// holds of `shared_bytes` each.
MULTIPASS_SIM_API hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function,
                                                                          int block_size, std::size_t shared_bytes);
// The largest block (whole waves, up to `limit` if that is not 0) that lets the device hold the most work-items, and
// the number of such blocks that fill it.
MULTIPASS_SIM_API hipError_t hipOccupancyMaxPotentialBlockSize(int* grid_size, int* block_size, const void* function,
                                                               std::size_t shared_bytes, int limit);

}  // extern "C"

template <class Function>
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Function* function, int block_size,
                                                        std::size_t shared_bytes) {
  return hipOccupancyMaxActiveBlocksPerMultiprocessor(blocks, reinterpret_cast<const void*>(function), block_size,
                                                      shared_bytes);
}

template <class Function>
hipError_t hipOccupancyMaxPotentialBlockSize(int* grid_size, int* block_size, Function* function,
                                             std::size_t shared_bytes = 0, int limit = 0) {
  return hipOccupancyMaxPotentialBlockSize(grid_size, block_size, reinterpret_cast<const void*>(function), shared_bytes,
                                           limit);
}
