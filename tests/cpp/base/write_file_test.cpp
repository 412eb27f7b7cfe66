// SPDX-License-Identifier: MIT
#include "base/write_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/process_limits.hpp"

namespace multipass {
namespace {

namespace fs = std::filesystem;

class WriteFile : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "multipass-write-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] static std::string read(const fs::path& path) {
    std::ifstream file{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{file}, {}};
  }

  [[nodiscard]] std::ptrdiff_t files() const {
    return std::distance(fs::directory_iterator{folder_}, fs::directory_iterator{});
  }

  [[nodiscard]] std::string path() const { return (folder_ / "a.json").string(); }

  fs::path folder_;
};

TEST_F(WriteFile, ReplacesWhatWasThereAndLeavesNothingElse) {
  std::ofstream{path()} << "old and longer";
  const Status status = write_file(path(), std::string("new\0\xff", 5));
  EXPECT_TRUE(status) << status.message();
  EXPECT_EQ(read(path()), std::string("new\0\xff", 5));
  EXPECT_EQ(files(), 1);
}

TEST_F(WriteFile, NamesTheFileThatCannotBeWritten) {
  const std::string missing = (folder_ / "none" / "a.json").string();
  EXPECT_EQ(write_file(missing, "x").message(), missing + ": cannot be written: No such file or directory");
}

TEST_F(WriteFile, LeavesNoHalfFileBehindWhenThePlaceIsTaken) {
  fs::create_directory(path());
  EXPECT_EQ(write_file(path(), "x").message(), path() + ": cannot be written: Is a directory");
  EXPECT_EQ(files(), 1);
}

// The first write takes a part, the second none.
TEST_F(WriteFile, AFileThatEndsEarlyIsNotLeftAndTheOldOneStays) {
  std::ofstream{path()} << "old";
  std::string message;
  {
    const test::FileSizeLimit limit(4096);
    std::signal(SIGXFSZ, SIG_DFL);  // would end this test
    message = write_file(path(), std::string(10'000, 'x')).message();
  }
  EXPECT_EQ(message, path() + ": cannot be written: File too large");
  EXPECT_EQ(read(path()), "old");
  EXPECT_EQ(files(), 1);
}

TEST_F(WriteFile, AFolderThatMayNotBeWrittenToIsNamedWithTheReason) {
  using fs::perms;
  fs::permissions(folder_, perms::owner_read | perms::owner_exec | perms::others_read | perms::others_exec);
  std::string message;
  {
    const test::WithoutRoot user;
    message = write_file(path(), "x").message();
  }
  fs::permissions(folder_, perms::owner_all);
  EXPECT_EQ(message, path() + ": cannot be written: Permission denied");
  EXPECT_EQ(files(), 0);
}

TEST_F(WriteFile, ADeviceIsWrittenToAndStaysADevice) {
  EXPECT_EQ(write_file("/dev/full", "x").message(), "/dev/full: cannot be written: No space left on device");
  EXPECT_TRUE(write_file("/dev/null", "x"));
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(WriteFile, APipeGetsTheText) {
  ASSERT_EQ(::mkfifo(path().c_str(), 0600), 0);
  const int reader = ::open(path().c_str(), O_RDONLY | O_NONBLOCK);
  const Status status = write_file(path(), "through");
  EXPECT_TRUE(status) << status.message();
  std::array<char, 16> got{};
  EXPECT_EQ(::read(reader, got.data(), got.size()), 7);
  EXPECT_STREQ(got.data(), "through");
  ::close(reader);
  EXPECT_TRUE(fs::is_fifo(path()));
}

TEST_F(WriteFile, APipeThatNobodyReadsIsNotWaitedFor) {
  ASSERT_EQ(::mkfifo(path().c_str(), 0600), 0);
  EXPECT_EQ(write_file(path(), "x").message(), path() + ": cannot be written: No such device or address");
}

// What takes a part of the text at a time: a pipe that holds less than the text.
TEST_F(WriteFile, ATextLongerThanAPipeHoldsArrivesWhole) {
  ASSERT_EQ(::mkfifo(path().c_str(), 0600), 0);
  std::string text;
  for (int i = 0; text.size() < 300'000; ++i) text += std::to_string(i) + "\n";
  const int reader = ::open(path().c_str(), O_RDWR);  // also the writer's end, so that it never ends
  const pid_t child = ::fork();
  if (child == 0) _exit(write_file(path(), text) ? 0 : 1);
  std::string got;
  std::array<char, 4096> chunk{};
  pollfd ready{reader, POLLIN, 0};
  while (got.size() < text.size() && ::poll(&ready, 1, 10'000) == 1) {
    const ssize_t size = ::read(reader, chunk.data(), chunk.size());
    if (size <= 0) break;
    got.append(chunk.data(), static_cast<std::size_t>(size));
  }
  ::close(reader);
  int status = -1;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(got, text);
}

}  // namespace
}  // namespace multipass
