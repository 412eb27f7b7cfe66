// SPDX-License-Identifier: MIT
//
// Counting and replay below the HIP subset: kernels of two streams of one device, and the calls that wait for them.
#include <gtest/gtest.h>
#include <hip/hip_runtime.h>

#include <atomic>
#include <cstdlib>
#include <thread>
#include <vector>

#include "isolated.hpp"
#include "services.hpp"
#include "test_tool.hpp"

namespace sim_sdk_test {
namespace {

std::atomic<int> running{0};
std::atomic<int> most{0};
std::atomic<int> executions{0};

__global__ void meet_others() {
  const int now = ++running;
  int seen = most.load();
  while (now > seen && !most.compare_exchange_weak(seen, now)) {
  }
  std::this_thread::yield();
  ++executions;
  --running;
}

// A tool that counts every dispatch, and replays each `passes` times when that is not 0.
struct HipTool {
  Services services;
  rocprofiler_context_id_t context{0};
  rocprofiler_counter_config_id_t config{0};
  std::atomic<int> records{0};

  void start(rocprofiler_kernel_replay_pass_count_cb_t passes) {
    setenv("ROCPROFILER_REGISTER_FORCE_LOAD", "1", 1);
    services.dispatch = [this](const CountingData&, rocprofiler_counter_config_id_t& choice, auto&) {
      choice = config;
    };
    services.record = [this](const CountingData&, auto*, std::size_t, auto) { ++records; };
    services.replay = [passes](const auto& record, ReplayData& data, auto&) {
      if (record.operation == ROCPROFILER_KERNEL_REPLAY_CONFIG && record.phase == ROCPROFILER_CALLBACK_PHASE_ENTER) {
        data.replay_pass_count = passes;
      }
    };
    register_tool({.configure = {},
                   .initialize =
                       [this, passes] {
                         context = make_context();
                         config = make_config({"SQ_WAVES"});
                         EXPECT_EQ(services.add_counting(context), 0);
                         if (passes != nullptr) {
                           EXPECT_EQ(services.add_replay(context), 0);
                         }
                         EXPECT_EQ(rocprofiler_start_context(context), 0);
                       },
                   .finalize = {}});
  }
};

std::vector<hipStream_t> two_streams() {
  std::vector<hipStream_t> streams(2);
  for (hipStream_t& stream : streams) {
    EXPECT_EQ(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking), hipSuccess);
  }
  return streams;
}

TEST(HipStreams, TenThousandQueuedLaunchesAreCountedOneAtATime) {
  const Outcome outcome = isolated([] {
    HipTool tool;
    tool.start(nullptr);
    const auto streams = two_streams();
    constexpr int kLaunches = 10'000;
    for (int i = 0; i < kLaunches; ++i) {
      hipLaunchKernelGGL(meet_others, dim3(1), dim3(1), 0, streams[static_cast<std::size_t>(i % 2)]);
    }
    EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
    EXPECT_EQ(executions, kLaunches);
    EXPECT_EQ(most, 1);
    EXPECT_EQ(rocprofiler_stop_context(tool.context), 0);
    EXPECT_EQ(tool.records, kLaunches);
    end_tool();
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(HipStreams, WaitForEachOtherWhileKernelsAreSerialised) {
  const Outcome outcome = isolated([] {
    HipTool tool;
    tool.start(nullptr);
    const auto streams = two_streams();
    hipEvent_t event = nullptr;
    EXPECT_EQ(hipEventCreate(&event), hipSuccess);
    for (int i = 0; i < 200; ++i) {
      hipStream_t from = streams[static_cast<std::size_t>(i % 2)];
      hipStream_t to = streams[static_cast<std::size_t>((i + 1) % 2)];
      hipLaunchKernelGGL(meet_others, dim3(1), dim3(1), 0, from);
      EXPECT_EQ(hipEventRecord(event, from), hipSuccess);
      EXPECT_EQ(hipStreamWaitEvent(to, event, 0), hipSuccess);
      hipLaunchKernelGGL(meet_others, dim3(1), dim3(1), 0, to);
      hipLaunchKernelGGL(meet_others, dim3(1), dim3(1), 0, nullptr);  // and the default stream
    }
    EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
    EXPECT_EQ(executions, 600);
    EXPECT_EQ(most, 1);
    end_tool();
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(HipStreams, OfTwoThreadsAreReplayedOneAtATimeWhileAThirdSynchronises) {
  const Outcome outcome = isolated([] {
    HipTool tool;
    tool.start([](rocprofiler_kernel_dispatch_info_t, rocprofiler_user_data_t) -> std::uint64_t { return 3; });
    const auto streams = two_streams();
    constexpr int kLaunches = 50;
    std::atomic<bool> done{false};
    std::vector<std::thread> threads;
    for (hipStream_t stream : streams) {
      threads.emplace_back([stream] {
        for (int i = 0; i < kLaunches; ++i) hipLaunchKernelGGL(meet_others, dim3(1), dim3(1), 0, stream);
      });
    }
    std::thread synchroniser([&] {
      while (!done.load()) EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
    });
    for (std::thread& thread : threads) thread.join();
    done = true;
    synchroniser.join();
    EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
    EXPECT_EQ(executions, 2 * kLaunches * 3);
    EXPECT_EQ(most, 1);
    EXPECT_EQ(rocprofiler_stop_context(tool.context), 0);
    EXPECT_EQ(tool.records, 2 * kLaunches * 3);
    end_tool();
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

}  // namespace
}  // namespace sim_sdk_test
