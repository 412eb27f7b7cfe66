// SPDX-License-Identifier: MIT
//
// What is asked, answered and handed over around a replay, and when there is none. Follows rocprofiler-sdk,
// experimental/kernel_replay.h @02c1fdd9 and hsa/queue.cpp @00327028.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "isolated.hpp"
#include "replay_fixture.hpp"

namespace sim_sdk_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Everything the tool saw of one launch, and nothing of the runtime's side.
std::vector<std::string> tool_events(const ReplayFixture& fixture) {
  return fixture.runtime.log.only({"CONFIG", "PASS", "run", "count"});
}

Outcome expect_single_run(rocprofiler_kernel_replay_pass_count_cb_t count,
                          rocprofiler_kernel_replay_continue_cb_t more) {
  return isolated([=] {
    ReplayFixture fixture;
    fixture.pass_count = count;
    fixture.more = more;
    fixture.services.dispatch = [&](const CountingData& data, rocprofiler_counter_config_id_t&,
                                    rocprofiler_user_data_t&) {
      fixture.runtime.log.add("counting " + std::to_string(data.dispatch_info.dispatch_id));
    };
    fixture.start([&] { EXPECT_EQ(fixture.services.add_counting(fixture.context), 0); });
    fixture.launch_increment();
    fixture.runtime.synchronize();
    // CONFIG EXIT comes before the ordinary submission, and no pass is around it.
    EXPECT_THAT(tool_events(fixture), ElementsAre("CONFIG ENTER T", "CONFIG EXIT T", "counting 1", "run"));
    EXPECT_THAT(fixture.runtime.log.only({"drain", "memory", "open", "close"}), ElementsAre());
  });
}

constexpr auto kAlways = [](rocprofiler_kernel_dispatch_info_t, std::uint64_t, std::uint64_t,
                            rocprofiler_user_data_t) -> int { return 1; };

// Table "pass count and loop".
TEST(ReplayCount, NullMeansOneRun) {
  EXPECT_EQ(expect_single_run(nullptr, kAlways).code, 0);
}

TEST(ReplayCount, OneMeansOneRun) {
  EXPECT_EQ(expect_single_run(&passes<1>, kAlways).code, 0);
}

TEST(ReplayCount, ZeroWithoutContinueMeansOneRunAndAWarning) {
  const Outcome outcome = expect_single_run(&passes<0>, nullptr);
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.error, HasSubstr("open-ended"));
}

