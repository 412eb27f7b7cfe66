// SPDX-License-Identifier: MIT
//
// roctx calls as tools see them: operations, phases, arguments and results. As marker.cpp and range_marker.cpp of
// rocprofiler-sdk deliver them (@1b1610fc).
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "fake_roctx.hpp"
#include "isolated.hpp"
#include "services.hpp"
#include "test_tool.hpp"

namespace sim_sdk_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr auto kCore = ROCPROFILER_CALLBACK_TRACING_MARKER_CORE_API;
constexpr auto kControl = ROCPROFILER_CALLBACK_TRACING_MARKER_CONTROL_API;
constexpr auto kName = ROCPROFILER_CALLBACK_TRACING_MARKER_NAME_API;
constexpr auto kRange = ROCPROFILER_CALLBACK_TRACING_MARKER_CORE_RANGE_API;

std::string named(const rocprofiler_callback_tracing_record_t& record) {
  const char* name = nullptr;
  EXPECT_EQ(rocprofiler_query_callback_tracing_kind_operation_name(record.kind, record.operation, &name, nullptr), 0);
  return std::string(name) + (record.phase == ROCPROFILER_CALLBACK_PHASE_ENTER ? " enter" : " exit");
}

rocprofiler_callback_tracing_marker_api_data_t& data_of(const rocprofiler_callback_tracing_record_t& record) {
  return *static_cast<rocprofiler_callback_tracing_marker_api_data_t*>(record.payload);
}

