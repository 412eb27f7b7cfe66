// SPDX-License-Identifier: MIT
// What is known of a thread that is in a callback, and what a callback is worth after a fork.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <set>

#include "sdk/abi/rocprofiler.h"
#include "sdk/inventory.hpp"
#include "sdk/services.hpp"
#include "sim_sdk/fake_roctx.hpp"
#include "sim_sdk/fake_runtime.hpp"
#include "sim_sdk/isolated.hpp"
#include "sim_sdk/test_tool.hpp"

namespace multipass::sdk {
namespace {

// Asks the services in every callback where it is.
class Asking final : public Listener {
 public:
  std::uint64_t config_enter(const DispatchInfo&) noexcept override { return see("config", 1); }
  void config_exit(const DispatchInfo&) noexcept override { see("config", 0); }
  void pass_enter(const DispatchInfo&, PassIndex) noexcept override { see("pass", 0); }
  void pass_exit(const DispatchInfo&, PassIndex) noexcept override { see("pass", 0); }
  Execution enqueue(const DispatchInfo&) noexcept override { return see("enqueue", Execution{}); }
  Choice choose(const DispatchInfo&) noexcept override { return see("choose", Choice{config, {}}); }
  void complete(const DispatchInfo&, const Execution&, const Interval&) noexcept override { see("complete", 0); }
  void record(const DispatchInfo&, const Execution&, const Interval&, Readings&&) noexcept override {
    see("record", 0);
    in_record = services->may_wait() ? "may wait" : "may not wait";
  }
  void replay_unusable() noexcept override {}
  void profiler_paused(std::uint64_t) noexcept override { see("paused", 0); }
  void profiler_resumed(std::uint64_t) noexcept override { see("resumed", 0); }
  std::uint64_t range_begins(RangeOwner, const char*) noexcept override { return see("begins", 5U); }
  void range_ends(RangeOwner, std::uint64_t) noexcept override { see("ends", 0); }
  void kernel(KernelSymbol&&) noexcept override { ++kernels; }
  void kernel_unloaded(KernelId) noexcept override {}

  Services* services = nullptr;
  std::uint64_t config = 0;
  std::atomic<int> kernels{0};
  std::atomic<const char*> in_record{""};
  std::mutex mutex;
  std::set<std::string> inside, outside;  // callbacks that said they were in one, or in none

 private:
  template <class Value>
  Value see(const char* callback, Value value) noexcept {
    const std::lock_guard lock(mutex);
    (services->in_callback() && !services->may_wait() ? inside : outside).insert(callback);
    return value;
  }
};

// A tool of ours on the stand-in, in a process of its own.
struct Started {
  Asking listener;
  std::unique_ptr<Services> services;
  sim_sdk_test::FakeRuntime runtime;

  Started() {
    sim_sdk_test::start_tool(runtime, {.configure = {}, .initialize = [this] { initialize(); }, .finalize = {}});
  }

 private:
  void initialize() {
    const std::uint64_t gpu = sim_sdk_test::first_gpu().handle;
    const std::uint64_t counter = sim_sdk_test::counter("SQ_WAVES").handle;
    listener.config = sim_sdk_test::make_config({"SQ_WAVES"}).handle;
    auto made = create_services(listener, {{gpu, AgentIndex{0}, {counter}}}, ROCPROFILER_CALLBACK_TRACING_KERNEL_REPLAY,
                                identify().markers);
    ASSERT_TRUE(made) << made.message();
    services = *std::move(made);
    listener.services = services.get();
    EXPECT_TRUE(services->start_tracing());
    EXPECT_TRUE(services->start_counting());
  }
};

TEST(CallbackThreads, EveryCallbackKnowsThatItIsOne) {
  const auto outcome = sim_sdk_test::isolated([] {
    Started tool;
    EXPECT_FALSE(tool.services->in_callback());
    EXPECT_TRUE(tool.services->may_wait());
    tool.runtime.launch([](multipass_sim_activity& activity) { activity.waves = 3; });
    tool.runtime.synchronize();
    EXPECT_TRUE(tool.services->pause_counting()) << "waits for the record";
    EXPECT_FALSE(tool.services->in_callback());
    EXPECT_TRUE(tool.services->may_wait());
    EXPECT_EQ(tool.listener.inside, (std::set<std::string>{"config", "enqueue", "choose", "complete", "record"}));
    EXPECT_EQ(tool.listener.outside, std::set<std::string>{});
    EXPECT_STREQ(tool.listener.in_record, "may not wait");
    sim_sdk_test::end_tool();
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(CallbackThreads, SoDoTheCallbacksOfTheProgramsMarks) {
  const auto outcome = sim_sdk_test::isolated([] {
    Started tool;
    sim_sdk_test::Roctx roctx;
    roctx.attach();
    (void)roctx.core.range_push("a");
    (void)roctx.core.range_pop();
    (void)roctx.control.profiler_pause(0);
    (void)roctx.control.profiler_resume(0);
    EXPECT_EQ(tool.listener.inside, (std::set<std::string>{"begins", "ends", "paused", "resumed"}));
    EXPECT_EQ(tool.listener.outside, std::set<std::string>{});
    sim_sdk_test::end_tool();
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(CallbackThreads, CountingIsPausedAndResumed) {
  const auto outcome = sim_sdk_test::isolated([] {
    Started tool;
    EXPECT_TRUE(tool.services->pause_counting());
    EXPECT_FALSE(tool.services->pause_counting()) << "it is not running";
    tool.runtime.launch([](multipass_sim_activity& activity) { activity.waves = 3; });
    tool.runtime.synchronize();
    EXPECT_FALSE(tool.listener.inside.contains("choose"));
    EXPECT_TRUE(tool.services->resume_counting());
    tool.runtime.launch([](multipass_sim_activity& activity) { activity.waves = 3; });
    tool.runtime.synchronize();
    EXPECT_TRUE(tool.listener.inside.contains("choose"));
    sim_sdk_test::end_tool();
    EXPECT_TRUE(tool.services->resume_counting()) << "after the end nothing is missed";
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(CallbackThreads, CodeThatIsLoadedInADetachedProcessIsNotFollowed) {
  const auto outcome = sim_sdk_test::isolated([] {
    Started tool;
    multipass_sim_kernel first = tool.runtime.kernel(), second = first;
    first.name = "_Z5firstv.kd";
    second.name = "_Z6secondv.kd";
    const int before = tool.listener.kernels;
    tool.runtime.table().on_kernel(&first);
    EXPECT_EQ(tool.listener.kernels, before + 1);
    tool.services->detach();
    tool.runtime.table().on_kernel(&second);
    EXPECT_EQ(tool.listener.kernels, before + 1);
    sim_sdk_test::end_tool();
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

}  // namespace
}  // namespace multipass::sdk
