// SPDX-License-Identifier: MIT
//
// What kernels report becomes the activity that sim/interface/activity.h promises; every number here is worked out by
// hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "hip/hip_runtime.h"
#include "multipass/count.h"
#include "sim/hip/activity_recorder.hpp"
#include "sim_environment.hpp"

namespace {

using multipass_sim::Access;
using multipass_sim::ActivityRecorder;
using multipass_sim::Capture;
using multipass_sim::DeviceArray;

__global__ void read_one(const float* values, float* sink) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (multipass_count::load(&values[i]) < 0.0F) *sink = 1.0F;
}

TEST(Activity, AFullWaveThatReadsConsecutiveFloatsMakesOneRequestPerSegment) {
  const DeviceArray<float> values(std::vector<float>(64));
  Capture capture;
  hipLaunchKernelGGL(read_one, dim3(1), dim3(64), 0, nullptr, values.get(), nullptr);
  const multipass_sim_activity activity = capture.activity();
  EXPECT_EQ(activity.work_items, 64U);
  EXPECT_EQ(activity.workgroups, 1U);
  EXPECT_EQ(activity.waves, 1U);
  EXPECT_EQ(activity.insts_vmem_read, 1U);
  EXPECT_EQ(activity.tcp_reads, 4U);   // 256 bytes
  EXPECT_EQ(activity.tcc_misses, 2U);  // two lines of 128 bytes,
  EXPECT_EQ(activity.tcc_hits, 2U);    // the other half of each
  EXPECT_EQ(activity.ea_reads_64b, 4U);
  EXPECT_EQ(activity.ea_writes_64b, 0U);
}

TEST(Activity, APartialWaveCountsAsAWaveAndReadsOnlyWhatItsLanesRead) {
  const DeviceArray<float> values(std::vector<float>(40));
  Capture capture;
  hipLaunchKernelGGL(read_one, dim3(1), dim3(40), 0, nullptr, values.get(), nullptr);
  const multipass_sim_activity activity = capture.activity();
  EXPECT_EQ(activity.work_items, 40U);
  EXPECT_EQ(activity.waves, 1U);
  EXPECT_EQ(activity.tcp_reads, 3U);  // 160 bytes
  EXPECT_EQ(activity.tcc_misses, 2U);
  EXPECT_EQ(activity.tcc_hits, 1U);
}

TEST(Activity, ABlockThatIsNoMultipleOfTheWaveEndsInAPartialWave) {
  const DeviceArray<float> values(std::vector<float>(300));
  Capture capture;
  hipLaunchKernelGGL(read_one, dim3(3), dim3(100), 0, nullptr, values.get(), nullptr);
  const multipass_sim_activity activity = capture.activity();
  EXPECT_EQ(activity.work_items, 300U);
  EXPECT_EQ(activity.workgroups, 3U);
  EXPECT_EQ(activity.waves, 6U);  // 64 and 36 work-items, three times
  EXPECT_EQ(activity.insts_vmem_read, 6U);
  // In segments of 16 floats: 0..63 in 4, 64..99 in 3, 100..163 in 5, 164..199 in 3, 200..263 in 5, 264..299 in 3.
  EXPECT_EQ(activity.tcp_reads, 23U);
  EXPECT_EQ(activity.tcc_misses, 10U);  // 1200 bytes
  EXPECT_EQ(activity.tcc_hits, 13U);
}

__global__ void read_2d(const float* values, unsigned width, float* sink) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
  if (multipass_count::load(&values[y * width + x]) < 0.0F) *sink = 1.0F;
}

TEST(Activity, WavesOfATwoDimensionalBlockAreConsecutiveWorkItemsRowByRow) {
  const DeviceArray<float> values(std::vector<float>(32 * 32));
  Capture capture;
  hipLaunchKernelGGL(read_2d, dim3(2, 4), dim3(16, 8), 0, nullptr, values.get(), 32U, nullptr);
  const multipass_sim_activity activity = capture.activity();
  EXPECT_EQ(activity.workgroups, 8U);
  EXPECT_EQ(activity.waves, 16U);      // 128 work-items each
  EXPECT_EQ(activity.tcp_reads, 64U);  // a wave is four rows of 16 floats, 64 bytes each
  EXPECT_EQ(activity.tcc_misses, 32U);
  EXPECT_EQ(activity.tcc_hits, 32U);
}

__global__ void uneven(const float* values, float* sink) {
  for (unsigned i = 0; i <= threadIdx.x % 3; ++i) {
    multipass_count::valu(2);
    multipass_count::salu(1);
    multipass_count::smem(3);
    multipass_count::lds(4);
    multipass_count::branch(5);
    if (multipass_count::load(&values[i]) < 0.0F) *sink = 1.0F;
  }
}

