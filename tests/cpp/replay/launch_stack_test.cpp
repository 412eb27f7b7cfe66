// SPDX-License-Identifier: MIT
#include "replay/launch_stack.hpp"

#include <gtest/gtest.h>

namespace multipass::replay {
namespace {

// No launch has to make room.
Launch& open(LaunchStack& stack, DispatchId dispatch) {
  return stack.open(dispatch, [](const Launch& lost) { ADD_FAILURE() << lost.dispatch.value; });
}

TEST(LaunchStack, FindsWhatWasOpenedUntilItIsClosed) {
  LaunchStack stack;
  EXPECT_EQ(stack.find(DispatchId{7}), nullptr);
  open(stack, DispatchId{7}).passes_begun = 3;
  ASSERT_NE(stack.find(DispatchId{7}), nullptr);
  EXPECT_EQ(open(stack, DispatchId{7}).passes_begun, 3U) << "it is open already";
  stack.close(DispatchId{7});
  EXPECT_EQ(stack.find(DispatchId{7}), nullptr);
  EXPECT_EQ(open(stack, DispatchId{7}).passes_begun, 0U);
}

TEST(LaunchStack, NoDispatchIsNeverFound) {
  LaunchStack stack;
  open(stack, DispatchId{0});
  EXPECT_EQ(stack.find(DispatchId{0}), nullptr);
}

TEST(LaunchStack, LaunchesThatNeverEndDoNotPushOutTheOnesThatGoOn) {
  LaunchStack stack;
  std::uint64_t given_up = 0;  // the last
  const auto push = [&](std::uint64_t id) {
    stack.open(DispatchId{id}, [&](const Launch& lost) { given_up = lost.dispatch.value; });
  };
  for (std::uint64_t lost = 1; lost <= 100; ++lost) push(lost);
  EXPECT_EQ(given_up, 100 - LaunchStack::kDepth);
  push(1000);
  for (std::uint64_t inner = 1001; inner < 1000 + LaunchStack::kDepth; ++inner) {
    push(inner);
    EXPECT_NE(stack.find(DispatchId{1000}), nullptr);
  }
  push(2000);
  EXPECT_EQ(given_up, 1000U) << "the oldest goes first";
  EXPECT_EQ(stack.find(DispatchId{1000}), nullptr);
  EXPECT_NE(stack.find(DispatchId{1001}), nullptr);
}

}  // namespace
}  // namespace multipass::replay
