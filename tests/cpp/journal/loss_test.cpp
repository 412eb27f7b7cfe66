// SPDX-License-Identifier: MIT
//
// What is lost on a disk that is full or does not answer, and that it is told.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include "journal/encode.hpp"
#include "journal/reader.hpp"
#include "journal/writer.hpp"
#include "journal_folder.hpp"
#include "samples.hpp"

namespace multipass::journal {
namespace {

using std::chrono::seconds;

class JournalLoss : public JournalFolder {
 protected:
  struct Content {
    std::vector<std::uint64_t> ids;
    std::optional<CheckpointFrame> checkpoint;  // the last one
    Damage damage;
    std::optional<Loss> loss;
  };
  static bool put(JournalWriter& writer, Lane& lane, std::uint64_t id, std::size_t size = 0) {
    DispatchRecord record = samples::dispatch();
    record.dispatch_id = DispatchId{id};
    record.reason.resize(size, 'r');
    return writer.append(lane, most_bytes(record), [&](std::string& to) { encode_to(record, to); });
  }
  Content content() const {
    Content all;
    auto reader = JournalReader::open(path_);
    EXPECT_TRUE(reader) << reader.message();
    if (!reader) return all;
    while (auto frame = reader->next()) {
      if (const auto* record = std::get_if<DispatchRecord>(&*frame)) all.ids.push_back(record->dispatch_id.value);
      if (const auto* checkpoint = std::get_if<CheckpointFrame>(&*frame)) all.checkpoint = *checkpoint;
    }
    all.damage = reader->damage();
    all.loss = reader->loss();
    return all;
  }
  // In a child whose files may have so many bytes. Whether it returned, with true.
  static bool with_file_size(rlim_t most, const std::function<bool()>& run) {
    const pid_t child = fork();
    if (child == 0) {
      const rlimit limit{most, most};
      setrlimit(RLIMIT_FSIZE, &limit);  // without our blocked signals this would end the process by SIGXFSZ
      _exit(run() ? 0 : 1);
    }
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status)) << status;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }
};

// Whatever of the last frame still fits.
TEST_F(JournalLoss, AFullDiskEndsTheFileWithAWholeFrameAndTheHeaderCountsTheRest) {
  constexpr std::uint64_t kAll = 1000;
  for (const rlim_t most : {4096U, 4097U, 4200U, 65536U}) {
    std::filesystem::remove(path_);
    EXPECT_TRUE(with_file_size(most, [&] {
      bool exists = false;
      auto writer = JournalWriter::create(path_, exists);
      if (!writer) return false;
      Lane& lane = (*writer)->add_agent_lane();
      for (std::uint64_t id = 1; id <= kAll; ++id) put(**writer, lane, id);
      (*writer)->append_end(1);
      return !(*writer)->close(seconds(10)) && (*writer)->pending() == 0;
    }));
    const Content found = content();
    EXPECT_TRUE(found.damage.none()) << found.damage.skipped_bytes << " bytes at " << found.damage.first_offset;
    EXPECT_LE(std::filesystem::file_size(path_), most);
    ASSERT_FALSE(found.ids.empty());
    EXPECT_EQ(found.ids.back(), found.ids.size()) << "the first ones, in order";
    ASSERT_TRUE(found.loss);
    EXPECT_EQ(found.loss->error, static_cast<std::uint32_t>(EFBIG));
    EXPECT_EQ(found.loss->records, kAll - found.ids.size());
  }
}

// It is killed: nothing is done at its end.
TEST_F(JournalLoss, TheHeaderTellsOfAFullDiskBeforeTheProcessEnds) {
  EXPECT_TRUE(with_file_size(4096, [&] {
    bool exists = false;
    auto writer = JournalWriter::create(path_, exists);
    if (!writer) return false;
    Lane& lane = (*writer)->add_agent_lane();
    std::uint64_t id = 0;
    while (put(**writer, lane, ++id)) {  // until the thread has met the end of the disk
    }
    for (;;) {
      auto reader = JournalReader::open(path_);
      if (reader && reader->loss() && reader->loss()->error == EFBIG && reader->loss()->records != 0) _exit(0);
    }
  }));
}

