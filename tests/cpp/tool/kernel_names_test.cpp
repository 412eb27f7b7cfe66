// SPDX-License-Identifier: MIT
#include "tool/kernel_names.hpp"

#include <gtest/gtest.h>

namespace multipass::tool {
namespace {

TEST(KernelNames, AKernelHasItsNameAndOneThatIsNotKnownItsNumber) {
  KernelNames names;
  names.add(KernelId{7}, "axpy(float*)");
  EXPECT_EQ(names.of(KernelId{7}), "axpy(float*)");
  EXPECT_EQ(names.of(KernelId{8}), "kernel 8");
}

TEST(KernelNames, ALongNameIsCutBetweenCharacters) {
  KernelNames names;
  names.add(KernelId{1}, std::string(KernelNames::kMaxLength - 1, 'a') + "\u00e9");  // of two bytes
  EXPECT_EQ(names.of(KernelId{1}), std::string(KernelNames::kMaxLength - 1, 'a') + "...");
  names.add(KernelId{2}, std::string(KernelNames::kMaxLength, 'a'));
  EXPECT_EQ(names.of(KernelId{2}), std::string(KernelNames::kMaxLength, 'a'));
}

TEST(KernelNames, BeyondItsSizeAKernelIsNamedByItsNumber) {
  KernelNames names;
  for (std::uint64_t id = 0; id < KernelNames::kMaxNames + 1; ++id) names.add(KernelId{id}, "k");
  EXPECT_EQ(names.of(KernelId{0}), "k");
  EXPECT_EQ(names.of(KernelId{KernelNames::kMaxNames}), "kernel " + std::to_string(KernelNames::kMaxNames));
}

}  // namespace
}  // namespace multipass::tool