TEST(Activity, AWaveIssuesWhatItsLongestLaneReports) {
  const DeviceArray<float> values(std::vector<float>(3));
  Capture capture;
  hipLaunchKernelGGL(uneven, dim3(1), dim3(65), 0, nullptr, values.get(), nullptr);
  const multipass_sim_activity activity = capture.activity();
  // The first wave goes round three times; the second is work-item 64 alone: 64 % 3 = 1, twice.
  EXPECT_EQ(activity.insts_valu, 2U * (3 + 2));
  EXPECT_EQ(activity.insts_salu, 1U * (3 + 2));
  EXPECT_EQ(activity.insts_smem, 3U * (3 + 2));
  EXPECT_EQ(activity.insts_lds, 4U * (3 + 2));
  EXPECT_EQ(activity.insts_branch, 5U * (3 + 2));
  EXPECT_EQ(activity.insts_vmem_read, 1U * (3 + 2));
  EXPECT_EQ(activity.lanes_valu, 2U * (22 * 1 + 21 * 2 + 21 * 3 + 2));
  EXPECT_EQ(activity.tcp_reads, 5U);
}

TEST(Activity, CyclesFollowTheIssuedInstructionsAndTheSimdsOfTheDevice) {
  ASSERT_EQ(hipSetDevice(1), hipSuccess);  // 8 SIMDs
  const DeviceArray<float> values(std::vector<float>(3));
  Capture capture;
  hipLaunchKernelGGL(uneven, dim3(1), dim3(65), 0, nullptr, values.get(), nullptr);
  const multipass_sim_activity activity = capture.activity();
  ASSERT_EQ(hipSetDevice(0), hipSuccess);
  EXPECT_EQ(activity.cycles, 1000U + 10);  // 16 * (3 + 2) = 80 instructions on 8 SIMDs
  EXPECT_EQ(activity.wave_cycles, 2U * 64 + 4 * 80);
}

__global__ void store_twice(float* values) {
  multipass_count::store(&values[threadIdx.x]) = 1.0F;
  multipass_count::store(&values[threadIdx.x]) = 2.0F;
}

TEST(Activity, StoresReadNothingFromMemoryAndWriteEachLineOnce) {
  const DeviceArray<float> values(std::vector<float>(64));
  Capture capture;
  hipLaunchKernelGGL(store_twice, dim3(1), dim3(64), 0, nullptr, values.get());
  const multipass_sim_activity activity = capture.activity();
  EXPECT_EQ(activity.insts_vmem_write, 2U);
  EXPECT_EQ(activity.tcp_writes, 8U);
  EXPECT_EQ(activity.tcc_misses, 2U);
  EXPECT_EQ(activity.tcc_hits, 6U);
  EXPECT_EQ(activity.ea_reads_64b, 0U);
  EXPECT_EQ(activity.ea_writes_64b, 4U);
}

__global__ void read_then_store(float* values) {
  multipass_count::store(&values[threadIdx.x]) = multipass_count::load(&values[threadIdx.x]) + 1.0F;
}

TEST(Activity, AStoreToALineThatWasReadHitsAndIsWrittenBack) {
  const DeviceArray<float> values(std::vector<float>(32));
  Capture capture;
  hipLaunchKernelGGL(read_then_store, dim3(1), dim3(32), 0, nullptr, values.get());
  const multipass_sim_activity activity = capture.activity();
  EXPECT_EQ(activity.tcc_misses, 1U);
  EXPECT_EQ(activity.tcc_hits, 3U);
  EXPECT_EQ(activity.ea_reads_64b, 2U);
  EXPECT_EQ(activity.ea_writes_64b, 2U);
}

__global__ void strided(const char* values, unsigned stride, char* sink) {
  if (multipass_count::load(&values[threadIdx.x * stride]) < 0) *sink = 1;
}

TEST(Activity, ScatteredLanesMakeARequestEach) {
  const DeviceArray<char> values(std::vector<char>(64 * 256));
  Capture capture;
  hipLaunchKernelGGL(strided, dim3(1), dim3(64), 0, nullptr, values.get(), 256U, nullptr);
  const multipass_sim_activity activity = capture.activity();
  EXPECT_EQ(activity.tcp_reads, 64U);
  EXPECT_EQ(activity.tcc_misses, 64U);
  EXPECT_EQ(activity.ea_reads_64b, 128U);
}

__global__ void count_all(unsigned* counter) {
  atomicAdd(counter, 1U);
}

TEST(Activity, AtomicsOfAWaveOnOneAddressAreOneInstructionAndOneRequest) {
  const DeviceArray<unsigned> counter(std::vector<unsigned>{0});
  Capture capture;
  hipLaunchKernelGGL(count_all, dim3(2), dim3(64), 0, nullptr, counter.get());
  const multipass_sim_activity activity = capture.activity();
  EXPECT_EQ(activity.insts_vmem_atomic, 2U);
  EXPECT_EQ(activity.tcp_atomics, 2U);
  EXPECT_EQ(activity.tcc_misses, 1U);
  EXPECT_EQ(activity.tcc_hits, 1U);
  EXPECT_EQ(activity.ea_reads_64b, 2U);
  EXPECT_EQ(activity.ea_writes_64b, 2U);
}

