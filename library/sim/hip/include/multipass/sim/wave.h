// SPDX-License-Identifier: MIT
//
// Operations of a wave: votes and exchanges between its lanes.
//
// The work-items of a wave run one after the other, so a lane that comes to one of these waits until no lane of its
// wave can go on; those that wait at the same place of the code are then served together, as the active lanes. When
// they wait at several places (divergent code), the place with the lowest address goes first and the others go on
// waiting. That is what a GPU does for structured code, but a compiler may lay code out in another order: only code in
// which all lanes of a wave come to the same calls is certain to give a GPU's result. A lane that has ended, or waits
// at __syncthreads, is not active. Reading from a lane that is not active gives 0. None of them states an operation to
// the counters.
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

// Waits for the lanes of the wave, as above. Outside a kernel the caller is lane 0 and alone.
MULTIPASS_SIM_API const WaveMeeting& meet_wave(std::uint64_t value) noexcept;
// 0 outside a kernel.
MULTIPASS_SIM_API unsigned lane_of_wave() noexcept;

// A barrier at which the block counts. Work-items that wait at a plain __syncthreads take part without a vote.
struct BlockVotes {
  unsigned voters;
  unsigned ayes;
};
MULTIPASS_SIM_API BlockVotes barrier_with_vote(bool aye) noexcept;

template <class T>
__forceinline__ T read_lane(T value, unsigned lane) noexcept {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(std::uint64_t), "one register, or two");
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  const WaveMeeting& meeting = meet_wave(bits);
  T read{};
  if (lane < WaveMeeting::kMaxLanes && ((meeting.active >> lane) & 1) != 0) {
    std::memcpy(&read, &meeting.values[lane], sizeof(T));
  }
  return read;
}

}  // namespace multipass_sim

// The place of a call is where it is inlined, hence the forced inlining.

// Bits of the active lanes whose predicate is not 0.
__forceinline__ unsigned long long __ballot(int predicate) noexcept {
  const multipass_sim::WaveMeeting& meeting = multipass_sim::meet_wave(predicate != 0 ? 1 : 0);
  unsigned long long bits = 0;
  for (unsigned lane = 0; lane < multipass_sim::WaveMeeting::kMaxLanes; ++lane) {
    bits |= ((meeting.active >> lane) & meeting.values[lane] & 1) << lane;
  }
  return bits;
}
__forceinline__ unsigned long long __ballot64(int predicate) noexcept {
  return __ballot(predicate);
}
__forceinline__ unsigned long long __activemask() noexcept {
  return multipass_sim::meet_wave(0).active;
}
__forceinline__ int __any(int predicate) noexcept {
  return __ballot(predicate) != 0 ? 1 : 0;
}
__forceinline__ int __all(int predicate) noexcept {
  return __ballot(predicate == 0 ? 1 : 0) == 0 ? 1 : 0;
}
inline unsigned int __lane_id() noexcept {
  return multipass_sim::lane_of_wave();
}

// `width` is a power of two: the wave is taken in parts of so many lanes.
template <class T>
__forceinline__ T __shfl(T value, int source, int width = ::warpSize) noexcept {
  const unsigned self = multipass_sim::lane_of_wave();
  const unsigned part = static_cast<unsigned>(width);
  return multipass_sim::read_lane(value, (self & ~(part - 1)) + (static_cast<unsigned>(source) & (part - 1)));
}
template <class T>
__forceinline__ T __shfl_up(T value, unsigned int delta, int width = ::warpSize) noexcept {
  const unsigned self = multipass_sim::lane_of_wave();
  const unsigned place = self & (static_cast<unsigned>(width) - 1);
  return multipass_sim::read_lane(value, delta > place ? self : self - delta);
}
template <class T>
__forceinline__ T __shfl_down(T value, unsigned int delta, int width = ::warpSize) noexcept {
  const unsigned self = multipass_sim::lane_of_wave();
  const unsigned place = self & (static_cast<unsigned>(width) - 1);
  return multipass_sim::read_lane(value, delta >= static_cast<unsigned>(width) - place ? self : self + delta);
}
template <class T>
__forceinline__ T __shfl_xor(T value, int mask, int width = ::warpSize) noexcept {
  const unsigned self = multipass_sim::lane_of_wave();
  const unsigned part = static_cast<unsigned>(width);
  const unsigned other = self ^ static_cast<unsigned>(mask);
  return multipass_sim::read_lane(value, other >= ((self + part) & ~(part - 1)) ? self : other);
}

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
