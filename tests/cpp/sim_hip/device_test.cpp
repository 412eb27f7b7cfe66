// SPDX-License-Identifier: MIT
//
// Devices answer single questions as their properties do, keep what is set, and are reset; streams and events have what
// they were made with.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "hip/hip_runtime.h"
#include "sim_environment.hpp"

namespace {

using multipass_sim::DeviceArray;

__global__ void nothing() {}

class Devices : public ::testing::Test {
 protected:
  void SetUp() override { static_cast<void>(hipGetLastError()); }
  void TearDown() override { EXPECT_EQ(hipSetDevice(0), hipSuccess); }
};

int attribute(hipDeviceAttribute_t which, int device) {
  int value = -1;
  EXPECT_EQ(hipDeviceGetAttribute(&value, which, device), hipSuccess);
  return value;
}

TEST_F(Devices, AttributesAreThoseOfTheProperties) {
  EXPECT_EQ(attribute(hipDeviceAttributeMultiprocessorCount, 0), 304);
  EXPECT_EQ(attribute(hipDeviceAttributeMultiprocessorCount, 1), 4);
  EXPECT_EQ(attribute(hipDeviceAttributeWarpSize, 0), 64);
  EXPECT_EQ(attribute(hipDeviceAttributeMaxBlockDimY, 0), 1024);
  EXPECT_EQ(attribute(hipDeviceAttributeMaxSharedMemoryPerBlock, 0), 65536);
  EXPECT_EQ(attribute(hipDeviceAttributeComputeCapabilityMajor, 0), 9);
  EXPECT_EQ(attribute(hipDeviceAttributeMemoryPoolsSupported, 0), 1);
  EXPECT_EQ(attribute(hipDeviceAttributeCooperativeLaunch, 0), 0);
  int value = 0;
  EXPECT_EQ(hipDeviceGetAttribute(&value, static_cast<hipDeviceAttribute_t>(5000), 0), hipErrorInvalidValue);
  EXPECT_EQ(hipDeviceGetAttribute(&value, hipDeviceAttributeWarpSize, 2), hipErrorInvalidDevice);
}

TEST_F(Devices, NamesAreCutToTheRoomThatThereIs) {
  char name[10] = {};
  ASSERT_EQ(hipDeviceGetName(name, sizeof(name), 1), hipSuccess);
  EXPECT_STREQ(name, "Simulated");
  char id[13] = {};
  ASSERT_EQ(hipDeviceGetPCIBusId(id, sizeof(id), 1), hipSuccess);
  EXPECT_STREQ(id, "0000:02:00.0");
  EXPECT_EQ(hipDeviceGetPCIBusId(id, 12, 1), hipErrorInvalidValue);
  int device = -1;
  EXPECT_EQ(hipDeviceGetByPCIBusId(&device, "0000:02:00.0"), hipSuccess);
  EXPECT_EQ(device, 1);
}

TEST_F(Devices, SettingsAreKept) {
  ASSERT_EQ(hipDeviceSetLimit(hipLimitMallocHeapSize, 12345), hipSuccess);
  std::size_t limit = 0;
  EXPECT_EQ(hipDeviceGetLimit(&limit, hipLimitMallocHeapSize), hipSuccess);
  EXPECT_EQ(limit, 12345U);
  ASSERT_EQ(hipDeviceSetCacheConfig(hipFuncCachePreferL1), hipSuccess);
  hipFuncCache_t cache = hipFuncCachePreferNone;
  EXPECT_EQ(hipDeviceGetCacheConfig(&cache), hipSuccess);
  EXPECT_EQ(cache, hipFuncCachePreferL1);
  ASSERT_EQ(hipSetDeviceFlags(hipDeviceScheduleSpin), hipSuccess);
  unsigned flags = 0;
  EXPECT_EQ(hipGetDeviceFlags(&flags), hipSuccess);
  EXPECT_EQ(flags, hipDeviceScheduleSpin);
  EXPECT_EQ(hipSetDeviceFlags(hipDeviceScheduleSpin | hipDeviceScheduleYield), hipErrorInvalidValue);
  EXPECT_EQ(hipFuncSetCacheConfig(reinterpret_cast<const void*>(nothing), hipFuncCachePreferShared), hipSuccess);
}

TEST_F(Devices, PeerAccessIsOnOrOff) {
  int can = -1;
  EXPECT_EQ(hipDeviceCanAccessPeer(&can, 0, 1), hipSuccess);
  EXPECT_EQ(can, 1);
  EXPECT_EQ(hipDeviceCanAccessPeer(&can, 0, 0), hipSuccess);
  EXPECT_EQ(can, 0);
  EXPECT_EQ(hipDeviceDisablePeerAccess(1), hipErrorPeerAccessNotEnabled);
  EXPECT_EQ(hipDeviceEnablePeerAccess(1, 0), hipSuccess);
  EXPECT_EQ(hipDeviceEnablePeerAccess(1, 0), hipErrorPeerAccessAlreadyEnabled);
  EXPECT_EQ(hipDeviceDisablePeerAccess(1), hipSuccess);
  EXPECT_EQ(hipDeviceEnablePeerAccess(0, 0), hipErrorInvalidDevice);
}

TEST_F(Devices, OccupancyFollowsWavesAndSharedMemory) {
  ASSERT_EQ(hipSetDevice(0), hipSuccess);
  hipDeviceProp_t properties;
  ASSERT_EQ(hipGetDeviceProperties(&properties, 0), hipSuccess);
  const int waves = properties.maxThreadsPerMultiProcessor / 64;
  int blocks = 0;
  ASSERT_EQ(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nothing, 256, 0), hipSuccess);
  EXPECT_EQ(blocks, waves / 4);
  ASSERT_EQ(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nothing, 65, 20000), hipSuccess);
  EXPECT_EQ(blocks, 3);  // of 65536 bytes
  ASSERT_EQ(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nothing, 1025, 0), hipSuccess);
  EXPECT_EQ(blocks, 0);
  int grid = 0;
  int block = 0;
  ASSERT_EQ(hipOccupancyMaxPotentialBlockSize(&grid, &block, nothing, 0, 500), hipSuccess);
  EXPECT_EQ(waves, 32);  // 448 work-items, the largest block, would leave four of them empty
  EXPECT_EQ(block, 256);
  EXPECT_EQ(grid, 8 * 304);
}

