// SPDX-License-Identifier: MIT
#include "tool/fork_pause.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

namespace multipass::tool {
namespace {

// Counting that can be stopped and started; what is not about forks is not called.
class FakeServices final : public sdk::Services {
 public:
  Status start_tracing() override { return Status::ok(); }
  Status start_counting() override { return Status::ok(); }
  [[nodiscard]] bool counting_is_taken() const noexcept override { return false; }
  void stop() noexcept override {}
  bool pause_counting() noexcept override {
    ++stops;
    if (while_stopping) while_stopping();
    return counting.exchange(false);
  }
  Status resume_counting() override {
    ++starts;
    if (!refusal.empty()) return Status::error(refusal);
    counting = true;
    return Status::ok();
  }
  [[nodiscard]] bool may_wait() const noexcept override { return waiting_allowed; }
  [[nodiscard]] bool in_callback() const noexcept override { return false; }
  void detach() noexcept override {}
  [[nodiscard]] bool replays() const noexcept override { return false; }
  [[nodiscard]] const std::string& why_no_replay() const noexcept override { return refusal; }
  [[nodiscard]] std::vector<sdk::MisplacedInstances> misplaced_instances() const override { return {}; }
  [[nodiscard]] sdk::ReplayUse replay_use() const override { return {}; }
  [[nodiscard]] const std::string& why_no_control() const noexcept override { return refusal; }
  [[nodiscard]] const std::string& why_no_ranges() const noexcept override { return refusal; }
  [[nodiscard]] const std::string& why_no_memory() const noexcept override { return refusal; }

  std::atomic<bool> counting{true};
  std::atomic<unsigned> stops{0}, starts{0};
  bool waiting_allowed = true;
  std::string refusal;
  std::function<void()> while_stopping;
};

TEST(ForkPause, CountingIsOffBetweenTheTwoHandlers) {
  FakeServices services;
  ForkPause pause(services);
  pause.before();
  EXPECT_FALSE(services.counting);
  EXPECT_TRUE(pause.after());
  EXPECT_TRUE(services.counting);
  EXPECT_EQ(pause.pauses(), 1U);
}

TEST(ForkPause, CountingIsOffForEachOfManyThreadsThatFork) {
  constexpr unsigned kThreads = 4, kForks = 500;
  FakeServices services;
  ForkPause pause(services);
  std::atomic<unsigned> counting_at_a_fork{0};
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (unsigned i = 0; i < kForks; ++i) {
        pause.before();
        if (services.counting) ++counting_at_a_fork;
        std::this_thread::yield();
        if (services.counting) ++counting_at_a_fork;
        EXPECT_TRUE(pause.after());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(counting_at_a_fork, 0U);
  EXPECT_TRUE(services.counting);
  EXPECT_EQ(services.stops, services.starts);
  EXPECT_EQ(pause.pauses(), services.stops);
}

TEST(ForkPause, AForkOnAThreadThatTheSdkWaitsForLeavesCountingOn) {
  FakeServices services;
  services.waiting_allowed = false;
  ForkPause pause(services);
  pause.before();
  EXPECT_TRUE(services.counting);
  EXPECT_TRUE(pause.after());
  EXPECT_EQ(services.stops, 0U);
  EXPECT_EQ(services.starts, 0U);
}

// A signal handler, for example one that starts a debugger.
TEST(ForkPause, AForkInsideAHandlerOfAnotherForkDoesNotWaitForIt) {
  FakeServices services;
  ForkPause pause(services);
  services.while_stopping = [&] {
    services.while_stopping = nullptr;
    pause.before();
    EXPECT_TRUE(pause.after());
  };
  pause.before();
  EXPECT_FALSE(services.counting);
  EXPECT_TRUE(pause.after());
  EXPECT_TRUE(services.counting);
  EXPECT_EQ(services.stops, 1U);
}

TEST(ForkPause, CountingThatWasNotOnIsNotStarted) {
  FakeServices services;
  services.counting = false;
  ForkPause pause(services);
  pause.before();
  EXPECT_TRUE(pause.after());
  EXPECT_EQ(services.starts, 0U);
  EXPECT_EQ(pause.pauses(), 0U);
}

TEST(ForkPause, CountingThatDoesNotStartAgainIsAnError) {
  FakeServices services;
  services.refusal = "taken by another tool";
  ForkPause pause(services);
  pause.before();
  const Status status = pause.after();
  EXPECT_FALSE(status);
  EXPECT_EQ(status.message(), "taken by another tool");
}

}  // namespace
}  // namespace multipass::tool
