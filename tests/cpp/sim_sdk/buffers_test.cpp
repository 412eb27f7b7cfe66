// SPDX-License-Identifier: MIT
//
// Buffers, callback threads and the notice of new threads, as run against rocprofiler-sdk 1.0.0.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "isolated.hpp"
#include "services.hpp"
#include "test_tool.hpp"

namespace sim_sdk_test {
namespace {

using testing::ElementsAre;

// Traces kernel dispatches into buffers and notes the thread that delivers each.
struct BufferedTool {
  FakeRuntime runtime;
  std::map<std::uint64_t, pid_t> delivered_on;  // by buffer
  std::function<void(rocprofiler_buffer_id_t)> in_callback;

  // A buffer with a context of its own, for a context traces a kind once.
  rocprofiler_buffer_id_t add_buffer() {
    const auto context = make_context();
    rocprofiler_buffer_id_t buffer{0};
    EXPECT_EQ(
        rocprofiler_create_buffer(context, 4096, 4096, ROCPROFILER_BUFFER_POLICY_LOSSLESS, &deliver, this, &buffer), 0);
    EXPECT_EQ(rocprofiler_configure_buffer_tracing_service(context, ROCPROFILER_BUFFER_TRACING_KERNEL_DISPATCH, nullptr,
                                                           0, buffer),
              0);
    EXPECT_EQ(rocprofiler_start_context(context), 0);
    return buffer;
  }

  void launch_one() {
    runtime.launch([](auto&) {});
    runtime.synchronize();
  }

