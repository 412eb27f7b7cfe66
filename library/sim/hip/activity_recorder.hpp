// SPDX-License-Identifier: MIT
//
// Turns what the work-items of one execution report into its activity, by the rules of sim/interface/activity.h.
// Where those leave a choice: loads, stores and atomics are numbered apart; waves reach L2 in the order of their
// number, a wave's instructions in the order in which its lanes first reported them; a line is written by a store or an
// atomic. Owned by one worker thread. Throws std::bad_alloc. Cost: the accesses of one block are held until it ends, 8
// bytes for each distinct segment of an instruction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "multipass/sim/device.h"
#include "sim/interface/activity.h"

namespace multipass_sim {

// What of a device the activity depends on.
struct WaveGeometry {
  std::uint32_t wave_size = 64;
  std::uint32_t simds = 1;
};

class ActivityRecorder final {
 public:
  void begin_execution(const WaveGeometry& geometry);
  void begin_block(std::uint32_t work_items);
  [[nodiscard]] LaneTally* lane(std::uint32_t work_item) noexcept { return &lanes_[work_item]; }
  void access(std::uint32_t work_item, Access kind, std::uint64_t address, std::size_t size);
  // What read_clock() says: the cycles of a wave in which this lane is the busiest.
  [[nodiscard]] std::uint64_t read_clock(std::uint32_t work_item) noexcept;
  void end_block();
  [[nodiscard]] multipass_sim_activity end_execution();

 private:
  // One wave-level memory instruction: the distinct 64-byte segments its lanes touch.
  struct Instruction {
    Access kind = Access::kLoad;
    std::vector<std::uint64_t> segments;
  };

  // Instructions are kept from block to block for their memory; `used` of them are of this block.
  struct Wave {
    std::vector<Instruction> instructions;
    std::size_t used = 0;
    std::vector<std::size_t> by_kind[3];
  };

  Instruction& instruction(Wave& wave, Access kind, std::uint64_t number);
  void end_wave(Wave& wave, const LaneTally* lanes, std::uint32_t lane_count);
  void end_typed(const LaneTally* lanes, std::uint32_t lane_count);
  void request(Access kind, std::uint64_t segment);

  WaveGeometry geometry_;
  multipass_sim_activity activity_{};
  std::uint64_t issued_ = 0;
  std::uint32_t work_items_ = 0;
  std::vector<LaneTally> lanes_;
  std::vector<Wave> waves_;
  std::unordered_map<std::uint64_t, bool> lines_;  // L2 line -> written
};

}  // namespace multipass_sim
