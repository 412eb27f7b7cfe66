// SPDX-License-Identifier: MIT
//
// Names of tracing kinds, operations and requests; identity and time; what is exported. As run against rocprofiler-sdk
// 1.0.0, with the kinds of 1.4.1.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "sdk/abi/rocprofiler.h"

namespace sim_sdk_test {
namespace {

constexpr auto kDispatch = ROCPROFILER_BUFFER_TRACING_KERNEL_DISPATCH;

struct Named {
  int status;
  std::string name;  // "(null)" for NULL
  std::uint64_t length;
};

template <typename Query, typename... Arguments>
Named ask(Query query, Arguments... arguments) {
  const char* name = "untouched";
  std::uint64_t length = 999;
  const int status = query(arguments..., &name, &length);
  return {status, name == nullptr ? "(null)" : name, length};
}

TEST(BufferKinds, AreNamedFromNoneToTheLast) {
  std::vector<std::string> kinds;
  EXPECT_EQ(rocprofiler_iterate_buffer_tracing_kinds(
                [](rocprofiler_buffer_tracing_kind_t kind, void* data) {
                  const Named named = ask(&rocprofiler_query_buffer_tracing_kind_name, kind);
                  EXPECT_EQ(named.status, 0);
                  EXPECT_EQ(named.length, named.name.size());
                  static_cast<std::vector<std::string>*>(data)->push_back(named.name);
                  return 0;
                },
                &kinds),
            0);
  ASSERT_EQ(kinds.size(), 39U);
  EXPECT_EQ(kinds[0], "NONE");
  EXPECT_EQ(kinds[11], "KERNEL_DISPATCH");
  EXPECT_EQ(kinds[38], "HIP_EVENT");
}

TEST(BufferKinds, UnknownOnesAreNullWithStatus4) {
  const Named named = ask(&rocprofiler_query_buffer_tracing_kind_name, ROCPROFILER_BUFFER_TRACING_LAST);
  EXPECT_EQ(named.status, ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND);
  EXPECT_EQ(named.name, "(null)");
  EXPECT_EQ(named.length, 0U);
}

TEST(BufferKinds, OperationsCarryTheDomain) {
  const auto operation = [](rocprofiler_buffer_tracing_kind_t kind, int number) {
    return ask(&rocprofiler_query_buffer_tracing_kind_operation_name, kind, number);
  };
  EXPECT_EQ(operation(kDispatch, 2).name, "KERNEL_DISPATCH_COMPLETE");
  EXPECT_EQ(operation(kDispatch, 0).name, "KERNEL_DISPATCH_NONE");
  const Named unknown = operation(kDispatch, 3);
  EXPECT_EQ(unknown.status, ROCPROFILER_STATUS_ERROR_OPERATION_NOT_FOUND);
  EXPECT_EQ(unknown.name, "(null)");
  EXPECT_EQ(unknown.length, 0U);
  EXPECT_EQ(operation(ROCPROFILER_BUFFER_TRACING_LAST, 0).status, ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND);
  EXPECT_EQ(operation(ROCPROFILER_BUFFER_TRACING_NONE, 0).status, ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT);
}

TEST(BufferKinds, OperationsAreIteratedFrom0) {
  std::vector<int> operations;
  const auto collect = [](rocprofiler_buffer_tracing_kind_t, rocprofiler_tracing_operation_t operation, void* data) {
    static_cast<std::vector<int>*>(data)->push_back(operation);
    return 0;
  };
  EXPECT_EQ(rocprofiler_iterate_buffer_tracing_kind_operations(kDispatch, collect, &operations), 0);
  EXPECT_THAT(operations, testing::ElementsAre(0, 1, 2));
  operations.clear();
  EXPECT_EQ(rocprofiler_iterate_buffer_tracing_kind_operations(ROCPROFILER_BUFFER_TRACING_LAST, collect, &operations),
            0);
  EXPECT_TRUE(operations.empty()) << "an unknown kind: 0 without a call";
  EXPECT_EQ(rocprofiler_iterate_buffer_tracing_kind_operations(ROCPROFILER_BUFFER_TRACING_NONE, collect, &operations),
            ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT);
}

TEST(Iteration, EndsAtAnAnswerOtherThan0) {
  int calls = 0;
  const auto stop_at_third = [](auto, void* data) { return ++*static_cast<int*>(data) == 3 ? 7 : 0; };
  EXPECT_EQ(rocprofiler_iterate_callback_tracing_kinds(stop_at_third, &calls), 0);
  EXPECT_EQ(calls, 3);
  calls = 0;
  EXPECT_EQ(rocprofiler_iterate_buffer_tracing_kinds(stop_at_third, &calls), 0);
  EXPECT_EQ(calls, 3);
  calls = 0;
  const auto stop_at_second = [](auto, auto, void* data) { return ++*static_cast<int*>(data) == 2 ? 1 : 0; };
  EXPECT_EQ(rocprofiler_iterate_callback_tracing_kind_operations(ROCPROFILER_CALLBACK_TRACING_CODE_OBJECT,
                                                                 stop_at_second, &calls),
            0);
  EXPECT_EQ(calls, 2);
  calls = 0;
  EXPECT_EQ(rocprofiler_iterate_buffer_tracing_kind_operations(kDispatch, stop_at_second, &calls), 0);
  EXPECT_EQ(calls, 2);
}

// rocprofiler-sdk hsa/amd_ext_api_id.h and hip/runtime_api_id.h @1b1610fc.
TEST(CallKinds, OperationsAreTheFunctionsByTheirNumbers) {
  const auto operation = [](rocprofiler_callback_tracing_kind_t kind, int number) {
    return ask(&rocprofiler_query_callback_tracing_kind_operation_name, kind, number).name;
  };
  const auto count = [](rocprofiler_callback_tracing_kind_t kind) {
    int operations = 0;
    EXPECT_EQ(rocprofiler_iterate_callback_tracing_kind_operations(
                  kind, [](auto, auto, void* data) { return ++*static_cast<int*>(data) < 0 ? 1 : 0; }, &operations),
              0);
    return operations;
  };
  EXPECT_EQ(operation(ROCPROFILER_CALLBACK_TRACING_HSA_AMD_EXT_API, 0), "hsa_amd_coherency_get_type");
  EXPECT_EQ(operation(ROCPROFILER_CALLBACK_TRACING_HSA_AMD_EXT_API, 13), "hsa_amd_memory_pool_allocate");
  EXPECT_EQ(operation(ROCPROFILER_CALLBACK_TRACING_HSA_AMD_EXT_API, 57), "hsa_amd_vmem_handle_create");
  EXPECT_EQ(operation(ROCPROFILER_CALLBACK_TRACING_HSA_AMD_EXT_API, 73), "hsa_amd_portable_export_dmabuf_v2");
  EXPECT_EQ(count(ROCPROFILER_CALLBACK_TRACING_HSA_AMD_EXT_API), 74);
  EXPECT_EQ(operation(ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API, 90), "hipFree");
  EXPECT_EQ(operation(ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API, 222), "hipMallocManaged");
  EXPECT_EQ(operation(ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API, 476), "hipMemGetHandleForAddressRange");
  EXPECT_EQ(count(ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API), 477);
  EXPECT_EQ(operation(ROCPROFILER_CALLBACK_TRACING_MEMORY_COPY, 2), "MEMORY_COPY_HOST_TO_DEVICE");
  EXPECT_EQ(operation(ROCPROFILER_CALLBACK_TRACING_MEMORY_ALLOCATION, 4), "MEMORY_ALLOCATION_VMEM_FREE");
}

TEST(RequestKinds, HaveNames) {
  const auto name = [](int kind) {
    return ask(&rocprofiler_query_external_correlation_id_request_kind_name,
               static_cast<rocprofiler_external_correlation_id_request_kind_t>(kind));
  };
  EXPECT_EQ(name(11).name, "KERNEL_DISPATCH");
  EXPECT_EQ(name(11).length, std::strlen("KERNEL_DISPATCH"));
  EXPECT_EQ(name(ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_LAST).status, ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND);
}

TEST(StatusNames, AreThereForEachCodeAndNotBeyond) {
  for (int code = 0; code < ROCPROFILER_STATUS_LAST; ++code) {
    const auto status = static_cast<rocprofiler_status_t>(code);
    ASSERT_NE(rocprofiler_get_status_name(status), nullptr) << code;
    EXPECT_THAT(rocprofiler_get_status_name(status), testing::StartsWith("ROCPROFILER_STATUS_")) << code;
    ASSERT_NE(rocprofiler_get_status_string(status), nullptr) << code;
  }
  EXPECT_EQ(rocprofiler_get_status_name(static_cast<rocprofiler_status_t>(-1)), nullptr);
  EXPECT_EQ(rocprofiler_get_status_string(ROCPROFILER_STATUS_LAST), nullptr);
}

TEST(Identity, ThreadIdIsGettid) {
  rocprofiler_thread_id_t thread = 0;
  EXPECT_EQ(rocprofiler_get_thread_id(&thread), 0);
  EXPECT_EQ(thread, static_cast<std::uint64_t>(gettid()));
}

TEST(Identity, TimestampIsBootTimeInNanoseconds) {
  const auto boot_time = [] {
    timespec time{};
    clock_gettime(CLOCK_BOOTTIME, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(time.tv_nsec);
  };
  const std::uint64_t before = boot_time();
  rocprofiler_timestamp_t now = 0;
  EXPECT_EQ(rocprofiler_get_timestamp(&now), 0);
  EXPECT_LE(before, now);
  EXPECT_LE(now, boot_time());
}

TEST(Identity, GetVersionTakesNullForWhatIsNotWanted) {
  EXPECT_EQ(rocprofiler_get_version(nullptr, nullptr, nullptr), 0);
  std::uint32_t minor = 0;
  EXPECT_EQ(rocprofiler_get_version(nullptr, &minor, nullptr), 0);
  EXPECT_EQ(minor, 4U);
}

// create_counter is declared and not exported by 1.0.0; the profile_config functions are inline in a header.
TEST(Exports, AreThoseOfTheLibrary) {
  const auto exported = [](const char* name) { return dlsym(RTLD_DEFAULT, name) != nullptr; };
  EXPECT_TRUE(exported("rocprofiler_create_counter_config"));
  EXPECT_TRUE(exported("rocprofiler_load_counter_definition"));
  EXPECT_TRUE(exported("rocprofiler_dispatch_counting_service_set_agents"));
  EXPECT_FALSE(exported("rocprofiler_create_counter"));
  EXPECT_FALSE(exported("rocprofiler_create_profile_config"));
  EXPECT_FALSE(exported("rocprofiler_destroy_profile_config"));
}

}  // namespace
}  // namespace sim_sdk_test
