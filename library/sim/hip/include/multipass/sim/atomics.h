// SPDX-License-Identifier: MIT
//
// Atomic operations on global and shared memory. Each returns the old value and reports itself to the counters: one
// vector memory atomic, or one LDS operation on shared memory. Relaxed order, as on the GPU.
#pragma once

#include <cstring>
#include <type_traits>

#include "multipass/sim/device.h"

namespace multipass_sim {

template <class T>
inline constexpr bool kAtomicInteger =
    std::is_same_v<T, int> || std::is_same_v<T, unsigned int> || std::is_same_v<T, unsigned long> ||
    std::is_same_v<T, unsigned long long> || std::is_same_v<T, long long> || std::is_same_v<T, long>;

template <class T>
inline constexpr bool kAtomicNumber = kAtomicInteger<T> || std::is_same_v<T, float> || std::is_same_v<T, double>;

template <class T>
using Identity = std::common_type_t<T>;  // keeps an argument out of deduction, so that atomicAdd(&u, 1) works

// Replaces *address by change(*address) in one step.
template <class T, class Change>
inline T atomic_update(T* address, Change change) noexcept {
  record_access(Access::kAtomic, address, sizeof(T));
  T old_value;
  __atomic_load(address, &old_value, __ATOMIC_RELAXED);
  T new_value = change(old_value);
  while (!__atomic_compare_exchange(address, &old_value, &new_value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    new_value = change(old_value);
  }
  return old_value;
}

}  // namespace multipass_sim

template <class T, class = std::enable_if_t<multipass_sim::kAtomicNumber<T>>>
inline T atomicAdd(T* address, multipass_sim::Identity<T> value) noexcept {
  if constexpr (multipass_sim::kAtomicInteger<T>) {
    multipass_sim::record_access(multipass_sim::Access::kAtomic, address, sizeof(T));
    return __atomic_fetch_add(address, value, __ATOMIC_RELAXED);
  } else {
    return multipass_sim::atomic_update(address, [value](T old_value) { return old_value + value; });
  }
}

template <class T, class = std::enable_if_t<multipass_sim::kAtomicInteger<T>>>
inline T atomicSub(T* address, multipass_sim::Identity<T> value) noexcept {
  multipass_sim::record_access(multipass_sim::Access::kAtomic, address, sizeof(T));
  return __atomic_fetch_sub(address, value, __ATOMIC_RELAXED);
}

template <class T, class = std::enable_if_t<multipass_sim::kAtomicNumber<T>>>
inline T atomicMax(T* address, multipass_sim::Identity<T> value) noexcept {
  return multipass_sim::atomic_update(address, [value](T old_value) { return old_value < value ? value : old_value; });
}

template <class T, class = std::enable_if_t<multipass_sim::kAtomicNumber<T>>>
inline T atomicMin(T* address, multipass_sim::Identity<T> value) noexcept {
  return multipass_sim::atomic_update(address, [value](T old_value) { return value < old_value ? value : old_value; });
}

template <class T, class = std::enable_if_t<multipass_sim::kAtomicNumber<T>>>
inline T atomicExch(T* address, multipass_sim::Identity<T> value) noexcept {
  return multipass_sim::atomic_update(address, [value](T) { return value; });
}

template <class T, class = std::enable_if_t<multipass_sim::kAtomicInteger<T>>>
inline T atomicCAS(T* address, multipass_sim::Identity<T> expected, multipass_sim::Identity<T> desired) noexcept {
  multipass_sim::record_access(multipass_sim::Access::kAtomic, address, sizeof(T));
  T old_value = expected;
  __atomic_compare_exchange_n(address, &old_value, desired, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return old_value;
}

template <class T, class = std::enable_if_t<multipass_sim::kAtomicInteger<T>>>
inline T atomicAnd(T* address, multipass_sim::Identity<T> value) noexcept {
  multipass_sim::record_access(multipass_sim::Access::kAtomic, address, sizeof(T));
  return __atomic_fetch_and(address, value, __ATOMIC_RELAXED);
}

template <class T, class = std::enable_if_t<multipass_sim::kAtomicInteger<T>>>
inline T atomicOr(T* address, multipass_sim::Identity<T> value) noexcept {
  multipass_sim::record_access(multipass_sim::Access::kAtomic, address, sizeof(T));
  return __atomic_fetch_or(address, value, __ATOMIC_RELAXED);
}

template <class T, class = std::enable_if_t<multipass_sim::kAtomicInteger<T>>>
inline T atomicXor(T* address, multipass_sim::Identity<T> value) noexcept {
  multipass_sim::record_access(multipass_sim::Access::kAtomic, address, sizeof(T));
  return __atomic_fetch_xor(address, value, __ATOMIC_RELAXED);
}

// Counts up to `limit` and starts again at 0.
inline unsigned int atomicInc(unsigned int* address, unsigned int limit) noexcept {
  return multipass_sim::atomic_update(
      address, [limit](unsigned int old_value) { return old_value >= limit ? 0U : old_value + 1U; });
}

// Counts down to 0 and starts again at `limit`; so does a value above it.
inline unsigned int atomicDec(unsigned int* address, unsigned int limit) noexcept {
  return multipass_sim::atomic_update(address, [limit](unsigned int old_value) {
    return old_value == 0 || old_value > limit ? limit : old_value - 1U;
  });
}

// On a GPU it may not reach memory of the host; here there is no difference.
template <class T, class = std::enable_if_t<std::is_floating_point_v<T>>>
inline T unsafeAtomicAdd(T* address, multipass_sim::Identity<T> value) noexcept {
  return atomicAdd(address, value);
}

// With the scope of the whole system: the same here, where all atomics have it.
template <class T, class = std::enable_if_t<multipass_sim::kAtomicNumber<T>>>
inline T atomicAdd_system(T* address, multipass_sim::Identity<T> value) noexcept {
  return atomicAdd(address, value);
}
template <class T, class = std::enable_if_t<multipass_sim::kAtomicInteger<T>>>
inline T atomicSub_system(T* address, multipass_sim::Identity<T> value) noexcept {
  return atomicSub(address, value);
}
template <class T, class = std::enable_if_t<multipass_sim::kAtomicNumber<T>>>
inline T atomicMax_system(T* address, multipass_sim::Identity<T> value) noexcept {
  return atomicMax(address, value);
}
template <class T, class = std::enable_if_t<multipass_sim::kAtomicNumber<T>>>
inline T atomicMin_system(T* address, multipass_sim::Identity<T> value) noexcept {
  return atomicMin(address, value);
}
template <class T, class = std::enable_if_t<multipass_sim::kAtomicNumber<T>>>
inline T atomicExch_system(T* address, multipass_sim::Identity<T> value) noexcept {
  return atomicExch(address, value);
}
template <class T, class = std::enable_if_t<multipass_sim::kAtomicInteger<T>>>
inline T atomicCAS_system(T* address, multipass_sim::Identity<T> expected,
                          multipass_sim::Identity<T> desired) noexcept {
  return atomicCAS(address, expected, desired);
}
template <class T, class = std::enable_if_t<multipass_sim::kAtomicInteger<T>>>
inline T atomicAnd_system(T* address, multipass_sim::Identity<T> value) noexcept {
  return atomicAnd(address, value);
}
template <class T, class = std::enable_if_t<multipass_sim::kAtomicInteger<T>>>
inline T atomicOr_system(T* address, multipass_sim::Identity<T> value) noexcept {
  return atomicOr(address, value);
}
template <class T, class = std::enable_if_t<multipass_sim::kAtomicInteger<T>>>
inline T atomicXor_system(T* address, multipass_sim::Identity<T> value) noexcept {
  return atomicXor(address, value);
}
