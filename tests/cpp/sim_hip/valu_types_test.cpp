// SPDX-License-Identifier: MIT
//
// Vector ALU instructions that a kernel states with a type; every number here is worked out by hand.
#include <gtest/gtest.h>

#include <vector>

#include "hip/hip_runtime.h"
#include "multipass/count.h"
#include "sim/hip/activity_recorder.hpp"
#include "sim_environment.hpp"

namespace {

using multipass_sim::ActivityRecorder;
using multipass_sim::Capture;
using multipass_sim::ValuType;

__global__ void every_type() {
  multipass_count::valu_add_f16(1);
  multipass_count::valu_add_f32(2);
  multipass_count::valu_add_f64(3);
  multipass_count::valu_mul_f16(4);
  multipass_count::valu_mul_f32(5);
  multipass_count::valu_mul_f64(6);
  multipass_count::valu_fma_f16(7);
  multipass_count::valu_fma_f32(8);
  multipass_count::valu_fma_f64(9);
  multipass_count::valu_trans_f16(10);
  multipass_count::valu_trans_f32(11);
  multipass_count::valu_trans_f64(12);
  multipass_count::valu_int32(13);
  multipass_count::valu_int64(14);
  multipass_count::valu_cvt(15);
}

TEST(ValuTypes, EachIsCountedByItself) {
  Capture capture;
  hipLaunchKernelGGL(every_type, dim3(1), dim3(100), 0, nullptr);
  const multipass_sim_activity activity = capture.activity();  // two waves
  EXPECT_EQ(activity.insts_valu_add_f16, 2U * 1);
  EXPECT_EQ(activity.insts_valu_add_f32, 2U * 2);
  EXPECT_EQ(activity.insts_valu_add_f64, 2U * 3);
  EXPECT_EQ(activity.insts_valu_mul_f16, 2U * 4);
  EXPECT_EQ(activity.insts_valu_mul_f32, 2U * 5);
  EXPECT_EQ(activity.insts_valu_mul_f64, 2U * 6);
  EXPECT_EQ(activity.insts_valu_fma_f16, 2U * 7);
  EXPECT_EQ(activity.insts_valu_fma_f32, 2U * 8);
  EXPECT_EQ(activity.insts_valu_fma_f64, 2U * 9);
  EXPECT_EQ(activity.insts_valu_trans_f16, 2U * 10);
  EXPECT_EQ(activity.insts_valu_trans_f32, 2U * 11);
  EXPECT_EQ(activity.insts_valu_trans_f64, 2U * 12);
  EXPECT_EQ(activity.insts_valu_int32, 2U * 13);
  EXPECT_EQ(activity.insts_valu_int64, 2U * 14);
  EXPECT_EQ(activity.insts_valu_cvt, 2U * 15);
}

TEST(ValuTypes, TogetherTheyAreTheVectorAluInstructionsOfAKernelThatStatesNoOthers) {
  Capture capture;
  hipLaunchKernelGGL(every_type, dim3(1), dim3(100), 0, nullptr);
  const multipass_sim_activity activity = capture.activity();
  EXPECT_EQ(activity.insts_valu, 2U * 120);
  EXPECT_EQ(activity.lanes_valu, 100U * 120);
  EXPECT_EQ(activity.wave_cycles, 2U * (64 + 4 * 120));  // each issued once
}

__global__ void typed_and_not() {
  multipass_count::valu(3);
  multipass_count::valu_fma_f32();
  multipass_count::valu_fma_f32();
}

TEST(ValuTypes, AnInstructionWithoutATypeIsInTheSumOnly) {
  Capture capture;
  hipLaunchKernelGGL(typed_and_not, dim3(1), dim3(64), 0, nullptr);
  const multipass_sim_activity activity = capture.activity();
  EXPECT_EQ(activity.insts_valu, 5U);
  EXPECT_EQ(activity.insts_valu_fma_f32, 2U);
  EXPECT_EQ(activity.insts_valu_add_f32, 0U);
  EXPECT_EQ(activity.lanes_valu, 64U * 5);
}

__global__ void divergent() {
  multipass_count::valu(1);
  if (threadIdx.x % 2 == 0) {
    multipass_count::valu_add_f32(threadIdx.x == 10 ? 7 : 2);
  } else {
    multipass_count::valu_mul_f64(4);
  }
}

TEST(ValuTypes, AWaveIssuesAsManyOfATypeAsItsBusiestLane) {
  Capture capture;
  hipLaunchKernelGGL(divergent, dim3(1), dim3(65), 0, nullptr);
  const multipass_sim_activity activity = capture.activity();
  // The second wave is work-item 64 alone, which adds twice.
  EXPECT_EQ(activity.insts_valu_add_f32, 7U + 2);
  EXPECT_EQ(activity.insts_valu_mul_f64, 4U);
  EXPECT_EQ(activity.insts_valu, 1U + 7 + 1 + 2);  // less than its types: no lane did both
  EXPECT_EQ(activity.lanes_valu, 65U + 7 + 32 * 2 + 32 * 4);
}

TEST(ValuTypes, ABlockStartsWithNone) {
  ActivityRecorder recorder;
  recorder.begin_execution({64, 1});
  for (int block = 0; block < 2; ++block) {
    recorder.begin_block(1);
    if (block == 0) {
      recorder.lane(0)->typed = recorder.lane(0)->valu = 6;
      recorder.lane(0)->by_type[static_cast<unsigned>(ValuType::kCvt)] = 6;
    }
    recorder.end_block();
  }
  EXPECT_EQ(recorder.end_execution().insts_valu_cvt, 6U);
}

}  // namespace
