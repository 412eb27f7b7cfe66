// SPDX-License-Identifier: MIT
//
// Launches return at once; a stream keeps its order; streams run side by side unless the default stream orders them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "hip/hip_runtime.h"
#include "sim_environment.hpp"

namespace {

using multipass_sim::DeviceArray;
using multipass_sim::Gate;
using ::testing::ElementsAre;

// A stream for one test.
class StreamOwner final {
 public:
  explicit StreamOwner(unsigned flags = hipStreamDefault) {
    EXPECT_EQ(hipStreamCreateWithFlags(&stream_, flags), hipSuccess);
  }
  ~StreamOwner() { EXPECT_EQ(hipStreamDestroy(stream_), hipSuccess); }
  StreamOwner(const StreamOwner&) = delete;
  StreamOwner& operator=(const StreamOwner&) = delete;
  [[nodiscard]] hipStream_t get() const noexcept { return stream_; }

 private:
  hipStream_t stream_ = nullptr;
};

__global__ void wait_for(const Gate* gate) {
  gate->wait();
}

__global__ void open_gate(Gate* gate) {
  gate->open();
}

__global__ void add_one(int* value) {
  *value += 1;
}

__global__ void times_ten_plus(int* value, int digit) {
  *value = *value * 10 + digit;
}

TEST(Streams, ALaunchReturnsBeforeTheKernelHasRun) {
  Gate gate;
  const StreamOwner stream;
  hipLaunchKernelGGL(wait_for, dim3(1), dim3(1), 0, stream.get(), &gate);
  static_cast<void>(hipGetLastError());
  EXPECT_EQ(hipStreamQuery(stream.get()), hipErrorNotReady);
  EXPECT_EQ(hipPeekAtLastError(), hipSuccess);
  gate.open();
  EXPECT_EQ(hipStreamSynchronize(stream.get()), hipSuccess);
  EXPECT_EQ(hipStreamQuery(stream.get()), hipSuccess);
}

TEST(Streams, KernelsCopiesAndHostFunctionsOfAStreamRunInOrder) {
  const DeviceArray<int> value(std::vector<int>{0});
  const StreamOwner stream;
  Gate gate;
  int seen = 0;
  int after = 0;
  hipLaunchKernelGGL(wait_for, dim3(1), dim3(1), 0, stream.get(), &gate);
  for (int digit = 1; digit <= 4; ++digit) {
    hipLaunchKernelGGL(times_ten_plus, dim3(1), dim3(1), 0, stream.get(), value.get(), digit);
  }
  ASSERT_EQ(hipMemcpyAsync(&seen, value.get(), sizeof(seen), hipMemcpyDeviceToHost, stream.get()), hipSuccess);
  ASSERT_EQ(hipMemsetAsync(value.get(), 0, sizeof(int), stream.get()), hipSuccess);
  struct Pair {
    int* from;
    int* to;
  } pair{value.get(), &after};
  const auto copy_on_host = [](void* data) { *static_cast<Pair*>(data)->to = *static_cast<Pair*>(data)->from + 5; };
  ASSERT_EQ(hipLaunchHostFunc(stream.get(), copy_on_host, &pair), hipSuccess);
  gate.open();
  ASSERT_EQ(hipStreamSynchronize(stream.get()), hipSuccess);
  EXPECT_EQ(seen, 1234);
  EXPECT_EQ(after, 5);
}

TEST(Streams, NonBlockingStreamsRunSideBySideWithTheDefaultStream) {
  Gate gate;
  const StreamOwner stream(hipStreamNonBlocking);
  hipLaunchKernelGGL(wait_for, dim3(1), dim3(1), 0, nullptr, &gate);
  hipLaunchKernelGGL(open_gate, dim3(1), dim3(1), 0, stream.get(), &gate);
  EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
}

TEST(Streams, BlockingStreamsRunSideBySideWithOneAnother) {
  Gate gate;
  const StreamOwner first;
  const StreamOwner second;
  hipLaunchKernelGGL(wait_for, dim3(1), dim3(1), 0, first.get(), &gate);
  hipLaunchKernelGGL(open_gate, dim3(1), dim3(1), 0, second.get(), &gate);
  EXPECT_EQ(hipStreamSynchronize(first.get()), hipSuccess);
}

TEST(Streams, TheDefaultStreamWaitsForBlockingStreamsAndTheyForIt) {
  const DeviceArray<int> value(std::vector<int>{0});
  const StreamOwner stream;
  Gate gate;
  hipLaunchKernelGGL(wait_for, dim3(1), dim3(1), 0, stream.get(), &gate);
  hipLaunchKernelGGL(times_ten_plus, dim3(1), dim3(1), 0, stream.get(), value.get(), 1);
  hipLaunchKernelGGL(times_ten_plus, dim3(1), dim3(1), 0, nullptr, value.get(), 2);
  hipLaunchKernelGGL(times_ten_plus, dim3(1), dim3(1), 0, stream.get(), value.get(), 3);
  EXPECT_EQ(hipStreamQuery(nullptr), hipErrorNotReady);
  gate.open();
  ASSERT_EQ(hipDeviceSynchronize(), hipSuccess);
  EXPECT_THAT(value.to_host(), ElementsAre(123));
}

TEST(Streams, AStreamWaitsForAnEventOfAnother) {
  const DeviceArray<int> value(std::vector<int>{0});
  const StreamOwner first(hipStreamNonBlocking);
  const StreamOwner second(hipStreamNonBlocking);
  Gate gate;
  hipEvent_t event = nullptr;
  ASSERT_EQ(hipEventCreateWithFlags(&event, hipEventDisableTiming), hipSuccess);
  hipLaunchKernelGGL(wait_for, dim3(1), dim3(1), 0, first.get(), &gate);
  hipLaunchKernelGGL(times_ten_plus, dim3(1), dim3(1), 0, first.get(), value.get(), 1);
  ASSERT_EQ(hipEventRecord(event, first.get()), hipSuccess);
  ASSERT_EQ(hipStreamWaitEvent(second.get(), event, 0), hipSuccess);
  hipLaunchKernelGGL(times_ten_plus, dim3(1), dim3(1), 0, second.get(), value.get(), 2);
  EXPECT_EQ(hipEventQuery(event), hipErrorNotReady);
  gate.open();
  ASSERT_EQ(hipStreamSynchronize(second.get()), hipSuccess);
  EXPECT_EQ(hipEventQuery(event), hipSuccess);
  ASSERT_EQ(hipEventDestroy(event), hipSuccess);
  EXPECT_THAT(value.to_host(), ElementsAre(12));
}

TEST(Streams, DestroyingAStreamCompletesItsWork) {
  const DeviceArray<int> value(std::vector<int>{0});
  hipStream_t stream = nullptr;
  ASSERT_EQ(hipStreamCreate(&stream), hipSuccess);
  for (int i = 0; i < 3; ++i) hipLaunchKernelGGL(times_ten_plus, dim3(1), dim3(1), 0, stream, value.get(), 7);
  ASSERT_EQ(hipStreamDestroy(stream), hipSuccess);
  EXPECT_THAT(value.to_host(), ElementsAre(777));
}

TEST(Streams, FreeingMemoryWaitsForTheKernelsThatMayUseIt) {
  Gate gate;
  int* value = nullptr;
  ASSERT_EQ(hipMalloc(&value, sizeof(int)), hipSuccess);
  ASSERT_EQ(hipMemset(value, 0, sizeof(int)), hipSuccess);
  const StreamOwner stream(hipStreamNonBlocking);
  hipLaunchKernelGGL(wait_for, dim3(1), dim3(1), 0, stream.get(), &gate);
  hipLaunchKernelGGL(times_ten_plus, dim3(1), dim3(1), 0, stream.get(), value, 7);
  std::thread opener([&gate] { gate.open(); });
  EXPECT_EQ(hipFree(value), hipSuccess);
  EXPECT_EQ(hipStreamQuery(stream.get()), hipSuccess);
  opener.join();
}

TEST(Events, ElapsedTimeIsThatBetweenTheTwoMarks) {
  hipEvent_t start = nullptr;
  hipEvent_t stop = nullptr;
  ASSERT_EQ(hipEventCreate(&start), hipSuccess);
  ASSERT_EQ(hipEventCreate(&stop), hipSuccess);
  Gate gate;
  float milliseconds = -1.0F;
  EXPECT_EQ(hipEventElapsedTime(&milliseconds, start, stop), hipErrorInvalidHandle);
  ASSERT_EQ(hipEventRecord(start, nullptr), hipSuccess);
  hipLaunchKernelGGL(wait_for, dim3(1), dim3(1), 0, nullptr, &gate);
  ASSERT_EQ(hipEventRecord(stop, nullptr), hipSuccess);
  EXPECT_EQ(hipEventElapsedTime(&milliseconds, start, stop), hipErrorNotReady);
  gate.open();
  ASSERT_EQ(hipEventSynchronize(stop), hipSuccess);
  EXPECT_EQ(hipEventElapsedTime(&milliseconds, start, stop), hipSuccess);
  EXPECT_GT(milliseconds, 0.0F);
  float backwards = 0.0F;
  EXPECT_EQ(hipEventElapsedTime(&backwards, stop, start), hipSuccess);
  EXPECT_EQ(backwards, -milliseconds);
  ASSERT_EQ(hipEventDestroy(start), hipSuccess);
  ASSERT_EQ(hipEventDestroy(stop), hipSuccess);
  EXPECT_EQ(hipGetLastError(), hipErrorInvalidHandle);
}

TEST(Streams, ManyThreadsLaunchOnOneStream) {
  constexpr int kThreads = 4;
  constexpr int kLaunches = 50;
  const DeviceArray<int> total(std::vector<int>{0});
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&total] {
      for (int launch = 0; launch < kLaunches; ++launch) {
        hipLaunchKernelGGL(add_one, dim3(1), dim3(1), 0, nullptr, total.get());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(total.to_host(), ElementsAre(kThreads * kLaunches));
}

}  // namespace
