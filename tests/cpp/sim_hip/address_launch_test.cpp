// SPDX-License-Identifier: MIT
//
// Kernels launched by their address, or with events around them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "hip/hip_ext.h"
#include "hip/hip_runtime.h"
#include "sim/hip/address_kernels.hpp"
#include "sim_environment.hpp"

namespace {

using multipass_sim::Capture;
using multipass_sim::DeviceArray;
using multipass_sim::kernel_parameters;
using ::testing::ElementsAre;

__global__ void scale(float* values, float factor, int first, bool negate) {
  const int i = first + static_cast<int>(threadIdx.x);
  values[i] *= negate ? -factor : factor;
}

TEST(AddressLaunch, RunsTheKernelWithCopiesOfItsArguments) {
  const DeviceArray<float> values(std::vector<float>{1, 2, 3, 4});
  float* pointer = values.get();
  float factor = 2.5F;
  int first = 1;
  bool negate = true;
  void* arguments[] = {&pointer, &factor, &first, &negate};
  Capture capture;
  ASSERT_EQ(hipLaunchKernel(reinterpret_cast<const void*>(scale), dim3(1), dim3(2), arguments, 0, nullptr), hipSuccess);
  factor = 100.0F;
  EXPECT_THAT(values.to_host(), ElementsAre(1.0F, -5.0F, -7.5F, 4.0F));
  ASSERT_EQ(capture.launches().size(), 1U);
  EXPECT_EQ(capture.launches()[0].kernel, "_ZN12_GLOBAL__N_15scaleEPffib.kd");
  EXPECT_EQ(capture.launches()[0].packet.kernel->kernarg_segment_size, 24U);
}

__global__ void many(double* out, signed char a, short b, unsigned c, long d, unsigned char e, short f, float g,
                     double h, float i, double j, float k, double l, float m, double n, double o, long long p) {
  *out = a + b + c + static_cast<double>(d) + e + f + g + h + i + j + k + l + m + n + o * 10 + static_cast<double>(p);
}

TEST(AddressLaunch, ArgumentsBeyondTheRegistersAndNegativeSmallOnesArrive) {
  const DeviceArray<double> out(std::vector<double>(1));
  double* pointer = out.get();
  signed char a = -1;
  short b = -200;
  unsigned c = 4'000'000'000U;
  long d = -5;
  unsigned char e = 250;
  short f = -7;
  float reals[4] = {1.5F, 2.5F, 3.5F, 4.5F};
  double wide[5] = {0.25, 0.5, 0.75, 1.25, 7.0};
  long long p = 1'000'000'000'000;
  void* arguments[] = {&pointer,  &a,       &b,        &c,       &d,        &e,       &f,       &reals[0], &wide[0],
                       &reals[1], &wide[1], &reals[2], &wide[2], &reals[3], &wide[3], &wide[4], &p};
  ASSERT_EQ(hipLaunchKernel(reinterpret_cast<const void*>(many), dim3(1), dim3(1), arguments, 0, nullptr), hipSuccess);
  EXPECT_THAT(out.to_host(), ElementsAre(-1.0 - 200.0 + 4e9 - 5.0 + 250.0 - 7.0 + 12.0 + 2.75 + 70.0 + 1e12));
}

template <class T>
__global__ void add(T* values, T addend) {
  values[threadIdx.x] += addend;
}

TEST(AddressLaunch, AnInstanceOfATemplateIsFoundByItsAddress) {
  const DeviceArray<int> values(std::vector<int>{1, 2});
  int* pointer = values.get();
  int addend = 10;
  void* arguments[] = {&pointer, &addend};
  ASSERT_EQ(hipLaunchKernel(reinterpret_cast<const void*>(&add<int>), dim3(1), dim3(2), arguments, 0, nullptr),
            hipSuccess);
  EXPECT_THAT(values.to_host(), ElementsAre(11, 12));
}

struct Pair {
  int a, b;
};
__global__ void with_class(Pair pair, int* out) {
  *out = pair.a + pair.b;
}

TEST(AddressLaunch, AParameterOfClassTypeIsRefused) {
  Pair pair{1, 2};
  int* out = nullptr;
  void* arguments[] = {&pair, &out};
  EXPECT_EQ(hipLaunchKernel(reinterpret_cast<const void*>(with_class), dim3(1), dim3(1), arguments, 0, nullptr),
            hipErrorInvalidDeviceFunction);
  int unrelated = 0;
  EXPECT_EQ(hipLaunchKernel(&unrelated, dim3(1), dim3(1), arguments, 0, nullptr), hipErrorInvalidDeviceFunction);
  EXPECT_EQ(hipLaunchKernel(nullptr, dim3(1), dim3(1), arguments, 0, nullptr), hipErrorInvalidDeviceFunction);
  EXPECT_EQ(hipGetLastError(), hipErrorInvalidDeviceFunction);
}

TEST(AddressLaunch, TheParametersAreReadFromTheDemangledName) {
  const auto sizes = [](const std::string& text) {
    std::string found;
    const auto parameters = kernel_parameters(text);
    if (!parameters) return std::string("unknown");
    for (const auto& parameter : *parameters) {
      found += std::to_string(parameter.size) + (parameter.is_real ? "r" : parameter.is_signed ? "s" : "u");
    }
    return found;
  };
  EXPECT_EQ(sizes("k()"), "");
  EXPECT_EQ(sizes("(anonymous namespace)::k(float*, float const*, float, unsigned long)"), "8u8u4r8u");
  EXPECT_EQ(sizes("void k<(int)3, A<int, B> >(double, A<int, B>*, int (*)(int, char), short)"), "8r8u8u2s");
  EXPECT_EQ(sizes("k(A)"), "unknown");
  EXPECT_EQ(sizes("k"), "unknown");
  EXPECT_EQ(sizes(""), "unknown");
}

TEST(ExtendedLaunch, RecordsItsEventsAroundTheKernel) {
  const DeviceArray<float> values(std::vector<float>{1.0F});
  hipEvent_t start = nullptr;
  hipEvent_t stop = nullptr;
  ASSERT_EQ(hipEventCreate(&start), hipSuccess);
  ASSERT_EQ(hipEventCreate(&stop), hipSuccess);
  hipExtLaunchKernelGGL(scale, dim3(1), dim3(1), 0, nullptr, start, stop, 0, values.get(), 3.0F, 0, false);
  ASSERT_EQ(hipGetLastError(), hipSuccess);
  ASSERT_EQ(hipEventSynchronize(stop), hipSuccess);
  float milliseconds = -1.0F;
  EXPECT_EQ(hipEventElapsedTime(&milliseconds, start, stop), hipSuccess);
  EXPECT_GT(milliseconds, 0.0F);
  EXPECT_THAT(values.to_host(), ElementsAre(3.0F));
  EXPECT_EQ(hipEventDestroy(start), hipSuccess);
  EXPECT_EQ(hipEventDestroy(stop), hipSuccess);
}

}  // namespace
