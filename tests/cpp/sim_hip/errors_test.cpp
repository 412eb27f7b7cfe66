// SPDX-License-Identifier: MIT
//
// Bad calls give HIP's codes, leave the last error, and do nothing else; good corner cases succeed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "hip/hip_runtime.h"
#include "sim_environment.hpp"

namespace {

using multipass_sim::DeviceArray;
using ::testing::Each;

__global__ void nothing() {}

class Errors : public ::testing::Test {
 protected:
  void SetUp() override { static_cast<void>(hipGetLastError()); }
};

TEST_F(Errors, TheLastErrorStaysUntilItIsAskedFor) {
  EXPECT_EQ(hipSetDevice(99), hipErrorInvalidDevice);
  EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
  EXPECT_EQ(hipPeekAtLastError(), hipErrorInvalidDevice);
  EXPECT_EQ(hipGetLastError(), hipErrorInvalidDevice);
  EXPECT_EQ(hipGetLastError(), hipSuccess);
}

TEST_F(Errors, EveryCodeHasItsName) {
  EXPECT_STREQ(hipGetErrorName(hipErrorInvalidValue), "hipErrorInvalidValue");
  EXPECT_STREQ(hipGetErrorString(hipSuccess), "no error");
  EXPECT_STREQ(hipGetErrorName(static_cast<hipError_t>(1000)), "hipErrorUnknown");
}

TEST_F(Errors, DevicesOutOfRangeAreRefused) {
  hipDeviceProp_t properties;
  EXPECT_EQ(hipSetDevice(-1), hipErrorInvalidDevice);
  EXPECT_EQ(hipSetDevice(2), hipErrorInvalidDevice);
  EXPECT_EQ(hipGetDeviceProperties(&properties, 2), hipErrorInvalidDevice);
  EXPECT_EQ(hipGetDeviceCount(nullptr), hipErrorInvalidValue);
  int device = -1;
  EXPECT_EQ(hipGetDevice(&device), hipSuccess);
  EXPECT_EQ(device, 0);
}

TEST_F(Errors, PropertiesAreThoseOfTheSimulatedDevice) {
  hipDeviceProp_t properties;
  ASSERT_EQ(hipGetDeviceProperties(&properties, 1), hipSuccess);
  EXPECT_STREQ(properties.gcnArchName, "tiny");
  EXPECT_STREQ(properties.name, "Simulated tiny device");
  EXPECT_EQ(properties.multiProcessorCount, 4);
  EXPECT_EQ(properties.warpSize, 64);
  EXPECT_EQ(properties.totalGlobalMem, 1073741824U);
  EXPECT_EQ(properties.sharedMemPerBlock, 65536U);
}

TEST_F(Errors, FreeTakesOnlyTheStartOfAnAllocationOfItsKind) {
  int on_stack = 0;
  char* device = nullptr;
  char* host = nullptr;
  ASSERT_EQ(hipMalloc(&device, 64), hipSuccess);
  ASSERT_EQ(hipHostMalloc(&host, 64), hipSuccess);
  EXPECT_EQ(hipFree(&on_stack), hipErrorInvalidValue);
  EXPECT_EQ(hipFree(device + 1), hipErrorInvalidValue);
  EXPECT_EQ(hipFree(host), hipErrorInvalidValue);
  EXPECT_EQ(hipHostFree(device), hipErrorInvalidValue);
  EXPECT_EQ(hipFree(nullptr), hipSuccess);
  EXPECT_EQ(hipFree(device), hipSuccess);
  EXPECT_EQ(hipFree(device), hipErrorInvalidValue);
  EXPECT_EQ(hipHostFree(host), hipSuccess);
}

TEST_F(Errors, MemoryIsAlignedToPagesAndFilledWithThePattern) {
  unsigned char* memory = nullptr;
  ASSERT_EQ(hipMalloc(&memory, 5000), hipSuccess);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 4096, 0U);
  EXPECT_THAT(std::vector<unsigned char>(memory, memory + 5000), Each(0xCD));
  EXPECT_EQ(hipFree(memory), hipSuccess);
}

