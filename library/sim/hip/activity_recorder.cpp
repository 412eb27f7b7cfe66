// SPDX-License-Identifier: MIT
#include "sim/hip/activity_recorder.hpp"

#include <algorithm>
#include <iterator>

namespace multipass_sim {
namespace {

constexpr std::uint64_t kSegmentSize = 64;
constexpr std::uint64_t kSegmentsPerLine = 2;
constexpr std::uint64_t kBaseCycles = 1000;
constexpr std::uint64_t kWaveBaseCycles = 64;
constexpr std::uint64_t kCyclesPerInstruction = 4;

std::size_t index(Access kind) {
  return static_cast<std::size_t>(kind);
}

}  // namespace

void ActivityRecorder::begin_execution(const WaveGeometry& geometry) {
  geometry_ = geometry;
  activity_ = {};
  issued_ = 0;
  lines_.clear();
}

void ActivityRecorder::begin_block(std::uint32_t work_items) {
  work_items_ = work_items;
  lanes_.assign(work_items, LaneTally{});
  const std::size_t wave_count = (work_items + geometry_.wave_size - 1) / geometry_.wave_size;
  if (waves_.size() < wave_count) waves_.resize(wave_count);
  for (Wave& wave : waves_) {
    wave.used = 0;
    for (auto& numbers : wave.by_kind) numbers.clear();
  }
}

ActivityRecorder::Instruction& ActivityRecorder::instruction(Wave& wave, Access kind, std::uint64_t number) {
  auto& numbers = wave.by_kind[index(kind)];
  if (number < numbers.size()) return wave.instructions[numbers[number]];
  numbers.push_back(wave.used);
  if (wave.used == wave.instructions.size()) wave.instructions.emplace_back();
  Instruction& fresh = wave.instructions[wave.used++];
  fresh.kind = kind;
  fresh.segments.clear();
  return fresh;
}

void ActivityRecorder::access(std::uint32_t work_item, Access kind, std::uint64_t address, std::size_t size) {
  const std::uint64_t number = lanes_[work_item].memory[index(kind)]++;
  auto& segments = instruction(waves_[work_item / geometry_.wave_size], kind, number).segments;
  const std::uint64_t last = (address + (size == 0 ? 0 : size - 1)) / kSegmentSize;
  for (std::uint64_t segment = address / kSegmentSize; segment <= last; ++segment) {
    // Neighbouring lanes touch the same segment, so the search starts at the newest.
    if (std::find(segments.rbegin(), segments.rend(), segment) == segments.rend()) segments.push_back(segment);
  }
}

std::uint64_t ActivityRecorder::read_clock(std::uint32_t work_item) noexcept {
  LaneTally& lane = lanes_[work_item];
  std::uint64_t operations = ++lane.clock_reads + lane.valu + lane.salu + lane.smem + lane.lds + lane.branch;
  for (const std::uint64_t count : lane.memory) operations += count;
  return kWaveBaseCycles + kCyclesPerInstruction * operations;
}

void ActivityRecorder::end_block() {
  activity_.work_items += work_items_;
  ++activity_.workgroups;
  std::size_t wave = 0;
  for (std::uint32_t first = 0; first < work_items_; first += geometry_.wave_size) {
    end_wave(waves_[wave++], &lanes_[first], std::min(geometry_.wave_size, work_items_ - first));
  }
}

void ActivityRecorder::end_wave(Wave& wave, const LaneTally* lanes, std::uint32_t lane_count) {
  LaneTally longest{};
  for (std::uint32_t i = 0; i < lane_count; ++i) {
    longest.valu = std::max(longest.valu, lanes[i].valu);
    longest.salu = std::max(longest.salu, lanes[i].salu);
    longest.smem = std::max(longest.smem, lanes[i].smem);
    longest.lds = std::max(longest.lds, lanes[i].lds);
    longest.branch = std::max(longest.branch, lanes[i].branch);
    longest.typed = std::max(longest.typed, lanes[i].typed);
    activity_.lanes_valu += lanes[i].valu;
  }
  if (longest.typed > 0) end_typed(lanes, lane_count);
  ++activity_.waves;
  activity_.insts_valu += longest.valu;
  activity_.insts_salu += longest.salu;
  activity_.insts_smem += longest.smem;
  activity_.insts_lds += longest.lds;
  activity_.insts_branch += longest.branch;
  activity_.insts_vmem_read += wave.by_kind[index(Access::kLoad)].size();
  activity_.insts_vmem_write += wave.by_kind[index(Access::kStore)].size();
  activity_.insts_vmem_atomic += wave.by_kind[index(Access::kAtomic)].size();
  const std::uint64_t issued = longest.valu + longest.salu + longest.smem + longest.lds + longest.branch + wave.used;
  issued_ += issued;
  activity_.wave_cycles += kWaveBaseCycles + kCyclesPerInstruction * issued;
  for (std::size_t i = 0; i < wave.used; ++i) {
    for (const std::uint64_t segment : wave.instructions[i].segments) request(wave.instructions[i].kind, segment);
  }
}

// Only for waves that state a type: most kernels do not pay for the table.
void ActivityRecorder::end_typed(const LaneTally* lanes, std::uint32_t lane_count) {
  std::uint64_t longest[std::size(LaneTally{}.by_type)] = {};
  for (std::uint32_t i = 0; i < lane_count; ++i) {
    for (std::size_t type = 0; type < std::size(longest); ++type) {
      longest[type] = std::max(longest[type], lanes[i].by_type[type]);
    }
  }
#define MULTIPASS_SIM_TYPE(name, constant) \
  activity_.insts_valu_##name += longest[static_cast<std::size_t>(ValuType::constant)];
  MULTIPASS_VALU_TYPES(MULTIPASS_SIM_TYPE)
#undef MULTIPASS_SIM_TYPE
}

void ActivityRecorder::request(Access kind, std::uint64_t segment) {
  switch (kind) {
    case Access::kLoad:
      ++activity_.tcp_reads;
      break;
    case Access::kStore:
      ++activity_.tcp_writes;
      break;
    case Access::kAtomic:
      ++activity_.tcp_atomics;
      break;
  }
  const auto [line, missed] = lines_.try_emplace(segment / kSegmentsPerLine, false);
  if (missed) {
    ++activity_.tcc_misses;
    if (kind != Access::kStore) activity_.ea_reads_64b += kSegmentsPerLine;
  } else {
    ++activity_.tcc_hits;
  }
  if (kind != Access::kLoad && !line->second) {
    line->second = true;
    activity_.ea_writes_64b += kSegmentsPerLine;
  }
}

multipass_sim_activity ActivityRecorder::end_execution() {
  activity_.cycles = kBaseCycles + (issued_ + geometry_.simds - 1) / geometry_.simds;
  return activity_;
}

}  // namespace multipass_sim
