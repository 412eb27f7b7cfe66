// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>

#include "journal/encode.hpp"
#include "journal/format.hpp"
#include "journal/reader.hpp"
#include "journal/writer.hpp"
#include "journal_folder.hpp"
#include "samples.hpp"

namespace multipass::journal {
namespace {

using std::chrono::seconds;

class JournalFile : public JournalFolder {
 protected:
  std::vector<std::uint64_t> dispatch_ids(Damage* damage = nullptr) {
    auto reader = JournalReader::open(path_);
    EXPECT_TRUE(reader) << reader.message();
    std::vector<std::uint64_t> ids;
    if (!reader) return ids;
    while (auto frame = reader->next())
      if (const auto* record = std::get_if<DispatchRecord>(&*frame)) ids.push_back(record->dispatch_id.value);
    if (damage != nullptr) *damage = reader->damage();
    return ids;
  }
  static std::string numbered(std::uint64_t id) {
    DispatchRecord record = samples::dispatch();
    record.dispatch_id = DispatchId{id};
    return encode(record);
  }
  void write_file(const std::string& bytes) { std::ofstream(path_, std::ios::binary) << bytes; }
};

TEST_F(JournalFile, GivesBackTheFramesInOrder) {
  auto writer = create();
  for (std::uint64_t id = 1; id <= 5; ++id) EXPECT_TRUE(writer->append(numbered(id)));
  EXPECT_TRUE(writer->close(seconds(10)));
  Damage damage;
  EXPECT_EQ(dispatch_ids(&damage), (std::vector<std::uint64_t>{1, 2, 3, 4, 5}));
  EXPECT_TRUE(damage.none());
}

TEST_F(JournalFile, TakesFramesFromSeveralThreads) {
  auto writer = create();
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < 4; ++t)
    threads.emplace_back([&writer, t] {
      for (std::uint64_t i = 0; i < 250; ++i) writer->append(numbered(t * 250 + i));
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(writer->close(seconds(10)));
  std::vector<std::uint64_t> ids = dispatch_ids();
  std::sort(ids.begin(), ids.end());
  ASSERT_EQ(ids.size(), 1000U);
  for (std::uint64_t i = 0; i < 1000; ++i) EXPECT_EQ(ids[i], i);
}

TEST_F(JournalFile, TheHeaderIsThereFromTheBeginning) {
  auto writer = create();
  EXPECT_EQ(std::filesystem::file_size(path_), kFileHeaderSize);
  EXPECT_TRUE(dispatch_ids().empty());
}

TEST_F(JournalFile, AfterAFlushEverythingIsInTheFile) {
  auto writer = create();
  for (std::uint64_t id = 1; id <= 20; ++id) writer->append(numbered(id));
  EXPECT_TRUE(writer->flush(seconds(10)));
  EXPECT_EQ(dispatch_ids().size(), 20U);
}

TEST_F(JournalFile, NeverTakesAnExistingFile) {
  write_file("precious");
  bool exists = false;
  const auto writer = JournalWriter::create(path_, exists);
  EXPECT_FALSE(writer);
  EXPECT_TRUE(exists);
  EXPECT_EQ(std::filesystem::file_size(path_), 8U);
}

TEST_F(JournalFile, SaysWhyItCannotBeCreated) {
  bool exists = true;
  const std::string path = (folder_ / "missing" / "a.journal").string();
  const auto writer = JournalWriter::create(path, exists);
  EXPECT_FALSE(exists);
  EXPECT_EQ(writer.message(), "cannot create the capture file " + path + ": No such file or directory");
}

TEST_F(JournalFile, SurvivesTheDeathOfTheProcess) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    bool exists = false;
    auto writer = JournalWriter::create(path_, exists);
    if (!writer) _exit(1);
    for (std::uint64_t id = 1; id <= 100; ++id) (*writer)->append(numbered(id));
    // The thread needs a moment; wait for the data, not for a time.
    const std::size_t whole = kFileHeaderSize + 100 * framed(numbered(1)).size();
    while (std::filesystem::file_size(path_) < whole) std::this_thread::yield();
    std::raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(dispatch_ids().size(), 100U);
}

// The parent goes on; the child, which lives as long, has no descriptor of the file left.
TEST_F(JournalFile, AForkedChildGivesUpItsShareOfTheFile) {
  auto writer = create();
  ASSERT_TRUE(writer);
  const auto is_open_here = [this] {
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
      std::error_code gone;
      if (std::filesystem::read_symlink(entry, gone) == path_) return true;
    }
    return false;
  };
  EXPECT_TRUE(is_open_here());
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    writer->close_in_child();
    writer->close_in_child();  // by now the number may be somebody else's
    _exit(is_open_here() ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(writer->append(numbered(1)));
  EXPECT_TRUE(writer->close(seconds(10)));
  EXPECT_EQ(dispatch_ids(), std::vector<std::uint64_t>{1});
}

// So a handler of the program runs on a thread of the program.
TEST_F(JournalFile, ItsThreadTakesNoSignals) {
  const auto threads = [] {
    std::set<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) found.insert(entry.path());
    return found;
  };
  std::thread([] {}).join();  // with the first thread ThreadSanitizer starts one of its own
  const std::set<std::string> before = threads();
  const auto writer = create();
  ASSERT_TRUE(writer);
  std::set<std::string> added = threads();
  for (const std::string& thread : before) added.erase(thread);
  ASSERT_EQ(added.size(), 1U);
  std::ifstream status(*added.begin() + "/status");
  std::string blocked;
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("SigBlk:")) blocked = line.substr(line.find_last_of('\t') + 1);
  const std::uint64_t mask = std::stoull(blocked, nullptr, 16);
  for (int number = 1; number <= SIGRTMAX; ++number) {
    const bool free =
        number == SIGKILL || number == SIGSTOP || (number > SIGSYS && number < SIGRTMIN);  // of the C library
    EXPECT_TRUE(free || ((mask >> static_cast<unsigned>(number - 1)) & 1U) != 0) << "signal " << number;
  }
}

