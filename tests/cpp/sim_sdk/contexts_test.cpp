// SPDX-License-Identifier: MIT
//
// Contexts, and which call is allowed when. Each comment names what rocprofiler-sdk 1.0.0 answered when it was run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "counting_fixture.hpp"
#include "isolated.hpp"
#include "services.hpp"
#include "test_tool.hpp"

namespace sim_sdk_test {
namespace {

constexpr auto kLocked = ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED;
constexpr auto kCodeObject = ROCPROFILER_CALLBACK_TRACING_CODE_OBJECT;

void say(const std::string& line) {
  static_cast<void>(write(STDERR_FILENO, line.data(), line.size()));
}

rocprofiler_status_t try_create() {
  rocprofiler_context_id_t fresh{0};
  return rocprofiler_create_context(&fresh);
}

rocprofiler_status_t try_buffer(rocprofiler_context_id_t context = {1}) {
  rocprofiler_buffer_id_t buffer{0};
  return rocprofiler_create_buffer(context, 64, 64, ROCPROFILER_BUFFER_POLICY_LOSSLESS, nullptr, nullptr, &buffer);
}

rocprofiler_status_t try_thread() {
  rocprofiler_callback_thread_t thread{0};
  return rocprofiler_create_callback_thread(&thread);
}

void in_initialize(const std::function<void()>& body) {
  const Outcome outcome = isolated([&] {
    FakeRuntime runtime;
    start_tool(runtime, {.configure = {}, .initialize = body, .finalize = {}});
    end_tool();
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(Contexts, CreateBeforeRegistrationAnswers16) {
  const Outcome outcome = isolated([] { EXPECT_EQ(try_create(), kLocked); });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(Contexts, CreateInsideConfigureEndsTheProcess) {
  const Outcome outcome = isolated([] {
    FakeRuntime runtime;
    start_tool(runtime, {.configure = [] { static_cast<void>(try_create()); }, .initialize = {}, .finalize = {}});
  });
  EXPECT_EQ(outcome.code, kAborted);
  EXPECT_THAT(outcome.error, testing::HasSubstr("inside rocprofiler_configure"));
}

TEST(Contexts, CreateNeedsAHandleOfZero) {
  in_initialize([] {
    rocprofiler_context_id_t context = make_context();
    const std::uint64_t first = context.handle;
    EXPECT_NE(first, 0U);
    EXPECT_EQ(rocprofiler_create_context(&context), ROCPROFILER_STATUS_ERROR_CONTEXT_ID_NOT_ZERO);
    EXPECT_EQ(context.handle, first);
    EXPECT_NE(make_context().handle, first);
  });
}

TEST(Contexts, StartIsIdempotentAndKnowsItsContexts) {
  in_initialize([] {
    const auto context = make_context();
    EXPECT_EQ(rocprofiler_start_context(context), 0);
    EXPECT_EQ(rocprofiler_start_context(context), 0) << "already active";
    EXPECT_EQ(rocprofiler_start_context({77}), ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND);
  });
}

TEST(Contexts, StopOfOneThatIsNotActiveAnswers2) {
  in_initialize([] {
    const auto context = make_context();
    EXPECT_EQ(rocprofiler_stop_context(context), ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND);
    EXPECT_EQ(rocprofiler_start_context(context), 0);
    EXPECT_EQ(rocprofiler_stop_context(context), 0);
    EXPECT_EQ(rocprofiler_stop_context(context), ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND);
  });
}

TEST(Contexts, IsActiveFollowsStartAndStop) {
  in_initialize([] {
    const auto context = make_context();
    const auto active = [&] {
      int status = 9;
      EXPECT_EQ(rocprofiler_context_is_active(context, &status), 0);
      return status;
    };
    EXPECT_EQ(active(), 0);
    EXPECT_EQ(rocprofiler_start_context(context), 0);
    EXPECT_EQ(active(), 1);
    EXPECT_EQ(rocprofiler_stop_context(context), 0);
    EXPECT_EQ(active(), 0);
    int status = 9;
    EXPECT_EQ(rocprofiler_context_is_active({77}, &status), ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND);
  });
}

// The comment in the 1.0.0 header has it the other way round; run, a valid context gives 1 and an unknown one 0.
TEST(Contexts, IsValidSays1ForAContextAnd0WithStatus2ForNone) {
  in_initialize([] {
    int status = 9;
    EXPECT_EQ(rocprofiler_context_is_valid(make_context(), &status), 0);
    EXPECT_EQ(status, 1);
    EXPECT_EQ(rocprofiler_context_is_valid({77}, &status), ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND);
    EXPECT_EQ(status, 0);
  });
}

// stop_context returns when the counter records that were queued have been delivered.
TEST(Contexts, StopWaitsForQueuedRecords) {
  const Outcome outcome = isolated([] {
    CountingFixture tool;
    std::atomic<int> records{0};
    tool.services.record = [&](const CountingData&, auto*, std::size_t, auto) { ++records; };
    tool.start({"SQ_WAVES"});
    for (int i = 0; i < 100; ++i) tool.launch();
    tool.runtime.synchronize();
    EXPECT_EQ(rocprofiler_stop_context(tool.context), 0);
    EXPECT_EQ(records, 100);
    end_tool();
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

// configure_callback_tracing_service: context 2, kind NONE 4, operation 5, kind twice 15, same kind elsewhere 0.
TEST(Gates, CallbackTracingChecksItsArguments) {
  in_initialize([] {
    Services services;
    const auto context = make_context();
    EXPECT_EQ(services.add_tracing({77}, kCodeObject), ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND);
    EXPECT_EQ(services.add_tracing(context, ROCPROFILER_CALLBACK_TRACING_NONE),
              ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND);
    const rocprofiler_tracing_operation_t unknown = 9;
    EXPECT_EQ(rocprofiler_configure_callback_tracing_service(context, kCodeObject, &unknown, 1, nullptr, nullptr),
              ROCPROFILER_STATUS_ERROR_OPERATION_NOT_FOUND);
    EXPECT_EQ(services.add_tracing(context, kCodeObject), 0);
    EXPECT_EQ(services.add_tracing(context, kCodeObject), ROCPROFILER_STATUS_ERROR_SERVICE_ALREADY_CONFIGURED);
    EXPECT_EQ(services.add_tracing(make_context(), kCodeObject), 0);
  });
}

// configure_buffer_tracing_service: as by callback, and an unknown buffer 3.
TEST(Gates, BufferTracingChecksItsArguments) {
  in_initialize([] {
    const auto context = make_context();
    rocprofiler_buffer_id_t buffer{0};
    EXPECT_EQ(rocprofiler_create_buffer(context, 64, 64, ROCPROFILER_BUFFER_POLICY_LOSSLESS, nullptr, nullptr, &buffer),
              0);
    const auto add = [&](rocprofiler_context_id_t to, int kind, std::vector<int> operations, std::uint64_t into) {
      return rocprofiler_configure_buffer_tracing_service(to, static_cast<rocprofiler_buffer_tracing_kind_t>(kind),
                                                          operations.data(), operations.size(), {into});
    };
    constexpr int kDispatch = ROCPROFILER_BUFFER_TRACING_KERNEL_DISPATCH;
    EXPECT_EQ(add({77}, kDispatch, {}, buffer.handle), ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND);
    EXPECT_EQ(add(context, 0, {}, buffer.handle), ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND);
    EXPECT_EQ(add(context, kDispatch, {9}, buffer.handle), ROCPROFILER_STATUS_ERROR_OPERATION_NOT_FOUND);
    EXPECT_EQ(add(context, kDispatch, {}, 99), ROCPROFILER_STATUS_ERROR_BUFFER_NOT_FOUND);
    EXPECT_EQ(add(context, kDispatch, {2}, buffer.handle), 0);
    EXPECT_EQ(add(context, kDispatch, {}, buffer.handle), ROCPROFILER_STATUS_ERROR_SERVICE_ALREADY_CONFIGURED);
    EXPECT_EQ(add(make_context(), kDispatch, {}, buffer.handle), 0);
  });
}

// "NULL or 0 operations" is all of them; a list restricts.
TEST(Gates, AListOfOperationsRestrictsTheCallbacks) {
  const Outcome outcome = isolated([] {
    FakeRuntime runtime;
    static std::vector<int> seen;
    start_tool(runtime, {.configure = {},
                         .initialize =
                             [] {
                               const auto context = make_context();
                               const rocprofiler_tracing_operation_t complete = ROCPROFILER_KERNEL_DISPATCH_COMPLETE;
                               EXPECT_EQ(rocprofiler_configure_callback_tracing_service(
                                             context, ROCPROFILER_CALLBACK_TRACING_KERNEL_DISPATCH, &complete, 1,
                                             [](rocprofiler_callback_tracing_record_t record, auto*, auto*) {
                                               seen.push_back(record.operation);
                                             },
                                             nullptr),
                                         0);
                               EXPECT_EQ(rocprofiler_start_context(context), 0);
                             },
                         .finalize = {}});
    runtime.launch([](auto&) {});
    runtime.synchronize();
    EXPECT_THAT(seen, testing::ElementsAre(ROCPROFILER_KERNEL_DISPATCH_COMPLETE));
    end_tool();
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

// Contexts, tracing services, buffers and callback threads: 16 while the application runs and inside finalize.
TEST(Gates, SetUpIsLockedOnceTheToolIsInitialised) {
  const Outcome outcome = isolated([] {
    FakeRuntime runtime;
    Services services;
    rocprofiler_context_id_t context{0};
    const auto expect_locked = [&](const char* when) {
      EXPECT_EQ(try_create(), kLocked) << when;
      EXPECT_EQ(try_buffer(), kLocked) << when;
      EXPECT_EQ(try_thread(), kLocked) << when;
      EXPECT_EQ(rocprofiler_assign_callback_thread({1}, {1}), kLocked) << when;
      EXPECT_EQ(services.add_tracing(context, kCodeObject), kLocked) << when;
      EXPECT_EQ(rocprofiler_configure_buffer_tracing_service(context, ROCPROFILER_BUFFER_TRACING_KERNEL_DISPATCH,
                                                             nullptr, 0, {1}),
                kLocked)
          << when;
      EXPECT_EQ(rocprofiler_force_configure(
                    [](auto, auto, auto, auto) -> rocprofiler_tool_configure_result_t* { return nullptr; }),
                kLocked)
          << when;
    };
    start_tool(runtime, {.configure = {},
                         .initialize =
                             [&] {
                               context = make_context();
                               EXPECT_EQ(try_buffer({99}), 0) << "create_buffer does not check the context";
                               EXPECT_EQ(try_thread(), 0);
                             },
                         .finalize = [&] { expect_locked("finalize"); }});
    expect_locked("running");
    end_tool();
    expect_locked("finalised");
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

// Counting services and external correlation requests are not locked; start and stop are allowed while running.
TEST(Gates, CountingServicesCanBeAddedAndContextsStartedWhileRunning) {
  const Outcome outcome = isolated([] {
    FakeRuntime runtime;
    Services services;
    rocprofiler_context_id_t context{0};
    start_tool(runtime, {.configure = {},
                         .initialize = [&] { context = make_context(); },
                         .finalize = [&] { EXPECT_EQ(services.add_counting(context), 0) << "not locked either"; }});
    EXPECT_EQ(services.add_counting(context), 0);
    EXPECT_EQ(rocprofiler_configure_external_correlation_id_request_service(context, nullptr, 0, nullptr, nullptr), 0);
    EXPECT_EQ(rocprofiler_start_context(context), 0);
    EXPECT_EQ(rocprofiler_stop_context(context), 0);
    end_tool();
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

// Inside finalize: start 16, stop 2 (the contexts are stopped already). Afterwards: start 16, stop 0, flush 21.
TEST(Gates, FinalisationChangesWhatContextsAnswer) {
  const Outcome outcome = isolated([] {
    FakeRuntime runtime;
    rocprofiler_context_id_t context{0};
    start_tool(runtime, {.configure = {},
                         .initialize =
                             [&] {
                               context = make_context();
                               EXPECT_EQ(rocprofiler_start_context(context), 0);
                             },
                         .finalize =
                             [&] {
                               EXPECT_EQ(rocprofiler_start_context(context), kLocked);
                               EXPECT_EQ(rocprofiler_stop_context(context), ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND);
                             }});
    end_tool();
    EXPECT_EQ(rocprofiler_start_context(context), kLocked);
    EXPECT_EQ(rocprofiler_stop_context(context), 0);
    EXPECT_EQ(rocprofiler_flush_buffer({1}), ROCPROFILER_STATUS_ERROR_FINALIZED);
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

// Queries, configurations and thread notifiers have no gate.
TEST(Gates, QueriesWorkAtAnyTime) {
  const Outcome outcome = isolated([] {
    FakeRuntime runtime;
    const auto ask_everything = [](const char* when) {
      EXPECT_EQ(agents().size(), 2U) << when;
      EXPECT_NE(make_config({"SQ_WAVES"}).handle, 0U) << when;
      rocprofiler_timestamp_t now = 0;
      EXPECT_EQ(rocprofiler_get_timestamp(&now), 0) << when;
      const char* name = nullptr;
      std::uint64_t length = 0;
      EXPECT_EQ(rocprofiler_query_callback_tracing_kind_name(kCodeObject, &name, &length), 0) << when;
      EXPECT_EQ(rocprofiler_at_internal_thread_create(nullptr, nullptr, ROCPROFILER_LIBRARY, nullptr), 0) << when;
    };
    ask_everything("before registration");
    start_tool(runtime, {.configure = [&] { ask_everything("configure"); },
                         .initialize = [&] { ask_everything("initialize"); },
                         .finalize = [&] { ask_everything("finalize"); }});
    ask_everything("running");
    end_tool();
    ask_everything("finalised");
    say("asked\n");
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_EQ(outcome.error, "asked\n");
}

}  // namespace
}  // namespace sim_sdk_test
