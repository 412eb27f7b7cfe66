// SPDX-License-Identifier: MIT
//
// Lanes of a wave vote and exchange, blocks count at a barrier, and divergent lanes meet as wave.h says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "hip/hip_runtime.h"
#include "sim_environment.hpp"

#undef NDEBUG  // assertions are wanted in every kind of build
#include <cassert>

namespace {

using multipass_sim::DeviceArray;
using ::testing::Each;
using ::testing::ElementsAre;

__global__ void sum_of_wave(const int* values, int* sums) {
  int sum = values[blockIdx.x * blockDim.x + threadIdx.x];
  for (int offset = warpSize / 2; offset > 0; offset /= 2) sum += __shfl_down(sum, offset);
  if (__lane_id() == 0) sums[(blockIdx.x * blockDim.x + threadIdx.x) / 64] = sum;
}

TEST(Wave, AReductionByShuffleAddsUpEachWave) {
  std::vector<int> values(256);
  for (int i = 0; i < 256; ++i) values[static_cast<std::size_t>(i)] = i;
  const DeviceArray<int> in(values);
  const DeviceArray<int> sums(std::vector<int>(4));
  hipLaunchKernelGGL(sum_of_wave, dim3(2), dim3(128), 0, nullptr, in.get(), sums.get());
  EXPECT_THAT(sums.to_host(), ElementsAre(2016, 6112, 10208, 14304));
}

__global__ void shuffles(double* out) {
  const int lane = static_cast<int>(threadIdx.x);
  const double value = lane + 0.5;
  out[lane] = __shfl(value, 3);
  out[8 + lane] = __shfl(value, lane + 1, 4);
  out[16 + lane] = __shfl_up(value, 1, 4);
  out[24 + lane] = __shfl_down(value, 2, 4);
  out[32 + lane] = __shfl_xor(value, 1);
}

TEST(Wave, ShufflesReadTheLaneThatTheirWidthAllows) {
  const DeviceArray<double> out(std::vector<double>(40));
  hipLaunchKernelGGL(shuffles, dim3(1), dim3(8), 0, nullptr, out.get());
  const std::vector<double> all = out.to_host();
  const auto part = [&](std::ptrdiff_t n) { return std::vector<double>(all.begin() + 8 * n, all.begin() + 8 * n + 8); };
  EXPECT_THAT(part(0), Each(3.5));
  EXPECT_THAT(part(1), ElementsAre(1.5, 2.5, 3.5, 0.5, 5.5, 6.5, 7.5, 4.5));
  EXPECT_THAT(part(2), ElementsAre(0.5, 0.5, 1.5, 2.5, 4.5, 4.5, 5.5, 6.5));
  EXPECT_THAT(part(3), ElementsAre(2.5, 3.5, 2.5, 3.5, 6.5, 7.5, 6.5, 7.5));
  EXPECT_THAT(part(4), ElementsAre(1.5, 0.5, 3.5, 2.5, 5.5, 4.5, 7.5, 6.5));
}

__global__ void votes(unsigned long long* out) {
  const int lane = static_cast<int>(threadIdx.x % 64);
  const unsigned long long ballot = __ballot(lane % 3 == 0 ? 1 : 0);
  const int any = __any(lane == 7 ? 1 : 0);
  const int all = __all(lane < 64 ? 1 : 0);
  const int not_all = __all(lane != 5 ? 1 : 0);
  const int none = __any(0);
  if (lane == 0) {
    out[threadIdx.x / 64 * 2] = ballot;
    out[threadIdx.x / 64 * 2 + 1] = static_cast<unsigned long long>(any * 1000 + all * 100 + not_all * 10 + none);
  }
}

TEST(Wave, VotesAreThoseOfTheLanesThatThereAre) {
  const DeviceArray<unsigned long long> out(std::vector<unsigned long long>(4));
  hipLaunchKernelGGL(votes, dim3(1), dim3(64 + 10), 0, nullptr, out.get());  // the second wave has ten lanes
  EXPECT_THAT(out.to_host(), ElementsAre(0x9249249249249249ULL, 1100ULL, 0x249ULL, 1100ULL));
}

__global__ void divergent(unsigned long long* masks) {
  if (threadIdx.x >= 6) return;
  if (threadIdx.x % 2 == 0) {
    masks[threadIdx.x] = __activemask();
  } else {
    masks[threadIdx.x] = __ballot(1);
  }
  masks[6 + threadIdx.x] = __activemask();
}

TEST(Wave, DivergentLanesMeetThoseAtTheSamePlaceAndEndedOnesAreNotActive) {
  const DeviceArray<unsigned long long> masks(std::vector<unsigned long long>(12));
  hipLaunchKernelGGL(divergent, dim3(1), dim3(64), 0, nullptr, masks.get());
  const std::vector<unsigned long long> all = masks.to_host();
  for (std::size_t lane = 0; lane < 6; ++lane) EXPECT_EQ(all[lane], lane % 2 == 0 ? 0x15ULL : 0x2aULL) << lane;
}

__global__ void part_and_meet_again(int* out, unsigned long long* masks) {
  const int lane = static_cast<int>(threadIdx.x);
  int value = lane;
  if (lane % 2 == 1) {
    value += __shfl_xor(value, 2);
  } else {
    value -= __shfl_xor(value, 2);
  }
  masks[lane] = __activemask();
  for (int i = 0; i < lane % 4; ++i) {
    value += __shfl(value, lane);
  }
  masks[64 + lane] = __activemask();
  for (int offset = 32; offset > 0; offset /= 2) value += __shfl_xor(value, offset);
  if (lane % 2 == 1) out[lane] = value;  // invites the compiler to make a copy of all above for odd lanes
}

TEST(Wave, LanesThatABranchOrALoopPartedMeetAgainBehindIt) {
  const DeviceArray<int> out(std::vector<int>(64));
  const DeviceArray<unsigned long long> masks(std::vector<unsigned long long>(128));
  hipLaunchKernelGGL(part_and_meet_again, dim3(1), dim3(64), 0, nullptr, out.get(), masks.get());
  EXPECT_THAT(masks.to_host(), Each(~0ULL));
  // Odd lanes: lane + (lane ^ 2); even ones: lane - (lane ^ 2). Doubled lane % 4 times, then summed over the wave.
  int sum = 0;
  for (int lane = 0; lane < 64; ++lane) {
    const int other = lane ^ 2;
    sum += (lane % 2 == 1 ? lane + other : lane - other) * (1 << (lane % 4));
  }
  EXPECT_EQ(out.to_host()[1], sum);
  EXPECT_EQ(out.to_host()[63], sum);
}

__global__ void leave_loop_one_by_one(int* rounds, unsigned long long* after) {
  const int lane = static_cast<int>(threadIdx.x);
  int round = 0;
  while (__any(round < lane ? 1 : 0) != 0) ++round;
  rounds[lane] = round;
  after[lane] = __activemask();
}

TEST(Wave, ALoopThatAVoteEndsIsLeftByAllLanesTogether) {
  const DeviceArray<int> rounds(std::vector<int>(32));
  const DeviceArray<unsigned long long> after(std::vector<unsigned long long>(32));
  hipLaunchKernelGGL(leave_loop_one_by_one, dim3(1), dim3(32), 0, nullptr, rounds.get(), after.get());
  EXPECT_THAT(rounds.to_host(), Each(31));
  EXPECT_THAT(after.to_host(), Each(0xffffffffULL));
}

__global__ void read_from_absent(int* out) {
  if (threadIdx.x >= 4) return;
  out[threadIdx.x] = __shfl(static_cast<int>(threadIdx.x) + 1, 20);
}

TEST(Wave, ReadingALaneThatIsNotActiveGivesZero) {
  const DeviceArray<int> out(std::vector<int>(4, 9));
  hipLaunchKernelGGL(read_from_absent, dim3(1), dim3(64), 0, nullptr, out.get());
  EXPECT_THAT(out.to_host(), Each(0));
}

__global__ void waves_and_barriers(int* out) {
  __shared__ int of_wave[4];
  int sum = 1;
  for (int offset = 1; offset < 64; offset *= 2) sum += __shfl_xor(sum, offset);
  if (__lane_id() == 0) of_wave[threadIdx.x / 64] = sum;
  __syncthreads();
  int total = 0;
  for (const int one : of_wave) total += one;
  out[threadIdx.x] = total + __shfl(0, 0);
}

TEST(Wave, WaveOperationsAndBarriersMixInOneKernel) {
  const DeviceArray<int> out(std::vector<int>(256));
  hipLaunchKernelGGL(waves_and_barriers, dim3(1), dim3(256), 0, nullptr, out.get());
  EXPECT_THAT(out.to_host(), Each(256));
}

__global__ void count_at_barrier(int* out) {
  const int i = static_cast<int>(threadIdx.x);
  const int multiples = __syncthreads_count(i % 4 == 0 ? 7 : 0);
  const int all = __syncthreads_and(i < 100 ? 1 : 0);
  const int any = __syncthreads_or(i == 99 ? 1 : 0);
  const int not_all = __syncthreads_and(i != 3 ? 1 : 0);
  const int none = __syncthreads_or(0);
  out[i] = multiples * 10000 + all * 1000 + any * 100 + not_all * 10 + none;
}

TEST(Wave, ABarrierGivesEveryWorkItemTheVotesOfTheBlock) {
  const DeviceArray<int> out(std::vector<int>(100));
  hipLaunchKernelGGL(count_at_barrier, dim3(1), dim3(100), 0, nullptr, out.get());
  EXPECT_THAT(out.to_host(), Each(251100));
}

TEST(Wave, OutsideAKernelTheCallerIsAlone) {
  EXPECT_EQ(__ballot(5), 1ULL);
  EXPECT_EQ(__shfl(17, 0), 17);
  EXPECT_EQ(__lane_id(), 0U);
  EXPECT_EQ(__syncthreads_count(1), 1);
}

__global__ void scoped_atomics(int* values) {
  atomicAdd_system(&values[0], 2);
  atomicMax_system(&values[1], static_cast<int>(threadIdx.x));
  atomicExch_system(&values[2], 5);
}

TEST(Wave, AtomicsOfTheSystemScopeDoWhatThePlainOnesDo) {
  const DeviceArray<int> values(std::vector<int>{1, 0, 0});
  hipLaunchKernelGGL(scoped_atomics, dim3(1), dim3(10), 0, nullptr, values.get());
  EXPECT_THAT(values.to_host(), ElementsAre(21, 9, 5));
}

__global__ void refuse(int value) {
  assert(value == 0 && "the value is 0");
}

TEST(WaveDeathTest, AFailedAssertionOfAKernelEndsTheProcessWithItsText) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        hipLaunchKernelGGL(refuse, dim3(1), dim3(1), 0, nullptr, 1);
        static_cast<void>(hipDeviceSynchronize());
      },
      "the value is 0");
}

}  // namespace
