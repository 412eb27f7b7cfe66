// SPDX-License-Identifier: MIT
#include "catalogue/spelling.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <string>

namespace multipass::catalogue {
namespace {

const std::set<std::string> kNames{"GRBM_COUNT",    "GRBM_GUI_ACTIVE", "SQ_WAVES",          "SQ_WAVES_sum",
                                   "SQ_INSTS_VALU", "SQ_INSTS_SALU",   "TCC_EA0_RDREQ",     "TCC_EA0_RDREQ_32B",
                                   "TCC_HIT",       "TCC_HIT_sum",     "TCC_EA0_WRREQ_sum", "FetchSize",
                                   "FETCH_SIZE"};

TEST(EditDistance, CountsInsertionsDeletionsReplacementsAndSwaps) {
  EXPECT_EQ(edit_distance("SQ_WAVES", "SQ_WAVES", 3), 0U);
  EXPECT_EQ(edit_distance("SQ_WAVS", "SQ_WAVES", 3), 1U);
  EXPECT_EQ(edit_distance("SQQ_WAVES", "SQ_WAVES", 3), 1U);
  EXPECT_EQ(edit_distance("SQ_WAXES", "SQ_WAVES", 3), 1U);
  EXPECT_EQ(edit_distance("QS_WAVES", "SQ_WAVES", 3), 1U);
  EXPECT_EQ(edit_distance("", "abc", 3), 3U);
}

TEST(EditDistance, StopsAboveItsLimit) {
  EXPECT_EQ(edit_distance("abcdef", "uvwxyz", 2), 3U);
  EXPECT_EQ(edit_distance("a", "abcdefgh", 2), 3U);
}

TEST(Nearest, PrefersANameThatDiffersInCaseOnly) {
  EXPECT_EQ(nearest("sq_waves", kNames), "SQ_WAVES");
  EXPECT_EQ(nearest("fetch_size", kNames), "FETCH_SIZE");
}

TEST(Nearest, DoesNotCountUnderscores) {
  EXPECT_EQ(nearest("SQWAVES", kNames), "SQ_WAVES");
  EXPECT_EQ(nearest("TCCEA0WR", kNames), "TCC_EA0_WRREQ_sum");
  EXPECT_EQ(nearest("____", kNames), std::nullopt);
}

TEST(Nearest, TakesOfEquallyNearNamesTheOneInTheCaseThatWasAsked) {
  EXPECT_EQ(nearest("FETCHSIZE", kNames), "FETCH_SIZE");
  EXPECT_EQ(nearest("FETCHSZE", kNames), "FETCH_SIZE");
  EXPECT_EQ(nearest("fetchSize", kNames), "FetchSize");
  EXPECT_EQ(nearest("FetchSiz", kNames), "FetchSize");
}

TEST(Nearest, TakesANameInCapitalsWhenNoneHasTheCaseThatWasAsked) {
  EXPECT_EQ(nearest("fetchsize", kNames), "FETCH_SIZE");
}

TEST(Nearest, FindsASlipOfTheFingers) {
  EXPECT_EQ(nearest("SQ_WAEVS", kNames), "SQ_WAVES");
  EXPECT_EQ(nearest("tcc_hits", kNames), "TCC_HIT");
  EXPECT_EQ(nearest("TCC_EA_RDREQ", kNames), "TCC_EA0_RDREQ");
}

TEST(Nearest, FindsTheShortestNameThatGoesOn) {
  EXPECT_EQ(nearest("TCC_EA0_WR", kNames), "TCC_EA0_WRREQ_sum");
  EXPECT_EQ(nearest("GRBM", kNames), "GRBM_COUNT");
}

TEST(Nearest, TakesTheFirstOfEquallyNearNames) {
  EXPECT_EQ(nearest("SQ_INSTS_XALU", kNames), "SQ_INSTS_SALU");
}

TEST(Nearest, GivesNothingWhenNothingIsNear) {
  EXPECT_EQ(nearest("POWER_DRAW", kNames), std::nullopt);
  EXPECT_EQ(nearest("X", kNames), std::nullopt);
  EXPECT_EQ(nearest("", kNames), std::nullopt);
  EXPECT_EQ(nearest("SQ_WAVES", {}), std::nullopt);
  EXPECT_EQ(nearest(std::string(100'000, 'S'), kNames), std::nullopt);
}

}  // namespace
}  // namespace multipass::catalogue
