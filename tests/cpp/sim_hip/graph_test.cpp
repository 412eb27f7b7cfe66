// SPDX-License-Identifier: MIT
//
// Graphs hold what was recorded or added, run it in order each time, and say that they are graphs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "hip/hip_runtime.h"
#include "sim_environment.hpp"

namespace {

using multipass_sim::DeviceArray;
using ::testing::ElementsAre;

__global__ void times_ten_plus(int* value, int digit) {
  *value = *value * 10 + digit;
}

class Graphs : public ::testing::Test {
 protected:
  void SetUp() override {
    static_cast<void>(hipGetLastError());
    ASSERT_EQ(hipStreamCreate(&stream_), hipSuccess);
  }
  void TearDown() override { ASSERT_EQ(hipStreamDestroy(stream_), hipSuccess); }

  void launch(hipGraph_t graph, int times) {
    hipGraphExec_t executable = nullptr;
    ASSERT_EQ(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0), hipSuccess);
    EXPECT_EQ(hipGraphDestroy(graph), hipSuccess);  // the executable has copies
    for (int i = 0; i < times; ++i) ASSERT_EQ(hipGraphLaunch(executable, stream_), hipSuccess);
    EXPECT_EQ(hipStreamSynchronize(stream_), hipSuccess);
    EXPECT_EQ(hipGraphExecDestroy(executable), hipSuccess);
  }

  void put_digit(hipStream_t stream, int digit) {
    hipLaunchKernelGGL(times_ten_plus, dim3(1), dim3(1), 0, stream, value_.get(), digit);
  }

  hipStream_t stream_ = nullptr;
  const DeviceArray<int> value_{std::vector<int>{0}};
};

TEST_F(Graphs, ACapturedStreamRunsNothingUntilItsGraphIsLaunched) {
  int seen = -1;
  ASSERT_EQ(hipStreamBeginCapture(stream_, hipStreamCaptureModeGlobal), hipSuccess);
  hipStreamCaptureStatus status = hipStreamCaptureStatusNone;
  EXPECT_EQ(hipStreamIsCapturing(stream_, &status), hipSuccess);
  EXPECT_EQ(status, hipStreamCaptureStatusActive);
  ASSERT_EQ(hipMemsetAsync(value_.get(), 0, sizeof(int), stream_), hipSuccess);
  put_digit(stream_, 4);
  put_digit(stream_, 2);
  ASSERT_EQ(hipMemcpyAsync(&seen, value_.get(), sizeof(int), hipMemcpyDeviceToHost, stream_), hipSuccess);
  hipGraph_t graph = nullptr;
  ASSERT_EQ(hipStreamEndCapture(stream_, &graph), hipSuccess);
  std::size_t count = 0;
  EXPECT_EQ(hipGraphGetNodes(graph, nullptr, &count), hipSuccess);
  EXPECT_EQ(count, 4U);
  EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
  EXPECT_EQ(seen, -1);
  launch(graph, 2);
  EXPECT_EQ(seen, 42);
}

TEST_F(Graphs, KernelsOfALaunchAreMarkedAndOrdinaryOnesAreNot) {
  ASSERT_EQ(hipStreamBeginCapture(stream_, hipStreamCaptureModeGlobal), hipSuccess);
  put_digit(stream_, 1);
  put_digit(stream_, 2);
  hipGraph_t graph = nullptr;
  ASSERT_EQ(hipStreamEndCapture(stream_, &graph), hipSuccess);
  multipass_sim::Capture capture;
  launch(graph, 1);
  put_digit(stream_, 3);
  const auto launches = capture.launches();
  ASSERT_EQ(launches.size(), 3U);
  EXPECT_EQ(launches[0].packet.is_graph, 1U);
  EXPECT_EQ(launches[1].packet.is_graph, 1U);
  EXPECT_EQ(launches[2].packet.is_graph, 0U);
  EXPECT_THAT(value_.to_host(), ElementsAre(123));
}

