// SPDX-License-Identifier: MIT
//
// An active counting context serialises the kernels of an agent: they do not overlap, whatever their queues. Without
// one they do. Source: rocprofiler-sdk, the profiler serializer below source/lib/rocprofiler-sdk/hsa @1b1610fc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "counting_fixture.hpp"
#include "isolated.hpp"
#include "replay_fixture.hpp"
#include "services.hpp"
#include "test_tool.hpp"

namespace sim_sdk_test {
namespace {

// Two kernels that each wait until the other one runs; they give up after a while.
class Rendezvous final {
 public:
  bool meet(std::chrono::milliseconds bound) {
    std::unique_lock lock(mutex_);
    ++arrived_;
    changed_.notify_all();
    return changed_.wait_until(lock, std::chrono::system_clock::now() + bound, [this] { return arrived_ == 2; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int arrived_ = 0;
};

// The most kernels that ran at the same time.
class Together final {
 public:
  void run() {
    const int now = ++running_;
    int seen = most_.load();
    while (now > seen && !most_.compare_exchange_weak(seen, now)) {
    }
    std::this_thread::yield();
    --running_;
  }
  [[nodiscard]] int most() const { return most_.load(); }

 private:
  std::atomic<int> running_{0}, most_{0};
};

struct SerialTool : CountingFixture {
  std::mutex mutex;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> times;

  void start(bool active) {
    services.record = [this](const CountingData& data, auto*, std::size_t, auto) {
      const std::lock_guard lock(mutex);
      times.emplace_back(data.start_timestamp, data.end_timestamp);
    };
    CountingFixture::start({"SQ_WAVES"}, active);
  }

  // How many of two kernels on two queues met the other one, when each waits for that long.
  int meetings(std::chrono::milliseconds bound) {
    Rendezvous rendezvous;
    std::atomic<int> met{0};
    for (std::uint64_t queue : {1, 2}) {
      runtime.launch([&](auto&) { met += rendezvous.meet(bound) ? 1 : 0; }, {.queue = queue});
    }
    runtime.synchronize();
    return met;
  }
};

TEST(Serialisation, KernelsOfTwoQueuesMeetWhileNothingCounts) {
  const Outcome outcome = isolated([] {
    SerialTool tool;
    tool.start(false);
    EXPECT_EQ(tool.meetings(std::chrono::seconds(30)), 2);
    end_tool();
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(Serialisation, KernelsOfTwoQueuesDoNotMeetWhileAContextCounts) {
  const Outcome outcome = isolated([] {
    SerialTool tool;
    tool.start(true);
    EXPECT_EQ(tool.meetings(std::chrono::milliseconds(50)), 1) << "the second one came when the first had given up";
    end_tool();
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(Serialisation, ADispatchThatIsSkippedRunsAloneToo) {
  const Outcome outcome = isolated([] {
    SerialTool tool;
    Together together;
    tool.start(true);
    tool.services.dispatch = [](const CountingData&, auto&, auto&) {};  // leaves the configuration at 0
    for (std::uint64_t i = 0; i < 400; ++i) {
      tool.runtime.launch([&](auto&) { together.run(); }, {.queue = 1 + i % 3});
    }
    tool.runtime.synchronize();
    EXPECT_EQ(together.most(), 1);
    end_tool();
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(Serialisation, LastsFromStartToStopOfTheContext) {
  const Outcome outcome = isolated([] {
    SerialTool tool;
    tool.start(true);
    EXPECT_EQ(rocprofiler_stop_context(tool.context), 0);
    EXPECT_EQ(tool.meetings(std::chrono::seconds(30)), 2);
    end_tool();
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(Serialisation, ACountedKernelWaitsForThoseThatRanBeforeTheContextStarted) {
  const Outcome outcome = isolated([] {
    SerialTool tool;
    std::mutex mutex;
    std::condition_variable changed;
    bool running = false, release = false;
    std::atomic<bool> first_ended{false}, second_saw_it{false};
    tool.start(false);
    tool.runtime.launch(
        [&](auto&) {
          std::unique_lock lock(mutex);
          running = true;
          changed.notify_all();
          changed.wait(lock, [&] { return release; });
          first_ended = true;
        },
        {.queue = 1});
    {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return running; });
    }
    EXPECT_EQ(rocprofiler_start_context(tool.context), 0);
    tool.runtime.launch([&](auto&) { second_saw_it = first_ended.load(); }, {.queue = 2});
    {
      const std::lock_guard lock(mutex);
      release = true;
      changed.notify_all();
    }
    tool.runtime.synchronize();
    EXPECT_TRUE(second_saw_it);
    end_tool();
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(Serialisation, LeavesTheKernelsOfAnotherAgentAlone) {
  const Outcome outcome = isolated([] {
    setenv("ROCPROFSYS_MULTIPASS_SIMULATE", "tiny,tiny", 1);
    SerialTool tool;
    tool.runtime.devices = 2;
    Rendezvous rendezvous;
    std::atomic<int> met{0};
    tool.start(true);
    tool.services.dispatch = {};
    const auto body = [&](auto&) { met += rendezvous.meet(std::chrono::seconds(30)) ? 1 : 0; };
    tool.runtime.launch(body, {.queue = 1, .device = 0});
    tool.runtime.launch(body, {.queue = 2, .device = 1});
    tool.runtime.synchronize();
    EXPECT_EQ(met, 2);
    end_tool();
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(Serialisation, OfTenThousandQueuedLaunchesGivesTimesThatDoNotOverlap) {
  const Outcome outcome = isolated([] {
    SerialTool tool;
    tool.start(true);
    constexpr int kLaunches = 10'000;
    const auto work = [&](std::uint64_t queue) {
      for (int i = 0; i < kLaunches / 2; ++i)
        tool.runtime.launch([](auto&) { std::this_thread::yield(); }, {.queue = queue});
    };
    std::thread one(work, 1);
    std::thread two(work, 2);
    one.join();
    two.join();
    tool.runtime.synchronize();
    EXPECT_EQ(rocprofiler_stop_context(tool.context), 0);
    ASSERT_EQ(tool.times.size(), static_cast<std::size_t>(kLaunches));
    std::sort(tool.times.begin(), tool.times.end());
    std::size_t overlaps = 0;
    for (std::size_t i = 1; i < tool.times.size(); ++i) {
      if (tool.times[i].first < tool.times[i - 1].second) ++overlaps;
    }
    EXPECT_EQ(overlaps, 0U);
    end_tool();
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

// A replay window takes the agent from the ordinary launches of another thread and gives it back.
TEST(Serialisation, LivesWithReplayWindowsOfAnotherThread) {
  const Outcome outcome = isolated([] {
    ReplayFixture fixture;
    Together together;
    thread_local bool replays = false;
    fixture.also = [&](const auto& record, ReplayData& data, rocprofiler_user_data_t&) {
      if (record.operation == ROCPROFILER_KERNEL_REPLAY_CONFIG && record.phase == ROCPROFILER_CALLBACK_PHASE_ENTER &&
          !replays) {
        data.replay_pass_count = nullptr;  // this launch runs once
      }
    };
    fixture.pass_count = &passes<3>;
    fixture.start([&] { EXPECT_EQ(fixture.services.add_counting(fixture.context), 0); });
    const auto work = [&](std::uint64_t queue) {
      replays = queue == 1;
      for (int i = 0; i < 50; ++i) fixture.runtime.launch([&](auto&) { together.run(); }, {.queue = queue});
    };
    std::thread one(work, 1);
    std::thread two(work, 2);
    one.join();
    two.join();
    fixture.runtime.synchronize();
    EXPECT_EQ(together.most(), 1);
    EXPECT_EQ(fixture.runtime.log.only({"run"}).size(), 50U * 3U + 50U);
    end_tool();
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

}  // namespace
}  // namespace sim_sdk_test
