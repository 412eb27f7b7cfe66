// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <optional>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "events/parse.hpp"
#include "events/sentinel_list.hpp"

namespace multipass::events {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

CounterRequest request(std::string name, std::uint32_t column, std::optional<std::uint32_t> device = std::nullopt) {
  return {std::move(name), device, column};
}

// The one problem of a list that has exactly one and nothing else.
Problem only_problem(std::string_view list) {
  const ParsedEvents parsed = parse(list);
  EXPECT_THAT(parsed.requests, IsEmpty()) << list;
  EXPECT_THAT(parsed.problems, SizeIs(1)) << list;
  return parsed.problems.empty() ? Problem{} : parsed.problems.front();
}

TEST(Events, AnEmptyListAsksForNothing) {
  EXPECT_EQ(parse(""), ParsedEvents{});
  EXPECT_EQ(parse(" ,;\t\n,"), ParsedEvents{});
}

TEST(Events, EverySeparatorEndsATokenAndEmptyPiecesVanish) {
  const ParsedEvents parsed = parse(",,SQ_WAVES;;GRBM_COUNT\tA\nB C,D");
  EXPECT_THAT(parsed.requests, ElementsAre(request("SQ_WAVES", 3), request("GRBM_COUNT", 13), request("A", 24),
                                           request("B", 26), request("C", 28), request("D", 30)));
  EXPECT_THAT(parsed.problems, IsEmpty());
  EXPECT_THAT(parsed.notes, IsEmpty());
}

TEST(Events, AQualifierChoosesADevice) {
  const ParsedEvents parsed = parse("SQ_WAVES:device=3 GRBM_COUNT:device=007");
  EXPECT_THAT(parsed.requests, ElementsAre(request("SQ_WAVES", 1, 3), request("GRBM_COUNT", 19, 7)));
}

TEST(Events, NamesKeepTheirCase) {
  EXPECT_THAT(parse("sq_waves").requests, ElementsAre(request("sq_waves", 1)));
}

TEST(Events, AnInstanceIndexIsRemovedWithANote) {
  const ParsedEvents parsed = parse("TCC_HIT[3]");
  EXPECT_THAT(parsed.requests, ElementsAre(request("TCC_HIT", 1)));
  ASSERT_THAT(parsed.notes, SizeIs(1));
  EXPECT_EQ(parsed.notes[0].token, "TCC_HIT[3]");
  EXPECT_THAT(parsed.notes[0].message, HasSubstr("all instances"));
}

TEST(Events, AnInstanceIndexMayPrecedeAQualifier) {
  const ParsedEvents parsed = parse("TCC_HIT[3]:device=1");
  EXPECT_THAT(parsed.requests, ElementsAre(request("TCC_HIT", 1, 1)));
  EXPECT_THAT(parsed.notes, SizeIs(1));
}

TEST(Events, TwoInstancesOfOneCounterAreOneRequest) {
  const ParsedEvents parsed = parse("TCC_HIT[0] TCC_HIT[1]");
  EXPECT_THAT(parsed.requests, ElementsAre(request("TCC_HIT", 1)));
  EXPECT_THAT(parsed.duplicates, ElementsAre("TCC_HIT"));
  EXPECT_THAT(parsed.notes, SizeIs(2));
}

TEST(Events, DuplicatesAreDroppedInOrderAndNamedOnce) {
  const ParsedEvents parsed = parse("B,A,B,A:device=0,B,A:device=0,A");
  EXPECT_THAT(parsed.requests, ElementsAre(request("B", 1), request("A", 3), request("A", 7, 0)));
  EXPECT_THAT(parsed.duplicates, ElementsAre("B", "A:device=0", "A"));
}

TEST(Events, ANumberThatNoTypeHoldsIsRejectedAsItIsWritten) {
  for (const char* digits : {"4294967296", "99999999999999999999", "18446744073709551616"}) {
    const std::string token = std::string{"SQ_WAVES:device="} + digits;
    EXPECT_EQ(only_problem(token), (Problem{token, 1, "no GPU has a device number as large as that", ""}));
  }
  EXPECT_THAT(parse("SQ_WAVES:device=4294967295").requests, ElementsAre(request("SQ_WAVES", 1, 4294967295)));
}

struct Rejected {
  const char* token;
  const char* hint;
  const char* message;  // a part of it