TEST(ReplayCount, ZeroWithContinueAsksAfterEveryPass) {
  const Outcome outcome = isolated([] {
    ReplayFixture fixture;
    fixture.pass_count = &passes<0>;
    fixture.more = [](rocprofiler_kernel_dispatch_info_t, std::uint64_t pass, std::uint64_t total,
                      rocprofiler_user_data_t) {
      EXPECT_EQ(total, 0U);
      return pass < 3 ? 1 : 0;
    };
    fixture.also = [](const auto&, ReplayData& data, rocprofiler_user_data_t&) { EXPECT_EQ(data.total_passes, 0U); };
    fixture.start();
    fixture.launch_increment();
    EXPECT_EQ(fixture.runtime.log.only({"PASS ENTER"}).size(), 4U);
    EXPECT_EQ(fixture.runtime.log.only({"run"}).size(), 4U);
    EXPECT_EQ(fixture.runtime.log.only({"memory"}).size(), 4U) << "one copy and three restores";
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(ReplayCount, ContinueEndsAFixedCountEarly) {
  const Outcome outcome = isolated([] {
    ReplayFixture fixture;
    fixture.pass_count = &passes<5>;
    fixture.more = [](rocprofiler_kernel_dispatch_info_t, std::uint64_t pass, std::uint64_t total,
                      rocprofiler_user_data_t) {
      EXPECT_EQ(total, 5U);
      return pass == 1 ? 0 : 1;
    };
    fixture.start();
    fixture.launch_increment();
    EXPECT_EQ(fixture.runtime.log.only({"PASS EXIT"}).size(), 2U);
    EXPECT_EQ(fixture.block[0], 11);
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

// Table "when a dispatch is not replayed": no CONFIG at all.
TEST(ReplayGate, LeavesGraphLaunchesAlone) {
  const Outcome outcome = isolated([] {
    ReplayFixture fixture;
    fixture.pass_count = &passes<2>;
    fixture.start();
    fixture.launch_increment({.is_graph = 1});
    fixture.launch_increment({.is_graph = 1});
    fixture.runtime.synchronize();
    EXPECT_THAT(tool_events(fixture), ElementsAre("run", "run"));
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_EQ(outcome.error.find("graph"), outcome.error.rfind("graph")) << "one warning per process";
  EXPECT_THAT(outcome.error, HasSubstr("graph"));
}

TEST(ReplayGate, LeavesSeveralPacketsInOneWriteAlone) {
  const Outcome outcome = isolated([] {
    ReplayFixture fixture;
    fixture.pass_count = &passes<2>;
    fixture.start();
    fixture.launch_increment({.packets_in_write = 2});
    fixture.runtime.synchronize();
    EXPECT_THAT(tool_events(fixture), ElementsAre("run"));
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_THAT(outcome.error, HasSubstr("several packets"));
}

TEST(ReplayGate, NeedsTheOwningContextStarted) {
  const Outcome outcome = isolated([] {
    ReplayFixture fixture;
    fixture.pass_count = &passes<2>;
    fixture.start();
    EXPECT_EQ(rocprofiler_stop_context(fixture.context), ROCPROFILER_STATUS_SUCCESS);
    fixture.launch_increment();
    fixture.runtime.synchronize();
    EXPECT_THAT(tool_events(fixture), ElementsAre("run"));
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(ReplayGate, RunsOnceWhenTheQueuesDoNotDrain) {
  const Outcome outcome = isolated([] {
    ReplayFixture fixture;
    fixture.pass_count = &passes<2>;
    fixture.start();
    fixture.runtime.drains = false;
    fixture.launch_increment();
    fixture.runtime.synchronize();
    EXPECT_THAT(tool_events(fixture), ElementsAre("CONFIG ENTER T", "CONFIG EXIT T", "run"));
    EXPECT_EQ(fixture.block[0], 11);
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_THAT(outcome.error, HasSubstr("do not drain"));
}

// "one context per process owns it: second context, or the same context again -> 15".
TEST(ReplaySubscription, BelongsToOneContext) {
  const Outcome outcome = isolated([] {
    ReplayFixture fixture;
    fixture.start([&] {
      EXPECT_EQ(fixture.services.add_replay(fixture.context), ROCPROFILER_STATUS_ERROR_SERVICE_ALREADY_CONFIGURED);
      EXPECT_EQ(fixture.services.add_replay(make_context()), ROCPROFILER_STATUS_ERROR_SERVICE_ALREADY_CONFIGURED);
    });
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(ReplaySubscription, OfPassAloneNeverActivatesReplay) {
  const Outcome outcome = isolated([] {
    ReplayFixture fixture;
    start_tool(fixture.runtime, {.configure = {},
                                 .initialize =
                                     [&] {
                                       const auto context = make_context();
                                       EXPECT_EQ(fixture.services.add_replay(context, {ROCPROFILER_KERNEL_REPLAY_PASS}),
                                                 0);
                                       EXPECT_EQ(rocprofiler_start_context(context), 0);
                                     },
                                 .finalize = {}});
    fixture.launch_increment();
    fixture.runtime.synchronize();
    EXPECT_THAT(tool_events(fixture), ElementsAre("run"));
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

// Table "payload".
TEST(ReplayPayload, HasTheFieldsOfEachPhase) {
  const Outcome outcome = isolated([] {
    ReplayFixture fixture;
    fixture.pass_count = &passes<2>;
    fixture.more = kAlways;
    int phases = 0;
    fixture.also = [&](const rocprofiler_callback_tracing_record_t& record, ReplayData& data,
                       rocprofiler_user_data_t&) {
      ++phases;
      const bool config = record.operation == ROCPROFILER_KERNEL_REPLAY_CONFIG;
      const bool enter = record.phase == ROCPROFILER_CALLBACK_PHASE_ENTER;
      EXPECT_EQ(data.size, 184U);
      EXPECT_EQ(data.dispatch_info.size, 72U);
      EXPECT_EQ(data.dispatch_info.dispatch_id, 1U);
      EXPECT_EQ(data.dispatch_info.agent_id.handle, first_gpu().handle);
      EXPECT_EQ(data.dispatch_info.queue_id.handle, 1U);
      EXPECT_EQ(data.dispatch_info.kernel_id, 1U);
      EXPECT_EQ(data.dispatch_info.grid_size.y, 2U);
      EXPECT_EQ(data.dispatch_info.workgroup_size.x, 64U);
      EXPECT_EQ(data.total_passes, config ? 0U : 2U);
      EXPECT_EQ(data.replay_pass_count != nullptr, config);  // ENTER: what this tool has just put in
      EXPECT_EQ(data.replay_continue != nullptr, config);
      EXPECT_EQ(data.replay_start_context != nullptr, !config && enter);
      EXPECT_EQ(data.replay_stop_context != nullptr, !config && enter);
      EXPECT_EQ(record.context_id.handle, fixture.context.handle);
      EXPECT_EQ(record.correlation_id.external.value, 0U);
      if (!config && enter) {  // writes in a pass are ignored
        data.replay_pass_count = &passes<9>;
        data.replay_continue = [](auto, auto, auto, auto) { return 0; };
      }
    };
    fixture.start();
    fixture.launch_increment();
    EXPECT_EQ(phases, 6);
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

// Table "user_data".
TEST(ReplayUserData, IsCopiedFreshIntoEveryPass) {
  const Outcome outcome = isolated([] {
    ReplayFixture fixture;
    fixture.pass_count = [](rocprofiler_kernel_dispatch_info_t, rocprofiler_user_data_t data) -> std::uint64_t {
      EXPECT_EQ(data.value, 7U);
      return 2;
    };
    fixture.more = [](rocprofiler_kernel_dispatch_info_t, std::uint64_t, std::uint64_t, rocprofiler_user_data_t data) {
      EXPECT_EQ(data.value, 100U);  // the pass's copy, kernel_replay.h @02c1fdd9
      return 1;
    };
    fixture.also = [&](const rocprofiler_callback_tracing_record_t& record, ReplayData& data,
                       rocprofiler_user_data_t& user_data) {
      const bool enter = record.phase == ROCPROFILER_CALLBACK_PHASE_ENTER;
      if (record.operation == ROCPROFILER_KERNEL_REPLAY_CONFIG) {
        EXPECT_EQ(user_data.value, enter ? 0U : 7U);
        if (enter) user_data.value = 7;
      } else {
        EXPECT_EQ(user_data.value, enter ? 7U : 100U + data.current_pass);
        if (enter) user_data.value = 100 + data.current_pass;
      }
    };
    fixture.start();
    fixture.launch_increment();
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

// Section "choosing counters per pass": toggles.
TEST(ReplayToggles, StopCountingUntilStartedAgainAndAreForgottenAfterTheLoop) {
  const Outcome outcome = isolated([] {
    ReplayFixture fixture;
    fixture.pass_count = &passes<4>;
    fixture.services.dispatch = [&](const CountingData&, rocprofiler_counter_config_id_t&, rocprofiler_user_data_t&) {
      fixture.runtime.log.add("counting");
    };
    fixture.also = [&](const rocprofiler_callback_tracing_record_t& record, ReplayData& data,
                       rocprofiler_user_data_t&) {
      if (record.phase != ROCPROFILER_CALLBACK_PHASE_ENTER || data.replay_stop_context == nullptr) return;
      if (data.current_pass == 1) {
        EXPECT_EQ(data.replay_stop_context(fixture.context), 0);
      }
      if (data.current_pass == 3 && data.dispatch_info.dispatch_id == 1) {
        EXPECT_EQ(data.replay_start_context(fixture.context), 0);
      }
    };
    fixture.start([&] { EXPECT_EQ(fixture.services.add_counting(fixture.context), 0); });
    fixture.launch_increment();
    EXPECT_THAT(
        fixture.runtime.log.only({"PASS ENTER", "counting"}),
        ElementsAre("PASS ENTER 0 T", "counting", "PASS ENTER 1 T", "PASS ENTER 2 T", "PASS ENTER 3 T", "counting"));
    fixture.launch_increment();  // stays stopped after pass 1; pass 0 counts again: the first loop's choice is gone
    EXPECT_EQ(fixture.runtime.log.only({"counting"}).size(), 3U);
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(ReplayToggles, AnswerNineOutsidePassEnterAndElevenForAnInactiveContext) {
  const Outcome outcome = isolated([] {
    ReplayFixture fixture;
    fixture.pass_count = &passes<2>;
    rocprofiler_context_id_t idle{0};
    rocprofiler_kernel_replay_context_cb_t start = nullptr;
    fixture.also = [&](const rocprofiler_callback_tracing_record_t& record, ReplayData& data,
                       rocprofiler_user_data_t&) {
      if (data.replay_start_context != nullptr) {
        start = data.replay_start_context;
        EXPECT_EQ(data.replay_start_context(idle), ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_STARTED);
        EXPECT_EQ(data.replay_stop_context(idle), ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_STARTED);
      } else if (record.operation == ROCPROFILER_KERNEL_REPLAY_PASS) {
        EXPECT_EQ(start(fixture.context), ROCPROFILER_STATUS_ERROR_CONTEXT_ERROR);
      }
    };
    fixture.start([&] { idle = make_context(); });
    fixture.launch_increment();
    ASSERT_NE(start, nullptr);
    EXPECT_EQ(start(fixture.context), ROCPROFILER_STATUS_ERROR_CONTEXT_ERROR);
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(ReplayLoop, GoesOnWithoutPassesWhenTheOwnerIsStoppedInside) {
  const Outcome outcome = isolated([] {
    ReplayFixture fixture;
    fixture.pass_count = &passes<3>;
    fixture.also = [&](const rocprofiler_callback_tracing_record_t& record, ReplayData&, rocprofiler_user_data_t&) {
      if (record.operation == ROCPROFILER_KERNEL_REPLAY_PASS && record.phase == ROCPROFILER_CALLBACK_PHASE_ENTER) {
        EXPECT_EQ(rocprofiler_stop_context(fixture.context), 0);
      }
    };
    fixture.start();
    fixture.launch_increment();
    EXPECT_EQ(fixture.runtime.log.only({"PASS ENTER"}).size(), 1U);
    EXPECT_EQ(fixture.runtime.log.only({"run"}).size(), 3U);
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

}  // namespace
}  // namespace sim_sdk_test
