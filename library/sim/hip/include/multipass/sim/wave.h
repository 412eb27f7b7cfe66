// SPDX-License-Identifier: MIT
//
// Operations of a wave: votes and exchanges between its lanes.
//
// The work-items of a wave run one after the other, so a lane that comes to one of these waits until no lane of its
// wave can go on. Those that wait at the same place, a line of the source, are then served together, as the active
// lanes. When they wait at several places (divergent code), the lowest line goes first and the others go on waiting, so
// lanes that a branch has parted meet again behind it, as on a GPU. Two operations on one line are one place, and so is
// a function that is called from both branches; in a loop, lanes that pass a branch by run ahead of those in it. A lane
// that has ended, or waits at __syncthreads, is not active. Reading from a lane that is not active gives 0. None of
// them states an operation to the counters.
//
// Why not the address of the call: g++ copies code for different paths, and the lanes would never meet again.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "multipass/sim/device.h"
#include "multipass/sim/export.h"

namespace multipass_sim {

// What the lanes that met had in hand. Valid until the calling lane's next operation.
struct WaveMeeting {
  static constexpr unsigned kMaxLanes = 64;
  std::uint64_t active;  // a bit per lane
  std::uint64_t values[kMaxLanes];
};

// A place of the source: ordered by its line, told from the same line of other files. Never 0.
class WavePlace final {
 public:
  constexpr WavePlace(const char* file, unsigned line) noexcept : number_(std::uint64_t{line} << 32) {
    std::uint32_t hash = 2166136261U;
    for (; *file != '\0'; ++file) hash = (hash ^ static_cast<unsigned char>(*file)) * 16777619U;
    number_ |= hash;
  }
  [[nodiscard]] constexpr std::uint64_t number() const noexcept { return number_; }

 private:
  std::uint64_t number_;
};

// Waits for the lanes of the wave, as above. Outside a kernel the caller is lane 0 and alone.
MULTIPASS_SIM_API const WaveMeeting& meet_wave(std::uint64_t value, std::uint64_t place) noexcept;
// 0 outside a kernel.
MULTIPASS_SIM_API unsigned lane_of_wave() noexcept;

// A barrier at which the block counts. Work-items that wait at a plain __syncthreads take part without a vote.
struct BlockVotes {
  unsigned voters;
  unsigned ayes;
};
MULTIPASS_SIM_API BlockVotes barrier_with_vote(bool aye) noexcept;

template <class T>
T read_lane(T value, unsigned lane, WavePlace place) noexcept {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(std::uint64_t), "one register, or two");
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  const WaveMeeting& meeting = meet_wave(bits, place.number());
  T read{};
  if (lane < WaveMeeting::kMaxLanes && ((meeting.active >> lane) & 1) != 0) {
    std::memcpy(&read, &meeting.values[lane], sizeof(T));
  }
  return read;
}

}  // namespace multipass_sim

// The place of the call: the last argument of each operation below, never given.
#define MULTIPASS_SIM_PLACE multipass_sim::WavePlace place = {__builtin_FILE(), static_cast<unsigned>(__builtin_LINE())}

// Bits of the active lanes whose predicate is not 0.
inline unsigned long long __ballot(int predicate, MULTIPASS_SIM_PLACE) noexcept {
  const multipass_sim::WaveMeeting& meeting = multipass_sim::meet_wave(predicate != 0 ? 1 : 0, place.number());
  unsigned long long bits = 0;
  for (unsigned lane = 0; lane < multipass_sim::WaveMeeting::kMaxLanes; ++lane) {
    bits |= ((meeting.active >> lane) & meeting.values[lane] & 1) << lane;
  }
  return bits;
}
inline unsigned long long __ballot64(int predicate, MULTIPASS_SIM_PLACE) noexcept {
  return __ballot(predicate, place);
}
inline unsigned long long __activemask(MULTIPASS_SIM_PLACE) noexcept {
  return multipass_sim::meet_wave(0, place.number()).active;
}
inline int __any(int predicate, MULTIPASS_SIM_PLACE) noexcept {
  return __ballot(predicate, place) != 0 ? 1 : 0;
}
inline int __all(int predicate, MULTIPASS_SIM_PLACE) noexcept {
  return __ballot(predicate == 0 ? 1 : 0, place) == 0 ? 1 : 0;
}
inline unsigned int __lane_id() noexcept {
  return multipass_sim::lane_of_wave();
}

// `width` is a power of two: the wave is taken in parts of so many lanes.
template <class T>
T __shfl(T value, int source, int width = ::warpSize, MULTIPASS_SIM_PLACE) noexcept {
  const unsigned self = multipass_sim::lane_of_wave();
  const unsigned part = static_cast<unsigned>(width);
  return multipass_sim::read_lane(value, (self & ~(part - 1)) + (static_cast<unsigned>(source) & (part - 1)), place);
}
template <class T>
T __shfl_up(T value, unsigned int delta, int width = ::warpSize, MULTIPASS_SIM_PLACE) noexcept {
  const unsigned self = multipass_sim::lane_of_wave();
  const unsigned in_part = self & (static_cast<unsigned>(width) - 1);
  return multipass_sim::read_lane(value, delta > in_part ? self : self - delta, place);
}
template <class T>
T __shfl_down(T value, unsigned int delta, int width = ::warpSize, MULTIPASS_SIM_PLACE) noexcept {
  const unsigned self = multipass_sim::lane_of_wave();
  const unsigned in_part = self & (static_cast<unsigned>(width) - 1);
  return multipass_sim::read_lane(value, delta >= static_cast<unsigned>(width) - in_part ? self : self + delta, place);
}
template <class T>
T __shfl_xor(T value, int mask, int width = ::warpSize, MULTIPASS_SIM_PLACE) noexcept {
  const unsigned self = multipass_sim::lane_of_wave();
  const unsigned part = static_cast<unsigned>(width);
  const unsigned other = self ^ static_cast<unsigned>(mask);
  return multipass_sim::read_lane(value, other >= ((self + part) & ~(part - 1)) ? self : other, place);
}

#undef MULTIPASS_SIM_PLACE

// Barriers of the block that also give every work-item the votes: how many are not 0, whether all are, whether one is.
inline int __syncthreads_count(int predicate) noexcept {
  return static_cast<int>(multipass_sim::barrier_with_vote(predicate != 0).ayes);
}
inline int __syncthreads_and(int predicate) noexcept {
  const multipass_sim::BlockVotes votes = multipass_sim::barrier_with_vote(predicate != 0);
  return votes.ayes == votes.voters ? 1 : 0;
}
inline int __syncthreads_or(int predicate) noexcept {
  return multipass_sim::barrier_with_vote(predicate != 0).ayes != 0 ? 1 : 0;
}
