// SPDX-License-Identifier: MIT
#include "base/crc32.hpp"

#include <gtest/gtest.h>

namespace multipass {
namespace {

TEST(Crc32, HasTheCheckValueOfTheStandard) {
  EXPECT_EQ(crc32("123456789"), 0xCBF43926U);
  EXPECT_EQ(crc32(""), 0U);
  EXPECT_EQ(crc32(std::string_view("\0\0\0\0", 4)), 0x2144DF1CU);
  EXPECT_EQ(crc32("\xff\xff\xff\xff"), 0xFFFFFFFFU);
}

}  // namespace
}  // namespace multipass
