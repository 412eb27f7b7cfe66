// SPDX-License-Identifier: MIT
// What the recorder writes whatever happens around it. What is in it: tests/e2e/test_recordings.py.
#include "sdk/recorder.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "base/process_limits.hpp"
#include "sdk/tap.hpp"

namespace multipass::sdk {
namespace {

class RecorderTest : public ::testing::Test {
 protected:
  RecorderTest() {
    std::filesystem::remove(path_);
    EXPECT_TRUE(start_recording(path_, {}));
  }
  RecorderTest(const RecorderTest&) = delete;
  RecorderTest& operator=(const RecorderTest&) = delete;
  ~RecorderTest() override {
    leave_recording();
    std::filesystem::remove(path_);
  }

  // As the SDK does: a callback that asks for counters.
  static void call(std::uint64_t dispatch) {
    rocprofiler_dispatch_counting_service_data_t data{};
    data.dispatch_info.dispatch_id = dispatch;
    rocprofiler_counter_config_id_t config{};
    rocprofiler_user_data_t user_data{};
    const CountingTap tap(data, &config, &user_data);
    user_data.value = dispatch;
  }

  [[nodiscard]] std::vector<nlohmann::json> lines() const {
    std::vector<nlohmann::json> all;
    std::ifstream file(path_);
    for (std::string line; std::getline(file, line);) all.push_back(nlohmann::json::parse(line));
    return all;
  }

  const std::string path_ = ::testing::TempDir() + "recorder_test-" + std::to_string(::getpid()) + ".jsonl";
};

TEST_F(RecorderTest, CallsOfManyThreadsAreWholeLinesEachWithItsNumber) {
  constexpr std::uint64_t kThreads = 4;
  constexpr std::uint64_t kCalls = 500;
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < kThreads; ++t)
    threads.emplace_back([t] {
      for (std::uint64_t i = 0; i < kCalls; ++i) call(1 + t * kCalls + i);
    });
  for (std::thread& thread : threads) thread.join();
  std::set<std::uint64_t> numbers;
  std::set<std::uint64_t> of_threads;
  std::set<std::uint64_t> dispatches;
  for (const nlohmann::json& line : lines()) {
    numbers.insert(line.at("n").get<std::uint64_t>());
    of_threads.insert(line.at("thread").get<std::uint64_t>());
    dispatches.insert(line.at("dispatch").at("id").get<std::uint64_t>());
  }
  EXPECT_EQ(numbers.size(), kThreads * kCalls);
  EXPECT_EQ(*numbers.rbegin(), kThreads * kCalls - 1);
  EXPECT_EQ(of_threads, (std::set<std::uint64_t>{0, 1, 2, 3}));
  EXPECT_EQ(*dispatches.rbegin(), kThreads * kCalls - 1);
}

TEST_F(RecorderTest, CallsBeyondTheMostAreCountedAndTheEndIsWritten) {
  constexpr std::uint64_t kMost = 100;
  constexpr std::uint64_t kBeyond = 7;
  std::filesystem::remove(path_);
  ASSERT_TRUE(start_recording(path_, {}, kMost));
  for (std::uint64_t i = 0; i < kMost + kBeyond; ++i) call(1);
  note_finalize();
  const std::vector<nlohmann::json> all = lines();
  ASSERT_EQ(all.size(), kMost + 1);
  EXPECT_EQ(all.back().at("call"), "finalize");
  EXPECT_EQ(all.back().at("left_out"), kBeyond);
}

TEST_F(RecorderTest, AFullDiskEndsTheRecordingAndNothingElse) {
  call(1);
  const auto written = std::filesystem::file_size(path_);
  {
    const test::FileSizeLimit limit(written);
    call(2);
  }
  call(3);  // there is room again, but a line is missing
  note_finalize();
  EXPECT_EQ(lines().size(), 1U);
}

TEST_F(RecorderTest, ADescriptorThatTheProgramHasTakenIsNotWrittenTo) {
  call(1);
  const std::string other = path_ + ".other";
  for (int fd = 3; fd < 64; ++fd) {
    std::error_code error;
    if (std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(fd), error) != path_) continue;
    const int file = ::creat(other.c_str(), 0600);
    ASSERT_EQ(::dup2(file, fd), fd);
    ::close(file);
  }
  call(2);
  EXPECT_EQ(std::filesystem::file_size(other), 0U);
  std::filesystem::remove(other);
}

TEST_F(RecorderTest, AForkedChildRecordsNothing) {
  call(1);
  const pid_t child = ::fork();
  if (child == 0) {
    leave_recording();
    call(2);
    note_finalize();
    ::_exit(0);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(lines().size(), 1U);
}

TEST_F(RecorderTest, AFileThatIsThereStaysAsItIs) {
  call(1);
  const Status again = start_recording(path_, {});
  EXPECT_FALSE(again);
  EXPECT_EQ(again.message(),
            "no recording is written to " + path_ + ": File exists; ROCPROFSYS_MULTIPASS_RECORD must name a new file");
  EXPECT_EQ(lines().size(), 1U);
}

}  // namespace
}  // namespace multipass::sdk
