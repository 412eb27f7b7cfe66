// SPDX-License-Identifier: MIT
#include "assemble/open_table.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace multipass::assemble {
namespace {

constexpr std::size_t kPasses = 3;

void put_away(OpenTable& table, OpenDispatch& dispatch) {
  table.take(dispatch);
  dispatch.clear();
  table.give_back(dispatch);
}

std::vector<std::uint64_t> in_order(const OpenTable& table) {
  std::vector<std::uint64_t> ids;
  for (const OpenDispatch* at = table.oldest(); at != nullptr; at = OpenTable::newer(*at))
    ids.push_back(at->record.dispatch_id.value);
  return ids;
}

TEST(OpenTable, FindsWhatIsOpenAndNothingElse) {
  OpenTable table(kPasses);
  OpenDispatch& made = table.open(DispatchId{7});
  EXPECT_EQ(table.find(DispatchId{7}), &made);
  EXPECT_EQ(table.find(DispatchId{8}), nullptr);
  put_away(table, made);
  EXPECT_EQ(table.find(DispatchId{7}), nullptr);
  EXPECT_EQ(table.size(), 0U);
}

TEST(OpenTable, PlacesAreUsedAgain) {
  OpenTable table(kPasses);
  const std::size_t places = table.places();
  for (std::uint64_t id = 1; id <= 100'000; ++id) put_away(table, table.open(DispatchId{id}));
  EXPECT_EQ(table.places(), places);
}

TEST(OpenTable, APlaceThatIsUsedAgainIsAsNew) {
  OpenTable table(kPasses);
  OpenDispatch& first = table.open(DispatchId{1});
  PassRecord& pass = first.add_pass({PassIndex{0}, GroupIndex{0}});
  pass.counters = {CounterIndex{4}};
  pass.values = {5};
  pass.start_ns = pass.end_ns = 9;
  first.record.reason = "something";
  first.record.outcome = Outcome::kDeclined;
  first.facts.passes_begun = 3;
  first.window_open = first.awaits_single_run = true;
  first.executions = first.completed = first.counted = first.delivered = 2;
  put_away(table, first);

  OpenDispatch& second = table.open(DispatchId{2});
  ASSERT_EQ(&second, &first);
  DispatchRecord fresh;
  fresh.dispatch_id = DispatchId{2};
  EXPECT_EQ(second.record, fresh);
  EXPECT_EQ(second.facts.passes_begun, 0U);
  EXPECT_FALSE(second.window_open || second.awaits_single_run);
  EXPECT_EQ(second.executions + second.completed + second.counted + second.delivered, 0U);
  PassRecord empty;
  empty.pass = PassIndex{1};
  empty.group = GroupIndex{1};
  EXPECT_EQ(second.add_pass({PassIndex{1}, GroupIndex{1}}), empty);
}

TEST(OpenTable, KeepsTheMemoryOfReadings) {
  OpenTable table(kPasses);
  OpenDispatch& first = table.open(DispatchId{1});
  for (std::uint32_t k = 0; k < kPasses; ++k) first.add_pass({PassIndex{k}, GroupIndex{k}}).values.assign(50, 1);
  put_away(table, first);
  OpenDispatch& second = table.open(DispatchId{2});
  for (std::uint32_t k = 0; k < kPasses; ++k)
    EXPECT_GE(second.add_pass({PassIndex{k}, GroupIndex{k}}).values.capacity(), 50U);
}

TEST(OpenTable, TellsThoseThatHaveEndedInTheOrderInWhichTheyDid) {
  OpenTable table(kPasses);
  OpenDispatch& one = table.open(DispatchId{1});
  OpenDispatch& two = table.open(DispatchId{2});
  OpenDispatch& three = table.open(DispatchId{3});
  table.set_ended(three, true);
  table.set_ended(one, true);
  table.set_ended(two, true);
  table.set_ended(two, true);
  EXPECT_EQ(table.ended(), 3U);
  EXPECT_EQ(table.first_ended(), &three);
  table.take(three);
  EXPECT_EQ(table.first_ended(), &one);
  table.set_ended(one, false);
  EXPECT_EQ(table.first_ended(), &two);
  table.take(two);
  EXPECT_EQ(table.first_ended(), nullptr);
  EXPECT_EQ(table.ended(), 0U);
  EXPECT_EQ(table.oldest(), &one);
}

// Against std::set, with ids as agents get them: every n-th.
TEST(OpenTable, HoldsUnderAnyOrderOfOpeningAndTaking) {
  for (const std::uint64_t step : {1U, 8U, 64U}) {
    OpenTable table(kPasses);
    std::set<std::uint64_t> expected;
    std::mt19937 random(3);
    std::uint64_t next = 1;
    for (int i = 0; i < 20'000; ++i) {
      if (expected.empty() || random() % 100 < 52) {
        table.open(DispatchId{next});
        expected.insert(next);
        next += step;
      } else {
        auto at = expected.lower_bound(random() % next);
        if (at == expected.end()) at = expected.begin();
        OpenDispatch* found = table.find(DispatchId{*at});
        ASSERT_NE(found, nullptr);
        put_away(table, *found);
        expected.erase(at);
      }
      ASSERT_EQ(table.size(), expected.size());
    }
    EXPECT_EQ(in_order(table), std::vector<std::uint64_t>(expected.begin(), expected.end()));
  }
}

}  // namespace
}  // namespace multipass::assemble
