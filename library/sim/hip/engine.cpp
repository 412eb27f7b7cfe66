// SPDX-License-Identifier: MIT
#include "sim/hip/engine.hpp"

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

std::uint64_t read_clock() noexcept {
  return running_engine == nullptr ? 0 : running_engine->read_clock();
}

void* dynamic_shared_memory() noexcept {
  return running_engine == nullptr ? nullptr : running_engine->dynamic_shared();
}

multipass_sim_activity Engine::run(const GridLaunch& launch, const WaveGeometry& geometry) {
  launch_ = launch;
  item_count_ = launch.block.x * launch.block.y * launch.block.z;
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
  // Each strand runs work-items until one of them waits at a barrier; the next strand goes on with the next work-item.
  while (next_item_ < item_count_) resume(idle_strand());
  while (!waiting_.empty()) resume_waiting();
  recorder_.end_block();
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void Engine::resume_waiting() {
  round_.swap(waiting_);
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