TEST_F(JournalFile, NoRoomForTheHeaderIsAnErrorNotASignal) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const rlimit limit{0, 0};
    setrlimit(RLIMIT_FSIZE, &limit);
    bool exists = false;
    _exit(JournalWriter::create(path_, exists) ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status)) << status;
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

// A pipe that nobody reads is a disk that does not answer.
TEST_F(JournalFile, ADiskThatDoesNotAnswerIsWaitedForOnce) {
  ASSERT_EQ(mkfifo((folder_ / "slow").c_str(), 0600), 0);
  const int reader = open((folder_ / "slow").c_str(), O_RDONLY | O_NONBLOCK);
  auto writer = JournalWriter::adopt(open((folder_ / "slow").c_str(), O_WRONLY), "slow");
  ASSERT_TRUE(writer) << writer.message();
  const std::string large(4U << 20U, 'x');
  while ((*writer)->append(large)) {  // until the queue is full; the last one waited
  }
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 20; ++i) EXPECT_FALSE((*writer)->append(large));
  const auto waited = std::chrono::steady_clock::now() - begin;
  EXPECT_EQ((*writer)->dropped(), 21U);
  EXPECT_LT(waited, 10 * JournalWriter::kMaxWait) << "not kMaxWait for each of them";
  close(reader);  // the write fails, the thread ends
}

TEST_F(JournalFile, NeverWritesIntoAFileThatTheProgramOpenedUnderItsNumber) {
  const std::string foreign = folder_ / "user.dat";
  const int fd = open(path_.c_str(), O_WRONLY | O_CREAT, 0600);
  auto writer = JournalWriter::adopt(fd, path_);
  ASSERT_TRUE(writer) << writer.message();
  close(fd);
  ASSERT_EQ(open(foreign.c_str(), O_WRONLY | O_CREAT, 0600), fd) << "the lowest free number";
  (*writer)->append(numbered(1));
  EXPECT_FALSE((*writer)->close(seconds(10)));
  writer = Status::error("gone");  // destroys it
  EXPECT_EQ(std::filesystem::file_size(foreign), 0U);
  EXPECT_EQ(write(fd, "x", 1), 1) << "and it is still open";
  close(fd);
}

TEST_F(JournalFile, CallsWhatItIsToCallWhileNothingIsWrittenAndWhileMuchIs) {
  auto writer = create();
  std::mutex mutex;
  std::condition_variable called;
  unsigned calls = 0;
  writer->call_every(std::chrono::milliseconds(1), [&] {
    EXPECT_TRUE(writer->append(numbered(7)));
    const std::lock_guard lock(mutex);
    ++calls;
    called.notify_all();
  });
  for (const bool busy : {false, true}) {
    std::unique_lock lock(mutex);
    const unsigned wanted = calls + 3;
    while (calls < wanted) {
      if (!busy) {
        called.wait(lock);
        continue;
      }
      lock.unlock();
      EXPECT_TRUE(writer->append(numbered(8)));
      lock.lock();
    }
  }
  EXPECT_TRUE(writer->close(seconds(10)));
  const std::vector<std::uint64_t> ids = dispatch_ids();
  EXPECT_GE(std::count(ids.begin(), ids.end(), 7U), 5) << "the last one may have come after the file was closed";
}

