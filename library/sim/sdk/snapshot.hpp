// SPDX-License-Identifier: MIT
//
// A copy of the device memory that kernel replay restores: hipMalloc memory and device variables of one GPU.
// Owner: the Replay of one launch, on its thread, while the GPU is drained. Costs the whole footprint in host memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "sim/interface/runtime_table.h"

namespace multipass_sim {

// What a fault does to memory that is written back.
enum class RestoreDamage : std::uint8_t {
  kNone,
  kWrong,    // the first byte of every allocation is inverted
  kPartial,  // the second half of every allocation is left as the pass before left it
};

class Snapshot final {
 public:
  // False when the host has not enough memory: nothing may be replayed then. What is not there is not tried: Linux
  // would promise it, and end a process when it is touched.
  [[nodiscard]] bool take(const multipass_sim_runtime& runtime, std::size_t device) noexcept;

  // Writes the copy back; memory that was freed or changed its size meanwhile is left alone.
  void restore(const multipass_sim_runtime& runtime, std::size_t device, RestoreDamage damage) noexcept;

  [[nodiscard]] std::uint64_t bytes() const noexcept;  // of the copy

 private:
  [[nodiscard]] bool has_room_for(std::uint64_t bytes) noexcept;
  static void save(void* self, const multipass_sim_allocation* allocation) noexcept;
  static void write_back(void* self, const multipass_sim_allocation* allocation) noexcept;

  std::unordered_map<void*, std::vector<std::byte>> copies_;
  std::uint64_t unasked_ = 0;  // bytes since the machine was last asked
  bool complete_ = true;
  RestoreDamage damage_ = RestoreDamage::kNone;
};

}  // namespace multipass_sim
