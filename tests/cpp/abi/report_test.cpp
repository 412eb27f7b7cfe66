// SPDX-License-Identifier: MIT
//
// How the comparison with the headers of an installation judges what it finds (tests/sdk_headers/report.hpp).
#include "../../sdk_headers/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>

namespace sdk_headers {
namespace {

using testing::HasSubstr;

struct Printed {
  int code = 0;
  std::string text;
};

Printed print(Report& report) {
  std::ostringstream out;
  const int code = report.print(out, "headers 9.9.9");
  return {code, out.str()};
}

TEST(HeaderReport, CountsWhatAgrees) {
  Report report;
  report.size("a_t", 8, 8);
  report.member("a_t", "x", Place{0, 8}, {0, 8});
  report.value("A_ONE", 1, 1);
  report.bit("a_t", "flag", BitPlace{0, 1}, {0, 1});
  report.signature("f", true, "", "");
  const Printed printed = print(report);
  EXPECT_EQ(printed.code, 0);
  EXPECT_EQ(printed.text, "headers 9.9.9: 5 pins agree, 0 are not in these headers, 0 differ\n");
}

TEST(HeaderReport, AMissingNameIsNoDifference) {
  Report report;
  report.missing("replay_t");
  report.missing("replay_t");
  const Printed printed = print(report);
  EXPECT_EQ(printed.code, 0);
  EXPECT_EQ(printed.text,
            "not in these headers: replay_t (2 pins)\n"
            "headers 9.9.9: 0 pins agree, 2 are not in these headers, 0 differ\n");
}

TEST(HeaderReport, AMovedMemberIsADifference) {
  Report report;
  report.size("a_t", 16, 16);
  report.member("a_t", "x", Place{8, 4}, {0, 8});
  const Printed printed = print(report);
  EXPECT_EQ(printed.code, 1);
  EXPECT_THAT(printed.text, HasSubstr("differs: a_t::x: 4 bytes at 8 in these headers, 8 bytes at 0 in ours\n"));
}

TEST(HeaderReport, AStructThatEndsBeforeItsNewestMembersIsOlder) {
  Report report;
  report.size("info_t", 88, 96);
  report.member("info_t", "old", Place{80, 8}, {80, 8});
  report.member("info_t", "spm", std::nullopt, {88, 1});
  report.member("info_t", "reserved_padding", std::nullopt, {89, 7});
  const Printed printed = print(report);
  EXPECT_EQ(printed.code, 0);
  EXPECT_THAT(printed.text, HasSubstr("not in these headers: info_t::spm\n"));
  EXPECT_THAT(printed.text, HasSubstr("note: info_t: 88 bytes in these headers, 96 in ours: it ends before spm, "));
}

TEST(HeaderReport, AStructWithoutAMemberInItsMiddleDiffers) {
  Report report;
  report.size("a_t", 16, 24);
  report.member("a_t", "middle", std::nullopt, {8, 8});
  const Printed printed = print(report);
  EXPECT_EQ(printed.code, 1);
  EXPECT_THAT(printed.text, HasSubstr("differs: a_t: 16 bytes in these headers, 24 in ours; without middle\n"));
}

TEST(HeaderReport, AStructThatGrewDiffersBecauseItMayBePassedByValue) {
  Report report;
  report.size("a_t", 32, 24);
  EXPECT_EQ(print(report).code, 1);
}

TEST(HeaderReport, OnlyTheEndOfAnEnumerationMayMove) {
  Report moved_end;
  moved_end.value("KIND_LAST", 22, 27);
  const Printed end = print(moved_end);
  EXPECT_EQ(end.code, 0);
  EXPECT_THAT(end.text, HasSubstr("note: KIND_LAST: 22 in these headers, 27 in ours\n"));
  Report moved_kind;
  moved_kind.value("KIND_REPLAY", 23, 25);
  EXPECT_EQ(print(moved_kind).code, 1);
}

TEST(HeaderReport, RoomForGrowthMayShrink) {
  Report report;
  report.member("a_t", "reserved_padding", Place{80, 48}, {72, 56});
  EXPECT_EQ(print(report).code, 0);
}

TEST(HeaderReport, AnotherSignatureOrBitIsADifference) {
  Report report;
  report.signature("f", false, "int (*)(int)", "int (*)(long)");
  report.bit("a_t", "flag", BitPlace{40, 1}, {40, 0});
  report.bit("a_t", "gone", std::nullopt, {40, 1});
  report.unknown_type("g", "new_t");
  const Printed printed = print(report);
  EXPECT_EQ(printed.code, 1);
  EXPECT_THAT(printed.text, HasSubstr("f: int (*)(int) in these headers, int (*)(long) in ours\n"));
  EXPECT_THAT(printed.text, HasSubstr("a_t::flag: bit 1 of byte 40 in these headers, bit 0 of byte 40 in ours\n"));
  EXPECT_THAT(printed.text, HasSubstr("a_t::gone: no such bit in these headers\n"));
  EXPECT_THAT(printed.text, HasSubstr("g: these headers declare it without the type new_t\n"));
  EXPECT_THAT(printed.text, HasSubstr("4 differ\n"));
}

}  // namespace
}  // namespace sdk_headers
