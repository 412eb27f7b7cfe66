// SPDX-License-Identifier: MIT
//
// External correlation ids: the stacks and the request service, as run against rocprofiler-sdk 1.0.0.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "isolated.hpp"
#include "services.hpp"
#include "test_tool.hpp"

namespace sim_sdk_test {
namespace {

using testing::ElementsAre;

std::uint64_t this_thread() {
  return static_cast<std::uint64_t>(gettid());
}

// A tool whose counting callback writes down the external id of each dispatch.
struct CorrelationFixture {
  FakeRuntime runtime;
  Services services;
  rocprofiler_context_id_t context{0};
  std::vector<std::uint64_t> external;

  void start(const std::function<void()>& more = {}) {
    services.dispatch = [this](const CountingData& data, auto&, auto&) {
      external.push_back(data.correlation_id.external.value);
    };
    start_tool(runtime, {.configure = {},
                         .initialize =
                             [this, more] {
                               context = make_context();
                               EXPECT_EQ(services.add_counting(context), 0);
                               if (more) more();
                               EXPECT_EQ(rocprofiler_start_context(context), 0);
                             },
                         .finalize = {}});
  }
  void launch() {
    runtime.launch([](auto&) {});
    runtime.synchronize();
  }
  [[nodiscard]] std::uint64_t pop(rocprofiler_context_id_t of) const {
    rocprofiler_user_data_t value{99};
    EXPECT_EQ(rocprofiler_pop_external_correlation_id(of, this_thread(), &value), 0);
    return value.value;
  }
};

TEST(Correlation, AsksTheToolOncePerSubmission) {
  const Outcome outcome = isolated([] {
    FakeRuntime runtime;
    Services services;
    static std::uint64_t asked = 0;
    std::vector<std::uint64_t> external;
    services.dispatch = [&](const CountingData& data, auto&, auto&) {
      external.push_back(data.correlation_id.external.value);
    };
    start_tool(
        runtime,
        {.configure = {},
         .initialize =
             [&] {
               const auto context = make_context();
               EXPECT_EQ(services.add_counting(context), 0);
               const auto ask = [](auto, auto, rocprofiler_external_correlation_id_request_kind_t kind, auto, auto,
                                   rocprofiler_user_data_t* out, auto) {
                 EXPECT_EQ(kind, ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_KERNEL_DISPATCH);
                 out->value = 100 + ++asked;
                 return 0;
               };
               EXPECT_EQ(
                   rocprofiler_configure_external_correlation_id_request_service(context, nullptr, 0, ask, nullptr), 0);
               EXPECT_EQ(
                   rocprofiler_configure_external_correlation_id_request_service(context, nullptr, 0, ask, nullptr),
                   ROCPROFILER_STATUS_ERROR_SERVICE_ALREADY_CONFIGURED);
               rocprofiler_user_data_t top{9};
               EXPECT_EQ(rocprofiler_pop_external_correlation_id(context, static_cast<std::uint64_t>(gettid()), &top),
                         0);
               EXPECT_EQ(top.value, 0U) << "an empty stack";
               EXPECT_EQ(rocprofiler_start_context(context), 0);
             },
         .finalize = {}});
    runtime.launch([](auto&) {});
    runtime.launch([](auto&) {});
    runtime.synchronize();
    EXPECT_THAT(external, ElementsAre(101U, 102U));
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(Correlation, StacksAreLastInFirstOutAndAnEmptyOneGives0) {
  const Outcome outcome = isolated([] {
    CorrelationFixture fixture;
    fixture.start();
    EXPECT_EQ(rocprofiler_push_external_correlation_id(fixture.context, this_thread(), {1}), 0);
    EXPECT_EQ(rocprofiler_push_external_correlation_id(fixture.context, this_thread(), {2}), 0);
    fixture.launch();
    EXPECT_EQ(fixture.pop(fixture.context), 2U);
    fixture.launch();
    EXPECT_EQ(fixture.pop(fixture.context), 1U);
    EXPECT_EQ(fixture.pop(fixture.context), 0U);
    fixture.launch();
    EXPECT_THAT(fixture.external, ElementsAre(2U, 1U, 0U));
    end_tool();
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(Correlation, StacksBelongToAContextAndAThread) {
  const Outcome outcome = isolated([] {
    CorrelationFixture fixture;
    rocprofiler_context_id_t other{0};
    fixture.start([&] { other = make_context(); });
    EXPECT_EQ(rocprofiler_push_external_correlation_id(other, this_thread(), {1}), 0);
    EXPECT_EQ(rocprofiler_push_external_correlation_id(fixture.context, this_thread() + 1, {2}), 0);
    fixture.launch();
    EXPECT_THAT(fixture.external, ElementsAre(0U));
    EXPECT_EQ(fixture.pop(other), 1U);
    end_tool();
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(Correlation, StacksCheckContextAndThread) {
  const Outcome outcome = isolated([] {
    CorrelationFixture fixture;
    fixture.start();
    EXPECT_EQ(rocprofiler_push_external_correlation_id({77}, this_thread(), {1}),
              ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND);
    rocprofiler_user_data_t value{0};
    EXPECT_EQ(rocprofiler_pop_external_correlation_id({77}, this_thread(), &value),
              ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND);
    const auto below = static_cast<std::uint64_t>(getpid()) - 1;
    EXPECT_EQ(rocprofiler_push_external_correlation_id(fixture.context, below, {1}),
              ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT)
        << "no thread of this process";
    end_tool();
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(Correlation, RequestServiceNeedsAContext) {
  const Outcome outcome = isolated([] {
    CorrelationFixture fixture;
    fixture.start();
    EXPECT_EQ(rocprofiler_configure_external_correlation_id_request_service({77}, nullptr, 0, nullptr, nullptr),
              ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND);
    end_tool();
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(Correlation, ARefusedRequestFallsBackToTheStack) {
  const Outcome outcome = isolated([] {
    CorrelationFixture fixture;
    fixture.start([&] {
      const auto refuse = [](auto, auto, auto, auto, auto, rocprofiler_user_data_t* out, auto) {
        out->value = 66;
        return 1;
      };
      EXPECT_EQ(
          rocprofiler_configure_external_correlation_id_request_service(fixture.context, nullptr, 0, refuse, nullptr),
          0);
    });
    EXPECT_EQ(rocprofiler_push_external_correlation_id(fixture.context, this_thread(), {5}), 0);
    fixture.launch();
    EXPECT_THAT(fixture.external, ElementsAre(5U));
    end_tool();
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(Correlation, AListOfKindsRestrictsTheRequests) {
  const Outcome outcome = isolated([] {
    CorrelationFixture fixture;
    fixture.start([&] {
      const auto answer = [](auto, auto, auto, auto, auto, rocprofiler_user_data_t* out, auto) {
        out->value = 66;
        return 0;
      };
      const auto another = static_cast<rocprofiler_external_correlation_id_request_kind_t>(1);
      EXPECT_EQ(
          rocprofiler_configure_external_correlation_id_request_service(fixture.context, &another, 1, answer, nullptr),
          0);
    });
    fixture.launch();
    EXPECT_THAT(fixture.external, ElementsAre(0U));
    end_tool();
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

}  // namespace
}  // namespace sim_sdk_test
