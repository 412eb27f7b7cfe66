// SPDX-License-Identifier: MIT
//
// Kernel-dispatch tracing, by callback and into buffers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "isolated.hpp"
#include "services.hpp"
#include "test_tool.hpp"

namespace sim_sdk_test {
namespace {

using testing::ElementsAre;

TEST(DispatchTracing, CarriesUserDataFromEnqueueToComplete) {
  const Outcome outcome = isolated([] {
    FakeRuntime runtime;
    Services services;
    std::vector<std::string> seen;
    const pid_t main_thread = gettid();
    services.tracing = [&](const rocprofiler_callback_tracing_record_t& record, rocprofiler_user_data_t& user_data) {
      const auto& data = *static_cast<rocprofiler_callback_tracing_kernel_dispatch_data_t*>(record.payload);
      EXPECT_EQ(data.size, 152U);
      EXPECT_EQ(record.thread_id, static_cast<std::uint64_t>(main_thread));
      EXPECT_EQ(record.correlation_id.external.value, 31U);
      const bool complete = record.operation == ROCPROFILER_KERNEL_DISPATCH_COMPLETE;
      EXPECT_EQ(gettid() == main_thread, !complete);
      EXPECT_EQ(data.start_timestamp != 0, complete);
      EXPECT_EQ(data.start_timestamp < data.end_timestamp, complete);
      seen.push_back(std::to_string(record.operation) + "/" + std::to_string(record.phase) + " " +
                     std::to_string(user_data.value));
      if (record.phase == ROCPROFILER_CALLBACK_PHASE_ENTER) user_data.value = data.dispatch_info.dispatch_id + 50;
    };
    start_tool(runtime,
               {.configure = {},
                .initialize =
                    [&] {
                      const auto context = make_context();
                      EXPECT_EQ(services.add_tracing(context, ROCPROFILER_CALLBACK_TRACING_KERNEL_DISPATCH), 0);
                      EXPECT_EQ(rocprofiler_start_context(context), 0);
                      rocprofiler_thread_id_t thread = 0;
                      EXPECT_EQ(rocprofiler_get_thread_id(&thread), 0);
                      EXPECT_EQ(rocprofiler_push_external_correlation_id(context, thread, {31}), 0);
                      EXPECT_EQ(rocprofiler_push_external_correlation_id(context, 1, {31}),
                                getpid() > 1 ? ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT : ROCPROFILER_STATUS_SUCCESS);
                    },
                .finalize = {}});
    runtime.launch([](auto&) {});
    runtime.synchronize();
    EXPECT_THAT(seen, ElementsAre("1/1 0", "1/2 51", "2/0 51"));
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

struct BufferedRecords {
  std::vector<rocprofiler_buffer_tracing_kernel_dispatch_record_t> records;
  std::uint64_t dropped = 0;
  std::size_t calls = 0;
  pid_t thread = 0;
};

void collect(rocprofiler_context_id_t, rocprofiler_buffer_id_t, rocprofiler_record_header_t** headers,
             std::size_t count, void* data, std::uint64_t dropped) {
  auto& into = *static_cast<BufferedRecords*>(data);
  for (std::size_t i = 0; i < count; ++i) {
    EXPECT_EQ(headers[i]->category, ROCPROFILER_BUFFER_CATEGORY_TRACING);
    EXPECT_EQ(headers[i]->kind, ROCPROFILER_BUFFER_TRACING_KERNEL_DISPATCH);
    into.records.push_back(*static_cast<rocprofiler_buffer_tracing_kernel_dispatch_record_t*>(headers[i]->payload));
  }
  into.dropped += dropped;
  into.thread = gettid();
  ++into.calls;
}

// Three dispatches into a buffer of this size and policy, flushed at the end.
void buffer_three(std::size_t size, std::size_t watermark, rocprofiler_buffer_policy_t policy, BufferedRecords& into) {
  FakeRuntime runtime;
  rocprofiler_buffer_id_t buffer{0};
  start_tool(
      runtime,
      {.configure = {},
       .initialize =
           [&] {
             const auto context = make_context();
             EXPECT_EQ(rocprofiler_create_buffer(context, size, watermark, policy, &collect, &into, &buffer), 0);
             EXPECT_EQ(rocprofiler_create_buffer(context, size, watermark, policy, &collect, &into, &buffer),
                       ROCPROFILER_STATUS_ERROR_SERVICE_ALREADY_CONFIGURED);
             const auto kind = ROCPROFILER_BUFFER_TRACING_KERNEL_DISPATCH;
             EXPECT_EQ(rocprofiler_configure_buffer_tracing_service(context, kind, nullptr, 0, {99}),
                       ROCPROFILER_STATUS_ERROR_BUFFER_NOT_FOUND);
             EXPECT_EQ(rocprofiler_configure_buffer_tracing_service(context, kind, nullptr, 0, buffer), 0);
             EXPECT_EQ(rocprofiler_configure_buffer_tracing_service(context, kind, nullptr, 0, buffer),
                       ROCPROFILER_STATUS_ERROR_SERVICE_ALREADY_CONFIGURED);
             rocprofiler_callback_thread_t thread{0};
             EXPECT_EQ(rocprofiler_create_callback_thread(&thread), 0);
             EXPECT_EQ(rocprofiler_assign_callback_thread(buffer, {77}), ROCPROFILER_STATUS_ERROR_THREAD_NOT_FOUND);
             EXPECT_EQ(rocprofiler_assign_callback_thread({99}, thread), ROCPROFILER_STATUS_ERROR_BUFFER_NOT_FOUND);
             EXPECT_EQ(rocprofiler_assign_callback_thread(buffer, thread), 0);
             EXPECT_EQ(rocprofiler_start_context(context), 0);
           },
       .finalize = {}});
  for (int i = 0; i < 3; ++i) runtime.launch([](auto&) {});
  runtime.synchronize();
  EXPECT_EQ(rocprofiler_flush_buffer(buffer), 0);
  EXPECT_EQ(rocprofiler_flush_buffer({99}), ROCPROFILER_STATUS_ERROR_BUFFER_NOT_FOUND);
  EXPECT_EQ(rocprofiler_destroy_buffer(buffer), 0);
  EXPECT_EQ(rocprofiler_destroy_buffer(buffer), ROCPROFILER_STATUS_ERROR_BUFFER_NOT_FOUND);
}

TEST(Buffers, KeepRecordsUntilTheyAreFlushed) {
  const Outcome outcome = isolated([] {
    BufferedRecords got;
    buffer_three(4096, 4096, ROCPROFILER_BUFFER_POLICY_LOSSLESS, got);
    EXPECT_EQ(got.calls, 1U);
    EXPECT_NE(got.thread, gettid());
    ASSERT_EQ(got.records.size(), 3U);
    for (std::uint64_t i = 0; i < 3; ++i) {
      EXPECT_EQ(got.records[i].size, 184U);
      EXPECT_EQ(got.records[i].operation, ROCPROFILER_KERNEL_DISPATCH_COMPLETE);
      EXPECT_EQ(got.records[i].dispatch_info.dispatch_id, i + 1);
      EXPECT_LT(got.records[i].start_timestamp, got.records[i].end_timestamp);
    }
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(Buffers, DeliverEveryRecordWithAWatermarkOfZero) {
  const Outcome outcome = isolated([] {
    BufferedRecords got;
    buffer_three(4096, 0, ROCPROFILER_BUFFER_POLICY_LOSSLESS, got);
    EXPECT_EQ(got.calls, 3U);
    EXPECT_EQ(got.records.size(), 3U);
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(Buffers, CountWhatAFullOneDiscards) {
  const Outcome outcome = isolated([] {
    BufferedRecords got;
    buffer_three(200, 200, ROCPROFILER_BUFFER_POLICY_DISCARD, got);  // room for one record of 184 bytes
    EXPECT_EQ(got.records.size(), 1U);
    EXPECT_EQ(got.dropped, 2U);
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(Buffers, LoseNothingWhenLossless) {
  const Outcome outcome = isolated([] {
    BufferedRecords got;
    buffer_three(200, 200, ROCPROFILER_BUFFER_POLICY_LOSSLESS, got);
    EXPECT_EQ(got.records.size(), 3U);
    EXPECT_EQ(got.dropped, 0U);
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

}  // namespace
}  // namespace sim_sdk_test
