// SPDX-License-Identifier: MIT
//
// Stands for: rocprof-sys's regions of the HIP API, category rocm_hip_api, one for each launch, copy and wait, on its
// thread. rocprof-sys gets them by tracing of the SDK, which the simulated SDK does not have; here the functions of the
// simulator are found first by the loader (LD_PRELOAD). A launch that is replayed contains the passes, as there.
//
// Does not: other HIP functions; programs that call HIP without the dynamic linker.
#include <dlfcn.h>
#include <hip/hip_runtime.h>
#include <unistd.h>

#include <cstddef>

#include "client.hpp"
#include "records.hpp"

namespace {

thread_local bool inside = false;  // of a function below: the simulator's functions may call each other

bool are_wanted() {
  static const bool wanted = standin::client().settings.has_domain("hip_runtime_api");
  return wanted;
}

// The function that the application would have reached. RTLD_NEXT does not see a library that was opened with
// RTLD_LOCAL, as interpreters open what they load.
void* next_function(const char* symbol) {
  if (void* found = dlsym(RTLD_NEXT, symbol)) return found;
  void* opened = dlopen("libmultipass-sim-hip.so", RTLD_LAZY | RTLD_NOLOAD);
  return opened == nullptr ? nullptr : dlsym(opened, symbol);
}

template <typename Function, typename... Arguments>
hipError_t region(const char* name, const char* symbol, Function* function, const Arguments&... arguments) {
  static_cast<void>(function);
  static auto* const real = reinterpret_cast<Function*>(next_function(symbol));
  if (inside || !are_wanted()) return real(arguments...);
  inside = true;
  const std::uint64_t start = standin::now();
  const hipError_t error = real(arguments...);
  const std::uint64_t end = standin::now();
  inside = false;
  standin::records().add("region", {{"name", name},
                                    {"category", "rocm_hip_api"},
                                    {"tid", static_cast<std::uint64_t>(gettid())},
                                    {"start", start},
                                    {"end", end}});
  return error;
}

}  // namespace

// NOLINTBEGIN: these are names of the simulator
namespace multipass_sim {
hipError_t launch(const KernelLaunch& launch, dim3 grid, dim3 block, std::size_t shared, hipStream_t stream) noexcept {
  constexpr const char* kSymbol = "_ZN13multipass_sim6launchERKNS_12KernelLaunchE4dim3S3_mP12ihipStream_t";
  using Function = hipError_t(const KernelLaunch&, dim3, dim3, std::size_t, hipStream_t);
  static auto* const real = reinterpret_cast<Function*>(next_function(kSymbol));
  if (!are_wanted()) return real(launch, grid, block, shared, stream);
  standin::last_correlation() = 0;  // as it stays where nothing is submitted: into a graph, or refused
  const std::uint64_t start = standin::now();
  const hipError_t error = real(launch, grid, block, shared, stream);
  standin::records().add("region", {{"name", "hipLaunchKernel"},
                                    {"category", "rocm_hip_api"},
                                    {"tid", static_cast<std::uint64_t>(gettid())},
                                    {"correlation", standin::last_correlation()},
                                    {"start", start},
                                    {"end", standin::now()}});
  return error;
}
}  // namespace multipass_sim

extern "C" {
hipError_t hipMemcpy(void* destination, const void* source, std::size_t size, hipMemcpyKind kind) {
  return region("hipMemcpy", "hipMemcpy", &hipMemcpy, destination, source, size, kind);
}
hipError_t hipDeviceSynchronize() {
  return region("hipDeviceSynchronize", "hipDeviceSynchronize", &hipDeviceSynchronize);
}
hipError_t hipStreamSynchronize(hipStream_t stream) {
  return region("hipStreamSynchronize", "hipStreamSynchronize", &hipStreamSynchronize, stream);
}
}
// NOLINTEND
