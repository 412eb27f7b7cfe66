// SPDX-License-Identifier: MIT
//
// The counting helper: a kernel states what it does, and the simulated GPU's counters read it. Nothing is measured on
// the CPU, so what a kernel does not state is not counted (but atomicAdd and its like state themselves). Under hipcc
// everything here is empty: the hardware counts.
//
//   const float v = multipass_count::load(&x[i]);    // one vector memory load, and the value
//   multipass_count::store(&y[i]) = a * v;           // one vector memory store, and the place to write
//   multipass_count::valu(2);                        // two vector ALU instructions in this work-item
//   multipass_count::valu_fma_f32(2);                // two more, of a type that has a counter of its own
//
// Each function counts for the running work-item; a wave issues what its busiest lane states. Outside a kernel they do
// nothing. `load` and `store` on shared memory count as LDS operations. Cost: load, store, atomic about 10 ns.
//
// Types: valu_{add,mul,fma,trans}_{f16,f32,f64}, valu_int32, valu_int64, valu_cvt (multipass/sim/valu_types.h). Each is
// a vector ALU instruction too: what is stated so is not stated by `valu` again.
#pragma once

#include "multipass/sim/valu_types.h"

#if defined(__HIPCC__)

#include <hip/hip_runtime.h>

namespace multipass_count {

template <class T>
__device__ __forceinline__ const T& load(const T* address) {
  return *address;
}
template <class T>
__device__ __forceinline__ T& store(T* address) {
  return *address;
}
template <class T>
__device__ __forceinline__ T& atomic(T* address) {
  return *address;
}
__device__ __forceinline__ void valu(unsigned = 1) {}
#define MULTIPASS_COUNT_VALU(type, constant) \
  __device__ __forceinline__ void valu_##type(unsigned = 1) {}
MULTIPASS_VALU_TYPES(MULTIPASS_COUNT_VALU)
#undef MULTIPASS_COUNT_VALU
__device__ __forceinline__ void salu(unsigned = 1) {}
__device__ __forceinline__ void smem(unsigned = 1) {}
__device__ __forceinline__ void lds(unsigned = 1) {}
__device__ __forceinline__ void branch(unsigned = 1) {}

}  // namespace multipass_count

#else

#include "multipass/sim/device.h"

namespace multipass_count {

template <class T>
inline const T& load(const T* address) noexcept {
  multipass_sim::record_access(multipass_sim::Access::kLoad, address, sizeof(T));
  return *address;
}

template <class T>
inline T& store(T* address) noexcept {
  multipass_sim::record_access(multipass_sim::Access::kStore, address, sizeof(T));
  return *address;
}

// For atomics made by hand; atomicAdd and its like count themselves.
template <class T>
inline T& atomic(T* address) noexcept {
  multipass_sim::record_access(multipass_sim::Access::kAtomic, address, sizeof(T));
  return *address;
}

inline void add(std::uint64_t multipass_sim::LaneTally::* member, unsigned count) noexcept {
  if (multipass_sim::current_lane != nullptr) multipass_sim::current_lane->*member += count;
}

inline void valu(unsigned count = 1) noexcept {
  add(&multipass_sim::LaneTally::valu, count);
}

inline void add_typed(multipass_sim::ValuType type, unsigned count) noexcept {
  multipass_sim::LaneTally* const lane = multipass_sim::current_lane;
  if (lane == nullptr) return;
  lane->valu += count;
  lane->typed += count;
  lane->by_type[static_cast<unsigned>(type)] += count;
}
#define MULTIPASS_COUNT_VALU(type, constant)             \
  inline void valu_##type(unsigned count = 1) noexcept { \
    add_typed(multipass_sim::ValuType::constant, count); \
  }
MULTIPASS_VALU_TYPES(MULTIPASS_COUNT_VALU)
#undef MULTIPASS_COUNT_VALU

inline void salu(unsigned count = 1) noexcept {
  add(&multipass_sim::LaneTally::salu, count);
}
inline void smem(unsigned count = 1) noexcept {
  add(&multipass_sim::LaneTally::smem, count);
}
inline void lds(unsigned count = 1) noexcept {
  add(&multipass_sim::LaneTally::lds, count);
}
inline void branch(unsigned count = 1) noexcept {
  add(&multipass_sim::LaneTally::branch, count);
}

}  // namespace multipass_count

#endif
