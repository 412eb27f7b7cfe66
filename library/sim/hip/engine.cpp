// SPDX-License-Identifier: MIT
#include "sim/hip/engine.hpp"

#include <algorithm>
#include <utility>

__thread uint3 threadIdx;
__thread uint3 blockIdx;
__thread dim3 blockDim{0, 0, 0};
__thread dim3 gridDim{0, 0, 0};
__thread int warpSize = 64;

namespace multipass_sim {

__thread LaneTally* current_lane = nullptr;

namespace {

__thread Engine* running_engine = nullptr;

}  // namespace

Engine* current_engine() noexcept {
  return running_engine;
}

void record_access(Access access, const void* address, std::size_t size) noexcept {
  if (running_engine != nullptr) running_engine->access(access, address, size);
}

void barrier() noexcept {
  if (running_engine != nullptr) running_engine->barrier();
}

BlockVotes barrier_with_vote(bool aye) noexcept {
  if (running_engine != nullptr) return running_engine->barrier_with_vote(aye);
  return {1, aye ? 1U : 0U};
}

const WaveMeeting& meet_wave(std::uint64_t value, std::uint64_t place) noexcept {
  if (running_engine != nullptr) return running_engine->meet_wave(value, place);
  static thread_local WaveMeeting alone{};
  alone.active = 1;
  alone.values[0] = value;
  return alone;
}

unsigned lane_of_wave() noexcept {
  return running_engine == nullptr ? 0 : running_engine->lane_of_wave();
}

std::uint64_t read_clock() noexcept {
  return running_engine == nullptr ? 0 : running_engine->read_clock();
}

void* dynamic_shared_memory() noexcept {
  return running_engine == nullptr ? nullptr : running_engine->dynamic_shared();
}

multipass_sim_activity Engine::run(const GridLaunch& launch, const WaveGeometry& geometry) {
  launch_ = launch;
  item_count_ = launch.block.x * launch.block.y * launch.block.z;
  wave_size_ = std::min(geometry.wave_size, std::uint32_t{WaveMeeting::kMaxLanes});
  waves_.resize((item_count_ + wave_size_ - 1) / wave_size_);
  failure_ = nullptr;
  dynamic_shared_.assign(launch.dynamic_shared_size, 0xCD);
  local_memory_.begin_execution(dynamic_shared_.data(), dynamic_shared_.size());
  recorder_.begin_execution(geometry);
  running_engine = this;
  blockDim = launch.block;
  gridDim = launch.blocks;
  warpSize = static_cast<int>(geometry.wave_size);
  try {
    for (std::uint32_t z = 0; z < launch.blocks.z; ++z) {
      for (std::uint32_t y = 0; y < launch.blocks.y; ++y) {
        for (std::uint32_t x = 0; x < launch.blocks.x; ++x) {
          blockIdx = {x, y, z};
          run_block();
        }
      }
    }
  } catch (...) {
    abandon();
    throw;
  }
  leave_kernel();
  return recorder_.end_execution();
}

void Engine::leave_kernel() noexcept {
  running_engine = nullptr;
  current_lane = nullptr;
  threadIdx = {0, 0, 0};
  blockIdx = {0, 0, 0};
  blockDim = gridDim = dim3(0, 0, 0);
}

void Engine::abandon() noexcept {
  waiting_.clear();
  round_.clear();
  idle_.clear();
  strands_.clear();
  leave_kernel();
}

void Engine::run_block() {
  recorder_.begin_block(item_count_);
  next_item_ = 0;
  votes_ = {};
  // Each strand runs work-items until one of them waits; the next strand goes on with the next work-item.
  while (next_item_ < item_count_) resume(idle_strand());
  while (!waiting_.empty()) {
    if (!serve_waves()) open_barrier();
  }
  recorder_.end_block();
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

// Lets the lanes meet that wait at the lowest place of their wave. False: no lane waits for its wave.
bool Engine::serve_waves() {
  for (Wave& wave : waves_) wave.place = 0;
  bool any = false;
  for (const Strand* strand : waiting_) {
    if (strand->place == 0) continue;
    Wave& wave = wave_of(*strand);
    wave.place = wave.place == 0 ? strand->place : std::min(wave.place, strand->place);
    wave.meeting.active = 0;
    any = true;
  }
  if (!any) return false;
  const auto stays = [this](Strand* strand) {
    Wave& wave = wave_of(*strand);
    if (strand->place == 0 || strand->place != wave.place) return true;
    const std::uint32_t lane = strand->item % wave_size_;
    wave.meeting.active |= std::uint64_t{1} << lane;
    wave.meeting.values[lane] = strand->value;
    round_.push_back(strand);
    return false;
  };
  const auto kept = std::copy_if(waiting_.begin(), waiting_.end(), waiting_.begin(), stays);
  waiting_.erase(kept, waiting_.end());
  resume_round();
  return true;
}

void Engine::open_barrier() {
  outcome_ = std::exchange(votes_, {});
  round_.swap(waiting_);
  resume_round();
}

void Engine::resume_round() {
  for (Strand* strand : round_) {
    active_ = strand;
    enter_item(strand->item);
    resume(strand);
  }
  round_.clear();
}

void Engine::resume(Strand* strand) {
  active_ = strand;
  const bool waits = strand->fibre->resume();
  (waits ? waiting_ : idle_).push_back(strand);
}

Engine::Strand* Engine::idle_strand() {
  if (idle_.empty()) {
    // Room for every strand in every list, so that the lists do not grow while work-items are suspended.
    const std::size_t count = strands_.size() + 1;
    strands_.reserve(count);
    idle_.reserve(count);
    waiting_.reserve(count);
    round_.reserve(count);
    const auto entry = [](void* self) { static_cast<Engine*>(self)->run_items(); };
    auto strand = std::make_unique<Strand>();
    strand->fibre = std::make_unique<Fibre>(entry, this, strands_.size());
    strands_.push_back(std::move(strand));
    return strands_.back().get();
  }
  Strand* const strand = idle_.back();
  idle_.pop_back();
  return strand;
}

void Engine::run_items() noexcept {
  while (next_item_ < item_count_) {
    enter_item(next_item_++);
    launch_.invoke(launch_.arguments);
  }
}

void Engine::enter_item(std::uint32_t item) noexcept {
  item_ = item;
  active_->item = item;
  const std::uint32_t row = item / launch_.block.x;
  threadIdx = {item % launch_.block.x, row % launch_.block.y, row / launch_.block.y};
  current_lane = recorder_.lane(item);
}

void Engine::barrier() noexcept {
  suspend_at(0, 0);
}

BlockVotes Engine::barrier_with_vote(bool aye) noexcept {
  ++votes_.voters;
  votes_.ayes += aye ? 1 : 0;
  suspend_at(0, 0);
  return outcome_;
}

const WaveMeeting& Engine::meet_wave(std::uint64_t value, std::uint64_t place) noexcept {
  suspend_at(place, value);
  return waves_[item_ / wave_size_].meeting;
}

void Engine::suspend_at(std::uint64_t place, std::uint64_t value) noexcept {
  active_->place = place;
  active_->value = value;
  active_->fibre->suspend();
}

void Engine::access(Access kind, const void* address, std::size_t size) noexcept {
  const auto location = reinterpret_cast<std::uint64_t>(address);
  try {
    if (local_memory_.contains(location)) {
      ++recorder_.lane(item_)->lds;
    } else {
      recorder_.access(item_, kind, location, size);
    }
  } catch (const std::exception&) {
    failure_ = std::current_exception();
  }
}

}  // namespace multipass_sim