// Runs `body` in a process of its own, with a tool that traces `kinds` and calls `seen` for each record.
template <typename Body>
void trace(const std::vector<rocprofiler_callback_tracing_kind_t>& kinds, Services& services, const Body& body) {
  const Outcome outcome = isolated([&] {
    Roctx roctx;
    register_tool({.configure = {},
                   .initialize =
                       [&] {
                         const auto context = make_context();
                         for (const auto kind : kinds) EXPECT_EQ(services.add_tracing(context, kind), 0);
                         EXPECT_EQ(rocprofiler_start_context(context), 0);
                       },
                   .finalize = {}});
    roctx.attach();
    body(roctx);
    end_tool();
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(Markers, ACallIsAnEnterWithItsArgumentsAndAnExitWithItsResult) {
  Services services;
  std::vector<std::string> seen;
  services.tracing = [&](const auto& record, auto& user_data) {
    EXPECT_EQ(data_of(record).size, 32U);
    EXPECT_EQ(record.thread_id, static_cast<std::uint64_t>(gettid()));
    const bool enter = record.phase == ROCPROFILER_CALLBACK_PHASE_ENTER;
    const std::uint64_t value = enter ? data_of(record).args.roctxProfilerPause.tid
                                      : static_cast<std::uint64_t>(data_of(record).retval.int32_t_retval);
    EXPECT_EQ(user_data.value, enter ? 0U : 5U);
    user_data.value = 5;
    seen.push_back(named(record) + " " + std::to_string(value));
  };
  trace({kControl}, services, [&](Roctx& roctx) {
    EXPECT_EQ(roctx.control.profiler_pause(42), 15);
    EXPECT_EQ(roctx.control.profiler_resume(0), 16);
    EXPECT_THAT(seen, ElementsAre("roctxProfilerPause enter 42", "roctxProfilerPause exit 15",
                                  "roctxProfilerResume enter 0", "roctxProfilerResume exit 16"));
  });
}

TEST(Markers, CoreAndNameCallsCarryTheNamesOfTheirFunctions) {
  Services services;
  std::vector<std::string> seen;
  services.tracing = [&](const auto& record, auto&) {
    if (record.phase == ROCPROFILER_CALLBACK_PHASE_ENTER) seen.push_back(named(record));
  };
  trace({kCore, kName}, services, [&](Roctx& roctx) {
    roctx.core.mark("a");
    EXPECT_EQ(roctx.core.range_push("b"), 11);
    EXPECT_EQ(roctx.core.range_pop(), 12);
    const std::uint64_t id = roctx.core.range_start("c");
    EXPECT_EQ(id, 101U);
    roctx.core.range_stop(id);
    std::uint64_t tid = 0;
    EXPECT_EQ(roctx.core.get_thread_id(&tid), 14);
    EXPECT_EQ(tid, 77U);
    EXPECT_EQ(roctx.name.name_os_thread("d"), 17);
    EXPECT_EQ(roctx.name.name_hsa_agent("d", nullptr), 18);
    EXPECT_EQ(roctx.name.name_hip_device("d", 3), 19);
    EXPECT_EQ(roctx.name.name_hip_stream("d", nullptr), 20);
    EXPECT_THAT(
        seen, ElementsAre("roctxMarkA enter", "roctxRangePushA enter", "roctxRangePop enter", "roctxRangeStartA enter",
                          "roctxRangeStop enter", "roctxGetThreadId enter", "roctxNameOsThread enter",
                          "roctxNameHsaAgent enter", "roctxNameHipDevice enter", "roctxNameHipStream enter"));
  });
}

TEST(MarkerRanges, EndWhereTheRangeDoesWithTheUserDataOfTheirBegin) {
  Services services;
  std::vector<std::string> seen;
  std::uint64_t number = 0;
  services.tracing = [&](const auto& record, auto& user_data) {
    const bool enter = record.phase == ROCPROFILER_CALLBACK_PHASE_ENTER;
    if (enter) user_data.value = ++number;
    seen.push_back(named(record) + " " + std::to_string(user_data.value));
  };
  trace({kRange}, services, [&](Roctx& roctx) {
    roctx.core.range_push("outer");
    roctx.core.range_push("inner");
    const std::uint64_t one = roctx.core.range_start("one");
    const std::uint64_t two = roctx.core.range_start("two");
    roctx.core.range_stop(one);
    roctx.core.range_pop();
    std::thread([&] { roctx.core.range_stop(two); }).join();
    roctx.core.range_pop();
    EXPECT_THAT(seen,
                ElementsAre("roctxThreadRangeA enter 1", "roctxThreadRangeA enter 2", "roctxProcessRangeA enter 3",
                            "roctxProcessRangeA enter 4", "roctxProcessRangeA exit 3", "roctxThreadRangeA exit 2",
                            "roctxProcessRangeA exit 4", "roctxThreadRangeA exit 1"));
  });
}

TEST(MarkerRanges, PopsWithoutAPushAndStopsOfUnknownRangesDeliverNothing) {
  Services services;
  std::vector<std::string> seen;
  services.tracing = [&](const auto& record, auto&) { seen.push_back(named(record)); };
  trace({kRange}, services, [&](Roctx& roctx) {
    EXPECT_EQ(roctx.core.range_pop(), 12);
    roctx.core.range_stop(999);
    std::thread([&] { roctx.core.range_push("of another thread, which ends"); }).join();
    EXPECT_EQ(roctx.core.range_pop(), 12);
    const std::uint64_t id = roctx.core.range_start(nullptr);
    roctx.core.range_stop(id);
    roctx.core.range_stop(id);
    EXPECT_THAT(seen, ElementsAre("roctxThreadRangeA enter", "roctxProcessRangeA enter", "roctxProcessRangeA exit"));
  });
}

TEST(Markers, ReachNobodyWhenTheirKindIsNotTraced) {
  Services services;
  std::vector<std::string> seen;
  services.tracing = [&](const auto& record, auto&) { seen.push_back(named(record)); };
  trace({kControl}, services, [&](Roctx& roctx) {
    roctx.core.mark("a");
    roctx.core.range_push("b");
    roctx.core.range_pop();
    EXPECT_THAT(seen, IsEmpty());
  });
}

TEST(Markers, OfASecondLibraryAreSeenTooWithTheFunctionsOfTheFirstBehind) {
  Services services;
  std::vector<std::string> seen;
  services.tracing = [&](const auto& record, auto&) { seen.push_back(named(record)); };
  trace({kControl}, services, [&](Roctx&) {
    Roctx second;
    second.control.profiler_pause = [](std::uint64_t) { return -1; };
    second.attach();
    EXPECT_EQ(second.control.profiler_pause(0), 15);
    EXPECT_THAT(seen, ElementsAre("roctxProfilerPause enter", "roctxProfilerPause exit"));
  });
}

TEST(Markers, LeaveTheTablesAloneWithoutATool) {
  const Outcome outcome = isolated([] {
    Roctx roctx;
    const auto mark = roctx.core.mark;
    roctx.attach();
    EXPECT_EQ(roctx.core.mark, mark);
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(Markers, OperationsAreCountedFrom0) {
  for (const auto& [kind, count] : {std::pair{kCore, 6}, {kControl, 2}, {kName, 4}, {kRange, 4}}) {
    std::vector<int> operations;
    EXPECT_EQ(rocprofiler_iterate_callback_tracing_kind_operations(
                  kind,
                  [](rocprofiler_callback_tracing_kind_t, rocprofiler_tracing_operation_t operation, void* data) {
                    static_cast<std::vector<int>*>(data)->push_back(operation);
                    return 0;
                  },
                  &operations),
              0);
    ASSERT_EQ(operations.size(), static_cast<std::size_t>(count));
    EXPECT_EQ(operations.front(), 0);
  }
}

}  // namespace
}  // namespace sim_sdk_test