TEST_F(Graphs, AStreamThatWaitsForARecordedEventJoinsTheCapture) {
  hipStream_t side = nullptr;
  hipEvent_t fork = nullptr;
  hipEvent_t join = nullptr;
  ASSERT_EQ(hipStreamCreate(&side), hipSuccess);
  ASSERT_EQ(hipEventCreate(&fork), hipSuccess);
  ASSERT_EQ(hipEventCreate(&join), hipSuccess);
  ASSERT_EQ(hipStreamBeginCapture(stream_, hipStreamCaptureModeGlobal), hipSuccess);
  put_digit(stream_, 1);
  ASSERT_EQ(hipEventRecord(fork, stream_), hipSuccess);
  ASSERT_EQ(hipStreamWaitEvent(side, fork, 0), hipSuccess);
  put_digit(side, 2);
  ASSERT_EQ(hipEventRecord(join, side), hipSuccess);
  EXPECT_EQ(hipEventQuery(join), hipErrorCapturedEvent);
  ASSERT_EQ(hipStreamWaitEvent(stream_, join, 0), hipSuccess);
  put_digit(stream_, 3);
  hipGraph_t graph = nullptr;
  EXPECT_EQ(hipStreamEndCapture(side, &graph), hipErrorStreamCaptureUnmatched);
  ASSERT_EQ(hipStreamEndCapture(stream_, &graph), hipSuccess);
  std::size_t roots = 0;
  EXPECT_EQ(hipGraphGetRootNodes(graph, nullptr, &roots), hipSuccess);
  EXPECT_EQ(roots, 1U);
  launch(graph, 2);
  EXPECT_THAT(value_.to_host(), ElementsAre(123123));
  EXPECT_EQ(hipStreamDestroy(side), hipSuccess);
  EXPECT_EQ(hipEventDestroy(fork), hipSuccess);
  EXPECT_EQ(hipEventDestroy(join), hipSuccess);
}

TEST_F(Graphs, AStreamThatIsNotJoinedBackSpoilsTheCapture) {
  hipStream_t side = nullptr;
  hipEvent_t fork = nullptr;
  ASSERT_EQ(hipStreamCreate(&side), hipSuccess);
  ASSERT_EQ(hipEventCreate(&fork), hipSuccess);
  ASSERT_EQ(hipStreamBeginCapture(stream_, hipStreamCaptureModeGlobal), hipSuccess);
  ASSERT_EQ(hipEventRecord(fork, stream_), hipSuccess);
  ASSERT_EQ(hipStreamWaitEvent(side, fork, 0), hipSuccess);
  put_digit(side, 2);
  hipGraph_t graph = nullptr;
  EXPECT_EQ(hipStreamEndCapture(stream_, &graph), hipErrorStreamCaptureUnjoined);
  EXPECT_EQ(graph, nullptr);
  put_digit(side, 5);  // an ordinary stream again
  EXPECT_EQ(hipStreamDestroy(side), hipSuccess);
  EXPECT_THAT(value_.to_host(), ElementsAre(5));
  EXPECT_EQ(hipEventDestroy(fork), hipSuccess);
}

TEST_F(Graphs, WaitingForACapturedStreamIsRefusedAndSpoilsTheCapture) {
  ASSERT_EQ(hipStreamBeginCapture(stream_, hipStreamCaptureModeRelaxed), hipSuccess);
  EXPECT_EQ(hipStreamBeginCapture(stream_, hipStreamCaptureModeRelaxed), hipErrorIllegalState);
  EXPECT_EQ(hipStreamSynchronize(stream_), hipErrorStreamCaptureUnsupported);
  hipStreamCaptureStatus status = hipStreamCaptureStatusNone;
  EXPECT_EQ(hipStreamIsCapturing(stream_, &status), hipSuccess);
  EXPECT_EQ(status, hipStreamCaptureStatusInvalidated);
  hipGraph_t graph = nullptr;
  EXPECT_EQ(hipStreamEndCapture(stream_, &graph), hipErrorStreamCaptureInvalidated);
  EXPECT_EQ(hipStreamEndCapture(stream_, &graph), hipErrorIllegalState);
  EXPECT_EQ(hipStreamBeginCapture(nullptr, hipStreamCaptureModeGlobal), hipErrorStreamCaptureUnsupported);
}

