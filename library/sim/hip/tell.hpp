// SPDX-License-Identifier: MIT
//
// Tells an SDK that intercepts of calls and copies; without one it costs an atomic load. The HSA calls are those that
// HIP makes for its own functions: clr has them behind hipMalloc and the others. Any thread. An exception of `body`
// passes.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <type_traits>

#include "hip/hip_runtime_api.h"
#include "sdk/abi/memory.h"
#include "sim/hip/runtime.hpp"
#include "sim/interface/runtime_table.h"

namespace multipass_sim {

// hsa_status_t, as far as it is given.
inline constexpr std::uint64_t kHsaSuccess = 0;
inline constexpr std::uint64_t kHsaInvalidArgument = 0x1001;
inline constexpr std::uint64_t kHsaOutOfResources = 0x1008;

template <class Body>
std::uint64_t tell(const Runtime& runtime, const multipass_sim_call& call, Body&& body) {
  struct Held {
    std::remove_reference_t<Body>& body;
    std::exception_ptr failure;
  } held{body, nullptr};
  const std::uint64_t status = runtime.told_call(
      call,
      [](void* arg) noexcept -> std::uint64_t {
        Held& own = *static_cast<Held*>(arg);
        try {
          return static_cast<std::uint64_t>(own.body());
        } catch (...) {
          own.failure = std::current_exception();
          return kHsaOutOfResources;
        }
      },
      &held);
  if (held.failure) std::rethrow_exception(held.failure);
  return status;
}

// A HIP function that the SDK may follow. `body` is the function itself.
template <class Args, class Body>
hipError_t as_told_call(const char* function, const Args& args, Body&& body) noexcept {
  const Runtime* const started = runtime();
  if (started == nullptr) return body();
  multipass_sim_call call{};
  call.domain = MULTIPASS_SIM_DOMAIN_HIP_RUNTIME;
  call.function = function;
  call.args = &args;
  call.args_size = sizeof(args);
  return static_cast<hipError_t>(tell(*started, call, body));
}

// An HSA function; `body` does its work and gives a status.
template <class Args, class Body>
std::uint64_t as_hsa_call(const Runtime& runtime, const char* function, const Args& args, Body&& body) {
  multipass_sim_call call{};
  call.domain = MULTIPASS_SIM_DOMAIN_HSA_AMD_EXT;
  call.function = function;
  call.args = &args;
  call.args_size = sizeof(args);
  return tell(runtime, call, body);
}

// The memory pools of HSA, as numbers of our own: of the CPU, and for each GPU one of coarse-grained and one of
// fine-grained memory.
[[nodiscard]] std::uint64_t hsa_pool(std::int32_t device, bool fine) noexcept;
[[nodiscard]] std::uint64_t hsa_agent(std::int32_t device) noexcept;

// hsa_amd_memory_pool_allocate of the CPU or of a GPU: `allocate` gives the memory, or null.
void* hsa_allocate(const Runtime& runtime, std::int32_t device, bool fine, std::size_t size,
                   const std::function<void*()>& allocate);
// hsa_amd_memory_pool_free; `release` gives the memory back.
void hsa_free(const Runtime& runtime, void* address, const std::function<void()>& release);
// hsa_amd_svm_attributes_set: what makes memory managed.
void hsa_set_attributes(const Runtime& runtime, void* address, std::size_t size);
// hsa_amd_vmem_handle_create and _release. `create` gives the handle, or 0.
std::uint64_t hsa_create_handle(const Runtime& runtime, std::int32_t device, std::size_t size,
                                const std::function<std::uint64_t()>& create);
void hsa_release_handle(const Runtime& runtime, std::uint64_t handle, const std::function<void()>& release);
// hsa_amd_vmem_map and _unmap. False: `map` failed.
bool hsa_map(const Runtime& runtime, void* address, std::size_t size, std::uint64_t handle,
             const std::function<bool()>& map);
void hsa_unmap(const Runtime& runtime, void* address, std::size_t size, const std::function<void()>& unmap);

// A block of memory of any kind that the application asks for, and its end, with the HSA calls that HIP makes for it:
// pool memory is virtual memory there. Null: there is no memory. False: the block is not (any more) one of allocate().
void* allocate_told(Runtime& runtime, std::uint32_t device, std::size_t size, multipass_sim_memory_kind kind,
                    unsigned flags = 0, std::uint64_t pool = 0);
bool free_told(Runtime& runtime, const Allocations::Block& block);
// The end of pool memory that the application frees: what its pool keeps stays mapped, and nothing is told.
bool free_or_keep(Runtime& runtime, const Allocations::Block& block);
// Gives back what a pool keeps, until it holds no more than `bytes`.
void trim_pool(Runtime& runtime, std::uint64_t pool, std::size_t bytes);
// All of a device; what the application registered there is forgotten.
void free_all_told(Runtime& runtime, std::uint32_t device);

}  // namespace multipass_sim
