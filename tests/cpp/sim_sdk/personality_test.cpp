// SPDX-License-Identifier: MIT
//
// Faults of the set-up: another SDK, other identifiers, calls that are refused. What 1.0.0 answers was seen by running
// it (ROCm/rocm-systems @1b1610fc).
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <set>

#include "isolated.hpp"
#include "replay_fixture.hpp"

namespace sim_sdk_test {
namespace {

using testing::HasSubstr;

void ask_for(const char* faults) {
  setenv("ROCPROFSYS_MULTIPASS_SIM_FAULTS", faults, 1);
}

std::vector<rocprofiler_counter_id_t> counters_of(rocprofiler_agent_id_t agent,
                                                  rocprofiler_status_t expected = ROCPROFILER_STATUS_SUCCESS) {
  std::vector<rocprofiler_counter_id_t> ids;
  const auto collect = [](rocprofiler_agent_id_t, rocprofiler_counter_id_t* counters, std::size_t count, void* out) {
    static_cast<std::vector<rocprofiler_counter_id_t>*>(out)->assign(counters, counters + count);
    return ROCPROFILER_STATUS_SUCCESS;
  };
  EXPECT_EQ(rocprofiler_iterate_agent_supported_counters(agent, collect, &ids), expected);
  return ids;
}

std::vector<rocprofiler_agent_id_t> gpus() {
  std::vector<rocprofiler_agent_id_t> found;
  for (const rocprofiler_agent_v0_t& agent : agents()) {
    if (agent.type == ROCPROFILER_AGENT_TYPE_GPU) found.push_back(agent.id);
  }
  return found;
}

rocprofiler_status_t configure(rocprofiler_agent_id_t agent, rocprofiler_counter_id_t id) {
  rocprofiler_counter_config_id_t config{0};
  return rocprofiler_create_counter_config(agent, &id, 1, &config);
}

TEST(Sdk100, HasItsVersionAndKnowsNoNewerNames) {
  const Outcome outcome = isolated([] {
    ask_for("sdk_1_0_0");
    std::uint32_t major = 0, minor = 9, patch = 9;
    EXPECT_EQ(rocprofiler_get_version(&major, &minor, &patch), 0);
    EXPECT_EQ((std::array{major, minor, patch}), (std::array<std::uint32_t, 3>{1, 0, 0}));
    int kinds = 0;
    const auto count = [](auto, void* out) { return ++*static_cast<int*>(out), 0; };
    EXPECT_EQ(rocprofiler_iterate_callback_tracing_kinds(count, &kinds), 0);
    EXPECT_EQ(kinds, 22);
    kinds = 0;
    EXPECT_EQ(rocprofiler_iterate_buffer_tracing_kinds(count, &kinds), 0);
    EXPECT_EQ(kinds, 33);
    const char* name = "";
    EXPECT_EQ(rocprofiler_query_callback_tracing_kind_name(ROCPROFILER_CALLBACK_TRACING_KERNEL_REPLAY, &name, nullptr),
              ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND);
    EXPECT_EQ(name, nullptr);
    EXPECT_EQ(rocprofiler_get_status_name(ROCPROFILER_STATUS_ERROR_INCOMPATIBLE_REGISTER_VERSION), nullptr);
    EXPECT_STREQ(rocprofiler_get_status_name(ROCPROFILER_STATUS_ERROR_CONFIG_NOT_FOUND),
                 "ROCPROFILER_STATUS_ERROR_PROFILE_NOT_FOUND");
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(ReplayKind, MayHaveAnotherNumberThatItsRecordsHaveToo) {
  const Outcome outcome = isolated([] {
    ask_for("replay_kind_moved");
    constexpr auto kMoved = ROCPROFILER_CALLBACK_TRACING_ROCSHMEM_API;
    const char* name = "";
    EXPECT_EQ(rocprofiler_query_callback_tracing_kind_name(kMoved, &name, nullptr), 0);
    EXPECT_STREQ(name, "KERNEL_REPLAY");
    EXPECT_EQ(rocprofiler_query_callback_tracing_kind_name(ROCPROFILER_CALLBACK_TRACING_KERNEL_REPLAY, &name, nullptr),
              0);
    EXPECT_STREQ(name, "ROCSHMEM_API");
    EXPECT_EQ(rocprofiler_query_callback_tracing_kind_operation_name(kMoved, 2, &name, nullptr), 0);
    EXPECT_STREQ(name, "KERNEL_REPLAY_PASS");
    FakeRuntime runtime;
    static std::set<int> kinds;
    rocprofiler_context_id_t context{0};
    start_tool(runtime, {.configure = {},
                         .initialize =
                             [&] {
                               context = make_context();
                               EXPECT_EQ(rocprofiler_configure_callback_tracing_service(
                                             context, kMoved, nullptr, 0,
                                             [](rocprofiler_callback_tracing_record_t record, rocprofiler_user_data_t*,
                                                void*) { kinds.insert(record.kind); },
                                             nullptr),
                                         0);
                               EXPECT_EQ(rocprofiler_start_context(context), 0);
                             },
                         .finalize = {}});
    runtime.launch([](auto&) {});
    runtime.synchronize();
    EXPECT_EQ(kinds, std::set<int>{kMoved});
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(SetAgents, MayNotBeThere) {
  constexpr const char* kName = "rocprofiler_dispatch_counting_service_set_agents";
  EXPECT_NE(dlsym(RTLD_DEFAULT, kName), nullptr);
  const Outcome outcome = isolated([] {
    ask_for("set_agents_hidden");
    EXPECT_EQ(dlsym(RTLD_DEFAULT, kName), nullptr);
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(Sdk100, WritesAShorterCounterInfo) {
  const Outcome outcome = isolated([] {
    ask_for("sdk_1_0_0");
    constexpr std::byte kUntouched{0x5A};
    std::array<std::byte, 256> room{};
    room.fill(kUntouched);
    EXPECT_EQ(rocprofiler_query_counter_info(counter("SQ_WAVES"), ROCPROFILER_COUNTER_INFO_VERSION_1, room.data()), 0);
    std::uint64_t size = 0;
    std::memcpy(&size, room.data(), sizeof(size));
    EXPECT_EQ(size, 88U);
    EXPECT_EQ(room[87], std::byte{0}) << "the top of a pointer";
    EXPECT_EQ(room[88], kUntouched);
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(Sdk100, EndsTheProcessWhenReplayIsConfigured) {
  const Outcome outcome = isolated([] {
    ask_for("sdk_1_0_0");
    ReplayFixture fixture;
    fixture.start();
  });
  EXPECT_EQ(outcome.code, kAborted);
  EXPECT_THAT(outcome.error, HasSubstr("callback tracing kind 25 does not exist"));
}

// See registration_test.cpp for why not with sanitizers.
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
// How a child ends that is forked while a context counts; 0 when it has not within two seconds.
int end_of_child(const std::function<void()>& before, const std::function<void()>& in_parent) {
  before();
  const pid_t child = fork();
  if (child == 0) std::exit(7);
  in_parent();
  for (int wait = 0; wait < 200; ++wait) {
    int status = 0;
    if (waitpid(child, &status, WNOHANG) == child) return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    usleep(10'000);
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  return 0;
}

struct Counting {
  Services services;
  rocprofiler_context_id_t context{0};
  FakeRuntime runtime;
  Counting() {
    start_tool(runtime, {.configure = {},
                         .initialize =
                             [this] {
                               context = make_context();
                               EXPECT_EQ(services.add_counting(context), 0);
                               EXPECT_EQ(rocprofiler_start_context(context), 0);
                             },
                         .finalize = {}});
  }
};

TEST(Sdk100, AChildOfACountingProcessHangsInExit) {
  const Outcome outcome = isolated([] {
    ask_for("sdk_1_0_0");
    Counting counting;
    EXPECT_EQ(end_of_child([] {}, [] {}), 0);
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(Sdk100, AChildEndsWhenCountingWasStoppedForTheFork) {
  const Outcome outcome = isolated([] {
    ask_for("sdk_1_0_0");
    Counting counting;
    EXPECT_EQ(end_of_child([&] { EXPECT_EQ(rocprofiler_stop_context(counting.context), 0); },
                           [&] { EXPECT_EQ(rocprofiler_start_context(counting.context), 0); }),
              7);
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}
#endif

TEST(TaggedIds, HoldTheAgentAndWorkWithItOnly) {
  const Outcome outcome = isolated([] {
    setenv("ROCPROFSYS_MULTIPASS_SIMULATE", "tiny,tiny", 1);
    ask_for("ids_tagged");
    const auto one = counters_of(gpus().at(0));
    const auto other = counters_of(gpus().at(1));
    ASSERT_EQ(one.size(), other.size());
    std::set<std::uint64_t> distinct;
    for (const auto& ids : {one, other}) {
      for (const rocprofiler_counter_id_t id : ids) distinct.insert(id.handle);
    }
    EXPECT_EQ(distinct.size(), 2 * one.size());
    EXPECT_EQ(one[2].handle & UINT32_MAX, other[2].handle & UINT32_MAX);
    EXPECT_EQ(configure(gpus()[0], one[2]), 0);
    EXPECT_EQ(configure(gpus()[1], other[2]), 0);
    EXPECT_EQ(configure(gpus()[1], one[2]), ROCPROFILER_STATUS_ERROR_METRIC_NOT_VALID_FOR_AGENT);
    rocprofiler_counter_info_v0_t info{};
    EXPECT_EQ(rocprofiler_query_counter_info(other[2], ROCPROFILER_COUNTER_INFO_VERSION_0, &info), 0);
    EXPECT_STREQ(info.name, "SQ_WAVES");
    EXPECT_EQ(info.id.handle, other[2].handle);
    const rocprofiler_counter_id_t nobodys{other[2].handle & UINT32_MAX};
    EXPECT_EQ(rocprofiler_query_counter_info(nobodys, ROCPROFILER_COUNTER_INFO_VERSION_0, &info),
              ROCPROFILER_STATUS_ERROR_COUNTER_NOT_FOUND);
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(AgentFaults, AnswerForTheirGpuOnly) {
  const Outcome outcome = isolated([] {
    setenv("ROCPROFSYS_MULTIPASS_SIMULATE", "tiny,tiny,tiny,tiny", 1);
    ask_for("agent_unsupported:agent=0,agent_empty:agent=1,config_denied:agent=2");
    const auto all = gpus();
    const auto usual = counters_of(all.at(3));
    EXPECT_EQ(configure(all[3], usual.at(2)), 0);
    counters_of(all[0], ROCPROFILER_STATUS_ERROR_AGENT_ARCH_NOT_SUPPORTED);
    EXPECT_EQ(configure(all[0], usual[2]), ROCPROFILER_STATUS_ERROR_METRIC_NOT_VALID_FOR_AGENT);
    EXPECT_EQ(counters_of(all[1]).size(), 0U);
    EXPECT_EQ(counters_of(all[2]).size(), usual.size());
    EXPECT_EQ(configure(all[2], usual[2]), ROCPROFILER_STATUS_ERROR_PERMISSION_DENIED);
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

// What a start of counting and a second replay service answer under a fault.
struct Answers {
  rocprofiler_status_t count = ROCPROFILER_STATUS_SUCCESS, trace = ROCPROFILER_STATUS_SUCCESS,
                       replay = ROCPROFILER_STATUS_SUCCESS, start = ROCPROFILER_STATUS_SUCCESS;
};

Answers answers_under(const char* faults) {
  ask_for(faults);
  Answers answers;
  Services services;
  FakeRuntime runtime;
  start_tool(runtime, {.configure = {},
                       .initialize =
                           [&] {
                             const rocprofiler_context_id_t context = make_context();
                             answers.trace =
                                 services.add_tracing(context, ROCPROFILER_CALLBACK_TRACING_KERNEL_DISPATCH);
                             answers.count = services.add_counting(context);
                             answers.replay = services.add_replay(context);
                             answers.start = rocprofiler_start_context(context);
                           },
                       .finalize = {}});
  end_tool();
  return answers;
}

TEST(SetUpFaults, RefuseReplayCountingOrBoth) {
  const auto expect = [](const char* faults, Answers wanted) {
    const Outcome outcome = isolated([&] {
      const Answers got = answers_under(faults);
      EXPECT_EQ(got.count, wanted.count) << faults;
      EXPECT_EQ(got.trace, wanted.trace) << faults;
      EXPECT_EQ(got.replay, wanted.replay) << faults;
      EXPECT_EQ(got.start, wanted.start) << faults;
    });
    EXPECT_EQ(outcome.code, 0) << outcome.error;
  };
  expect("replay_owned", {.replay = ROCPROFILER_STATUS_ERROR_SERVICE_ALREADY_CONFIGURED});
  expect("counting_conflict", {.start = ROCPROFILER_STATUS_ERROR_CONTEXT_CONFLICT});
  expect("start_denied", {.start = ROCPROFILER_STATUS_ERROR_PERMISSION_DENIED});
  expect("lite_trace", {});
  for (const char* off : {"", "0", "off", "False", "NO"}) {
    setenv("ROCPROF_LITE_TRACE", off, 1);
    expect("lite_trace", {});
  }
  setenv("ROCPROF_LITE_TRACE", "1", 1);
  expect("lite_trace", {.count = ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT,
                        .trace = ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT,
                        .replay = ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT});
  expect("", {});
  unsetenv("ROCPROF_LITE_TRACE");
}

TEST(SetUpFaults, AGpuThatIsNotLockedIsSaidOnce) {
  const Outcome outcome = isolated([] {
    setenv("ROCPROFSYS_MULTIPASS_SIMULATE", "tiny,tiny", 1);
    EXPECT_EQ(answers_under("not_lockable:agent=1").start, 0);
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_THAT(outcome.error, HasSubstr("GPU 1 is not locked for profiling: Operation not permitted (SYS_PERFMON)"));
}

}  // namespace
}  // namespace sim_sdk_test