TEST_F(Errors, AllocationsOfNothingAndOfMoreThanTheDeviceHas) {
  void* memory = &memory;
  EXPECT_EQ(hipMalloc(&memory, 0), hipSuccess);
  EXPECT_EQ(memory, nullptr);
  EXPECT_EQ(hipMalloc(static_cast<void**>(nullptr), 1), hipErrorInvalidValue);
  EXPECT_EQ(hipMalloc(&memory, std::size_t{1} << 60), hipErrorOutOfMemory);
  EXPECT_EQ(memory, nullptr);
  EXPECT_EQ(hipMallocManaged(&memory, 16, 77), hipErrorInvalidValue);
  EXPECT_EQ(hipExtMallocWithFlags(&memory, 16, 2), hipErrorInvalidValue);
  EXPECT_EQ(hipExtMallocWithFlags(&memory, std::size_t{1} << 60, hipDeviceMallocFinegrained), hipErrorOutOfMemory);
}

TEST_F(Errors, MemoryInfoFollowsAllocations) {
  std::size_t before = 0;
  std::size_t after = 0;
  std::size_t total = 0;
  ASSERT_EQ(hipMemGetInfo(&before, &total), hipSuccess);
  const DeviceArray<char> memory(std::vector<char>(1000));
  ASSERT_EQ(hipMemGetInfo(&after, &total), hipSuccess);
  EXPECT_EQ(before - after, 1000U);
}

TEST_F(Errors, CopiesMustStayInsideTheirMemoryAndGoTheWayTheySay) {
  const DeviceArray<char> memory(std::vector<char>(100, 'a'));
  char host[200] = {};
  EXPECT_EQ(hipMemcpy(memory.get(), host, 101, hipMemcpyHostToDevice), hipErrorInvalidValue);
  EXPECT_EQ(hipMemcpy(memory.get() + 60, host, 41, hipMemcpyDefault), hipErrorInvalidValue);
  EXPECT_EQ(hipMemcpy(host, host + 100, 10, hipMemcpyDeviceToHost), hipErrorInvalidValue);
  EXPECT_EQ(hipMemcpy(host, memory.get(), 10, hipMemcpyHostToDevice), hipErrorInvalidValue);
  EXPECT_EQ(hipMemcpy(nullptr, host, 10, hipMemcpyHostToDevice), hipErrorInvalidValue);
  EXPECT_EQ(hipMemcpy(memory.get(), host, 10, static_cast<hipMemcpyKind>(7)), hipErrorInvalidMemcpyDirection);
  EXPECT_EQ(hipMemset(host, 0, 10), hipErrorInvalidValue);
  EXPECT_EQ(hipMemset(memory.get(), 0, 101), hipErrorInvalidValue);
  EXPECT_EQ(hipMemcpy(nullptr, nullptr, 0, hipMemcpyHostToDevice), hipSuccess);
  EXPECT_THAT(memory.to_host(), Each('a'));
}

__device__ int small_variable = 5;

TEST_F(Errors, CopiesToASymbolMustStayInsideIt) {
  const int values[2] = {1, 2};
  EXPECT_EQ(hipMemcpyToSymbol(HIP_SYMBOL(small_variable), values, sizeof(values)), hipErrorInvalidValue);
  EXPECT_EQ(hipMemcpyToSymbol(HIP_SYMBOL(small_variable), values, 1, 4), hipErrorInvalidValue);
  EXPECT_EQ(small_variable, 5);
}