 private:
  static void deliver(rocprofiler_context_id_t, rocprofiler_buffer_id_t buffer, rocprofiler_record_header_t**,
                      std::size_t, void* data, std::uint64_t) {
    auto& self = *static_cast<BufferedTool*>(data);
    self.delivered_on[buffer.handle] = gettid();
    if (self.in_callback) self.in_callback(buffer);
  }
};

TEST(Buffers, CreateNeedsAHandleOfZeroAndDoesNotLookAtTheContext) {
  const Outcome outcome = isolated([] {
    FakeRuntime runtime;
    start_tool(runtime, {.configure = {},
                         .initialize =
                             [] {
                               rocprofiler_buffer_id_t buffer{0};
                               const auto create = [&] {
                                 return rocprofiler_create_buffer({99}, 64, 64, ROCPROFILER_BUFFER_POLICY_DISCARD,
                                                                  nullptr, nullptr, &buffer);
                               };
                               EXPECT_EQ(create(), 0);
                               EXPECT_EQ(create(), ROCPROFILER_STATUS_ERROR_SERVICE_ALREADY_CONFIGURED);
                             },
                         .finalize = {}});
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(Buffers, ThatDeliverCannotBeDestroyed) {
  const Outcome outcome = isolated([] {
    BufferedTool tool;
    rocprofiler_buffer_id_t buffer{0};
    rocprofiler_status_t inside = ROCPROFILER_STATUS_SUCCESS;
    tool.in_callback = [&](rocprofiler_buffer_id_t id) { inside = rocprofiler_destroy_buffer(id); };
    start_tool(tool.runtime, {.configure = {}, .initialize = [&] { buffer = tool.add_buffer(); }, .finalize = {}});
    tool.launch_one();
    EXPECT_EQ(rocprofiler_flush_buffer(buffer), 0);
    EXPECT_EQ(inside, ROCPROFILER_STATUS_ERROR_BUFFER_BUSY);
    EXPECT_EQ(rocprofiler_destroy_buffer(buffer), 0);
    EXPECT_EQ(rocprofiler_destroy_buffer(buffer), ROCPROFILER_STATUS_ERROR_BUFFER_NOT_FOUND);
    EXPECT_EQ(rocprofiler_flush_buffer(buffer), ROCPROFILER_STATUS_ERROR_BUFFER_NOT_FOUND);
    end_tool();
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(Buffers, WithoutAThreadOfTheirOwnShareOneThatIsNotTheCallers) {
  const Outcome outcome = isolated([] {
    BufferedTool tool;
    rocprofiler_buffer_id_t first{0};
    rocprofiler_buffer_id_t second{0};
    rocprofiler_buffer_id_t own{0};
    start_tool(tool.runtime, {.configure = {},
                              .initialize =
                                  [&] {
                                    rocprofiler_callback_thread_t thread{0};  // before the first buffer exists
                                    EXPECT_EQ(rocprofiler_create_callback_thread(&thread), 0);
                                    first = tool.add_buffer();
                                    second = tool.add_buffer();
                                    own = tool.add_buffer();
                                    EXPECT_EQ(rocprofiler_assign_callback_thread(own, thread), 0);
                                  },
                              .finalize = {}});
    tool.launch_one();
    for (const auto buffer : {first, second, own}) EXPECT_EQ(rocprofiler_flush_buffer(buffer), 0);
    EXPECT_NE(tool.delivered_on[first.handle], gettid());
    EXPECT_EQ(tool.delivered_on[first.handle], tool.delivered_on[second.handle]);
    EXPECT_NE(tool.delivered_on[own.handle], tool.delivered_on[first.handle]);
    EXPECT_NE(tool.delivered_on[own.handle], gettid());
    end_tool();
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

// Inside finalize flush_buffer works, on a thread of the library, and destroy_buffer answers 0.
TEST(Buffers, CanBeFlushedAndDestroyedInsideFinalize) {
  const Outcome outcome = isolated([] {
    BufferedTool tool;
    rocprofiler_buffer_id_t buffer{0};
    start_tool(tool.runtime, {.configure = {},
                              .initialize = [&] { buffer = tool.add_buffer(); },
                              .finalize =
                                  [&] {
                                    EXPECT_TRUE(tool.delivered_on.empty());
                                    EXPECT_EQ(rocprofiler_flush_buffer(buffer), 0);
                                    EXPECT_EQ(tool.delivered_on.count(buffer.handle), 1U);
                                    EXPECT_NE(tool.delivered_on[buffer.handle], gettid());
                                    EXPECT_EQ(rocprofiler_destroy_buffer(buffer), 0);
                                  }});
    tool.launch_one();
    end_tool();
    EXPECT_EQ(rocprofiler_flush_buffer(buffer), ROCPROFILER_STATUS_ERROR_FINALIZED);
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(Threads, AssignKnowsItsBuffersAndThreads) {
  const Outcome outcome = isolated([] {
    BufferedTool tool;
    start_tool(tool.runtime, {.configure = {},
                              .initialize =
                                  [&] {
                                    const auto buffer = tool.add_buffer();
                                    rocprofiler_callback_thread_t thread{0};
                                    EXPECT_EQ(rocprofiler_create_callback_thread(&thread), 0);
                                    EXPECT_EQ(rocprofiler_assign_callback_thread({99}, thread),
                                              ROCPROFILER_STATUS_ERROR_BUFFER_NOT_FOUND);
                                    EXPECT_EQ(rocprofiler_assign_callback_thread(buffer, {77}),
                                              ROCPROFILER_STATUS_ERROR_THREAD_NOT_FOUND);
                                    EXPECT_EQ(rocprofiler_assign_callback_thread(buffer, thread), 0);
                                  },
                              .finalize = {}});
    end_tool();
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

// at_internal_thread_create: both callbacks on the creating thread, around create_callback_thread, the first
// create_buffer and the start of a counting context.
TEST(Threads, NoticesComeAroundEachThreadOfTheLibrary) {
  const Outcome outcome = isolated([] {
    BufferedTool tool;
    Services services;
    std::vector<std::string> seen;
    struct Notice {
      std::vector<std::string>* seen;
      pid_t creator;
    } notice{&seen, gettid()};
    const auto before = [](rocprofiler_runtime_library_t library, void* data) {
      auto& self = *static_cast<Notice*>(data);
      EXPECT_EQ(library, ROCPROFILER_LIBRARY);
      EXPECT_EQ(gettid(), self.creator);
      self.seen->emplace_back("before");
    };
    const auto after = [](rocprofiler_runtime_library_t, void* data) {
      auto& self = *static_cast<Notice*>(data);
      EXPECT_EQ(gettid(), self.creator);
      self.seen->emplace_back("after");
    };
    start_tool(tool.runtime,
               {.configure =
                    [&] {
                      const int others = ROCPROFILER_HSA_LIBRARY | ROCPROFILER_HIP_LIBRARY;
                      EXPECT_EQ(rocprofiler_at_internal_thread_create(before, after, others, nullptr), 0);
                      EXPECT_EQ(rocprofiler_at_internal_thread_create(before, after, ROCPROFILER_LIBRARY, &notice), 0);
                      EXPECT_EQ(rocprofiler_at_internal_thread_create(nullptr, nullptr, ROCPROFILER_LIBRARY, nullptr),
                                0);
                    },
                .initialize =
                    [&] {
                      rocprofiler_callback_thread_t thread{0};
                      EXPECT_EQ(rocprofiler_create_callback_thread(&thread), 0);
                      seen.emplace_back("thread made");
                      static_cast<void>(tool.add_buffer());
                      seen.emplace_back("buffer made");
                      static_cast<void>(tool.add_buffer());
                      seen.emplace_back("second buffer made");
                      const auto context = make_context();
                      EXPECT_EQ(services.add_counting(context), 0);
                      EXPECT_EQ(rocprofiler_start_context(context), 0);
                      seen.emplace_back("counting");
                    },
                .finalize = {}});
    EXPECT_THAT(seen, ElementsAre("before", "after", "thread made", "before", "after", "buffer made",
                                  "second buffer made", "before", "after", "counting"));
    end_tool();
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

}  // namespace
}  // namespace sim_sdk_test
