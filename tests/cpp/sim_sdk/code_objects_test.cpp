// SPDX-License-Identifier: MIT
//
// Code object callbacks: order, payloads, and who gets them. rocprofiler-sdk, callback_tracing.h @1b1610fc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "isolated.hpp"
#include "services.hpp"
#include "test_tool.hpp"

namespace sim_sdk_test {
namespace {

using testing::ElementsAre;

// Writes down "object 1", "device 1 name", "host 1", with a "-" in front when it is unloaded.
struct CodeObjectLog {
  FakeRuntime runtime;
  Services services;
  std::vector<std::string> seen;

  CodeObjectLog() {
    services.tracing = [this](const rocprofiler_callback_tracing_record_t& record, auto&) {
      EXPECT_EQ(record.correlation_id.internal, 0U);
      EXPECT_TRUE(record.phase == ROCPROFILER_CALLBACK_PHASE_LOAD || record.phase == ROCPROFILER_CALLBACK_PHASE_UNLOAD);
      seen.push_back((record.phase == ROCPROFILER_CALLBACK_PHASE_UNLOAD ? "-" : "") + describe(record));
    };
  }

  void start() {
    start_tool(runtime, {.configure = {},
                         .initialize =
                             [this] {
                               const auto context = make_context();
                               EXPECT_EQ(services.add_tracing(context, ROCPROFILER_CALLBACK_TRACING_CODE_OBJECT), 0);
                               EXPECT_EQ(rocprofiler_start_context(context), 0);
                             },
                         .finalize = [this] { seen.emplace_back("finalize"); }});
  }

  [[nodiscard]] std::string describe(const rocprofiler_callback_tracing_record_t& record) const {
    if (record.operation == ROCPROFILER_CODE_OBJECT_LOAD) {
      const auto& data = *static_cast<rocprofiler_callback_tracing_code_object_load_data_t*>(record.payload);
      EXPECT_EQ(data.size, 88U);
      EXPECT_EQ(data.agent_id.handle, agents()[data.code_object_id].id.handle);
      return "object " + std::to_string(data.code_object_id);
    }
    if (record.operation == ROCPROFILER_CODE_OBJECT_DEVICE_KERNEL_SYMBOL_REGISTER) {
      const auto& data =
          *static_cast<rocprofiler_callback_tracing_code_object_kernel_symbol_register_data_t*>(record.payload);
      EXPECT_EQ(data.size, 88U);
      EXPECT_EQ(data.group_segment_size, 64U);
      EXPECT_EQ(data.sgpr_count, 16U);
      return "device " + std::to_string(data.kernel_id) + " " + data.kernel_name;
    }
    const auto& data =
        *static_cast<rocprofiler_callback_tracing_code_object_host_kernel_symbol_register_data_t*>(record.payload);
    EXPECT_EQ(data.size, 120U);
    EXPECT_EQ(data.host_function.ptr, &runtime);
    return "host " + std::to_string(data.kernel_id);
  }
};

TEST(CodeObjects, AreReportedWithEachDeviceSymbolFollowedByItsHostSymbol) {
  const Outcome outcome = isolated([] {
    setenv("ROCPROFSYS_MULTIPASS_SIMULATE", "tiny,tiny", 1);
    CodeObjectLog log;
    log.start();
    EXPECT_THAT(log.seen, ElementsAre("object 1", "device 1 _Z4testv.kd", "host 1", "object 2", "device 2 _Z4testv.kd",
                                      "host 2"));
    multipass_sim_kernel second = log.runtime.kernel();
    second.name = "_Z5otherv.kd";
    log.seen.clear();
    log.runtime.launch([](auto&) {}, {.kernel = &second});  // met at its launch, in an object that is loaded already
    log.runtime.synchronize();
    EXPECT_THAT(log.seen, ElementsAre("device 3 _Z5otherv.kd", "host 3", "device 4 _Z5otherv.kd", "host 4"));
    end_tool();
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

// At finalisation the object is unloaded first, then its symbols, before the tools' finalize (rocprofiler-sdk,
// registration.cpp and code_object.cpp @1b1610fc).
TEST(CodeObjects, AreUnloadedAtFinalisationObjectFirst) {
  const Outcome outcome = isolated([] {
    CodeObjectLog log;
    log.start();
    multipass_sim_kernel second = log.runtime.kernel();
    second.name = "_Z5otherv.kd";
    log.runtime.launch([](auto&) {}, {.kernel = &second});
    log.runtime.synchronize();
    log.seen.clear();
    end_tool();
    EXPECT_THAT(log.seen, ElementsAre("-object 1", "-device 1 _Z4testv.kd", "-host 1", "-device 2 _Z5otherv.kd",
                                      "-host 2", "finalize"));
    log.runtime.launch([](auto&) {}, {.kernel = &second});  // the application goes on, nobody is told
    log.runtime.synchronize();
    EXPECT_EQ(log.seen.size(), 6U);
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

// rocprofiler-sdk 1.0.0: contexts are captured at load; a context that starts later hears nothing of the object.
TEST(CodeObjects, AreUnloadedForTheContextsThatSawThemLoaded) {
  const Outcome outcome = isolated([] {
    CodeObjectLog log;
    rocprofiler_context_id_t early{0};
    rocprofiler_context_id_t late{0};
    std::vector<std::uint64_t> told;
    log.services.tracing = [&](const rocprofiler_callback_tracing_record_t& record, auto&) {
      if (record.operation == ROCPROFILER_CODE_OBJECT_LOAD) told.push_back(record.context_id.handle);
    };
    start_tool(log.runtime,
               {.configure = {},
                .initialize =
                    [&] {
                      early = make_context();
                      late = make_context();
                      for (const auto context : {early, late}) {
                        EXPECT_EQ(log.services.add_tracing(context, ROCPROFILER_CALLBACK_TRACING_CODE_OBJECT), 0);
                      }
                      EXPECT_EQ(rocprofiler_start_context(early), 0);
                    },
                .finalize = {}});
    EXPECT_EQ(rocprofiler_start_context(late), 0);
    EXPECT_EQ(rocprofiler_stop_context(early), 0);
    end_tool();
    EXPECT_THAT(told, ElementsAre(early.handle, early.handle)) << "loaded and unloaded";
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

}  // namespace
}  // namespace sim_sdk_test
