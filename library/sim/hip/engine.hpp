// SPDX-License-Identifier: MIT
//
// Runs kernels on the calling thread: block after block, work-item after work-item, a work-item that waits at a barrier
// or for the other lanes of its wave on a stack of its own. Waves are served first, by the rules of
// multipass/sim/wave.h; when none waits, the barrier opens. One engine per queue worker, one execution at a time.
// Throws std::bad_alloc when stacks or tallies cannot be had; the kernel has then run in part.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

#include "multipass/sim/device.h"
#include "multipass/sim/wave.h"
#include "sim/hip/activity_recorder.hpp"
#include "sim/hip/fibre.hpp"
#include "sim/hip/local_memory.hpp"
#include "sim/interface/activity.h"

namespace multipass_sim {

struct GridLaunch {
  void (*invoke)(const void* arguments) = nullptr;  // runs one work-item
  const void* arguments = nullptr;
  dim3 blocks;
  dim3 block;  // work-items
  std::size_t dynamic_shared_size = 0;
};

class Engine final {
 public:
  [[nodiscard]] multipass_sim_activity run(const GridLaunch& launch, const WaveGeometry& geometry);

  // Called by the running work-item.
  void barrier() noexcept;
  BlockVotes barrier_with_vote(bool aye) noexcept;
  const WaveMeeting& meet_wave(std::uint64_t value, std::uint64_t place) noexcept;
  [[nodiscard]] unsigned lane_of_wave() const noexcept { return item_ % wave_size_; }
  void access(Access kind, const void* address, std::size_t size) noexcept;
  [[nodiscard]] std::uint64_t read_clock() noexcept { return recorder_.read_clock(item_); }
  [[nodiscard]] void* dynamic_shared() noexcept { return dynamic_shared_.data(); }

 private:
  // A work-item's stack, the work-item that is on it, and what it waits for.
  struct Strand {
    std::unique_ptr<Fibre> fibre;
    std::uint32_t item = 0;
    std::uint64_t place = 0;  // of the operation of the wave; 0: it waits at the block's barrier
    std::uint64_t value = 0;  // what it brings to the meeting
  };
  struct Wave {
    std::uint64_t place = 0;  // the lowest at which a lane waits; 0: none does
    WaveMeeting meeting{};
  };

  void run_block();
  void run_items() noexcept;
  [[nodiscard]] bool serve_waves();
  void open_barrier();
  void resume_round();
  [[nodiscard]] Wave& wave_of(const Strand& strand) noexcept { return waves_[strand.item / wave_size_]; }
  void suspend_at(std::uint64_t place, std::uint64_t value) noexcept;
  void enter_item(std::uint32_t item) noexcept;
  Strand* idle_strand();
  void resume(Strand* strand);
  void leave_kernel() noexcept;
  void abandon() noexcept;  // drops work-items that wait at a barrier that will not come

  GridLaunch launch_;
  ActivityRecorder recorder_;
  LocalMemory local_memory_;
  std::vector<unsigned char> dynamic_shared_;
  std::vector<std::unique_ptr<Strand>> strands_;
  std::vector<Strand*> idle_;
  std::vector<Strand*> waiting_;
  std::vector<Strand*> round_;
  std::vector<Wave> waves_;  // of the block
  std::uint32_t wave_size_ = WaveMeeting::kMaxLanes;
  BlockVotes votes_{};    // of those who wait at the barrier
  BlockVotes outcome_{};  // of the barrier that opened last
  Strand* active_ = nullptr;
  std::uint32_t item_count_ = 0;
  std::uint32_t next_item_ = 0;
  std::uint32_t item_ = 0;
  std::exception_ptr failure_;  // out of memory while a work-item ran: thrown once the block is over
};

// The engine that runs a kernel on this thread, or null.
[[nodiscard]] Engine* current_engine() noexcept;

}  // namespace multipass_sim