__global__ void shared_only(int* out) {
  __shared__ int sum;
  HIP_DYNAMIC_SHARED(int, scratch)
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, 1);
  multipass_count::store(&scratch[threadIdx.x]) = multipass_count::load(&sum);
  __syncthreads();
  if (threadIdx.x == 0) multipass_count::store(out) = sum;
}

TEST(Activity, AccessesToSharedMemoryAreLdsOperations) {
  const DeviceArray<int> out(std::vector<int>{0});
  Capture capture;
  hipLaunchKernelGGL(shared_only, dim3(1), dim3(64), 64 * sizeof(int), nullptr, out.get());
  const multipass_sim_activity activity = capture.activity();
  EXPECT_EQ(activity.insts_lds, 3U);
  EXPECT_EQ(activity.insts_vmem_atomic, 0U);
  EXPECT_EQ(activity.insts_vmem_read, 0U);
  EXPECT_EQ(activity.insts_vmem_write, 1U);
}

__global__ void branch_on_data(int* values) {
  int& value = multipass_count::store(&values[threadIdx.x]);
  if (multipass_count::load(&value) > 2) multipass_count::branch(1);
  ++value;
}

TEST(Activity, WhatDependsOnMemoryContentsIsCountedFromWhatIsThere) {
  const DeviceArray<int> values(std::vector<int>(64, 2));
  Capture capture;
  hipLaunchKernelGGL(branch_on_data, dim3(1), dim3(64), 0, nullptr, values.get());
  hipLaunchKernelGGL(branch_on_data, dim3(1), dim3(64), 0, nullptr, values.get());
  const auto launches = capture.launches();
  ASSERT_EQ(launches.size(), 2U);
  EXPECT_EQ(launches[0].execution.activity.insts_branch, 0U);
  EXPECT_EQ(launches[1].execution.activity.insts_branch, 1U);
}

__global__ void around_barrier(const float* values, float* sink) {
  if (multipass_count::load(&values[threadIdx.x]) < 0.0F) *sink = 1.0F;
  multipass_count::valu(threadIdx.x == 5 ? 7 : 1);
  __syncthreads();
  if (multipass_count::load(&values[threadIdx.x]) < 0.0F) *sink = 1.0F;
  multipass_count::valu(1);
}

TEST(Activity, TalliesOfAWorkItemGoOnAfterABarrier) {
  const DeviceArray<float> values(std::vector<float>(64));
  Capture capture;
  hipLaunchKernelGGL(around_barrier, dim3(1), dim3(64), 0, nullptr, values.get(), nullptr);
  const multipass_sim_activity activity = capture.activity();
  EXPECT_EQ(activity.insts_valu, 8U);
  EXPECT_EQ(activity.lanes_valu, 63U * 2 + 8);
  EXPECT_EQ(activity.insts_vmem_read, 2U);
  EXPECT_EQ(activity.tcp_reads, 8U);
}

TEST(ActivityRecorder, AnAccessOverASegmentBoundaryTouchesBothSegments) {
  ActivityRecorder recorder;
  recorder.begin_execution({64, 1});
  recorder.begin_block(1);
  recorder.access(0, Access::kLoad, 4096 + 60, 8);
  recorder.access(0, Access::kLoad, 4096 + 124, 8);
  recorder.end_block();
  const multipass_sim_activity activity = recorder.end_execution();
  EXPECT_EQ(activity.tcp_reads, 4U);
  EXPECT_EQ(activity.tcc_misses, 2U);
  EXPECT_EQ(activity.tcc_hits, 2U);
}

TEST(ActivityRecorder, CyclesRoundUpToWholeCycles) {
  ActivityRecorder recorder;
  recorder.begin_execution({32, 4});
  recorder.begin_block(33);
  recorder.lane(0)->valu = 4;
  recorder.lane(32)->salu = 5;
  recorder.end_block();
  const multipass_sim_activity activity = recorder.end_execution();
  EXPECT_EQ(activity.waves, 2U);
  EXPECT_EQ(activity.cycles, 1000U + 3);  // nine instructions on four SIMDs
  EXPECT_EQ(activity.wave_cycles, 64U + 16 + 64 + 20);
}

TEST(ActivityRecorder, AnExecutionStartsWithAnEmptyCache) {
  ActivityRecorder recorder;
  for (int execution = 0; execution < 2; ++execution) {
    recorder.begin_execution({64, 1});
    recorder.begin_block(1);
    recorder.access(0, Access::kLoad, 4096, 4);
    recorder.end_block();
    EXPECT_EQ(recorder.end_execution().tcc_misses, 1U);
  }
}

TEST(Activity, TheHelpersDoNothingOutsideAKernel) {
  float value = 3.0F;
  multipass_count::valu(1);
  multipass_count::valu_add_f32(1);
  multipass_count::store(&value) = multipass_count::load(&value) + 1.0F;
  EXPECT_EQ(value, 4.0F);
}

}  // namespace
