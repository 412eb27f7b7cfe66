// SPDX-License-Identifier: MIT
//
// Sources as HIP tutorials write them: a literal 0 for the stream, numbers for grid and block, the older index names,
// mathematics and min without an include of their own. <cmath> and <algorithm> stay out of this file on purpose.
#include "hip/hip_runtime.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "multipass/count.h"
#include "sim_environment.hpp"

namespace {

using multipass_sim::Capture;
using multipass_sim::DeviceArray;
using multipass_sim::Gate;
using ::testing::ElementsAre;
using ::testing::FloatNear;

__global__ void store(int* out, int value) {
  out[hipBlockIdx_x * hipBlockDim_x + hipThreadIdx_x] = value;
}

TEST(Tutorial, ALiteralZeroOrNullIsTheDefaultStream) {
  const DeviceArray<int> out(std::vector<int>(2));
  hipLaunchKernelGGL(store, dim3(1), dim3(1), 0, 0, out.get(), 4);
  EXPECT_THAT(out.to_host(), ElementsAre(4, 0));
  hipLaunchKernelGGL(store, dim3(2), dim3(1), 0, NULL, out.get(), 5);
  EXPECT_THAT(out.to_host(), ElementsAre(5, 5));
}

TEST(Tutorial, GridAndBlockMayBeNumbers) {
  const DeviceArray<int> out(std::vector<int>(6));
  const int blocks = 2;
  hipLaunchKernelGGL(store, blocks, 3, 0, 0, out.get(), 1);
  EXPECT_THAT(out.to_host(), ElementsAre(1, 1, 1, 1, 1, 1));
}

__global__ void store_unless_null(int* out, const int* maybe) {
  *out = maybe == nullptr ? 1 : *maybe;
}

TEST(Tutorial, ALiteralZeroIsANullPointerArgument) {
  const DeviceArray<int> out(std::vector<int>(1));
  hipLaunchKernelGGL(store_unless_null, 1, 1, 0, 0, out.get(), 0);
  EXPECT_THAT(out.to_host(), ElementsAre(1));
}

__global__ void old_names(unsigned* out) {
  out[0] = hipBlockIdx_x + hipBlockIdx_y + hipBlockIdx_z;
  out[1] = hipThreadIdx_x + hipThreadIdx_y + hipThreadIdx_z;
  out[2] = hipBlockDim_x * 100 + hipBlockDim_y * 10 + hipBlockDim_z;
  out[3] = hipGridDim_x * 100 + hipGridDim_y * 10 + hipGridDim_z;
}

TEST(Tutorial, TheOlderIndexNamesAreThere) {
  const DeviceArray<unsigned> out(std::vector<unsigned>(4));
  hipLaunchKernelGGL(old_names, dim3(2, 3, 4), dim3(2, 2, 2), 0, 0, out.get());
  EXPECT_THAT(out.to_host(), ElementsAre(1 + 2 + 3, 3, 222, 234));  // of the last work-item of the last block
}

__global__ void wrapping_atomics(unsigned* v, float* f, double* d) {
  atomicInc(&v[0], 4);
  atomicDec(&v[1], 2);
  if (threadIdx.x == 0) v[2] = atomicDec(&v[3], 7);
  unsafeAtomicAdd(f, 0.5F);
  unsafeAtomicAdd(d, 0.25);
}

TEST(Tutorial, AtomicIncAndDecWrapAround) {
  const DeviceArray<unsigned> v(std::vector<unsigned>{0, 0, 0, 9});
  const DeviceArray<float> f(std::vector<float>{0});
  const DeviceArray<double> d(std::vector<double>{0});
  hipLaunchKernelGGL(wrapping_atomics, 1, 8, 0, 0, v.get(), f.get(), d.get());
  EXPECT_THAT(v.to_host(), ElementsAre(8 % 5, 1, 9, 7));  // 0 -> 2, 1, 0, 2, 1, 0, 2, 1
  EXPECT_THAT(f.to_host(), ElementsAre(4.0F));
  EXPECT_THAT(d.to_host(), ElementsAre(2.0));
}

__global__ void mathematics(float* out, const float* in) {
  const float x = __ldg(in);
  out[0] = fmaf(x, 2.0F, 1.0F);
  out[1] = rsqrtf(x);
  out[2] = __expf(x) - expf(x);
  out[3] = __fdividef(x, 8.0F);
  out[4] = max(min(x, 3.0F), 2.0F);
  out[5] = static_cast<float>(max(3, min(7, 5)));
  out[6] = __logf(__powf(x, 2.0F));
  out[7] = __saturatef(x);
  out[8] = sqrt(x) + fabs(-x);
  out[9] = __sinf(x) * __sinf(x) + __cosf(x) * __cosf(x);
}

TEST(Tutorial, MathematicsNeedsNoIncludeOfItsOwn) {
  const DeviceArray<float> in(std::vector<float>{4.0F});
  const DeviceArray<float> out(std::vector<float>(10));
  hipLaunchKernelGGL(mathematics, 1, 1, 0, 0, out.get(), in.get());
  EXPECT_THAT(out.to_host(), ElementsAre(9.0F, 0.5F, 0.0F, 0.5F, 3.0F, 5.0F, FloatNear(2.772589F, 1e-6F), 1.0F, 6.0F,
                                         FloatNear(1.0F, 1e-6F)));
}

__global__ void bits(int* out) {
  out[0] = __popc(0xF0F0U);
  out[1] = __clz(1);
  out[2] = __clz(0);
  out[3] = __ffs(8);
  out[4] = __float_as_int(1.0F);
  out[5] = static_cast<int>(__uint_as_float(0x40000000U));
  out[6] = __popcll(~0ULL) + __clzll(0) + __ffsll(0);
}

TEST(Tutorial, BitFunctionsAreDefinedForZero) {
  const DeviceArray<int> out(std::vector<int>(7));
  hipLaunchKernelGGL(bits, 1, 1, 0, 0, out.get());
  EXPECT_THAT(out.to_host(), ElementsAre(8, 31, 32, 4, 0x3F800000, 2, 128));
}

__global__ void upper_halves(unsigned long long* out) {
  out[0] = __brev(0x80000003U);
  out[1] = __brevll(6);
  out[2] = __umulhi(0x80000000U, 6);
  out[3] = static_cast<unsigned long long>(__mulhi(-1, 5));
  out[4] = __umul64hi(1ULL << 63, 6);
  out[5] = static_cast<unsigned long long>(__mul64hi(-1, 5));
}

TEST(Tutorial, UpperHalvesOfProductsKeepTheSign) {
  const DeviceArray<unsigned long long> out(std::vector<unsigned long long>(6));
  hipLaunchKernelGGL(upper_halves, 1, 1, 0, 0, out.get());
  EXPECT_THAT(out.to_host(), ElementsAre(0xC0000001U, 0x6000000000000000U, 3, ~0ULL, 3, ~0ULL));
}

__global__ void rounded(float* out) {
  out[0] = __fadd_rn(3.0F, 4.0F);
  out[1] = __fsub_rn(3.0F, 4.0F);
  out[2] = __fmul_rn(3.0F, 4.0F);
  out[3] = __fdiv_rn(3.0F, 4.0F);
}

TEST(Tutorial, ArithmeticRoundedToTheNearestIsOrdinary) {
  const DeviceArray<float> out(std::vector<float>(4));
  hipLaunchKernelGGL(rounded, 1, 1, 0, 0, out.get());
  EXPECT_THAT(out.to_host(), ElementsAre(7.0F, -1.0F, 12.0F, 0.75F));
}

__global__ void clocks(long long* out) {
  const long long begin = clock64();
  multipass_count::valu(10);
  const long long after_work = clock64();
  __syncthreads();
  out[threadIdx.x * 3] = begin;
  out[threadIdx.x * 3 + 1] = after_work - begin;
  out[threadIdx.x * 3 + 2] = wall_clock64() - after_work;
}

TEST(Tutorial, TheClockCountsWhatAWorkItemStatesAndNotTime) {
  const DeviceArray<long long> out(std::vector<long long>(6));
  hipLaunchKernelGGL(clocks, 1, 2, 0, 0, out.get());
  // Reading costs 4 cycles, each stated operation 4; a wave starts with 64.
  EXPECT_THAT(out.to_host(), ElementsAre(68, 44, 4, 68, 44, 4));
  EXPECT_EQ(clock64(), 0);
}

__global__ void wait_cycles(long long cycles, int* out) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
  *out = 1;
}