TEST_F(Errors, StreamsThatDoNotExistAreRefused) {
  int unrelated = 0;
  const auto fake = reinterpret_cast<hipStream_t>(&unrelated);
  EXPECT_EQ(hipStreamDestroy(nullptr), hipErrorInvalidHandle);
  EXPECT_EQ(hipStreamDestroy(fake), hipErrorInvalidHandle);
  EXPECT_EQ(hipStreamSynchronize(fake), hipErrorInvalidHandle);
  EXPECT_EQ(hipStreamCreate(nullptr), hipErrorInvalidValue);
  hipStream_t stream = nullptr;
  EXPECT_EQ(hipStreamCreateWithFlags(&stream, 8), hipErrorInvalidValue);
  ASSERT_EQ(hipStreamCreate(&stream), hipSuccess);
  EXPECT_EQ(hipStreamDestroy(stream), hipSuccess);
  EXPECT_EQ(hipStreamDestroy(stream), hipErrorInvalidHandle);
}

TEST_F(Errors, EventsThatDoNotExistAreRefused) {
  EXPECT_EQ(hipEventDestroy(nullptr), hipErrorInvalidHandle);
  EXPECT_EQ(hipEventRecord(nullptr, nullptr), hipErrorInvalidHandle);
  EXPECT_EQ(hipEventCreate(nullptr), hipErrorInvalidValue);
}

TEST_F(Errors, GeometriesThatNoDeviceRunsAreRefused) {
  const auto error_of = [](dim3 grid, dim3 block, std::size_t shared) {
    hipLaunchKernelGGL(nothing, grid, block, shared, nullptr);
    return hipGetLastError();
  };
  EXPECT_EQ(error_of(dim3(0), dim3(1), 0), hipErrorInvalidConfiguration);
  EXPECT_EQ(error_of(dim3(1), dim3(1, 0), 0), hipErrorInvalidConfiguration);
  EXPECT_EQ(error_of(dim3(1), dim3(1025), 0), hipErrorInvalidConfiguration);
  EXPECT_EQ(error_of(dim3(1), dim3(32, 32, 2), 0), hipErrorInvalidConfiguration);
  EXPECT_EQ(error_of(dim3(1), dim3(65536, 65536), 0), hipErrorInvalidConfiguration);
  EXPECT_EQ(error_of(dim3(0x40000000), dim3(8), 0), hipErrorInvalidConfiguration);
  EXPECT_EQ(error_of(dim3(1), dim3(1), 65537), hipErrorInvalidValue);
  EXPECT_EQ(error_of(dim3(1), dim3(1024), 65536), hipSuccess);
  EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
}

TEST_F(Errors, ALaunchOnAnUnknownStreamIsRefused) {
  int unrelated = 0;
  hipLaunchKernelGGL(nothing, dim3(1), dim3(1), 0, reinterpret_cast<hipStream_t>(&unrelated));
  EXPECT_EQ(hipGetLastError(), hipErrorInvalidHandle);
}

TEST_F(Errors, HostFunctionsOfAStreamCannotWaitForIt) {
  hipError_t inside = hipSuccess;
  const auto call_hip = [](void* result) { *static_cast<hipError_t*>(result) = hipDeviceSynchronize(); };
  ASSERT_EQ(hipLaunchHostFunc(nullptr, call_hip, &inside), hipSuccess);
  ASSERT_EQ(hipDeviceSynchronize(), hipSuccess);
  EXPECT_EQ(inside, hipErrorNotSupported);
}

void exit_in_a_host_function() {
  const auto leave = [](void*) { std::exit(23); };
  if (hipLaunchHostFunc(nullptr, leave, nullptr) != hipSuccess || hipDeviceSynchronize() != hipSuccess) std::abort();
}

TEST_F(Errors, AHostFunctionMayEndTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // the runtime has threads
  EXPECT_EXIT(exit_in_a_host_function(), ::testing::ExitedWithCode(23), "^$");
}

TEST_F(Errors, AForkedChildFindsNoRuntimeAndExits) {
  ASSERT_EQ(hipDeviceSynchronize(), hipSuccess);
  const pid_t child = ::fork();
  ASSERT_NE(child, -1);
  if (child == 0) std::exit(hipDeviceSynchronize() == hipErrorNotInitialized ? 17 : 1);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 17);
}

}  // namespace