TEST_F(JournalFile, AnyTruncationGivesAPrefix) {
  std::string bytes = file_header();
  const std::string frame = framed(numbered(1));
  for (std::uint64_t id = 1; id <= 3; ++id) bytes += framed(numbered(id));
  for (std::size_t length = kFileHeaderSize; length <= bytes.size(); ++length) {
    write_file(bytes.substr(0, length));
    Damage damage;
    const std::size_t whole = (length - kFileHeaderSize) / frame.size();
    EXPECT_EQ(dispatch_ids(&damage).size(), whole) << length;
    EXPECT_EQ(damage.skipped_bytes, (length - kFileHeaderSize) % frame.size()) << length;
  }
}

TEST_F(JournalFile, AnyDamagedByteCostsOneFrameAtMost) {
  std::string bytes = file_header();
  for (std::uint64_t id = 1; id <= 3; ++id) bytes += framed(numbered(id));
  for (std::size_t at = kFileHeaderSize; at < bytes.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x5a);
    write_file(damaged);
    Damage damage;
    EXPECT_EQ(dispatch_ids(&damage).size(), 2U) << at;
    EXPECT_FALSE(damage.none()) << at;
  }
}

TEST_F(JournalFile, AMadeUpLengthAllocatesNothing) {
  std::string bytes = file_header();
  std::string head(kFrameMagic);
  append_u32(head, kMaxPayload);  // 16 MiB that are not there
  append_u32(head, 0);
  append_u32(head, crc32(head));
  bytes += head + framed(numbered(9));
  write_file(bytes);
  EXPECT_EQ(dispatch_ids(), (std::vector<std::uint64_t>{9}));
}

// A counter value or a message of a later version may hold any bytes.
TEST_F(JournalFile, WhatLooksLikeAFrameInADamagedOneIsNone) {
  std::string damaged = framed("not a message" + framed(numbered(666)) + framed(numbered(667)));
  damaged.back() = static_cast<char>(damaged.back() ^ 1);
  write_file(file_header() + framed(numbered(1)) + damaged + framed(numbered(2)));
  Damage damage;
  EXPECT_EQ(dispatch_ids(&damage), (std::vector<std::uint64_t>{1, 2}));
  EXPECT_EQ(damage.skipped_bytes, damaged.size());
  EXPECT_EQ(damage.first_offset, kFileHeaderSize + framed(numbered(1)).size());
}

TEST_F(JournalFile, ANameThatSpellsAFrameIsNoneEvenWithoutTheHeadAroundIt) {
  KernelSymbol kernel = samples::kernel();
  kernel.name = framed(numbered(666));
  kernel.demangled = kernel.name;
  std::string headless = framed(encode(kernel));
  headless[0] = 'X';
  write_file(file_header() + headless + framed(numbered(1)));
  EXPECT_EQ(dispatch_ids(), (std::vector<std::uint64_t>{1}));
}

TEST(JournalFormat, AHeadIsCheckedFromItsMagicOn) {
  EXPECT_EQ(kMagicCrc, crc32(kFrameMagic));
  const std::string frame = framed("payload");
  EXPECT_EQ(read_u32(frame.data() + 12), crc32(frame.substr(0, 12)));
}

TEST_F(JournalFile, ALengthWithoutItsChecksumIsNotBelieved) {
  const std::string frame = framed(numbered(1));
  std::string longer = frame;
  longer[4] = static_cast<char>(longer[4] + 16);
  write_file(file_header() + longer + framed(numbered(2)));
  EXPECT_EQ(dispatch_ids(), (std::vector<std::uint64_t>{2}));
}

TEST_F(JournalFile, TheHeaderTellsWhatWasLost) {
  write_file(file_header({.records = (1ULL << 40U) + 5, .error = ENOSPC}) + framed(numbered(1)));
  const auto reader = JournalReader::open(path_);
  ASSERT_TRUE(reader);
  ASSERT_TRUE(reader->loss());
  EXPECT_EQ(reader->loss()->records, (1ULL << 40U) + 5);
  EXPECT_EQ(reader->loss()->error, static_cast<std::uint32_t>(ENOSPC));
}

TEST_F(JournalFile, ADamagedHeaderSaysNothingOfALossAndTheFramesAreRead) {
  std::string header = file_header();
  header[20] = 'x';
  write_file(header + framed(numbered(1)));
  EXPECT_EQ(dispatch_ids(), (std::vector<std::uint64_t>{1}));
  EXPECT_FALSE(JournalReader::open(path_)->loss());
}

