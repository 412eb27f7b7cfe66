// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <optional>
#include <thread>
#include <vector>

#include "journal/drain.hpp"
#include "journal/encode.hpp"
#include "journal/reader.hpp"
#include "journal/writer.hpp"
#include "journal_folder.hpp"
#include "samples.hpp"

namespace multipass::journal {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class Checkpoints : public JournalFolder {
 protected:
  // A dispatch that was seen, appended as `size` bytes at least.
  void launch(JournalWriter& writer, Lane& lane, std::size_t size) {
    ++seen_;
    DispatchRecord record = samples::dispatch();
    record.reason.assign(size, 'r');
    writer.append(lane, most_bytes(record), [&](std::string& to) { encode_to(record, to); });
  }
  std::optional<JournalReader> open() {
    auto reader = JournalReader::open(path_);
    EXPECT_TRUE(reader) << reader.message();
    return reader ? std::optional(*std::move(reader)) : std::nullopt;
  }
  std::vector<CheckpointFrame> checkpoints() {
    std::vector<CheckpointFrame> all;
    for (auto reader = open(); auto frame = reader->next();)
      if (const auto* checkpoint = std::get_if<CheckpointFrame>(&*frame)) all.push_back(*checkpoint);
    return all;
  }

  std::atomic<std::uint64_t> seen_{0};
};

TEST_F(Checkpoints, EachCountsTheDispatchesInFrontOfItWhateverTheirAgent) {
  constexpr std::size_t kAgents = 3, kEach = 750, kSize = 8000;  // 17 MiB
  auto writer = create();
  writer->keep_checkpoints([this] { return seen_.load(); });
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kAgents; ++i)
    threads.emplace_back([this, &writer, &lane = writer->add_agent_lane()] {
      for (std::size_t each = 0; each < kEach; ++each) launch(*writer, lane, kSize);
    });
  for (std::thread& thread : threads) thread.join();
  const bool closed = writer->close(seconds(30));
  EXPECT_EQ(closed, writer->dropped() == 0) << "a busy disk may drop some, which must not change what is counted";
  std::uint64_t dispatches = 0, before = 0, found = 0;
  constexpr std::uint64_t kMostBetween = (Drain::kCheckpointBytes + (512U << 10U)) / kSize;
  for (auto reader = open(); auto frame = reader->next();) {
    if (std::holds_alternative<DispatchRecord>(*frame)) ++dispatches;
    const auto* checkpoint = std::get_if<CheckpointFrame>(&*frame);
    if (checkpoint == nullptr) continue;
    ++found;
    EXPECT_EQ(checkpoint->dispatches, dispatches);
    EXPECT_LE(checkpoint->dispatches + checkpoint->in_flight + checkpoint->dropped, kAgents * kEach);
    EXPECT_LE(dispatches - before, kMostBetween);
    before = dispatches;
  }
  EXPECT_LE(dispatches - before, kMostBetween);
  EXPECT_EQ(dispatches + writer->dropped(), kAgents * kEach);
  EXPECT_GE(found, 1U);
}

TEST_F(Checkpoints, OneComesByItselfAndTellsOfWhatIsInFlightAndNoOtherUntilMoreIsWritten) {
  auto writer = create();
  Lane& lane = writer->add_agent_lane();
  writer->keep_checkpoints([this] { return seen_.load(); });
  seen_ = 2;  // launches that are not over
  launch(*writer, lane, 10);
  EXPECT_TRUE(writer->flush(seconds(10)));
  while (checkpoints().empty()) std::this_thread::yield();
  std::atomic<unsigned> ticks{0};  // a time in which a second one would have come
  writer->call_every(Drain::kCheckpointInterval, [&] {
    ++ticks;
    ticks.notify_all();
  });
  ticks.wait(0);
  const std::vector<CheckpointFrame> all = checkpoints();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].dispatches, 1U);
  EXPECT_EQ(all[0].in_flight, 2U);
  EXPECT_GT(all[0].at_ns, 0U);
  EXPECT_TRUE(writer->close(seconds(10)));
}

TEST_F(Checkpoints, TheLastFrameCountsTheDispatchesInTheFile) {
  auto writer = create();
  Lane& lane = writer->add_agent_lane();
  for (int i = 0; i < 7; ++i) launch(*writer, lane, 10);
  writer->append(encode(samples::kernel()));
  writer->append_end(99);
  EXPECT_TRUE(writer->close(seconds(10)));
  std::optional<EndFrame> end;
  for (auto reader = open(); auto frame = reader->next();)
    if (const auto* found = std::get_if<EndFrame>(&*frame)) end = *found;
  ASSERT_TRUE(end);
  EXPECT_EQ(end->dispatches, 7U);
  EXPECT_EQ(end->end_ns, 99U);
}

// The one for which there was no room counts as dropped, and not as in flight.
TEST_F(Checkpoints, WhatWasDroppedIsToldAndIsNotInFlight) {
  auto writer = create();
  Lane& lane = writer->add_agent_lane();
  writer->keep_checkpoints([this] { return seen_.load(); });
  ++seen_;
  EXPECT_FALSE(writer->append(lane, JournalWriter::kMaxAgentQueuedBytes + 1, [](std::string&) {}));
  launch(*writer, lane, 10);
  while (checkpoints().empty()) std::this_thread::yield();
  const CheckpointFrame found = checkpoints().at(0);
  EXPECT_EQ(found.dispatches, 1U);
  EXPECT_EQ(found.dropped, 1U);
  EXPECT_EQ(found.in_flight, 0U);
  const auto reader = open();
  ASSERT_TRUE(reader->loss()) << "and the header says so, in case the process is killed now";
  EXPECT_EQ(*reader->loss(), (Loss{.records = 1, .error = 0}));
}

}  // namespace
}  // namespace multipass::journal
