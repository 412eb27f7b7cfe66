// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <thread>

#include "journal/encode.hpp"
#include "journal/reader.hpp"
#include "journal/writer.hpp"
#include "journal_folder.hpp"
#include "samples.hpp"

namespace multipass::journal {
namespace {

using std::chrono::seconds;

class JournalLanes : public JournalFolder {
 protected:
  static bool put(JournalWriter& writer, Lane& lane, std::uint64_t id) {
    DispatchRecord record = samples::dispatch();
    record.dispatch_id = DispatchId{id};
    return writer.append(lane, most_bytes(record), [&](std::string& to) { encode_to(record, to); });
  }
  // What is in the file, in order: the id of a dispatch, "k" and the id of a kernel, "end".
  std::vector<std::string> content() {
    std::vector<std::string> all;
    auto reader = JournalReader::open(path_);
    EXPECT_TRUE(reader) << reader.message();
    if (!reader) return all;
    while (auto frame = reader->next()) {
      if (const auto* record = std::get_if<DispatchRecord>(&*frame))
        all.push_back(std::to_string(record->dispatch_id.value));
      else if (const auto* kernel = std::get_if<KernelSymbol>(&*frame))
        all.push_back("k" + std::to_string(kernel->id.value));
      else
        all.emplace_back("end");
    }
    EXPECT_TRUE(reader->damage().none());
    return all;
  }
};

TEST_F(JournalLanes, ALaneKeepsItsOrder) {
  auto writer = create();
  Lane& lane = writer->add_agent_lane();
  std::vector<std::string> expected;
  for (std::uint64_t id = 1; id <= 100; ++id) {
    EXPECT_TRUE(put(*writer, lane, id));
    expected.push_back(std::to_string(id));
  }
  EXPECT_TRUE(writer->close(seconds(10)));
  EXPECT_EQ(content(), expected);
}

TEST_F(JournalLanes, AKernelComesBeforeItsDispatchesWhateverTheirLane) {
  auto writer = create();
  Lane& lane = writer->add_agent_lane();
  for (std::uint64_t id = 1; id <= 200; ++id) {
    KernelSymbol kernel;
    kernel.id = KernelId{id};
    EXPECT_TRUE(writer->append(encode(kernel)));
    EXPECT_TRUE(put(*writer, lane, id));
  }
  EXPECT_TRUE(writer->close(seconds(10)));
  const std::vector<std::string> all = content();
  ASSERT_EQ(all.size(), 400U);
  for (std::uint64_t id = 1; id <= 200; ++id)
    EXPECT_LT(std::find(all.begin(), all.end(), "k" + std::to_string(id)),
              std::find(all.begin(), all.end(), std::to_string(id)));
}

TEST_F(JournalLanes, TheLastFrameIsTheLast) {
  auto writer = create();
  Lane& lane = writer->add_agent_lane();
  writer->append_end(4);
  for (std::uint64_t id = 1; id <= 3; ++id) put(*writer, lane, id);
  EXPECT_TRUE(writer->close(seconds(10)));
  EXPECT_EQ(content(), (std::vector<std::string>{"1", "2", "3", "end"}));
}

TEST_F(JournalLanes, AfterAFlushWhatIsInEachLaneIsInTheFile) {
  auto writer = create();
  Lane& one = writer->add_agent_lane();
  Lane& other = writer->add_agent_lane();
  put(*writer, one, 1);
  put(*writer, other, 2);
  EXPECT_TRUE(writer->flush(seconds(10)));
  EXPECT_EQ(content().size(), 2U);
}

TEST_F(JournalLanes, AgentsOnThreadsOfTheirOwnLoseNothing) {
  auto writer = create();
  constexpr std::uint64_t kAgents = 4, kEach = 2000;
  std::vector<std::thread> threads;
  for (std::uint64_t agent = 0; agent < kAgents; ++agent)
    threads.emplace_back([&writer, &lane = writer->add_agent_lane(), agent] {
      for (std::uint64_t i = 0; i < kEach; ++i) EXPECT_TRUE(put(*writer, lane, agent * kEach + i + 1));
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(writer->close(seconds(10)));
  std::vector<std::string> all = content();
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all.size(), kAgents * kEach);
  EXPECT_EQ(std::unique(all.begin(), all.end()), all.end());
}

// A pipe that nobody reads is a disk that does not answer.
TEST_F(JournalLanes, AFullLaneIsWaitedForOnceAndCostsOtherLanesNothing) {
  ASSERT_EQ(mkfifo((folder_ / "slow").c_str(), 0600), 0);
  const int reader = open((folder_ / "slow").c_str(), O_RDONLY | O_NONBLOCK);
  auto writer = JournalWriter::adopt(open((folder_ / "slow").c_str(), O_WRONLY), "slow");
  ASSERT_TRUE(writer) << writer.message();
  Lane& full = (*writer)->add_agent_lane();
  Lane& other = (*writer)->add_agent_lane();
  const std::string large(256U << 10U, 'x');
  const auto put_large = [&](Lane& lane) {
    return (*writer)->append(lane, large.size(), [&](std::string& to) { to += large; });
  };
  std::size_t kept = 0;
  while (put_large(full)) ++kept;  // until the lane is full; the last one waited
  EXPECT_LE(kept * large.size(), JournalWriter::kMaxAgentQueuedBytes);
  EXPECT_GE((kept + 1) * (large.size() + 64), JournalWriter::kMaxAgentQueuedBytes);
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 20; ++i) EXPECT_FALSE(put_large(full));
  EXPECT_TRUE(put_large(other));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 10 * JournalWriter::kMaxWait) << "not kMaxWait for each of them";
  EXPECT_EQ((*writer)->dropped(), 21U);
  close(reader);  // the write fails
  EXPECT_FALSE((*writer)->close(seconds(10)));
  EXPECT_EQ((*writer)->dropped(), 21U + kept + 1U) << "and what was in the lanes is lost";
}

// The tick of the writing thread may have something to say while the file is being closed.
TEST(JournalLane, TakesWhatIsAppendedUntilTheLastRoundBegins) {
  LaneState state;
  Lane lane(state, 1000, false);
  const auto put = [&lane] { return lane.append(1, [](std::string& to) { to += 'x'; }); };
  state.closing = true;
  EXPECT_TRUE(put());
  EXPECT_EQ(state.dropped, 0U);
  state.closed = true;
  EXPECT_FALSE(put());
  EXPECT_EQ(state.dropped, 1U);
}

TEST_F(JournalLanes, TheWritingThreadCallsAtAnIntervalWhileNothingIsWrittenAndWhileMuchIs) {
  auto writer = create();
  Lane& lane = writer->add_agent_lane();
  std::atomic<unsigned> calls{0};
  writer->call_every(std::chrono::milliseconds(1), [&] {
    KernelSymbol kernel;
    kernel.id = KernelId{calls + 1};
    EXPECT_TRUE(writer->append(encode(kernel)));
    ++calls;
    calls.notify_all();
  });
  for (unsigned seen = calls; seen < 3; seen = calls) calls.wait(seen);
  const unsigned before = calls;
  for (std::uint64_t id = 1; calls < before + 3; ++id) put(*writer, lane, id);
  EXPECT_TRUE(writer->close(seconds(10)));
  const std::vector<std::string> all = content();
  EXPECT_NE(std::find(all.begin(), all.end(), "k5"), all.end()) << "the sixth may have come after the file was closed";
}

TEST_F(JournalLanes, MostBytesIsEnough) {
  DispatchRecord record = samples::dispatch();
  record.reason = std::string(100, '\xff');
  EXPECT_LE(encode(record).size(), most_bytes(record));
  for (std::uint32_t i = 0; i < 40; ++i) {
    PassRecord& pass = record.passes.emplace_back();
    pass.pass = PassIndex{UINT32_MAX - i};
    pass.group = GroupIndex{UINT32_MAX};
    pass.start_ns = pass.end_ns = UINT64_MAX;
    pass.counters.assign(50, CounterIndex{UINT32_MAX});
    pass.values.assign(50, -1e300);
  }
  record.queue_id = record.stream_id = record.thread_id = record.correlation_id = UINT64_MAX;
  EXPECT_LE(encode(record).size(), most_bytes(record));
}

}  // namespace
}  // namespace multipass::journal
