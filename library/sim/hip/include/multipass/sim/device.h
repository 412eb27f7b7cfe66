// SPDX-License-Identifier: MIT
//
// What a kernel sees of the simulated GPU: its keywords, its place in the grid, barriers, and the tallies that the
// counting helper fills in. Thread-local: a queue's worker thread runs one work-item at a time. Outside a kernel the
// indices are zero and the tallies absent.
#pragma once

#include <cstddef>
#include <cstdint>

#include "multipass/sim/export.h"
#include "multipass/sim/valu_types.h"
#include "multipass/sim/vector_types.h"

#define __global__
#define __host__
// A tag in the mangled name of a variable tells the runtime which ones are the device's (it reads the symbol table). It
// is also in those of `__device__` functions, where it does nothing; gdb shows it as `f[abi:__device__]`. g++ takes it
// wherever these words may stand but in two places, where a source needs -DMULTIPASS_SIM_PLAIN_VARIABLES: on what is
// `extern "C"`, and in a typedef. clang++ does not take it on a lambda, so it goes without.
#if defined(__GNUC__) && !defined(__clang__) && !defined(MULTIPASS_SIM_PLAIN_VARIABLES)
#define __device__ __attribute__((abi_tag("__device__")))
#define __constant__ __attribute__((abi_tag("__constant__")))
#define __managed__ __attribute__((abi_tag("__managed__")))
#else
#define __device__
#define __constant__
#define __managed__
#endif
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
// One object per worker thread is one object per running block.
#define __shared__ static thread_local
#define HIP_DYNAMIC_SHARED(type, variable) \
  type* const variable = static_cast<type*>(::multipass_sim::dynamic_shared_memory());

namespace multipass_sim {

enum class Access : std::uint32_t { kLoad, kStore, kAtomic };

enum class ValuType : std::uint32_t {
#define MULTIPASS_VALU_TYPE(name, constant) constant,
  MULTIPASS_VALU_TYPES(MULTIPASS_VALU_TYPE)
#undef MULTIPASS_VALU_TYPE
      kCount
};

// Operations of one work-item, in lanes.
struct LaneTally {
  std::uint64_t valu, salu, smem, lds, branch;
  std::uint64_t memory[3];    // indexed by Access
  std::uint64_t clock_reads;  // by clock64; no operation, but it takes time
  std::uint64_t typed;        // those of `valu` that have a type, and each type's, indexed by ValuType
  std::uint64_t by_type[static_cast<unsigned>(ValuType::kCount)];
};

// The running work-item's, or null outside a kernel.
extern MULTIPASS_SIM_API __thread LaneTally* current_lane;

// Reports a memory access of the running work-item; shared memory counts as an LDS operation. Cost: about 10 ns.
MULTIPASS_SIM_API void record_access(Access access, const void* address, std::size_t size) noexcept;

// Cycles of the running work-item: those of a wave's start and four for each operation that it stated and for each
// reading. The same on every run, and it goes on by itself, so that waiting for it ends. 0 outside a kernel.
MULTIPASS_SIM_API std::uint64_t read_clock() noexcept;

MULTIPASS_SIM_API void barrier() noexcept;
MULTIPASS_SIM_API void* dynamic_shared_memory() noexcept;

}  // namespace multipass_sim

extern MULTIPASS_SIM_API __thread uint3 threadIdx;
extern MULTIPASS_SIM_API __thread uint3 blockIdx;
extern MULTIPASS_SIM_API __thread dim3 blockDim;
extern MULTIPASS_SIM_API __thread dim3 gridDim;
extern MULTIPASS_SIM_API __thread int warpSize;

// The older names.
#define hipThreadIdx_x (::threadIdx.x)
#define hipThreadIdx_y (::threadIdx.y)
#define hipThreadIdx_z (::threadIdx.z)
#define hipBlockIdx_x (::blockIdx.x)
#define hipBlockIdx_y (::blockIdx.y)
#define hipBlockIdx_z (::blockIdx.z)
#define hipBlockDim_x (::blockDim.x)
#define hipBlockDim_y (::blockDim.y)
#define hipBlockDim_z (::blockDim.z)
#define hipGridDim_x (::gridDim.x)
#define hipGridDim_y (::gridDim.y)
#define hipGridDim_z (::gridDim.z)

inline void __syncthreads() noexcept {
  ::multipass_sim::barrier();
}
inline void __threadfence() noexcept {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
inline void __threadfence_block() noexcept {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
inline void __threadfence_system() noexcept {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

inline long long clock64() noexcept {
  return static_cast<long long>(::multipass_sim::read_clock());
}
inline long long wall_clock64() noexcept {
  return clock64();
}
