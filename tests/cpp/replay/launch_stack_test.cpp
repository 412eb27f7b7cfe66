// SPDX-License-Identifier: MIT
#include "replay/launch_stack.hpp"

#include <gtest/gtest.h>

namespace multipass::replay {
namespace {

TEST(LaunchStack, FindsWhatWasOpenedUntilItIsClosed) {
  LaunchStack stack;
  EXPECT_EQ(stack.find(DispatchId{7}), nullptr);
  stack.open(DispatchId{7}).passes_begun = 3;
  ASSERT_NE(stack.find(DispatchId{7}), nullptr);
  EXPECT_EQ(stack.open(DispatchId{7}).passes_begun, 3U) << "it is open already";
  stack.close(DispatchId{7});
  EXPECT_EQ(stack.find(DispatchId{7}), nullptr);
  EXPECT_EQ(stack.open(DispatchId{7}).passes_begun, 0U);
}

TEST(LaunchStack, NoDispatchIsNeverFound) {
  LaunchStack stack;
  stack.open(DispatchId{0});
  EXPECT_EQ(stack.find(DispatchId{0}), nullptr);
}

TEST(LaunchStack, LaunchesThatNeverEndDoNotPushOutTheOnesThatGoOn) {
  LaunchStack stack;
  for (std::uint64_t lost = 1; lost <= 100; ++lost) stack.open(DispatchId{lost});
  stack.open(DispatchId{1000});
  for (std::uint64_t inner = 1001; inner < 1000 + LaunchStack::kDepth; ++inner) {
    stack.open(DispatchId{inner});
    EXPECT_NE(stack.find(DispatchId{1000}), nullptr);
  }
  stack.open(DispatchId{2000});
  EXPECT_EQ(stack.find(DispatchId{1000}), nullptr) << "the oldest goes first";
  EXPECT_NE(stack.find(DispatchId{1001}), nullptr);
}

}  // namespace
}  // namespace multipass::replay