  friend void PrintTo(const Rejected& rejected, std::ostream* out) { *out << rejected.token; }
};

class EventsRejects : public testing::TestWithParam<Rejected> {};

TEST_P(EventsRejects, TheTokenByNameWithAHintAndGoesOn) {
  const std::string list = std::string{"GRBM_COUNT,"} + GetParam().token + ",SQ_BUSY_CYCLES";
  const ParsedEvents parsed = parse(list);
  ASSERT_THAT(parsed.requests, SizeIs(2)) << list;
  EXPECT_EQ(parsed.requests[0].counter, "GRBM_COUNT");
  EXPECT_EQ(parsed.requests[1].counter, "SQ_BUSY_CYCLES");
  ASSERT_THAT(parsed.problems, SizeIs(1)) << list;
  EXPECT_EQ(parsed.problems[0].token, GetParam().token);
  EXPECT_EQ(parsed.problems[0].column, 12U);
  EXPECT_EQ(parsed.problems[0].hint, GetParam().hint);
  EXPECT_THAT(parsed.problems[0].message, HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Table, EventsRejects,
    testing::Values(
        Rejected{"X:device=0test", "X:device=0", "must be a number"}, Rejected{"X:device=", "", "must be a number"},
        Rejected{"X:device=-0", "", "must be a number"},
        Rejected{"X:device=0:device=0", "X:device=0", "must be a number"},
        Rejected{"X:device=0x1", "X:device=0", "must be a number"},
        Rejected{"X:device=1[0]", "X:device=1", "instance index stands before"},
        Rejected{"X:DEVICE=0", "X:device=0", "lower case"}, Rejected{"X:Device=", "", "lower case"},
        Rejected{"X:dev=0", "X:device=0", "only qualifier"}, Rejected{"X:Device1", "X:device=1", "only qualifier"},
        Rejected{"bad:x=1", "", "only qualifier"}, Rejected{"X::device=1", "", "only qualifier"},
        Rejected{"X:0", "X:device=0", "only qualifier"}, Rejected{"X:", "X", "only qualifier"},
        Rejected{"rocm:::X", "X", "PAPI"}, Rejected{"rocm:::", "", "PAPI"},
        Rejected{"rocm:::X:device=0", "X:device=0", "PAPI"}, Rejected{"A[1][2]", "A", "one '[number]'"},
        Rejected{"A[]", "A", "one '[number]'"}, Rejected{"A[x]", "A", "one '[number]'"},
        Rejected{"A[1", "A", "one '[number]'"}, Rejected{"A1]", "A1", "one '[number]'"},
        Rejected{"A[1]B", "A", "one '[number]'"}, Rejected{"\"X\"", "X", "quotes"}, Rejected{"'X'", "X", "quotes"},
        Rejected{"SQ_*", "", "name each counter in full"}, Rejected{"X: device=0", "X:device=0", "spaces inside"},
        Rejected{"X:device= 0", "X:device=0", "spaces inside"}, Rejected{"X:device = 0", "X:device=0", "spaces inside"},
        Rejected{":device=0", "GRBM_COUNT:device=0", "without a counter name"},
        Rejected{"device=0", "GRBM_COUNT:device=0", "without a counter name"},
        Rejected{":device=", "", "without a counter name"}, Rejected{":", "", "without a counter name"}));

TEST(Events, ALoneQualifierIsRejectedAndTheNameBeforeItStays) {
  const ParsedEvents parsed = parse("SQ_WAVES :device=0");
  EXPECT_THAT(parsed.requests, ElementsAre(request("SQ_WAVES", 1)));
  EXPECT_THAT(parsed.problems,
              ElementsAre(Problem{":device=0", 10,
                                  "a qualifier without a counter name: a space ends a token, so it is not part of the "
                                  "name before it",
                                  "SQ_WAVES:device=0"}));
}

TEST(Events, AQualifierInPiecesIsOneProblem) {
  const ParsedEvents parsed = parse("SQ_WAVES : device = 0 GRBM_COUNT");
  EXPECT_THAT(parsed.requests, ElementsAre(request("SQ_WAVES", 1), request("GRBM_COUNT", 23)));
  ASSERT_THAT(parsed.problems, SizeIs(1));
  EXPECT_EQ(parsed.problems[0].token, ": device = 0");
  EXPECT_EQ(parsed.problems[0].column, 10U);
  EXPECT_EQ(parsed.problems[0].hint, "SQ_WAVES:device=0");
}

TEST(Events, ACommaBetweenThePiecesOfAQualifierKeepsThemApart) {
  const ParsedEvents parsed = parse("X:device=,5");
  EXPECT_THAT(parsed.requests, ElementsAre(request("5", 11)));
  EXPECT_EQ(parsed.problems.at(0).token, "X:device=");
}

TEST(Events, QuotesAroundAListAreToldForEachTokenTheyTouch) {
  const ParsedEvents parsed = parse("\"SQ_WAVES,GRBM_COUNT\"");
  EXPECT_THAT(parsed.requests, IsEmpty());
  ASSERT_THAT(parsed.problems, SizeIs(2));
  EXPECT_EQ(parsed.problems[0].hint, "SQ_WAVES");
  EXPECT_EQ(parsed.problems[1].hint, "GRBM_COUNT");
  EXPECT_EQ(parsed.problems[1].column, 11U);
}

TEST(Events, AQualifierAtTheStartHasNoNameToHintAt) {
  EXPECT_EQ(only_problem(":device=2").hint, "");
  EXPECT_EQ(only_problem("[2]").token, "[2]");
  EXPECT_EQ(only_problem("\"").hint, "");
}

TEST(Events, TextOfARequestIsReadBackAsTheRequest) {
  for (const CounterRequest& written : {request("SQ_WAVES", 1), request("X", 1, 0), request("Y", 1, 12)})
    EXPECT_THAT(parse(text_of(written)).requests, ElementsAre(written));
}

// Whatever the text: it ends, and every piece of it is a request, a duplicate or a problem.
TEST(Events, AnyTextGivesColumnsInsideItAndLosesNoToken) {
  constexpr std::string_view kAlphabet = "AB:device=0123[]\"' ,;\t\n*rocm\x80";
  std::mt19937 random{7};
  for (int round = 0; round < 20'000; ++round) {
    std::string list;
    for (auto length = random() % 24; length > 0; --length) list += kAlphabet[random() % kAlphabet.size()];
    const ParsedEvents parsed = parse(list);
    for (const CounterRequest& accepted : parsed.requests) {
      ASSERT_GE(accepted.column, 1U) << list;
      ASSERT_EQ(list.compare(accepted.column - 1, accepted.counter.size(), accepted.counter), 0) << list;
    }
    for (const Problem& problem : parsed.problems) {
      ASSERT_EQ(list.compare(problem.column - 1, problem.token.size(), problem.token), 0) << list;
      if (problem.hint.empty()) continue;
      const ParsedEvents hinted = parse(problem.hint);  // as good a token as any
      ASSERT_EQ(hinted.requests.size(), 1U) << list << " -> " << problem.hint;
      ASSERT_EQ(hinted.problems.size() + hinted.notes.size(), 0U) << list << " -> " << problem.hint;
    }
    const bool has_token = list.find_first_not_of(" ,;\t\n") != std::string::npos;
    ASSERT_EQ(has_token, !parsed.requests.empty() || !parsed.problems.empty()) << list;
  }
}

TEST(Events, ALongListOfMistakesIsReadToItsEnd) {
  std::string list;
  for (int i = 0; i < 100'000; ++i) list += "SQ_WAVES : ";
  const ParsedEvents parsed = parse(list);
  EXPECT_THAT(parsed.requests, SizeIs(1));
  EXPECT_THAT(parsed.problems, SizeIs(100'000));
}

TEST(SentinelList, AutoAndNoneAreWordsAndNoCounters) {
  EXPECT_TRUE(parse_sentinels("auto").automatic);
  EXPECT_EQ(parse_sentinels("auto").named, ParsedEvents{});
  EXPECT_FALSE(parse_sentinels("none").automatic);
  EXPECT_EQ(parse_sentinels("none").named, ParsedEvents{});
}

TEST(SentinelList, BlanksAroundAWordMeanNothing) {
  EXPECT_TRUE(parse_sentinels(" auto\n").automatic);
  EXPECT_EQ(parse_sentinels("\tnone ").refused, "");
}

TEST(SentinelList, AnythingElseIsAListOfCounters) {
  for (const char* text : {"SQ_WAVES TCC_REQ[0]", "AUTO_X,none2"}) {
    EXPECT_FALSE(parse_sentinels(text).automatic) << text;
    EXPECT_EQ(parse_sentinels(text).named, parse(text)) << text;
    EXPECT_EQ(parse_sentinels(text).refused, "") << text;
  }
}

TEST(SentinelList, WordsBesideCountersOrInCapitalsAreRefused) {
  const std::map<std::string, std::string> words{
      {"Auto", "Auto"}, {"NONE", "NONE"}, {"none,SQ_WAVES", "none"}, {"SQ_WAVES;auto", "auto"}, {"auto auto", "auto"}};
  for (const auto& [text, word] : words) {
    const SentinelList list = parse_sentinels(text);
    EXPECT_EQ(list.refused, "'" + word + "' stands alone, in small letters; beside counters it has no meaning") << text;
    EXPECT_FALSE(list.automatic) << text;
    EXPECT_EQ(list.named, ParsedEvents{}) << text;
  }
}

TEST(SentinelList, WithoutATokenIsRefused) {
  for (const char* text : {"", " ", ",;\n"})
    EXPECT_EQ(parse_sentinels(text).refused, "it is empty: give auto, none or counters") << text;
}

}  // namespace
}  // namespace multipass::events
