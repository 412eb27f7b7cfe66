// SPDX-License-Identifier: MIT
//
// Waves are as wide as the device says: 32 lanes on gfx1100 (device 0) and gfx1036 (2), 64 on gfx942 (1). The rules are
// those of sim/interface/activity.h, the numbers are worked out by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

#include "hip/hip_runtime.h"
#include "multipass/count.h"
#include "sim_environment.hpp"

namespace {

using multipass_sim::Capture;
using multipass_sim::DeviceArray;

class Waves : public testing::Test {
 protected:
  // Before the first HIP call of the process, which reads it.
  static void SetUpTestSuite() {
    ::setenv("ROCPROFSYS_MULTIPASS_SIMULATE",
             SIM_DEVICES "/gfx1100.json," SIM_DEVICES "/gfx942.json," SIM_DEVICES "/gfx1036.json", 1);
  }
  void TearDown() override { ASSERT_EQ(hipSetDevice(0), hipSuccess); }
};

__global__ void wave_size_seen(int* out) {
  *out = warpSize;
}

TEST_F(Waves, AreAsWideInAKernelAsInThePropertiesOfTheDevice) {
  const int expected[] = {32, 64, 32};
  for (int device = 0; device < 3; ++device) {
    ASSERT_EQ(hipSetDevice(device), hipSuccess);
    hipDeviceProp_t properties;
    ASSERT_EQ(hipGetDeviceProperties(&properties, device), hipSuccess);
    EXPECT_EQ(properties.warpSize, expected[device]) << properties.gcnArchName;
    const DeviceArray<int> out(std::vector<int>(1));
    hipLaunchKernelGGL(wave_size_seen, dim3(1), dim3(1), 0, nullptr, out.get());
    EXPECT_THAT(out.to_host(), testing::ElementsAre(expected[device])) << properties.gcnArchName;
  }
}

__global__ void read_one(const float* values, float* sink) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (multipass_count::load(&values[i]) < 0.0F) *sink = 1.0F;
}

multipass_sim_activity activity_of_reads(int device, unsigned blocks, unsigned block) {
  EXPECT_EQ(hipSetDevice(device), hipSuccess);
  const DeviceArray<float> values(std::vector<float>(blocks * block));
  Capture capture;
  hipLaunchKernelGGL(read_one, dim3(blocks), dim3(block), 0, nullptr, values.get(), nullptr);
  return capture.activity();
}

TEST_F(Waves, Of32LanesAreTwiceAsMany) {
  EXPECT_EQ(activity_of_reads(0, 3, 100).waves, 12U);  // 32 + 32 + 32 + 4
  EXPECT_EQ(activity_of_reads(1, 3, 100).waves, 6U);   // 64 + 36
  EXPECT_EQ(activity_of_reads(2, 3, 100).waves, 12U);
}

TEST_F(Waves, Of32LanesReadALineEach) {
  const multipass_sim_activity narrow = activity_of_reads(0, 1, 64);
  EXPECT_EQ(narrow.insts_vmem_read, 2U);
  EXPECT_EQ(narrow.tcp_reads, 4U);  // 128 bytes in two segments, twice
  EXPECT_EQ(narrow.tcc_misses, 2U);
  EXPECT_EQ(narrow.tcc_hits, 2U);
  EXPECT_EQ(narrow.wave_cycles, 2U * (64 + 4));
  const multipass_sim_activity wide = activity_of_reads(1, 1, 64);
  EXPECT_EQ(wide.insts_vmem_read, 1U);
  EXPECT_EQ(wide.tcp_reads, 4U);
  EXPECT_EQ(wide.wave_cycles, 64U + 4);
}

__global__ void as_many_as_its_index() {
  multipass_count::valu(threadIdx.x);
}

// Lanes 31 and 63 are the busiest of two waves of 32, lane 63 that of one wave of 64. gfx1100 has 192 SIMDs.
TEST_F(Waves, IssueWhatTheBusiestOf32LanesStates) {
  Capture capture;
  hipLaunchKernelGGL(as_many_as_its_index, dim3(3), dim3(64), 0, nullptr);
  const multipass_sim_activity activity = capture.activity();
  EXPECT_EQ(activity.insts_valu, 3U * (31 + 63));
  EXPECT_EQ(activity.lanes_valu, 3U * (63 * 64 / 2));
  EXPECT_EQ(activity.cycles, 1000U + 2);  // 282 / 192, rounded up
}

TEST_F(Waves, Of64LanesIssueWhatTheBusiestOf64States) {
  ASSERT_EQ(hipSetDevice(1), hipSuccess);
  Capture capture;
  hipLaunchKernelGGL(as_many_as_its_index, dim3(3), dim3(64), 0, nullptr);
  EXPECT_EQ(capture.activity().insts_valu, 3U * 63);
}

}  // namespace