TEST_F(JournalFile, AFileThatEndsInItsHeaderIsEmptyUnlessItsVersionIsAnother) {
  const std::string header = file_header();
  const std::string other = std::string(kFileMagic) + '\1' + header.substr(9);
  for (std::size_t size = 0; size < header.size(); ++size) {
    write_file(header.substr(0, size));
    EXPECT_EQ(JournalReader::open(path_).message(),
              path_ + ": is empty: the process ended before it captured anything");
    write_file(other.substr(0, size));
    EXPECT_EQ(JournalReader::open(path_).message().find("format version 1") != std::string::npos, size >= 12) << size;
  }
  write_file("RSMPJRNX");
  EXPECT_NE(JournalReader::open(path_).message().find("is no capture file"), std::string::npos);
}

TEST_F(JournalFile, DispatchesThatACheckpointCountsAndThatAreNotThereAreMissing) {
  const auto checkpoint = [](std::uint64_t dispatches) {
    return framed(encode(CheckpointFrame{.dispatches = dispatches}));
  };
  Damage damage;
  write_file(file_header() + framed(numbered(1)) + checkpoint(3) + framed(numbered(4)) + checkpoint(4));
  EXPECT_EQ(dispatch_ids(&damage), (std::vector<std::uint64_t>{1, 4}));
  EXPECT_EQ(damage.missing_dispatches, 2U);
  EXPECT_EQ(losses_of(damage), std::vector<std::string>{"2 dispatches were written and cannot be read: the checkpoints "
                                                        "of the capture count them"});
  write_file(file_header() + framed(numbered(1)) + checkpoint(1) + framed(encode_end(6, 0)));
  (void)dispatch_ids(&damage);
  EXPECT_EQ(damage.missing_dispatches, 5U);
  write_file(file_header() + framed(numbered(1)) + checkpoint(1) + framed(encode_end(1, 0)));
  (void)dispatch_ids(&damage);
  EXPECT_EQ(damage.missing_dispatches, 0U);
  EXPECT_TRUE(losses_of(damage).empty());
}

// Heads that are whole, each within the payload that the one before promises: to check each costs the square.
TEST_F(JournalFile, AFileMadeOfHeadsIsReadInATimeOfItsSize) {
  std::string bytes = file_header();
  for (std::size_t i = 0; i < (4U << 20U) / kFrameHeaderSize; ++i) {
    std::string head(kFrameMagic);
    append_u32(head, 2U << 20U);
    append_u32(head, 0);
    append_u32(head, crc32(head));
    bytes += head;
  }
  write_file(bytes + framed(numbered(9)));
  Damage damage;
  const auto begin = std::chrono::steady_clock::now();
  (void)dispatch_ids(&damage);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, seconds(20)) << "262144 times 2 MiB are 512 GiB";
  EXPECT_GE(damage.skipped_bytes, 4U << 20U);
}

TEST_F(JournalFile, AFrameThatIsLongerThanTheBufferIsReadBetweenOthers) {
  const std::string longer = encode_warning(std::string(5U << 20U, 'w'));
  std::string bytes = file_header();
  for (std::uint64_t id = 1; id <= 3000; ++id) bytes += framed(numbered(id)) + (id % 1000 == 0 ? framed(longer) : "");
  write_file(bytes);
  Damage damage;
  EXPECT_EQ(dispatch_ids(&damage).size(), 3000U);
  EXPECT_TRUE(damage.none());
}

TEST_F(JournalFile, AFolderCannotBeRead) {
  EXPECT_EQ(JournalReader::open(folder_).message(), folder_.string() + ": cannot be read: Is a directory");
}

TEST_F(JournalFile, RefusesWhatIsNoJournal) {
  write_file("SQLite format 3, or anything");
  EXPECT_EQ(JournalReader::open(path_).message(),
            path_ + ": is no capture file of rocprof-sys-multipass (it does not begin with RSMPJRNL)");
  write_file("");
  EXPECT_EQ(JournalReader::open(path_).message(), path_ + ": is empty: the process ended before it captured anything");
  write_file(std::string(kFileMagic) + std::string("\x01\0\0\0\0\0\0\0", 8) + std::string(16, '\0'));
  EXPECT_EQ(JournalReader::open(path_).message(),
            path_ +
                ": has format version 1, this program reads version 2; use the version of rocprof-sys-multipass "
                "that wrote it");
}

}  // namespace
}  // namespace multipass::journal
