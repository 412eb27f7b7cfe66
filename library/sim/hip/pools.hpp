// SPDX-License-Identifier: MIT
//
// Memory pools: what the application set, and how much of each is in use. The memory itself is with the allocations.
// A pool has a number; the default pool of device d has d + 1. Owned by the runtime; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>

#include "hip/hip_runtime_api.h"
#include "sim/hip/allocations.hpp"

namespace multipass_sim {

class Pools final {
 public:
  Pools(std::size_t devices, Allocations& allocations);

  [[nodiscard]] hipMemPool_t default_of(std::uint32_t device);
  [[nodiscard]] hipMemPool_t current_of(std::uint32_t device);
  // False: the pool is unknown, or of another device.
  [[nodiscard]] bool set_current(std::uint32_t device, hipMemPool_t pool);
  [[nodiscard]] hipMemPool_t create(std::uint32_t device);
  // False: unknown, or a default pool.
  [[nodiscard]] bool destroy(hipMemPool_t pool);
  [[nodiscard]] bool is_known(hipMemPool_t pool);

  [[nodiscard]] std::optional<std::uint32_t> device_of(hipMemPool_t pool);  // empty: unknown
  // Something was allocated from the pool.
  void note_use(hipMemPool_t pool);
  // Whether the pool holds no more than it need not give back: what is freed now it keeps.
  [[nodiscard]] bool keeps(std::uint64_t pool);

  // hipErrorInvalidValue for an unknown pool or attribute, or a value that cannot be set.
  hipError_t get(hipMemPool_t pool, hipMemPoolAttr attribute, void* value);
  hipError_t set(hipMemPool_t pool, hipMemPoolAttr attribute, const void* value);

 private:
  struct Pool {
    std::uint32_t device = 0;
    std::uint64_t high = 0;           // bytes in use, at most
    std::uint64_t reserved_high = 0;  // and kept
    std::uint64_t release_threshold = 0;
    int reuse[3] = {1, 1, 1};  // by attribute, from hipMemPoolReuseFollowEventDependencies on
  };
  Pool* find(hipMemPool_t pool);
  [[nodiscard]] std::uint64_t used_by(hipMemPool_t pool) const;
  [[nodiscard]] std::uint64_t reserved_by(hipMemPool_t pool) const;
  static hipMemPool_t handle_of(std::uint64_t number) noexcept;

  std::mutex mutex_;
  Allocations& allocations_;
  std::map<std::uint64_t, Pool> pools_;
  std::map<std::uint32_t, std::uint64_t> current_;  // by device
  std::uint64_t last_number_ = 0;
};

}  // namespace multipass_sim
