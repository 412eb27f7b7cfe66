// SPDX-License-Identifier: MIT
//
// Kernels compute what they would on a GPU: indices, arguments, shared memory, barriers, atomics.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "hip/hip_runtime.h"
#include "sim_environment.hpp"

namespace {

using multipass_sim::DeviceArray;
using ::testing::Each;
using ::testing::ElementsAre;

__global__ void axpy(float* y, const float* x, float a, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

TEST(Kernels, AxpyGivesWhatTheHostComputes) {
  std::vector<float> x(1000);
  std::iota(x.begin(), x.end(), 1.0F);
  const DeviceArray<float> device_x(x);
  const DeviceArray<float> device_y(std::vector<float>(1000, 0.5F));
  hipLaunchKernelGGL(axpy, dim3(4), dim3(256), 0, nullptr, device_y.get(), device_x.get(), 2.0F, x.size());
  const std::vector<float> y = device_y.to_host();
  for (std::size_t i = 0; i < y.size(); ++i) ASSERT_EQ(y[i], 2.0F * x[i] + 0.5F) << i;
}

__global__ void write_index(unsigned* out) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
  const unsigned z = blockIdx.z * blockDim.z + threadIdx.z;
  const unsigned width = gridDim.x * blockDim.x;
  const unsigned height = gridDim.y * blockDim.y;
  const unsigned at = (z * height + y) * width + x;
  out[at] = at;
}

TEST(Kernels, EveryWorkItemOfAThreeDimensionalGridRunsOnceAtItsPlace) {
  const DeviceArray<unsigned> out(std::vector<unsigned>(6 * 6 * 4));
  hipLaunchKernelGGL(write_index, dim3(2, 3, 2), dim3(3, 2, 2), 0, nullptr, out.get());
  std::vector<unsigned> expected(6 * 6 * 4);
  std::iota(expected.begin(), expected.end(), 0U);
  EXPECT_EQ(out.to_host(), expected);
}

constexpr unsigned kTile = 16;

__global__ void transpose(int* to, const int* from, unsigned side) {
  __shared__ int tile[kTile][kTile];
  tile[threadIdx.y][threadIdx.x] = from[(blockIdx.y * kTile + threadIdx.y) * side + blockIdx.x * kTile + threadIdx.x];
  __syncthreads();
  to[(blockIdx.x * kTile + threadIdx.y) * side + blockIdx.y * kTile + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

TEST(Kernels, ABarrierMakesSharedMemoryOfTheWholeBlockVisible) {
  constexpr unsigned kSide = 48;
  std::vector<int> matrix(kSide * kSide);
  std::iota(matrix.begin(), matrix.end(), 0);
  const DeviceArray<int> from(matrix);
  const DeviceArray<int> to(std::vector<int>(matrix.size()));
  hipLaunchKernelGGL(transpose, dim3(3, 3), dim3(kTile, kTile), 0, nullptr, to.get(), from.get(), kSide);
  const std::vector<int> result = to.to_host();
  for (unsigned row = 0; row < kSide; ++row) {
    for (unsigned column = 0; column < kSide; ++column) {
      ASSERT_EQ(result[column * kSide + row], matrix[row * kSide + column]) << row << ' ' << column;
    }
  }
}

__global__ void sum_of_block(unsigned* sums, const unsigned* values) {
  HIP_DYNAMIC_SHARED(unsigned, partial)
  partial[threadIdx.x] = values[blockIdx.x * blockDim.x + threadIdx.x];
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = partial[0];
}

TEST(Kernels, TheLargestBlockReducesThroughDynamicSharedMemoryAndManyBarriers) {
  std::vector<unsigned> values(2 * 1024);
  std::iota(values.begin(), values.end(), 0U);
  const DeviceArray<unsigned> input(values);
  const DeviceArray<unsigned> sums(std::vector<unsigned>(2));
  hipLaunchKernelGGL(sum_of_block, dim3(2), dim3(1024), 1024 * sizeof(unsigned), nullptr, sums.get(), input.get());
  EXPECT_THAT(sums.to_host(), ElementsAre(1024 * 1023 / 2, 1024 * 1023 / 2 + 1024 * 1024));
}

__global__ void early_return(int* out, unsigned stay) {
  __shared__ int from_last;
  if (threadIdx.x >= stay) return;
  if (threadIdx.x == stay - 1) from_last = 7;
  __syncthreads();
  out[threadIdx.x] = from_last;
}

TEST(Kernels, WorkItemsThatReturnedDoNotHoldUpTheBarrier) {
  const DeviceArray<int> out(std::vector<int>(64, 1));
  hipLaunchKernelGGL(early_return, dim3(1), dim3(64), 0, nullptr, out.get(), 10U);
  const std::vector<int> result = out.to_host();
  EXPECT_THAT(std::vector<int>(result.begin(), result.begin() + 10), Each(7));
  EXPECT_THAT(std::vector<int>(result.begin() + 10, result.end()), Each(1));
}

__global__ void shifted_after_barrier(unsigned* out) {
  const unsigned before = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = before * 100 + threadIdx.x;
}

TEST(Kernels, AWorkItemKeepsItsIndexAndItsVariablesOverABarrier) {
  const DeviceArray<unsigned> out(std::vector<unsigned>(5));
  hipLaunchKernelGGL(shifted_after_barrier, dim3(1), dim3(5), 0, nullptr, out.get());
  EXPECT_THAT(out.to_host(), ElementsAre(0, 101, 202, 303, 404));
}

__global__ void integer_atomics(int* v) {
  const int lane = static_cast<int>(threadIdx.x);
  atomicAdd(&v[0], lane);
  atomicSub(&v[1], 1);
  atomicMax(&v[2], lane);
  atomicMin(&v[3], -lane);
  atomicOr(&v[4], 1 << (lane % 8));
  atomicAnd(&v[5], ~(1 << (lane % 4)));
  atomicCAS(&v[6], lane, lane + 1);
  if (lane == 3) v[8] = atomicExch(&v[7], 9);
}

TEST(Kernels, IntegerAtomicsChangeMemoryAndReturnWhatWasThere) {
  const DeviceArray<int> values(std::vector<int>{0, 0, 0, 0, 0, 0xff, 0, 5, 0});
  hipLaunchKernelGGL(integer_atomics, dim3(1), dim3(64), 0, nullptr, values.get());
  EXPECT_THAT(values.to_host(), ElementsAre(2016, -64, 63, -63, 0xff, 0xf0, 64, 9, 5));
}

__global__ void float_atomics(float* f, double* d, unsigned long long* u) {
  atomicAdd(f, 0.5F);
  atomicAdd(d, 0.25);
  atomicMax(u, 1ULL << threadIdx.x);
}

TEST(Kernels, FloatingPointAndWideAtomicsCountEveryWorkItem) {
  const DeviceArray<float> f(std::vector<float>{1.0F});
  const DeviceArray<double> d(std::vector<double>{1.0});
  const DeviceArray<unsigned long long> u(std::vector<unsigned long long>{0});
  hipLaunchKernelGGL(float_atomics, dim3(3), dim3(40), 0, nullptr, f.get(), d.get(), u.get());
  EXPECT_THAT(f.to_host(), ElementsAre(61.0F));
  EXPECT_THAT(d.to_host(), ElementsAre(31.0));
  EXPECT_THAT(u.to_host(), ElementsAre(1ULL << 39));
}

template <class T, int Scale>
__global__ void scale(T* values) {
  values[threadIdx.x] *= Scale;
}

TEST(Kernels, TemplateInstancesAreLaunchedByTheirName) {
  const DeviceArray<double> values(std::vector<double>{1, 2, 3});
  hipLaunchKernelGGL(HIP_KERNEL_NAME(scale<double, 3>), dim3(1), dim3(3), 0, nullptr, values.get());
  hipLaunchKernelGGL((scale<double, 2>), dim3(1), dim3(3), 0, nullptr, values.get());
  EXPECT_THAT(values.to_host(), ElementsAre(6, 12, 18));
}

template <class T>
void multiply(T* values) {
  hipLaunchKernelGGL(HIP_KERNEL_NAME(scale<T, 3>), dim3(1), dim3(3), 0, nullptr, values);
}

TEST(Kernels, TemplateInstancesAreLaunchedFromTemplates) {
  const DeviceArray<float> values(std::vector<float>{1, 2, 3});
  multiply(values.get());
  EXPECT_THAT(values.to_host(), ElementsAre(3, 6, 9));
}

TEST(Kernels, TheDefaultFlagOfStreamsIsTheNullStreamInLaunches) {
  const DeviceArray<int> values(std::vector<int>{1, 2, 3});
  hipLaunchKernelGGL(HIP_KERNEL_NAME(scale<int, 2>), dim3(1), dim3(3), 0, hipStreamDefault, values.get());
  EXPECT_THAT(values.to_host(), ElementsAre(2, 4, 6));
}

__global__ void wait_and_store(const multipass_sim::Gate* gate, int* out, int value) {
  gate->wait();
  *out = value;
}

TEST(Kernels, ArgumentsAreThoseOfTheLaunchAndConvertedToTheParameters) {
  const DeviceArray<int> out(std::vector<int>{0});
  multipass_sim::Gate gate;
  short value = 42;
  hipLaunchKernelGGL(wait_and_store, dim3(1), dim3(1), 0, nullptr, &gate, out.get(), value);
  value = 1;
  gate.open();
  EXPECT_THAT(out.to_host(), ElementsAre(42));
  EXPECT_EQ(value, 1);
}

__device__ int device_table[4];

__global__ void double_table() {
  device_table[threadIdx.x] *= 2;
}

TEST(Kernels, ADeviceVariableIsReadAndWrittenThroughItsSymbol) {
  const int start[4] = {1, 2, 3, 4};
  ASSERT_EQ(hipMemcpyToSymbol(HIP_SYMBOL(device_table), start, sizeof(start)), hipSuccess);
  const int fresh[2] = {10, 20};
  ASSERT_EQ(hipMemcpyToSymbol(HIP_SYMBOL(device_table), fresh, sizeof(fresh), 2 * sizeof(int)), hipSuccess);
  hipLaunchKernelGGL(double_table, dim3(1), dim3(4), 0, nullptr);
  int result[4] = {};
  ASSERT_EQ(hipMemcpyFromSymbol(result, HIP_SYMBOL(device_table), sizeof(result)), hipSuccess);
  EXPECT_THAT(result, ElementsAre(2, 4, 20, 40));
}

__global__ void indices_seen(int* out) {
  out[0] = warpSize;
  out[1] = static_cast<int>(gridDim.y);
  out[2] = static_cast<int>(blockDim.z);
}

TEST(Kernels, TheWaveSizeIsTheDevicesAndTheDimensionsAreTheLaunchs) {
  const DeviceArray<int> out(std::vector<int>(3));
  hipLaunchKernelGGL(indices_seen, dim3(1, 1, 1), dim3(1, 1, 1), 0, nullptr, out.get());
  EXPECT_THAT(out.to_host(), ElementsAre(64, 1, 1));
  EXPECT_EQ(threadIdx.x + blockIdx.x + blockDim.x, 0U);
}

__global__ void many_barriers(unsigned* out) {
  __shared__ unsigned value;
  for (unsigned turn = 0; turn < blockDim.x; ++turn) {
    if (threadIdx.x == turn) value = turn * blockIdx.x;
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] += value;
    __syncthreads();
  }
}

TEST(Kernels, BlocksOfTwoStreamsHaveSharedMemoryOfTheirOwn) {
  constexpr unsigned kBlocks = 4;
  constexpr unsigned kBlock = 32;
  const DeviceArray<unsigned> first(std::vector<unsigned>(kBlocks * kBlock));
  const DeviceArray<unsigned> second(std::vector<unsigned>(kBlocks * kBlock));
  hipStream_t streams[2] = {};
  for (hipStream_t& stream : streams) {
    ASSERT_EQ(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking), hipSuccess);
  }
  hipLaunchKernelGGL(many_barriers, dim3(kBlocks), dim3(kBlock), 0, streams[0], first.get());
  hipLaunchKernelGGL(many_barriers, dim3(kBlocks), dim3(kBlock), 0, streams[1], second.get());
  for (hipStream_t stream : streams) ASSERT_EQ(hipStreamDestroy(stream), hipSuccess);
  EXPECT_EQ(first.to_host(), second.to_host());
  EXPECT_EQ(first.to_host().back(), (kBlocks - 1) * kBlock * (kBlock - 1) / 2);
}

}  // namespace