// The fastest of a few, on a machine with other work.
TEST_F(JournalLoss, WhatIsDroppedOnAFullDiskIsInTheHeaderSoon) {
  EXPECT_TRUE(with_file_size(4096, [&] {
    bool exists = false;
    auto writer = JournalWriter::create(path_, exists);
    if (!writer) return false;
    Lane& lane = (*writer)->add_agent_lane();
    const auto told = [&] {
      const auto reader = JournalReader::open(path_);
      return reader && reader->loss() && reader->loss()->records == (*writer)->dropped();
    };
    std::uint64_t id = 0;
    while (put(**writer, lane, ++id)) {  // until the thread has met the end of the disk
    }
    auto fastest = std::chrono::steady_clock::duration::max();
    for (int i = 0; i < 4; ++i) {
      while (!told()) {
      }
      const auto begin = std::chrono::steady_clock::now();
      put(**writer, lane, ++id);
      while (!told()) {
      }
      fastest = std::min(fastest, std::chrono::steady_clock::now() - begin);
    }
    return fastest < Drain::kCheckpointInterval / 5;
  }));
}

TEST_F(JournalLoss, AFileThatWasRemovedMeanwhileIsToldAtTheEnd) {
  auto writer = create();
  EXPECT_TRUE(put(*writer, writer->add_agent_lane(), 1));
  EXPECT_TRUE(writer->flush(seconds(10)));
  std::filesystem::remove(path_);
  testing::internal::CaptureStderr();
  EXPECT_FALSE(writer->close(seconds(10)));
  EXPECT_NE(testing::internal::GetCapturedStderr().find("the capture file " + path_ + " was removed while"),
            std::string::npos);
}

TEST_F(JournalLoss, ADiskThatIsFullFromTheBeginningIsNamed) {
  const auto writer = JournalWriter::adopt(open("/dev/full", O_WRONLY | O_CLOEXEC), "full.journal");
  EXPECT_EQ(writer.message(), "cannot write the capture file full.journal: No space left on device");
}

TEST_F(JournalLoss, WhatFitsIntoNoQueueIsDroppedAtOnceAndCounted) {
  auto writer = create();
  Lane& lane = writer->add_agent_lane();
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 3; ++i)
    EXPECT_FALSE(writer->append(lane, JournalWriter::kMaxAgentQueuedBytes, [](std::string&) {}));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, JournalWriter::kMaxWait);
  EXPECT_TRUE(put(*writer, lane, 2));
  EXPECT_FALSE(writer->close(seconds(10)));
  const Content found = content();
  EXPECT_EQ(found.ids, std::vector<std::uint64_t>{2});
  EXPECT_EQ(found.loss, (Loss{.records = 3, .error = 0}));
}

// A pipe is a disk that does not answer until somebody reads it.
TEST_F(JournalLoss, ADiskThatAnswersAgainGetsTheRestAndEachRecordIsThereOrCounted) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
  auto made = JournalWriter::adopt(ends[1], "slow");
  ASSERT_TRUE(made) << made.message();
  JournalWriter& writer = **made;
  Lane& lane = writer.add_agent_lane();
  std::atomic<std::uint64_t> seen{0};
  writer.keep_checkpoints([&] { return seen.load(); });
  constexpr std::size_t kSize = 64U << 10U;
  auto longest = std::chrono::steady_clock::duration::zero();
  const auto launch = [&] {
    const auto begin = std::chrono::steady_clock::now();
    const bool kept = put(writer, lane, ++seen, kSize);
    longest = std::max(longest, std::chrono::steady_clock::now() - begin);
    return kept;
  };
  while (launch()) {
  }
  EXPECT_FALSE(launch());
  const std::uint64_t dropped = writer.dropped();
  EXPECT_EQ(dropped, 2U);
  std::thread disk([&, from = ends[0]] {
    std::ofstream to(path_, std::ios::binary);
    std::array<char, 65536> bytes{};
    for (ssize_t n = 0; (n = read(from, bytes.data(), bytes.size())) > 0;) to.write(bytes.data(), n);
    close(from);
  });
  EXPECT_TRUE(writer.flush(seconds(10)));
  for (std::size_t i = 0; i < Drain::kCheckpointBytes / kSize; ++i) EXPECT_TRUE(launch()) << "it answers again";
  writer.append_end(1);
  EXPECT_FALSE(writer.close(seconds(10))) << "some were lost";
  made = Status::error("gone");
  disk.join();
  EXPECT_LT(longest, 10 * JournalWriter::kMaxWait) << "once, and not until the disk answers";
  const Content found = content();
  EXPECT_TRUE(found.damage.none());
  EXPECT_EQ(found.ids.size() + dropped, seen);
  ASSERT_TRUE(found.checkpoint) << "more than 4 MiB were written";
  EXPECT_EQ(found.checkpoint->dropped, dropped);
  EXPECT_LE(found.checkpoint->dispatches + found.checkpoint->in_flight + dropped, seen);
}

}  // namespace
}  // namespace multipass::journal
