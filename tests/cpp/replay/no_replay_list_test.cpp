// SPDX-License-Identifier: MIT
#include "replay/no_replay_list.hpp"

#include <gtest/gtest.h>

namespace multipass::replay {
namespace {

TEST(NoReplayList, CollectivesAndKernelsOfTheRuntimeAreOnTheBuiltInOne) {
  const NoReplayList list = *NoReplayList::create("", true);
  for (const char* name : {
           "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
           "ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*, unsigned long, ncclWork*)",
           "void ncclDevKernel_Generic<1>(ncclDevKernelArgs)",
           "rcclReduce(float*)",
           "mscclKernel_Sum_float_Simple_false(ncclDevComm*, mscclAlgo*, mscclWork*)",
           "rocshmem::barrier_all_kernel()",
           "void rocshmem_put<float>(float*)",
           "mylib::DevKernel_Broadcast(void*)",
           "__amd_rocclr_fillBufferAligned",
           "__amd_rocclr_initHeap",
       })
    EXPECT_EQ(list.contains(name), true) << name;
}

TEST(NoReplayList, OrdinaryKernelsAreNot) {
  const NoReplayList list = *NoReplayList::create("", true);
  for (const char* name : {"axpy(float*)", "void at::native::reduce_kernel<512, 1>(float*)", "my_nccl_test(float*)",
                           "Cijk_Ailk_Bljk_SB_MT128x128x16", "devkernel(int)"})
    EXPECT_EQ(list.contains(name), false) << name;
}

TEST(NoReplayList, TheUsersPatternIsAddedOrStandsAlone) {
  const NoReplayList both = *NoReplayList::create("^spin", true);
  EXPECT_EQ(both.contains("spin_wait(int*)"), true);
  EXPECT_EQ(both.contains("ncclDevKernel_X()"), true);
  const NoReplayList own = *NoReplayList::create("^spin", false);
  EXPECT_EQ(own.contains("spin_wait(int*)"), true);
  EXPECT_EQ(own.contains("ncclDevKernel_X()"), false);
  EXPECT_EQ(NoReplayList().contains("ncclDevKernel_X()"), false);
}

TEST(NoReplayList, AWrongPatternIsNamedWithItsColumn) {
  EXPECT_EQ(NoReplayList::create("spin(", true).message(), "no-replay 'spin(': column 6: missing closing parenthesis");
}

TEST(NoReplayList, APatternThatTakesTooManyStepsGivesNoAnswer) {
  const NoReplayList list = *NoReplayList::create("(a+)+$", true);
  EXPECT_EQ(list.contains(std::string(40, 'a') + "b"), std::nullopt);
  EXPECT_EQ(list.contains("ncclDevKernel_" + std::string(40, 'a') + "b"), true) << "the built-in one is searched first";
}

}  // namespace
}  // namespace multipass::replay
