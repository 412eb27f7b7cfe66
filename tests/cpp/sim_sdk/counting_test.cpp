// SPDX-License-Identifier: MIT
//
// Dispatch counting: who is called on which thread with what. Rules: rocprofiler-sdk, sample_processing.cpp
// @19d94f91 (consumer), dispatch_counting_service.h @4f713a84, counter_config.h @f7a193ba.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <set>
#include <vector>

#include "counting_fixture.hpp"
#include "isolated.hpp"

namespace sim_sdk_test {
namespace {

using testing::HasSubstr;

TEST(Counting, DeliversOneRecordPerInstanceOnTheConsumerThread) {
  const Outcome outcome = isolated([] {
    CountingFixture fixture;
    pid_t dispatch_thread = 0;
    pid_t record_thread = 0;
    std::vector<rocprofiler_counter_record_t> got;
    CountingData got_data{};
    fixture.services.dispatch = [&](const CountingData& data, rocprofiler_counter_config_id_t& config,
                                    rocprofiler_user_data_t& user_data) {
      dispatch_thread = gettid();
      EXPECT_EQ(data.size, 168U);
      config = fixture.config;
      user_data.value = 4711;
    };
    fixture.services.record = [&](const CountingData& data, rocprofiler_counter_record_t* records, std::size_t count,
                                  rocprofiler_user_data_t user_data) {
      record_thread = gettid();
      EXPECT_EQ(user_data.value, 4711U);
      got.assign(records, records + count);
      got_data = data;
    };
    fixture.start({"SQ_WAVES"});
    fixture.launch(5);
    fixture.runtime.synchronize();
    EXPECT_EQ(rocprofiler_stop_context(fixture.context), ROCPROFILER_STATUS_SUCCESS);
    EXPECT_EQ(dispatch_thread, gettid());
    EXPECT_NE(record_thread, gettid());
    EXPECT_NE(record_thread, fixture.queue_thread);
    ASSERT_EQ(got.size(), 2U) << "SQ_WAVES of the tiny device has one instance in each of two shader engines";
    EXPECT_EQ(got[0].counter_value + got[1].counter_value, 5);
    for (std::size_t i = 0; i < got.size(); ++i) {
      std::size_t engine = 9;
      rocprofiler_query_record_dimension_position(got[i].id, 3, &engine);
      EXPECT_EQ(engine, i);
      EXPECT_EQ(got[i].dispatch_id, 1U);
      EXPECT_EQ(got[i].agent_id.handle, first_gpu().handle);
      EXPECT_EQ(got[i].user_data.value, 0U);
    }
    EXPECT_GT(got_data.start_timestamp, 0U);
    EXPECT_LT(got_data.start_timestamp, got_data.end_timestamp);
    EXPECT_EQ(got_data.dispatch_info.size, 72U);
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(Counting, UsesOneConsumerThreadForAllQueues) {
  const Outcome outcome = isolated([] {
    CountingFixture fixture;
    std::mutex mutex;
    std::set<pid_t> threads;
    std::size_t calls = 0;
    fixture.services.record = [&](const CountingData&, auto*, std::size_t, auto) {
      const std::lock_guard lock(mutex);
      threads.insert(gettid());
      ++calls;
    };
    fixture.start({"SQ_WAVES"});
    for (std::uint64_t i = 0; i < 60; ++i) fixture.runtime.launch([](auto&) {}, {.queue = 1 + i % 3});
    fixture.runtime.synchronize();
    EXPECT_EQ(rocprofiler_stop_context(fixture.context), ROCPROFILER_STATUS_SUCCESS);
    EXPECT_EQ(calls, 60U);
    EXPECT_EQ(threads.size(), 1U);
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(Counting, CallsTheToolFromTheHandlerThreadWhenTheQueueIsFull) {
  const Outcome outcome = isolated([] {
    CountingFixture fixture;
    std::mutex mutex;
    std::condition_variable changed;
    bool consumer_holds = false, release = false;
    std::size_t from_handler = 0, from_consumer = 0;
    fixture.services.record = [&](const CountingData& data, auto*, std::size_t, auto) {
      std::unique_lock lock(mutex);
      if (data.dispatch_info.dispatch_id == 1) {  // the consumer is stuck in the first one
        consumer_holds = true;
        changed.notify_all();
        changed.wait(lock, [&] { return release; });
      }
      ++(gettid() == fixture.queue_thread ? from_handler : from_consumer);
    };
    fixture.start({"SQ_WAVES"});
    fixture.launch();
    {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return consumer_holds; });
    }
    for (int i = 0; i < 128 + 2; ++i) fixture.launch();
    fixture.runtime.synchronize();
    {
      const std::lock_guard lock(mutex);
      EXPECT_EQ(from_handler, 2U);
      release = true;
      changed.notify_all();
    }
    EXPECT_EQ(rocprofiler_stop_context(fixture.context), ROCPROFILER_STATUS_SUCCESS);
    EXPECT_EQ(from_consumer, 129U);
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(Counting, SkipsADispatchWhoseConfigurationStaysZero) {
  const Outcome outcome = isolated([] {
    CountingFixture fixture;
    int records = 0;
    fixture.services.dispatch = [](const CountingData&, auto&, auto&) {};
    fixture.services.record = [&](const CountingData&, auto*, std::size_t, auto) { ++records; };
    fixture.start({"SQ_WAVES"});
    fixture.launch();
    fixture.runtime.synchronize();
    EXPECT_EQ(rocprofiler_stop_context(fixture.context), ROCPROFILER_STATUS_SUCCESS);
    EXPECT_EQ(records, 0);
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(Counting, OfADerivedCounterGivesThatCounterOnly) {
  const Outcome outcome = isolated([] {
    CountingFixture fixture;
    std::vector<double> values;
    fixture.services.record = [&](const CountingData&, rocprofiler_counter_record_t* records, std::size_t count, auto) {
      for (std::size_t i = 0; i < count; ++i) {
        rocprofiler_counter_id_t id{0};
        rocprofiler_query_record_counter_id(records[i].id, &id);
        EXPECT_EQ(id.handle, counter("L2HitPercent").handle);
        values.push_back(records[i].counter_value);
      }
    };
    fixture.start({"L2HitPercent"});
    fixture.runtime.launch([](multipass_sim_activity& activity) {
      activity.tcc_hits = 30;
      activity.tcc_misses = 10;
    });
    fixture.runtime.synchronize();
    EXPECT_EQ(rocprofiler_stop_context(fixture.context), ROCPROFILER_STATUS_SUCCESS);
    EXPECT_THAT(values, testing::ElementsAre(75.0));
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(Counting, OfAnUnknownConfigurationEndsTheProcess) {
  const Outcome outcome = isolated([] {
    CountingFixture fixture;
    fixture.services.dispatch = [](const CountingData&, rocprofiler_counter_config_id_t& config, auto&) {
      config.handle = 77;
    };
    fixture.start({"SQ_WAVES"});
    fixture.launch();
  });
  EXPECT_EQ(outcome.code, kAborted);
  EXPECT_THAT(outcome.error, HasSubstr("counter configuration 77, which does not exist"));
}

TEST(Counting, OfAnOverflowingConfigurationEndsTheProcessAtTheFirstDispatch) {
  const Outcome outcome = isolated([] {
    CountingFixture fixture;
    // The accumulation needs a hidden SQ register: two visible ones fit, three in all do not.
    fixture.start({"MeanOccupancyPerCU", "SQ_WAVES"});
    EXPECT_NE(fixture.config.handle, 0U) << "accepted when it is created";
    static_cast<void>(write(STDERR_FILENO, "launching\n", 10));
    fixture.launch();
  });
  EXPECT_EQ(outcome.code, kAborted);
  EXPECT_THAT(outcome.error, testing::StartsWith("launching\n"));
  EXPECT_THAT(outcome.error, HasSubstr("more registers than the hardware has: MeanOccupancyPerCU, SQ_WAVES"));
  EXPECT_EQ(std::count(outcome.error.begin(), outcome.error.end(), '\n'), 2);
}

// start_context: second active counting context 12; configuring it is 0.
TEST(Counting, SecondContextIsRefusedWhenItStarts) {
  const Outcome outcome = isolated([] {
    CountingFixture fixture;
    rocprofiler_context_id_t second{0};
    fixture.services.record = {};
    start_tool(fixture.runtime, {.configure = {},
                                 .initialize =
                                     [&] {
                                       fixture.context = make_context();
                                       second = make_context();
                                       EXPECT_EQ(fixture.services.add_counting(fixture.context), 0);
                                       EXPECT_EQ(fixture.services.add_counting(second), 0);
                                       EXPECT_EQ(rocprofiler_start_context(fixture.context), 0);
                                       EXPECT_EQ(rocprofiler_start_context(fixture.context), 0) << "already active";
                                       EXPECT_EQ(rocprofiler_start_context(second),
                                                 ROCPROFILER_STATUS_ERROR_CONTEXT_CONFLICT);
                                       EXPECT_EQ(rocprofiler_stop_context(fixture.context), 0);
                                       EXPECT_EQ(rocprofiler_start_context(second), 0);
                                     },
                                 .finalize = {}});
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

// configure_callback_dispatch_counting: bad ctx 10; a repeat adds a pair; not locked while the application runs.
TEST(Counting, RepeatInTheSameContextAddsAPair) {
  const Outcome outcome = isolated([] {
    CountingFixture fixture;
    int records = 0;
    fixture.services.record = [&](const CountingData&, auto*, std::size_t, auto) { ++records; };
    fixture.start({"SQ_WAVES"});
    EXPECT_EQ(fixture.services.add_counting({99}), ROCPROFILER_STATUS_ERROR_CONTEXT_INVALID);
    EXPECT_EQ(fixture.services.add_counting(fixture.context), ROCPROFILER_STATUS_SUCCESS);
    fixture.launch();
    fixture.runtime.synchronize();
    EXPECT_EQ(rocprofiler_stop_context(fixture.context), ROCPROFILER_STATUS_SUCCESS);
    EXPECT_EQ(records, 2);
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(Counting, IntoABufferGivesADispatchRecordAndItsValues) {
  const Outcome outcome = isolated([] {
    FakeRuntime runtime;
    static rocprofiler_counter_config_id_t config{0};
    rocprofiler_buffer_id_t buffer{0};
    rocprofiler_context_id_t context{0};
    std::vector<std::uint32_t> kinds;
    start_tool(runtime,
               {.configure = {},
                .initialize =
                    [&] {
                      context = make_context();
                      config = make_config({"SQ_WAVES"});
                      EXPECT_EQ(rocprofiler_create_buffer(
                                    context, 4096, 4096, ROCPROFILER_BUFFER_POLICY_LOSSLESS,
                                    [](auto, auto, rocprofiler_record_header_t** headers, std::size_t count, void* data,
                                       std::uint64_t) {
                                      auto& list = *static_cast<std::vector<std::uint32_t>*>(data);
                                      for (std::size_t i = 0; i < count; ++i) {
                                        EXPECT_EQ(headers[i]->category, ROCPROFILER_BUFFER_CATEGORY_COUNTERS);
                                        list.push_back(headers[i]->kind);
                                      }
                                      const auto* first = static_cast<rocprofiler_dispatch_counting_service_record_t*>(
                                          headers[0]->payload);
                                      EXPECT_EQ(first->size, 176U);
                                      EXPECT_EQ(first->num_records, 2U);
                                    },
                                    &kinds, &buffer),
                                0);
                      EXPECT_EQ(rocprofiler_configure_buffer_dispatch_counting_service(
                                    context, buffer,
                                    [](auto, rocprofiler_counter_config_id_t* choice, auto, auto) { *choice = config; },
                                    nullptr),
                                0);
                      EXPECT_EQ(rocprofiler_start_context(context), 0);
                    },
                .finalize = {}});
    runtime.launch([](multipass_sim_activity& activity) { activity.waves = 1; });
    runtime.synchronize();
    EXPECT_EQ(rocprofiler_stop_context(context), 0);
    EXPECT_EQ(rocprofiler_flush_buffer(buffer), 0);
    EXPECT_THAT(kinds, testing::ElementsAre(1U, 2U, 2U));
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

}  // namespace
}  // namespace sim_sdk_test
