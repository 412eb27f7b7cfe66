// SPDX-License-Identifier: MIT
//
// Who is registered in which order, what is allowed when, and how it ends. As run against rocprofiler-sdk 1.0.0;
// the fork behaviour is that of newer releases (sample_processing.cpp @19d94f91).
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <string>

#include "isolated.hpp"
#include "services.hpp"
#include "test_tool.hpp"

namespace sim_sdk_test {
namespace {

using testing::HasSubstr;

const std::string kToolA = SIM_SDK_TOOL_A;
const std::string kToolB = SIM_SDK_TOOL_B;
const std::string kNoTool = SIM_SDK_NO_TOOL;

void say(const std::string& line) {
  static_cast<void>(write(STDERR_FILENO, line.data(), line.size()));
}

int is_initialized() {
  int status = 9;
  rocprofiler_is_initialized(&status);
  return status;
}

int is_finalized() {
  int status = 9;
  rocprofiler_is_finalized(&status);
  return status;
}

// What the two tool libraries and the SDK write to stderr when the variable has this value.
Outcome with_tool_libraries(const std::string& value) {
  return isolated([&] {
    setenv("ROCP_TOOL_LIBRARIES", value.c_str(), 1);
    FakeRuntime runtime;
    runtime.attach();
  });
}

TEST(ToolLibraries, OneNameLoadsOne) {
  const Outcome outcome = with_tool_libraries(kToolA);
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.error, "A configure 10401 1.4.1 0\nA initialize\nA finalize\n");
}

TEST(ToolLibraries, TextAfterTheLastColonIsDropped) {
  EXPECT_EQ(with_tool_libraries(kToolA + ":" + kToolB).error, "A configure 10401 1.4.1 0\nA initialize\nA finalize\n");
}

TEST(ToolLibraries, ATrailingColonLoadsBothAndKeepsTheOrder) {
  EXPECT_EQ(with_tool_libraries(kToolA + ":" + kToolB + ":").error,
            "A configure 10401 1.4.1 0\nB configure 10401 1.4.1 1\nA initialize\nB initialize\n"
            "A finalize\nB finalize\n");
}

TEST(ToolLibraries, ALeadingColonLoadsNone) {
  EXPECT_EQ(with_tool_libraries(":" + kToolA).error, "");
}

TEST(ToolLibraries, TheSameToolTwiceIsTakenOnce) {
  EXPECT_EQ(with_tool_libraries(kToolB + ":" + kToolB + ":").error,
            "B configure 10401 1.4.1 0\nB initialize\nB finalize\n");
}

TEST(ToolLibraries, AMissingFileEndsTheProcess) {
  const Outcome outcome = with_tool_libraries("/no/such/tool.so");
  EXPECT_EQ(outcome.code, kAborted);
  EXPECT_THAT(outcome.error, HasSubstr("/no/such/tool.so"));
}

TEST(ToolLibraries, AFileWithoutTheSymbolIsSkippedWithAWarning) {
  const Outcome outcome = with_tool_libraries(kNoTool + ":" + kToolB + ":");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.error, HasSubstr("has no rocprofiler_configure\nB configure 10401 1.4.1 0\n"));
}

TEST(ToolLibraries, AToolThatAnswersNullIsSkippedAndTheOthersKeepTheirPriority) {
  const Outcome outcome = isolated([] {
    setenv("ROCP_TOOL_LIBRARIES", (kToolA + ":" + kToolB + ":").c_str(), 1);
    setenv("SIM_SDK_TEST_NULL", "A", 1);
    FakeRuntime runtime;
    runtime.attach();
  });
  EXPECT_EQ(outcome.error, "A configure 10401 1.4.1 0\nB configure 10401 1.4.1 1\nB initialize\nB finalize\n");
}

TEST(ToolLibraries, ComeAfterAForcedTool) {
  const Outcome outcome = isolated([] {
    setenv("ROCP_TOOL_LIBRARIES", kToolA.c_str(), 1);
    FakeRuntime runtime;
    start_tool(runtime, {.configure = [] { say("forced\n"); }, .initialize = {}, .finalize = {}});
  });
  EXPECT_EQ(outcome.error, "forced\nA configure 10401 1.4.1 1\nA initialize\nA finalize\n");
}

