// SPDX-License-Identifier: MIT
//
// The window of one replayed dispatch. The numbers in the comments are the steps that library/sim/sdk/replay.hpp lists.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "isolated.hpp"
#include "replay_fixture.hpp"

namespace sim_sdk_test {
namespace {

using testing::ElementsAre;

TEST(ReplayWindow, RunsItsStepsInTheDocumentedOrder) {
  const Outcome outcome = isolated([] {
    ReplayFixture fixture;
    fixture.pass_count = [](rocprofiler_kernel_dispatch_info_t, rocprofiler_user_data_t user_data) -> std::uint64_t {
      static_cast<EventLog*>(user_data.ptr)->add("count");
      return 2;
    };
    fixture.more = [](rocprofiler_kernel_dispatch_info_t, std::uint64_t, std::uint64_t, rocprofiler_user_data_t data) {
      static_cast<EventLog*>(data.ptr)->add("continue");
      return 1;
    };
    fixture.also = [&](const auto&, ReplayData&, rocprofiler_user_data_t& user_data) {
      user_data.ptr = &fixture.runtime.log;
    };
    fixture.services.tracing = [&](const rocprofiler_callback_tracing_record_t& record, rocprofiler_user_data_t&) {
      const bool complete = record.operation == ROCPROFILER_KERNEL_DISPATCH_COMPLETE;
      fixture.runtime.log.add(std::string(complete ? "COMPLETE" : "ENQUEUE") + std::to_string(record.phase) + " " +
                              fixture.here());
      EXPECT_EQ(record.thread_id, static_cast<std::uint64_t>(fixture.main_thread));
    };
    fixture.services.dispatch = [&](const CountingData&, rocprofiler_counter_config_id_t&, rocprofiler_user_data_t&) {
      fixture.runtime.log.add("counting " + fixture.here());
    };
    fixture.start([&] {
      EXPECT_EQ(fixture.services.add_tracing(fixture.context, ROCPROFILER_CALLBACK_TRACING_KERNEL_DISPATCH), 0);
      EXPECT_EQ(fixture.services.add_counting(fixture.context), 0);
    });
    fixture.launch_increment();
    EXPECT_THAT(fixture.runtime.log.events(),
                ElementsAre("CONFIG ENTER T",                                            // row 2
                            "count",                                                     // 3
                            "drain_queue", "drain_others",                               // 5
                            "memory", "open_window",                                     // 6
                            "PASS ENTER 0 T",                                            // 7
                            "ENQUEUE1 T", "counting T", "ENQUEUE2 T", "run",             // 10-12
                            "COMPLETE0 ?",                                               // 13
                            "PASS EXIT 0 T",                                             // 16
                            "continue",                                                  // 17
                            "memory",                                                    // 18
                            "PASS ENTER 1 T", "ENQUEUE1 T", "counting T", "ENQUEUE2 T",  // the last pass:
                            "run", "COMPLETE0 ?", "PASS EXIT 1 T",                       // not asked, not restored
                            "CONFIG EXIT T",                                             // 19
                            "close_window"));                                            // 20
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

// Two passes: a copy of 16 bytes before the first, and back before the second.
TEST(ReplayWindow, TellsTheRuntimeWhatTakesTimeAndShowsItsClock) {
  const Outcome outcome = isolated([] {
    static EventLog* log = nullptr;
    ReplayFixture fixture;
    log = &fixture.runtime.log;
    fixture.pass_count = &passes<2>;
    fixture.runtime.table().now_ns = []() -> std::uint64_t { return 77; };
    fixture.runtime.table().spend = [](int cost, std::uint64_t amount, std::uint64_t since_ns) {
      log->add("spend " + std::to_string(cost) + " " + std::to_string(amount) + " since " + std::to_string(since_ns));
    };
    fixture.start();
    fixture.launch_increment();
    rocprofiler_timestamp_t now = 0;
    EXPECT_EQ(rocprofiler_get_timestamp(&now), ROCPROFILER_STATUS_SUCCESS);
    EXPECT_EQ(now, 77U);
    EXPECT_THAT(
        fixture.runtime.log.only({"spend", "drain_others", "run"}),
        ElementsAre("drain_others", "spend 2 1 since 77", "spend 1 16 since 77", "run", "spend 1 16 since 77", "run"));
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(ReplayWindow, GivesEveryPassTheSameMemoryAndLeavesThatOfTheLast) {
  const Outcome outcome = isolated([] {
    ReplayFixture fixture;
    std::vector<int> seen;
    int managed = 0;
    fixture.runtime.add_allocation(&managed, sizeof(managed), MULTIPASS_SIM_MEMORY_MANAGED);
    int pool = 0;
    fixture.runtime.add_allocation(&pool, sizeof(pool), MULTIPASS_SIM_MEMORY_POOL);
    int variable = 7;
    fixture.runtime.add_allocation(&variable, sizeof(variable), MULTIPASS_SIM_MEMORY_VARIABLE);
    fixture.pass_count = &passes<3>;
    fixture.start();
    fixture.runtime.launch([&](multipass_sim_activity&) {
      seen.push_back(fixture.block[3]);
      ++fixture.block[3];
      ++managed;
      ++pool;
      ++variable;
    });
    EXPECT_THAT(seen, ElementsAre(40, 40, 40));
    EXPECT_EQ(fixture.block[3], 41);
    EXPECT_EQ(variable, 8);
    EXPECT_EQ(managed, 3) << "managed memory is not restored";
    EXPECT_EQ(pool, 3) << "pool memory is not restored";
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(ReplayWindow, CollectsTheConfigurationOfEachPassUnderOneDispatchId) {
  const Outcome outcome = isolated([] {
    ReplayFixture fixture;
    const std::vector<std::vector<std::string>> groups = {
        {"SQ_WAVES", "SQ_ITEMS"}, {"SQ_INSTS_VALU", "SQ_WAVES"}, {"TCC_HIT_sum"}};
    std::vector<rocprofiler_counter_config_id_t> configs;
    thread_local std::uint64_t pass = 99;
    fixture.pass_count = &passes<3>;
    fixture.also = [&](const auto& record, ReplayData& data, rocprofiler_user_data_t&) {
      if (record.operation == ROCPROFILER_KERNEL_REPLAY_PASS) pass = data.current_pass;
    };
    fixture.services.dispatch = [&](const CountingData& data, rocprofiler_counter_config_id_t& config,
                                    rocprofiler_user_data_t& user_data) {
      EXPECT_EQ(data.start_timestamp, 0U);
      config = configs.at(pass);
      user_data.value = pass;
    };
    std::mutex mutex;
    std::map<std::uint64_t, std::vector<double>> sums;
    std::map<std::uint64_t, CountingData> data_of;
    fixture.services.record = [&](const CountingData& data, rocprofiler_counter_record_t* records, std::size_t count,
                                  rocprofiler_user_data_t user_data) {
      const std::lock_guard lock(mutex);
      for (const std::string& name : groups.at(user_data.value)) {
        sums[user_data.value].push_back(sum_of(records, count, name));
      }
      data_of[user_data.value] = data;
    };
    fixture.start([&] {
      EXPECT_EQ(fixture.services.add_counting(fixture.context), 0);
      for (const auto& group : groups) configs.push_back(make_config(group));
    });
    fixture.runtime.launch([&](multipass_sim_activity& activity) {
      activity.waves = static_cast<std::uint64_t>(fixture.block[0]++);
      activity.work_items = 5;
      activity.insts_valu = 123;
      activity.tcc_hits = 77;
    });
    EXPECT_EQ(rocprofiler_stop_context(fixture.context), ROCPROFILER_STATUS_SUCCESS);  // K has delivered everything
    EXPECT_THAT(sums[0], ElementsAre(10, 5));
    EXPECT_THAT(sums[1], ElementsAre(123, 10)) << "the control counter agrees: memory was restored";
    EXPECT_THAT(sums[2], ElementsAre(77));
    for (std::uint64_t p = 0; p < 3; ++p) {
      EXPECT_EQ(data_of[p].dispatch_info.dispatch_id, 1U);
      EXPECT_LT(data_of[p].start_timestamp, data_of[p].end_timestamp);
      if (p > 0) {
        EXPECT_LE(data_of[p - 1].end_timestamp, data_of[p].start_timestamp);
      }
    }
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(ReplayWindow, SerialisesTwoThreadsOfOneAgent) {
  const Outcome outcome = isolated([] {
    ReplayFixture fixture;
    fixture.pass_count = &passes<3>;
    std::atomic<int> inside{0}, most{0};
    fixture.also = [&](const auto& record, ReplayData& data, rocprofiler_user_data_t&) {
      if (record.operation != ROCPROFILER_KERNEL_REPLAY_PASS) return;
      if (record.phase == ROCPROFILER_CALLBACK_PHASE_ENTER && data.current_pass == 0)
        most = std::max(most.load(), ++inside);
      if (record.phase == ROCPROFILER_CALLBACK_PHASE_EXIT && data.current_pass == 2) --inside;
    };
    fixture.start();
    const auto work = [&](std::uint64_t queue) {
      for (int i = 0; i < 20; ++i) fixture.launch_increment({.queue = queue});
    };
    std::thread one(work, 1);
    std::thread two(work, 2);
    one.join();
    two.join();
    EXPECT_EQ(most.load(), 1);
    EXPECT_EQ(fixture.block[0], 50) << "each of the 40 launches counts once";
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(ReplayWindow, LetsTwoAgentsReplayAtTheSameTime) {
  const Outcome outcome = isolated([] {
    setenv("ROCPROFSYS_MULTIPASS_SIMULATE", "tiny,tiny", 1);
    ReplayFixture fixture;
    fixture.runtime.devices = 2;
    fixture.pass_count = &passes<2>;
    std::mutex mutex;
    std::condition_variable changed;
    int inside = 0;
    bool met = true;
    fixture.also = [&](const auto& record, ReplayData& data, rocprofiler_user_data_t&) {
      if (record.operation != ROCPROFILER_KERNEL_REPLAY_PASS || data.replay_stop_context == nullptr ||
          data.current_pass != 0) {
        return;
      }
      std::unique_lock lock(mutex);
      ++inside;
      changed.notify_all();
      met = changed.wait_until(lock, std::chrono::system_clock::now() + std::chrono::seconds(30), [&] {
        return inside == 2;
      }) && met;
    };
    fixture.start();
    std::thread one([&] { fixture.runtime.launch([](auto&) {}, {.queue = 1, .device = 0}); });
    std::thread two([&] { fixture.runtime.launch([](auto&) {}, {.queue = 2, .device = 1}); });
    one.join();
    two.join();
    EXPECT_TRUE(met);
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(ReplayWindow, LaunchFromInsideAPassEndsTheProcess) {
  const Outcome outcome = isolated([] {
    ReplayFixture fixture;
    fixture.pass_count = &passes<2>;
    fixture.also = [&](const auto& record, ReplayData&, rocprofiler_user_data_t&) {
      if (record.operation == ROCPROFILER_KERNEL_REPLAY_PASS) fixture.launch_increment();
    };
    fixture.start();
    fixture.launch_increment();
  });
  EXPECT_EQ(outcome.code, kAborted);
  EXPECT_THAT(outcome.error, testing::HasSubstr("launched from a callback inside a replay window"));
}

}  // namespace
}  // namespace sim_sdk_test
