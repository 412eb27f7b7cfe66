// SPDX-License-Identifier: MIT
#include "base/status.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace multipass {
namespace {

TEST(Status, IsOkOrHasAMessage) {
  EXPECT_TRUE(Status::ok());
  EXPECT_FALSE(Status::error("no room"));
  EXPECT_EQ(Status::error("no room").message(), "no room");
  EXPECT_FALSE(Status::error("")) << "an error without words is still one";
}

TEST(Result, HoldsAValueThatCanBeMovedOut) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(7);
  ASSERT_TRUE(result);
  const std::unique_ptr<int> value = *std::move(result);
  EXPECT_EQ(*value, 7);
}

TEST(Result, HoldsWhyThereIsNone) {
  const Result<int> result = Status::error("no room");
  EXPECT_FALSE(result);
  EXPECT_EQ(result.message(), "no room");
}

TEST(Result, AnOkStatusIsNoValue) {
  const Result<int> result = Status::ok();
  EXPECT_FALSE(result);
  EXPECT_FALSE(result.status());
}

}  // namespace
}  // namespace multipass