TEST(Registration, WithoutAToolLeavesTheRuntimeAlone) {
  const Outcome outcome = isolated([] {
    FakeRuntime runtime;
    runtime.attach();
    EXPECT_EQ(runtime.table().on_submit, nullptr);
    EXPECT_EQ(is_initialized(), 1);
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

// A program that only asks has no GPU runtime: the first call registers at once, as the first and only tool.
TEST(Registration, NeedsNoRuntimeForAForcedTool) {
  const Outcome outcome = isolated([] {
    static rocprofiler_tool_configure_result_t result{
        sizeof(result),
        [](rocprofiler_client_finalize_t, void*) {
          say("initialize, " + std::to_string(agents().size()) + " agents\n");
          return 0;
        },
        [](void*) { say("finalize\n"); }, nullptr};
    EXPECT_EQ(rocprofiler_force_configure([](std::uint32_t version, const char*, std::uint32_t priority,
                                             rocprofiler_client_id_t*) -> rocprofiler_tool_configure_result_t* {
                say("configure " + std::to_string(version) + " " + std::to_string(priority) + "\n");
                return &result;
              }),
              ROCPROFILER_STATUS_SUCCESS);
    EXPECT_EQ(is_initialized(), 1);
    say("registered\n");
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_EQ(outcome.error, "configure 10401 0\ninitialize, 2 agents\nregistered\nfinalize\n");
}

TEST(Registration, GoesThroughItsStates) {
  const Outcome outcome = isolated([] {
    EXPECT_EQ(is_initialized(), 0);
    FakeRuntime runtime;
    start_tool(runtime, {.configure = [] { EXPECT_EQ(is_initialized(), -1); },
                         .initialize =
                             [] {
                               EXPECT_EQ(is_initialized(), -1);
                               EXPECT_EQ(tool_client().size, 24U);
                             },
                         .finalize = [] { say("finalized " + std::to_string(is_finalized()) + "\n"); }});
    EXPECT_EQ(is_initialized(), 1);
    EXPECT_EQ(is_finalized(), 0);
    EXPECT_NE(runtime.table().on_submit, nullptr);
    EXPECT_EQ(rocprofiler_force_configure(
                  [](auto, auto, auto, auto) -> rocprofiler_tool_configure_result_t* { return nullptr; }),
              ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED);
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_EQ(outcome.error, "finalized -1\n");
}

TEST(Registration, AcceptsTheNamesOfAllRuntimes) {
  const Outcome outcome = isolated([] {
    const auto set = [](const char* name, std::uint64_t tables) {
      void* none[3] = {};
      return rocprofiler_set_api_table(name, 1, 0, none, tables);
    };
    for (const char* name : {"hip", "hip_compiler", "rccl", "rocdecode", "rocjpeg", "rocshmem", "hipfile"}) {
      EXPECT_EQ(set(name, 1), 0) << name;
    }
    EXPECT_EQ(set("roctx", 3), 0);
    EXPECT_EQ(set("opencl", 1), ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT);
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(Registration, NeedsThreeTablesOfRoctx) {
  EXPECT_EQ(isolated([] {
              void* none[3] = {};
              rocprofiler_set_api_table("roctx", 1, 0, none, 2);
            }).code,
            kAborted);
}

// The client: size 24, a handle, and no name before the tool sets one.
TEST(Registration, HandsOutAClientWithoutAName) {
  const Outcome outcome = isolated([] {
    static std::size_t size = 0;
    static const char* name = "";
    static std::uint32_t handle = 0;
    EXPECT_EQ(rocprofiler_force_configure([](std::uint32_t version, const char* text, std::uint32_t priority,
                                             rocprofiler_client_id_t* id) -> rocprofiler_tool_configure_result_t* {
                EXPECT_EQ(version, 10401U);
                EXPECT_STREQ(text, "1.4.1");
                EXPECT_EQ(priority, 0U);
                size = id->size;
                name = id->name;
                handle = id->handle;
                return nullptr;
              }),
              0);
    EXPECT_EQ(size, 24U);
    EXPECT_EQ(name, nullptr);
    EXPECT_NE(handle, 0U);
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

// The result: its size is not looked at, and either function may be missing; finalize is called without initialize.
TEST(Registration, AcceptsAResultWithoutFunctions) {
  const Outcome outcome = isolated([] {
    static rocprofiler_tool_configure_result_t only_finalize{0, nullptr, [](void*) { say("finalize\n"); }, nullptr};
    EXPECT_EQ(rocprofiler_force_configure([](auto, auto, auto, auto) { return &only_finalize; }), 0);
    EXPECT_EQ(is_initialized(), 1);
  });
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.error, "finalize\n");
  const Outcome other = isolated([] {
    static rocprofiler_tool_configure_result_t only_initialize{0,
                                                               [](rocprofiler_client_finalize_t, void* data) {
                                                                 say(static_cast<const char*>(data));
                                                                 return 0;
                                                               },
                                                               nullptr, const_cast<char*>("initialize\n")};
    EXPECT_EQ(rocprofiler_force_configure([](auto, auto, auto, auto) { return &only_initialize; }), 0);
  });
  EXPECT_EQ(other.code, 0);
  EXPECT_EQ(other.error, "initialize\n");
}

// What initialize returns is ignored: on -1 the contexts stay active and finalize is called.
TEST(Registration, IgnoresWhatInitializeReturns) {
  const Outcome outcome = isolated([] {
    static rocprofiler_context_id_t context{0};
    static rocprofiler_tool_configure_result_t failing{sizeof(failing),
                                                       [](rocprofiler_client_finalize_t, void*) {
                                                         context = make_context();
                                                         EXPECT_EQ(rocprofiler_start_context(context), 0);
                                                         return -1;
                                                       },
                                                       [](void*) { say("finalize\n"); }, nullptr};
    EXPECT_EQ(rocprofiler_force_configure([](auto, auto, auto, auto) { return &failing; }), 0);
    int active = 0;
    EXPECT_EQ(rocprofiler_context_is_active(context, &active), 0);
    EXPECT_EQ(active, 1);
  });
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.error, "finalize\n");
}

// force_configure: 16 at every moment after registration has begun.
TEST(Registration, ForceInsideAToolIsLocked) {
  const Outcome outcome = isolated([] {
    FakeRuntime runtime;
    const auto force = [] {
      return rocprofiler_force_configure(
          [](auto, auto, auto, auto) -> rocprofiler_tool_configure_result_t* { return nullptr; });
    };
    start_tool(runtime, {.configure = [&] { EXPECT_EQ(force(), ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED); },
                         .initialize = [&] { EXPECT_EQ(force(), ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED); },
                         .finalize = {}});
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(Gates, AKindBeyondTheLastEndsTheProcess) {
  EXPECT_EQ(
      isolated([] {
        FakeRuntime runtime;
        Services services;
        start_tool(
            runtime,
            {.configure = {},
             .initialize =
                 [&] { static_cast<void>(services.add_tracing(make_context(), ROCPROFILER_CALLBACK_TRACING_LAST)); },
             .finalize = {}});
      }).code,
      kAborted);
}

TEST(Finalize, OnRequestOfTheOnlyClientEndsTheLibrary) {
  const Outcome outcome = isolated([] {
    FakeRuntime runtime;
    int finalized = 0;
    rocprofiler_context_id_t context{0};
    start_tool(runtime,
               {.configure = {}, .initialize = [&] { context = make_context(); }, .finalize = [&] { ++finalized; }});
    tool_finalize_function()(tool_client());
    EXPECT_EQ(finalized, 1);
    EXPECT_EQ(is_finalized(), 1);
    EXPECT_EQ(rocprofiler_stop_context(context), 0) << "after finalisation";
    EXPECT_EQ(rocprofiler_flush_buffer({1}), ROCPROFILER_STATUS_ERROR_FINALIZED);
    runtime.launch([](auto&) {});  // the application goes on
    runtime.synchronize();
    tool_finalize_function()(tool_client());
    EXPECT_EQ(finalized, 1) << "once";
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

// The client's finalise function with several clients: that client only, once.
TEST(Finalize, OnRequestOfOneOfSeveralClientsLeavesTheOthers) {
  const Outcome outcome = isolated([] {
    setenv("ROCP_TOOL_LIBRARIES", kToolA.c_str(), 1);
    FakeRuntime runtime;
    start_tool(runtime, {.configure = {}, .initialize = {}, .finalize = [] { say("forced ends\n"); }});
    end_tool();
    say(is_finalized() == 0 ? "still running\n" : "finalised\n");
  });
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.error, "A configure 10401 1.4.1 1\nA initialize\nforced ends\nstill running\nA finalize\n");
}

// _exit and abort: no finalize.
TEST(Finalize, IsNotCalledWhenTheProcessLeavesAtOnce) {
  EXPECT_EQ(isolated([] {
              FakeRuntime& runtime = *std::make_unique<FakeRuntime>().release();
              start_tool(runtime, {.configure = {}, .initialize = {}, .finalize = [] { say("finalize\n"); }});
              _exit(0);
            }).error,
            "");
}

TEST(Finalize, WaitsForKernelsAndDeliversAllRecordsFirst) {
  const Outcome outcome = isolated([] {
    static FakeRuntime runtime;  // must outlive this function: exit() finalises
    static Services services;
    static rocprofiler_counter_config_id_t config{0};
    static std::atomic<int> records{0};
    services.dispatch = [](const CountingData&, rocprofiler_counter_config_id_t& choice, auto&) { choice = config; };
    services.record = [](const CountingData&, auto*, std::size_t, auto) { ++records; };
    start_tool(runtime, {.configure = {},
                         .initialize =
                             [] {
                               const auto context = make_context();
                               config = make_config({"SQ_WAVES"});
                               EXPECT_EQ(services.add_counting(context), 0);
                               EXPECT_EQ(rocprofiler_start_context(context), 0);
                             },
                         .finalize = [] { say("records " + std::to_string(records) + "\n"); }});
    for (int i = 0; i < 300; ++i) runtime.launch([](auto&) {});
  });
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.error, "records 300\n");
}

// Not built with ThreadSanitizer, which cannot follow a forked child that makes threads ("dup thread with used id"),
// nor with AddressSanitizer of GCC 12, whose allocator is not safe when another thread allocates during the fork: the
// child may hang or report what that thread held. The plain build runs it.
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
// fork: the child of a process with a started counting context exits normally, runs finalize, and gets new threads.
TEST(Fork, ChildWithAStartedCountingContextExits) {
  const Outcome outcome = isolated([] {
    // Never destroyed: the child has no worker thread to join.
    static FakeRuntime& runtime = *std::make_unique<FakeRuntime>().release();
    static Services services;
    static rocprofiler_counter_config_id_t config{0};
    static const pid_t parent = getpid();
    services.dispatch = [](const CountingData&, rocprofiler_counter_config_id_t& choice, auto&) { choice = config; };
    start_tool(runtime, {.configure = {},
                         .initialize =
                             [] {
                               rocprofiler_at_internal_thread_create(
                                   [](auto, auto) {
                                     if (getpid() != parent) say("child thread\n");
                                   },
                                   nullptr, ROCPROFILER_LIBRARY, nullptr);
                               const auto context = make_context();
                               config = make_config({"SQ_WAVES"});
                               EXPECT_EQ(services.add_counting(context), 0);
                               EXPECT_EQ(rocprofiler_start_context(context), 0);
                             },
                         .finalize = [] { say(getpid() == parent ? "parent ends\n" : "child ends\n"); }});
    runtime.launch([](auto&) {});
    runtime.synchronize();
    const pid_t child = fork();
    if (child == 0) std::exit(7);
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 7);
    runtime.launch([](auto&) {});  // and the parent is unharmed
    runtime.synchronize();
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_EQ(outcome.error, "child thread\nchild ends\nparent ends\n");
}
#endif

}  // namespace
}  // namespace sim_sdk_test
