// SPDX-License-Identifier: MIT
//
// Which dispatches a counting context counts: the rows of rocprofiler_dispatch_counting_service_set_agents and of the
// two configure functions. rocprofiler-sdk, context.cpp @003ba9fb; status codes of 1.0.0.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <vector>

#include "counting_fixture.hpp"
#include "isolated.hpp"
#include "services.hpp"
#include "test_tool.hpp"

namespace sim_sdk_test {
namespace {

using testing::ElementsAre;

constexpr auto kNoContext = ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND;

// As a tool has to call it: older libraries do not have it.
rocprofiler_status_t set_agents(rocprofiler_context_id_t context, const rocprofiler_agent_id_t* agents,
                                std::size_t count) {
  const auto function = reinterpret_cast<rocprofiler_dispatch_counting_service_set_agents_fn_t>(
      dlsym(RTLD_DEFAULT, "rocprofiler_dispatch_counting_service_set_agents"));
  return function(context, agents, count);
}

rocprofiler_agent_id_t gpu(std::size_t device) {
  return agents().at(device + 1).id;
}

// Two GPUs; `setup` runs inside initialize and gets a counting context.
void with_two_gpus(const std::function<void(FakeRuntime&, Services&, rocprofiler_context_id_t)>& setup,
                   const std::function<void(FakeRuntime&, rocprofiler_context_id_t)>& run = {}) {
  const Outcome outcome = isolated([&] {
    setenv("ROCPROFSYS_MULTIPASS_SIMULATE", "tiny,tiny", 1);
    FakeRuntime runtime;
    runtime.devices = 2;
    Services services;
    rocprofiler_context_id_t context{0};
    start_tool(runtime, {.configure = {},
                         .initialize =
                             [&] {
                               context = make_context();
                               EXPECT_EQ(services.add_counting(context), 0);
                               setup(runtime, services, context);
                             },
                         .finalize = {}});
    if (run) run(runtime, context);
    end_tool();
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(CountingAgents, SetAgentsChecksItsArguments) {
  with_two_gpus([](FakeRuntime&, Services&, rocprofiler_context_id_t context) {
    const rocprofiler_agent_id_t first = gpu(0);
    const rocprofiler_agent_id_t unknown{5};
    EXPECT_EQ(set_agents({77}, &first, 1), kNoContext);
    EXPECT_EQ(set_agents(make_context(), &first, 1), kNoContext) << "no counting service";
    EXPECT_EQ(set_agents(context, nullptr, 1), ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(set_agents(context, &unknown, 1), ROCPROFILER_STATUS_ERROR_AGENT_NOT_FOUND);
    EXPECT_EQ(set_agents(context, &first, 1), 0);
    EXPECT_EQ(rocprofiler_start_context(context), 0);
    EXPECT_EQ(set_agents(context, nullptr, 0), ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED) << "active";
    EXPECT_EQ(rocprofiler_stop_context(context), 0);
    EXPECT_EQ(set_agents(context, nullptr, 0), 0) << "cleared";
  });
}

TEST(CountingAgents, OnlyTheChosenAgentsAreAskedFor) {
  with_two_gpus(
      [](FakeRuntime& runtime, Services& services, rocprofiler_context_id_t context) {
        services.dispatch = [&runtime](const CountingData& data, auto&, auto&) {
          runtime.log.add(data.dispatch_info.agent_id.handle == gpu(1).handle ? "second" : "first");
        };
        const rocprofiler_agent_id_t second = gpu(1);
        EXPECT_EQ(set_agents(context, &second, 1), 0);
        EXPECT_EQ(rocprofiler_start_context(context), 0);
      },
      [](FakeRuntime& runtime, rocprofiler_context_id_t context) {
        runtime.launch([](auto&) {}, {.queue = 1, .device = 0});
        runtime.launch([](auto&) {}, {.queue = 2, .device = 1});
        runtime.synchronize();
        EXPECT_THAT(runtime.log.only({"first", "second"}), ElementsAre("second"));
        EXPECT_EQ(rocprofiler_stop_context(context), 0);
        EXPECT_EQ(set_agents(context, nullptr, 0), 0);
        EXPECT_EQ(rocprofiler_start_context(context), 0);
        runtime.launch([](auto&) {}, {.queue = 1, .device = 0});
        runtime.synchronize();
        EXPECT_THAT(runtime.log.only({"first", "second"}), ElementsAre("second", "first")) << "all agents again";
      });
}

TEST(CountingAgents, TwoContextsConflictOnlyOverACommonAgent) {
  with_two_gpus([](FakeRuntime&, Services& services, rocprofiler_context_id_t one) {
    const rocprofiler_agent_id_t first = gpu(0);
    const rocprofiler_agent_id_t second = gpu(1);
    const auto other = make_context();
    EXPECT_EQ(services.add_counting(other), 0);
    EXPECT_EQ(set_agents(one, &first, 1), 0);
    EXPECT_EQ(rocprofiler_start_context(one), 0);
    EXPECT_EQ(rocprofiler_start_context(other), ROCPROFILER_STATUS_ERROR_CONTEXT_CONFLICT) << "no set is all agents";
    EXPECT_EQ(set_agents(other, &first, 1), 0);
    EXPECT_EQ(rocprofiler_start_context(other), ROCPROFILER_STATUS_ERROR_CONTEXT_CONFLICT);
    EXPECT_EQ(set_agents(other, &second, 1), 0);
    EXPECT_EQ(rocprofiler_start_context(other), 0);
  });
}

// configure_*_dispatch_counting_service: bad context 10 and not 2; NULL callbacks accepted; unknown buffer 3.
TEST(CountingService, ChecksItsContextAndAcceptsNullCallbacks) {
  with_two_gpus(
      [](FakeRuntime&, Services&, rocprofiler_context_id_t context) {
        EXPECT_EQ(rocprofiler_configure_callback_dispatch_counting_service({77}, nullptr, nullptr, nullptr, nullptr),
                  ROCPROFILER_STATUS_ERROR_CONTEXT_INVALID);
        EXPECT_EQ(rocprofiler_configure_callback_dispatch_counting_service(context, nullptr, nullptr, nullptr, nullptr),
                  0);
        EXPECT_EQ(rocprofiler_configure_buffer_dispatch_counting_service({77}, {1}, nullptr, nullptr),
                  ROCPROFILER_STATUS_ERROR_CONTEXT_INVALID);
        EXPECT_EQ(rocprofiler_configure_buffer_dispatch_counting_service(context, {99}, nullptr, nullptr),
                  ROCPROFILER_STATUS_ERROR_BUFFER_NOT_FOUND);
        EXPECT_EQ(rocprofiler_start_context(context), 0);
      },
      [](FakeRuntime& runtime, rocprofiler_context_id_t) {
        runtime.launch([&runtime](auto&) { runtime.log.add("ran"); });
        runtime.synchronize();
        EXPECT_THAT(runtime.log.only({"ran"}), ElementsAre("ran"));
      });
}

// iterate_agent_supported_counters hands on what the callback answered; instance counts know agents and counters.
TEST(CounterQueries, AnswerForUnknownAgentsAndCounters) {
  const Outcome outcome = isolated([] {
    EXPECT_EQ(rocprofiler_iterate_agent_supported_counters(
                  first_gpu(), [](auto, auto, auto, auto) { return ROCPROFILER_STATUS_ERROR_BUFFER_BUSY; }, nullptr),
              ROCPROFILER_STATUS_ERROR_BUFFER_BUSY);
    std::size_t count = 77;
    EXPECT_EQ(rocprofiler_query_counter_instance_count({5}, counter("SQ_WAVES"), &count),
              ROCPROFILER_STATUS_ERROR_AGENT_NOT_FOUND);
    EXPECT_EQ(rocprofiler_query_counter_instance_count(first_gpu(), {60000}, &count),
              ROCPROFILER_STATUS_ERROR_COUNTER_NOT_FOUND);
    EXPECT_EQ(count, 77U);
    EXPECT_EQ(rocprofiler_iterate_counter_dimensions(
                  {60000}, [](auto, auto, auto, auto) { return ROCPROFILER_STATUS_SUCCESS; }, nullptr),
              ROCPROFILER_STATUS_ERROR_COUNTER_NOT_FOUND);
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(CounterQueries, TellBaseDerivedAndConstantCountersApart) {
  const Outcome outcome = isolated([] {
    const auto info = [](const char* name) {
      rocprofiler_counter_info_v0_t result{};
      EXPECT_EQ(rocprofiler_query_counter_info(counter(name), ROCPROFILER_COUNTER_INFO_VERSION_0, &result), 0);
      return result;
    };
    const auto derived = info("L2HitPercent");
    EXPECT_EQ(derived.is_derived, 1U);
    EXPECT_STREQ(derived.block, "");
    EXPECT_STRNE(derived.expression, "");
    const auto constant = info("simd_count");
    EXPECT_EQ(constant.is_constant, 1U);
    EXPECT_EQ(constant.is_derived, 0U);
    EXPECT_EQ(info("SQ_WAVES").is_constant, 0U);
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

// A configuration stays with the dispatches that chose it, also when its handle is destroyed meanwhile.
TEST(Configs, OutliveTheirHandleInDispatchesThatUseThem) {
  std::atomic<int> records{0};
  const Outcome outcome = isolated([&] {
    CountingFixture tool;
    tool.services.record = [&](const CountingData&, auto*, std::size_t, auto) { ++records; };
    tool.start({"SQ_WAVES"});
    tool.runtime.launch([&](auto&) { EXPECT_EQ(rocprofiler_destroy_counter_config(tool.config), 0); });
    tool.runtime.synchronize();
    EXPECT_EQ(rocprofiler_stop_context(tool.context), 0);
    EXPECT_EQ(records, 1);
    end_tool();
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

}  // namespace
}  // namespace sim_sdk_test
