// SPDX-License-Identifier: MIT
#include "output/perfetto/dispatch_view.hpp"

#include <gtest/gtest.h>

#include "output/perfetto/annotations.hpp"
#include "runs.hpp"

namespace multipass::output::perfetto {
namespace {

using test::dispatch;
using test::pass;

TEST(SpanOf, KeepsTheTimesAsRecorded) {
  EXPECT_EQ(span_of(pass(0, 0, 100, 300)), (Span{100, 300, false}));
}

TEST(SpanOf, SwapsAStartAfterTheEndAndSaysSo) {
  EXPECT_EQ(span_of(pass(0, 0, 200, 100)), (Span{100, 200, true}));
}

TEST(SpanOf, KeepsAnEmptyInterval) {
  EXPECT_EQ(span_of(pass(0, 0, 100, 100)), (Span{100, 100, false}));
}

TEST(SpanOf, IsUnknownWhenEitherTimeIsMissing) {
  EXPECT_FALSE(span_of(pass(0, 0, 0, 0)));
  EXPECT_FALSE(span_of(pass(0, 0, 100, 0)));
  EXPECT_FALSE(span_of(pass(0, 0, 0, 100)));
}

TEST(SpanOf, IsUnknownBeyondWhatASignedTimeHolds) {
  constexpr std::uint64_t kFirstTooLate = std::uint64_t{1} << 63U;
  EXPECT_FALSE(span_of(pass(0, 0, 100, kFirstTooLate)));
  EXPECT_EQ(span_of(pass(0, 0, 100, kFirstTooLate - 1)), (Span{100, kFirstTooLate - 1, false}));
}

TEST(SpanOf, ADispatchHasTheTimesOfItsLowestPassThatHasAny) {
  const DispatchRecord record =
      dispatch(1, 1, Outcome::kIncomplete, 3, {pass(0, 0, 0, 0), pass(1, 1, 500, 600), pass(2, 2, 700, 800)});
  EXPECT_EQ(span_of(record), (Span{500, 600, false}));
}

TEST(ReadingsOf, TakesEachCounterOnceFromTheLowestPassThatDeliveredIt) {
  const DispatchRecord record = dispatch(
      1, 1, Outcome::kReplayed, 3,
      {pass(0, 0, 1, 2, {{2, 20}}), pass(1, 1, 3, 4, {{1, 11}, {2, 21}}), pass(2, 2, 5, 6, {{0, 2}, {1, 12}})});
  const std::vector<Reading> expected{{CounterIndex{0}, 2}, {CounterIndex{1}, 11}, {CounterIndex{2}, 20}};
  EXPECT_EQ(readings_of(record, {std::vector<bool>(3, true), {}}), expected);
}

TEST(ReadingsOf, AReadingOfZeroIsAReading) {
  const DispatchRecord record =
      dispatch(1, 1, Outcome::kReplayed, 2, {pass(0, 0, 1, 2, {{0, 0}}), pass(1, 1, 3, 4, {{0, 7}})});
  EXPECT_EQ(readings_of(record, {std::vector<bool>(1, true), {}}), (std::vector<Reading>{{CounterIndex{0}, 0}}));
}

TEST(ReadingsOf, LeavesOutWhatNobodyAskedFor) {
  const DispatchRecord record = dispatch(1, 1, Outcome::kReplayed, 1, {pass(0, 0, 1, 2, {{0, 3}, {1, 4}})});
  EXPECT_EQ(readings_of(record, {{false, true}, {}}), (std::vector<Reading>{{CounterIndex{1}, 4}}));
}

TEST(Number, IsAnExactIntegerUpToTwoToThe53) {
  EXPECT_EQ(number(9007199254740992.0), AnnotationValue(std::uint64_t{9007199254740992}));
  EXPECT_EQ(number(-5.0), AnnotationValue(std::int64_t{-5}));
  EXPECT_EQ(number(0.0), AnnotationValue(std::uint64_t{0}));
}

TEST(Number, StaysADoubleWhereAnIntegerWouldNotBeExact) {
  EXPECT_EQ(number(9007199254740994.0), AnnotationValue(9007199254740994.0));
  EXPECT_EQ(number(0.73), AnnotationValue(0.73));
}

}  // namespace
}  // namespace multipass::output::perfetto