TEST_F(Graphs, NodesRunBehindThoseThatTheyDependOn) {
  hipGraph_t graph = nullptr;
  ASSERT_EQ(hipGraphCreate(&graph, 0), hipSuccess);
  int* pointer = value_.get();
  int digits[] = {7, 8};
  hipGraphNode_t kernels[2] = {};
  for (int i = 0; i < 2; ++i) {
    void* arguments[] = {&pointer, &digits[i]};
    hipKernelNodeParams parameters{};
    parameters.func = reinterpret_cast<void*>(times_ten_plus);
    parameters.gridDim = dim3(1);
    parameters.blockDim = dim3(1);
    parameters.kernelParams = arguments;
    ASSERT_EQ(hipGraphAddKernelNode(&kernels[i], graph, nullptr, 0, &parameters), hipSuccess);
  }
  hipGraphNode_t clear = nullptr;
  hipMemsetParams fill{};
  fill.dst = pointer;
  fill.elementSize = 4;
  fill.height = 1;
  fill.value = 6;
  fill.width = SIZE_MAX / fill.elementSize + 2;  // the bytes of so many elements are more than there are addresses
  EXPECT_EQ(hipGraphAddMemsetNode(&clear, graph, nullptr, 0, &fill), hipErrorInvalidValue);
  fill.width = 1;
  ASSERT_EQ(hipGraphAddMemsetNode(&clear, graph, nullptr, 0, &fill), hipSuccess);
  hipGraphNode_t middle = nullptr;
  ASSERT_EQ(hipGraphAddEmptyNode(&middle, graph, &kernels[1], 1), hipSuccess);
  // fill, then the second kernel, then the first
  const hipGraphNode_t from[] = {clear, middle};
  const hipGraphNode_t to[] = {kernels[1], kernels[0]};
  ASSERT_EQ(hipGraphAddDependencies(graph, from, to, 2), hipSuccess);
  int seen = 0;
  hipGraphNode_t read = nullptr;
  ASSERT_EQ(hipGraphAddMemcpyNode1D(&read, graph, &kernels[0], 1, &seen, pointer, sizeof(int), hipMemcpyDeviceToHost),
            hipSuccess);
  hipGraphNodeType type = hipGraphNodeTypeEmpty;
  EXPECT_EQ(hipGraphNodeGetType(read, &type), hipSuccess);
  EXPECT_EQ(type, hipGraphNodeTypeMemcpy);
  launch(graph, 1);
  EXPECT_EQ(seen, 687);
}

TEST_F(Graphs, AHostNodeIsCalledWithItsData) {
  hipGraph_t graph = nullptr;
  ASSERT_EQ(hipGraphCreate(&graph, 0), hipSuccess);
  int calls = 0;
  hipHostNodeParams parameters{[](void* data) { ++*static_cast<int*>(data); }, &calls};
  hipGraphNode_t node = nullptr;
  ASSERT_EQ(hipGraphAddHostNode(&node, graph, nullptr, 0, &parameters), hipSuccess);
  launch(graph, 3);
  EXPECT_EQ(calls, 3);
}

TEST_F(Graphs, DependenciesInACircleAreRefused) {
  hipGraph_t graph = nullptr;
  hipGraphNode_t first = nullptr;
  hipGraphNode_t second = nullptr;
  hipGraphExec_t executable = nullptr;
  ASSERT_EQ(hipGraphCreate(&graph, 0), hipSuccess);
  ASSERT_EQ(hipGraphAddEmptyNode(&first, graph, nullptr, 0), hipSuccess);
  ASSERT_EQ(hipGraphAddEmptyNode(&second, graph, &first, 1), hipSuccess);
  ASSERT_EQ(hipGraphAddDependencies(graph, &second, &first, 1), hipSuccess);
  EXPECT_EQ(hipGraphInstantiateWithFlags(&executable, graph, 0), hipErrorInvalidValue);
  EXPECT_EQ(hipGraphDestroy(graph), hipSuccess);
  EXPECT_EQ(hipGraphDestroy(graph), hipErrorInvalidValue);
  EXPECT_EQ(hipGraphLaunch(executable, stream_), hipErrorInvalidValue);
}

}  // namespace