TEST_F(Devices, AResetFreesTheMemoryAndDestroysTheStreamsOfThatDeviceOnly) {
  const DeviceArray<char> other(std::vector<char>(10));
  ASSERT_EQ(hipSetDevice(1), hipSuccess);
  char* memory = nullptr;
  hipStream_t stream = nullptr;
  ASSERT_EQ(hipMalloc(&memory, 100), hipSuccess);
  ASSERT_EQ(hipStreamCreate(&stream), hipSuccess);
  hipLaunchKernelGGL(nothing, dim3(1), dim3(1), 0, stream);
  ASSERT_EQ(hipDeviceReset(), hipSuccess);
  EXPECT_EQ(hipFree(memory), hipErrorInvalidValue);
  EXPECT_EQ(hipStreamDestroy(stream), hipErrorInvalidHandle);
  std::size_t free_bytes = 0;
  std::size_t total = 0;
  EXPECT_EQ(hipMemGetInfo(&free_bytes, &total), hipSuccess);
  EXPECT_EQ(free_bytes, total);
  hipPointerAttribute_t attributes;
  EXPECT_EQ(hipPointerGetAttributes(&attributes, other.get()), hipSuccess);
}

TEST_F(Devices, AStreamHasTheFlagsAndThePriorityItWasMadeWith) {
  int least = 0;
  int greatest = 0;
  ASSERT_EQ(hipDeviceGetStreamPriorityRange(&least, &greatest), hipSuccess);
  EXPECT_LT(greatest, least);
  hipStream_t stream = nullptr;
  ASSERT_EQ(hipStreamCreateWithPriority(&stream, hipStreamNonBlocking, greatest - 5), hipSuccess);
  int priority = 0;
  unsigned flags = 0;
  int device = -1;
  EXPECT_EQ(hipStreamGetPriority(stream, &priority), hipSuccess);
  EXPECT_EQ(priority, greatest);
  EXPECT_EQ(hipStreamGetFlags(stream, &flags), hipSuccess);
  EXPECT_EQ(flags, hipStreamNonBlocking);
  EXPECT_EQ(hipStreamGetDevice(stream, &device), hipSuccess);
  EXPECT_EQ(device, 0);
  EXPECT_EQ(hipStreamDestroy(stream), hipSuccess);
}

TEST_F(Devices, ACallbackGetsItsStreamTheStatusAndItsData) {
  struct Seen {
    hipStream_t stream = nullptr;
    hipError_t status = hipErrorUnknown;
  } seen;
  hipStream_t stream = nullptr;
  ASSERT_EQ(hipStreamCreate(&stream), hipSuccess);
  const auto callback = [](hipStream_t on, hipError_t status, void* data) { *static_cast<Seen*>(data) = {on, status}; };
  ASSERT_EQ(hipStreamAddCallback(stream, callback, &seen, 0), hipSuccess);
  ASSERT_EQ(hipStreamSynchronize(stream), hipSuccess);
  EXPECT_EQ(seen.stream, stream);
  EXPECT_EQ(seen.status, hipSuccess);
  EXPECT_EQ(hipStreamAddCallback(stream, callback, &seen, 1), hipErrorInvalidValue);
  EXPECT_EQ(hipStreamDestroy(stream), hipSuccess);
}

TEST_F(Devices, EventFlagsThatGoTogetherAreTaken) {
  const auto make = [](unsigned flags) {
    hipEvent_t event = nullptr;
    const hipError_t error = hipEventCreateWithFlags(&event, flags);
    if (error == hipSuccess) static_cast<void>(hipEventDestroy(event));
    return error;
  };
  EXPECT_EQ(make(hipEventBlockingSync | hipEventDisableTiming), hipSuccess);
  EXPECT_EQ(make(hipEventReleaseToSystem), hipSuccess);
  EXPECT_EQ(make(hipEventInterprocess | hipEventDisableTiming), hipSuccess);
  EXPECT_EQ(make(hipEventInterprocess), hipErrorInvalidValue);
  EXPECT_EQ(make(hipEventReleaseToSystem | hipEventReleaseToDevice), hipErrorInvalidValue);
  EXPECT_EQ(make(0x100), hipErrorInvalidValue);
}

TEST_F(Devices, EveryCodeThatIsDeclaredHasItsOwnName) {
  for (const hipError_t error : {hipErrorInvalidPitchValue, hipErrorHostMemoryNotRegistered, hipErrorIllegalState,
                                 hipErrorStreamCaptureUnjoined, hipErrorCapturedEvent, hipErrorPeerAccessNotEnabled}) {
    EXPECT_STRNE(hipGetErrorName(error), "hipErrorUnknown") << static_cast<int>(error);
  }
}

}  // namespace
