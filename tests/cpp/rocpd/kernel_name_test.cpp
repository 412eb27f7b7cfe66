// SPDX-License-Identifier: MIT
// Small text functions of the writer: short kernel names, clean text, file naming.
#include "output/rocpd/kernel_name.hpp"

#include <gtest/gtest.h>

#include "base/utf8.hpp"
#include "output/rocpd/naming.hpp"

namespace multipass::output::rocpd {
namespace {

TEST(TruncatedKernelName, KeepsOnlyTheNameOfTheFunction) {
  EXPECT_EQ(truncated_kernel_name("void ns::axpy<float, (bool)1>(float*, int)"), "axpy");
  EXPECT_EQ(truncated_kernel_name("axpy(float*, std::pair<int, int>)"), "axpy");
  EXPECT_EQ(truncated_kernel_name("void a::b<int>::c<long>(x::y<z>)"), "c");
  EXPECT_EQ(truncated_kernel_name("(anonymous namespace)::copy(int*)"), "copy");
  EXPECT_EQ(truncated_kernel_name("ns::(anonymous namespace)::copy<4>(int*) [clone .kd]"), "copy");
}

TEST(TruncatedKernelName, LeavesPlainNamesAlone) {
  EXPECT_EQ(truncated_kernel_name("__amd_rocclr_copyBuffer.kd"), "__amd_rocclr_copyBuffer");
  EXPECT_EQ(truncated_kernel_name("Cijk_Ailk_Bljk_SB_MT64x64"), "Cijk_Ailk_Bljk_SB_MT64x64");
  EXPECT_EQ(truncated_kernel_name(""), "");
}

TEST(TruncatedKernelName, LeavesWhatItCannotTakeApartAlone) {
  for (const char* name :
       {"A::operator<(B)", "f()::{lambda(int)#1}::operator()(int) const", "a>b", "<", "(", "f<unclosed", "::", " "})
    EXPECT_EQ(truncated_kernel_name(name), name);
}

TEST(Utf8, AcceptsEveryWellFormedLength) {
  EXPECT_TRUE(is_clean_text(""));
  EXPECT_TRUE(is_clean_text("a é € 🚀"));
}

TEST(Utf8, RefusesOverlongCutOffSurrogateAndTooLargeSequences) {
  EXPECT_FALSE(is_clean_text("\xC0\xAF"));
  EXPECT_FALSE(is_clean_text("\xE2\x82"));
  EXPECT_FALSE(is_clean_text("\xED\xA0\x80"));
  EXPECT_FALSE(is_clean_text("\xF4\x90\x80\x80"));
  EXPECT_FALSE(is_clean_text("\x80"));
}

TEST(Utf8, ReplacesEachBadByteAndKeepsTheRest) {
  EXPECT_EQ(clean_text("a\xFF z"), "a\uFFFD z");
  EXPECT_EQ(clean_text(std::string("a\0b", 3)), "a\uFFFDb");
  EXPECT_EQ(clean_text("\xE2\x82"), "\uFFFD\uFFFD");
  EXPECT_EQ(clean_text("€\xC0🚀"), "€\uFFFD🚀");
}

TEST(Naming, SuffixIsTheGuidWithUnderscores) {
  const Result<Naming> naming = Naming::from_guid("01980a2b-3c4d-7e5f-8a6b-7c8d9e0f1a2b");
  ASSERT_TRUE(static_cast<bool>(naming));
  EXPECT_EQ(naming->suffix(), "_01980a2b_3c4d_7e5f_8a6b_7c8d9e0f1a2b");
  EXPECT_EQ(naming->table("string"), "rocpd_string_01980a2b_3c4d_7e5f_8a6b_7c8d9e0f1a2b");
}

TEST(Naming, RefusesWhatCouldChangeTheMeaningOfSql) {
  for (const char* guid : {"", "01980a2b3c4d7e5f8a6b7c8d9e0f1a2b", "01980a2b-3c4d-7e5f-8a6b-7c8d9e0f1a2'",
                           "01980a2b-3c4d-7e5f-8a6b-7c8d9e0f1a2b0", "-1980a2b-3c4d-7e5f-8a6b-7c8d9e0f1a2b"}) {
    const Result<Naming> naming = Naming::from_guid(guid);
    EXPECT_FALSE(static_cast<bool>(naming)) << guid;
    EXPECT_NE(naming.message().find(guid), std::string::npos);
  }
}

}  // namespace
}  // namespace multipass::output::rocpd