TEST(Tutorial, WaitingForTheClockEnds) {
  const DeviceArray<int> out(std::vector<int>(1));
  hipLaunchKernelGGL(wait_cycles, 1, 1, 0, 0, 1'000'000LL, out.get());
  EXPECT_THAT(out.to_host(), ElementsAre(1));
}

__global__ void reverse(int* values) {
  HIP_DYNAMIC_SHARED(int, tile);
  tile[threadIdx.x] = values[threadIdx.x];
  __syncthreads();
  values[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

TEST(Tutorial, DynamicSharedMemoryIsDeclaredWithTheMacro) {
  const DeviceArray<int> values(std::vector<int>{1, 2, 3, 4});
  hipLaunchKernelGGL(reverse, 1, 4, 4 * sizeof(int), 0, values.get());
  EXPECT_THAT(values.to_host(), ElementsAre(4, 3, 2, 1));
}

TEST(Tutorial, EventsAndCopiesGoToTheDefaultStreamWhenNoneIsNamed) {
  const DeviceArray<int> out(std::vector<int>(1));
  hipEvent_t event = nullptr;
  ASSERT_EQ(hipEventCreate(&event), hipSuccess);
  hipLaunchKernelGGL(store, 1, 1, 0, 0, out.get(), 6);
  ASSERT_EQ(hipEventRecord(event), hipSuccess);
  ASSERT_EQ(hipEventSynchronize(event), hipSuccess);
  int seen = 0;
  ASSERT_EQ(hipMemcpyAsync(&seen, out.get(), sizeof(seen), hipMemcpyDeviceToHost), hipSuccess);
  ASSERT_EQ(hipDeviceSynchronize(), hipSuccess);
  EXPECT_EQ(seen, 6);
  ASSERT_EQ(hipEventDestroy(event), hipSuccess);
}

__device__ int declared_first(int value);
extern __device__ int variable_declared_first;
__device__ int variable_declared_first = 4;

template <class T>
__host__ __device__ T three_times(T value) {
  return 3 * value;
}
template <>
__host__ __device__ float three_times<float>(float value) {
  return value + 100;
}

struct Counter {
  __host__ __device__ explicit Counter(int start) : count(start) {}
  __device__ Counter& operator+=(int more);
  __device__ operator int() const { return count; }
  static __device__ int origin() { return 1000; }
  int count;
};

__device__ Counter& Counter::operator+=(int more) {
  count += more;
  return *this;
}

int __device__ declared_first(int value) {
  return value * value;
}

__global__ void use_all_forms(float* out) {
  const auto lambda = [=] __device__(int x) { return x + variable_declared_first; };
  Counter counter(Counter::origin());
  counter += lambda(1);                                                                         // 1005
  *out = three_times(1.0F) + static_cast<float>(three_times(2) + counter + declared_first(7));  // 101 + 6 + 1005 + 49
}

TEST(Tutorial, DeviceFunctionsAndVariablesMayBeDeclaredInEveryForm) {
  const DeviceArray<float> out(std::vector<float>(1));
  hipLaunchKernelGGL(use_all_forms, dim3(1), dim3(1), 0, nullptr, out.get());
  EXPECT_THAT(out.to_host(), ElementsAre(1161.0F));
}

__global__ void wait_then_store(const Gate* gate, int* out, int value) {
  gate->wait();
  *out = value;
}

TEST(PerThreadStream, IsAnotherOneInEachThreadAndNeverTheDefaultStream) {
  const DeviceArray<int> out(std::vector<int>(2));
  Capture capture;
  hipLaunchKernelGGL(store, 1, 1, 0, hipStreamPerThread, out.get(), 1);
  hipLaunchKernelGGL(store, 1, 1, 0, hipStreamPerThread, out.get(), 2);
  ASSERT_EQ(hipStreamSynchronize(hipStreamPerThread), hipSuccess);  // launches are listed as they complete
  std::thread([&out] { hipLaunchKernelGGL(store, 1, 1, 0, hipStreamPerThread, out.get() + 1, 3); }).join();
  const std::vector<Capture::Launch> launches = capture.launches();
  ASSERT_EQ(launches.size(), 3U);
  EXPECT_EQ(launches[0].packet.stream, launches[1].packet.stream);
  EXPECT_NE(launches[0].packet.stream, launches[2].packet.stream);
  EXPECT_NE(launches[0].packet.stream, 0U);
  EXPECT_THAT(out.to_host(), ElementsAre(2, 3));
}

TEST(PerThreadStream, IsWaitedForByItsThreadsEndAndByTheDevice) {
  const DeviceArray<int> out(std::vector<int>(1));
  Gate gate;
  std::thread thread([&] { hipLaunchKernelGGL(wait_then_store, 1, 1, 0, hipStreamPerThread, &gate, out.get(), 7); });
  gate.open();
  thread.join();
  EXPECT_EQ(*out.get(), 7);  // read by the host itself: no call that would wait for the kernel
  ASSERT_EQ(hipDeviceSynchronize(), hipSuccess);
}

TEST(PerThreadStream, IsSynchronizedByItsNameAndCannotBeDestroyed) {
  const DeviceArray<int> out(std::vector<int>(1));
  Gate gate;
  hipLaunchKernelGGL(wait_then_store, 1, 1, 0, hipStreamPerThread, &gate, out.get(), 8);
  EXPECT_EQ(hipStreamQuery(hipStreamPerThread), hipErrorNotReady);
  gate.open();
  EXPECT_EQ(hipStreamSynchronize(hipStreamPerThread), hipSuccess);
  EXPECT_EQ(*out.get(), 8);
  EXPECT_EQ(hipStreamDestroy(hipStreamPerThread), hipErrorInvalidHandle);
  EXPECT_EQ(hipGetLastError(), hipErrorInvalidHandle);
}

}  // namespace
