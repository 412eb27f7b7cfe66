// SPDX-License-Identifier: MIT
#include "output/perfetto/lanes.hpp"

#include <gtest/gtest.h>

#include <random>

#include "output/perfetto/dispatch_view.hpp"
#include "output/perfetto/reorder_window.hpp"
#include "runs.hpp"

namespace multipass::output::perfetto {
namespace {

TEST(Lanes, OneLaneHoldsIntervalsThatTouch) {
  Lanes lanes;
  EXPECT_EQ(lanes.place(0, 100), 0U);
  EXPECT_EQ(lanes.place(100, 100), 0U);
  EXPECT_EQ(lanes.place(100, 200), 0U);
}

TEST(Lanes, AnOverlapTakesTheNextLaneAndTheFirstIsUsedAgain) {
  Lanes lanes;
  EXPECT_EQ(lanes.place(0, 300), 0U);
  EXPECT_EQ(lanes.place(100, 400), 1U);
  EXPECT_EQ(lanes.place(200, 250), 2U);
  EXPECT_EQ(lanes.place(300, 350), 0U);
}

TEST(Lanes, NoLaneEverHoldsAnOverlapWhateverTheOrderOfArrival) {
  std::mt19937_64 random(7);
  Lanes lanes;
  std::vector<std::vector<Span>> placed;
  for (int i = 0; i < 2000; ++i) {
    const std::uint64_t start = random() % 10000;
    const Span span{start, start + random() % 50, false};
    const std::size_t lane = lanes.place(span.start_ns, span.end_ns);
    if (lane >= placed.size()) placed.resize(lane + 1);
    for (const Span& other : placed[lane]) ASSERT_LE(other.end_ns, span.start_ns) << "on lane " << lane;
    placed[lane].push_back(span);
  }
}

TEST(ReorderWindow, GivesDispatchesAwayInOrderOfStartThenEndThenId) {
  ReorderWindow window;
  const auto add = [&window](std::uint64_t id, std::uint64_t start, std::uint64_t end) {
    return window.push(test::dispatch(id, 1, Outcome::kReplayed, 1, {}), start, end);
  };
  EXPECT_FALSE(add(1, 300, 400));
  EXPECT_FALSE(add(2, 100, 200));
  EXPECT_FALSE(add(3, 100, 100));
  EXPECT_FALSE(add(5, 200, 250));
  EXPECT_FALSE(add(4, 200, 250));
  std::vector<std::uint64_t> order;
  while (const std::optional<DispatchRecord> next = window.pop()) order.push_back(next->dispatch_id.value);
  EXPECT_EQ(order, (std::vector<std::uint64_t>{3, 2, 4, 5, 1}));
}

TEST(ReorderWindow, HoldsNoMoreThanItsCapacity) {
  ReorderWindow window;
  for (std::uint64_t i = 0; i < ReorderWindow::kCapacity; ++i)
    ASSERT_FALSE(window.push(test::dispatch(i, 1, Outcome::kReplayed, 1, {}), 1000 + i, 2000 + i));
  const std::optional<DispatchRecord> out = window.push(test::dispatch(9999, 1, Outcome::kReplayed, 1, {}), 5, 6);
  ASSERT_TRUE(out);
  EXPECT_EQ(out->dispatch_id, DispatchId{9999});
}

}  // namespace
}  // namespace multipass::output::perfetto
