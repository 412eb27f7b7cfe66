// SPDX-License-Identifier: MIT
//
// Virtual memory: what was mapped and made accessible is memory of the device; everything else is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "hip/hip_runtime.h"
#include "sim_environment.hpp"

namespace {

using ::testing::Each;

constexpr std::size_t kChunk = std::size_t{2} << 20U;

hipMemAllocationProp on_device(int device, hipMemAllocationHandleType type = hipMemHandleTypeNone) {
  hipMemAllocationProp properties{};
  properties.type = hipMemAllocationTypePinned;
  properties.requestedHandleType = type;
  properties.location = {hipMemLocationTypeDevice, device};
  return properties;
}

__global__ void add_to_all(int* values, std::size_t count, int more) {
  for (std::size_t i = 0; i < count; ++i) values[i] += more;
}

void* as_pointer(int descriptor) {
  return reinterpret_cast<void*>(static_cast<std::intptr_t>(descriptor));  // NOLINT(performance-no-int-to-ptr)
}

// A reserved range of two chunks.
class VirtualMemory : public ::testing::Test {
 protected:
  void SetUp() override {
    static_cast<void>(hipGetLastError());
    ASSERT_EQ(hipMemAddressReserve(&range_, 2 * kChunk, 0, nullptr, 0), hipSuccess);
  }
  void TearDown() override { EXPECT_EQ(hipMemAddressFree(range_, 2 * kChunk), hipSuccess); }

  static hipMemGenericAllocationHandle_t create(hipMemAllocationHandleType type = hipMemHandleTypeNone) {
    hipMemGenericAllocationHandle_t handle = nullptr;
    const hipMemAllocationProp properties = on_device(0, type);
    EXPECT_EQ(hipMemCreate(&handle, kChunk, &properties, 0), hipSuccess);
    return handle;
  }
  static void allow(void* address, std::size_t size) {
    const hipMemAccessDesc all{{hipMemLocationTypeDevice, 0}, hipMemAccessFlagsProtReadWrite};
    EXPECT_EQ(hipMemSetAccess(address, size, &all, 1), hipSuccess);
  }
  [[nodiscard]] void* second() const { return static_cast<char*>(range_) + kChunk; }

  void* range_ = nullptr;
};

TEST_F(VirtualMemory, AKernelAndACopyUseTwoMappingsSideBySideAsOneRange) {
  const auto one = create();
  const auto two = create();
  ASSERT_EQ(hipMemMap(range_, kChunk, 0, one, 0), hipSuccess);
  ASSERT_EQ(hipMemMap(second(), kChunk, 0, two, 0), hipSuccess);
  EXPECT_EQ(hipMemRelease(one), hipSuccess);  // both live on while they are mapped
  EXPECT_EQ(hipMemRelease(two), hipSuccess);
  allow(range_, 2 * kChunk);
  constexpr std::size_t kCount = 2 * kChunk / sizeof(int);
  ASSERT_EQ(hipMemset(range_, 0, 2 * kChunk), hipSuccess);
  hipLaunchKernelGGL(add_to_all, dim3(1), dim3(1), 0, nullptr, static_cast<int*>(range_), kCount, 7);
  std::vector<int> values(kCount);
  ASSERT_EQ(hipMemcpy(values.data(), range_, 2 * kChunk, hipMemcpyDeviceToHost), hipSuccess);
  EXPECT_THAT(values, Each(7));
  EXPECT_EQ(hipMemcpy(values.data(), second(), 2 * kChunk, hipMemcpyDeviceToHost), hipErrorInvalidValue);
  EXPECT_EQ(hipMemUnmap(range_, 2 * kChunk), hipSuccess);
}

TEST_F(VirtualMemory, IsCountedAsLongAsSomebodyHoldsIt) {
  std::size_t before = 0;
  std::size_t now = 0;
  std::size_t total = 0;
  ASSERT_EQ(hipMemGetInfo(&before, &total), hipSuccess);
  const auto handle = create();
  ASSERT_EQ(hipMemMap(range_, kChunk, 0, handle, 0), hipSuccess);
  EXPECT_EQ(hipMemRelease(handle), hipSuccess);
  hipMemGenericAllocationHandle_t again = nullptr;
  ASSERT_EQ(hipMemRetainAllocationHandle(&again, static_cast<char*>(range_) + 5), hipSuccess);
  EXPECT_EQ(again, handle);
  EXPECT_EQ(hipMemUnmap(range_, kChunk), hipSuccess);
  ASSERT_EQ(hipMemGetInfo(&now, &total), hipSuccess);
  EXPECT_EQ(now, before - kChunk);
  EXPECT_EQ(hipMemRelease(again), hipSuccess);
  ASSERT_EQ(hipMemGetInfo(&now, &total), hipSuccess);
  EXPECT_EQ(now, before);
  EXPECT_EQ(hipMemRelease(again), hipErrorInvalidValue);
}

TEST_F(VirtualMemory, ASecondMappingOfAHandleShowsTheSameBytes) {
  const auto handle = create();
  ASSERT_EQ(hipMemMap(range_, kChunk, 0, handle, 0), hipSuccess);
  ASSERT_EQ(hipMemMap(second(), kChunk, 0, handle, 0), hipSuccess);
  allow(range_, 2 * kChunk);
  ASSERT_EQ(hipMemset(range_, 0x5A, 16), hipSuccess);
  std::vector<unsigned char> bytes(16);
  ASSERT_EQ(hipMemcpy(bytes.data(), second(), 16, hipMemcpyDeviceToHost), hipSuccess);
  EXPECT_THAT(bytes, Each(0x5A));
  EXPECT_EQ(hipMemUnmap(range_, 2 * kChunk), hipSuccess);
  EXPECT_EQ(hipMemRelease(handle), hipSuccess);
}

TEST_F(VirtualMemory, GoesThroughAFileDescriptor) {
  const auto handle = create(hipMemHandleTypePosixFileDescriptor);
  int descriptor = -1;
  ASSERT_EQ(hipMemExportToShareableHandle(&descriptor, handle, hipMemHandleTypePosixFileDescriptor, 0), hipSuccess);
  hipMemGenericAllocationHandle_t imported = nullptr;
  ASSERT_EQ(hipMemImportFromShareableHandle(&imported, as_pointer(descriptor), hipMemHandleTypePosixFileDescriptor),
            hipSuccess);
  ASSERT_EQ(::close(descriptor), 0);
  EXPECT_NE(imported, handle);
  ASSERT_EQ(hipMemMap(range_, kChunk, 0, handle, 0), hipSuccess);
  ASSERT_EQ(hipMemMap(second(), kChunk, 0, imported, 0), hipSuccess);
  allow(range_, 2 * kChunk);
  ASSERT_EQ(hipMemset(second(), 3, kChunk), hipSuccess);
  std::vector<unsigned char> bytes(64);
  ASSERT_EQ(hipMemcpy(bytes.data(), range_, 64, hipMemcpyDeviceToHost), hipSuccess);
  EXPECT_THAT(bytes, Each(3));
  EXPECT_EQ(hipMemUnmap(range_, 2 * kChunk), hipSuccess);
  EXPECT_EQ(hipMemRelease(imported), hipSuccess);
  EXPECT_EQ(hipMemRelease(handle), hipSuccess);
  int pipe_ends[2] = {};
  ASSERT_EQ(::pipe(pipe_ends), 0);
  EXPECT_EQ(hipMemImportFromShareableHandle(&imported, as_pointer(pipe_ends[0]), hipMemHandleTypePosixFileDescriptor),
            hipErrorInvalidValue);
  ::close(pipe_ends[0]);
  ::close(pipe_ends[1]);
}

TEST_F(VirtualMemory, WhatWasNotAskedForAsADescriptorIsNotExported) {
  const auto handle = create();
  int descriptor = -1;
  EXPECT_EQ(hipMemExportToShareableHandle(&descriptor, handle, hipMemHandleTypePosixFileDescriptor, 0),
            hipErrorInvalidValue);
  EXPECT_EQ(descriptor, -1);
  EXPECT_EQ(hipMemRelease(handle), hipSuccess);
}

TEST_F(VirtualMemory, AccessIsAnsweredByDevice) {
  const auto handle = create();
  ASSERT_EQ(hipMemMap(range_, kChunk, 0, handle, 0), hipSuccess);
  unsigned long long flags = 9;
  const hipMemLocation own{hipMemLocationTypeDevice, 0};
  const hipMemLocation other{hipMemLocationTypeDevice, 1};
  EXPECT_EQ(hipMemGetAccess(&flags, &own, range_), hipSuccess);
  EXPECT_EQ(flags, 0U);
  allow(range_, kChunk);
  EXPECT_EQ(hipMemGetAccess(&flags, &own, range_), hipSuccess);
  EXPECT_EQ(flags, 3U);
  EXPECT_EQ(hipMemGetAccess(&flags, &other, range_), hipSuccess);
  EXPECT_EQ(flags, 0U);
  EXPECT_EQ(hipMemGetAccess(&flags, &own, second()), hipErrorInvalidValue);
  EXPECT_EQ(hipMemUnmap(range_, kChunk), hipSuccess);
  EXPECT_EQ(hipMemRelease(handle), hipSuccess);
}

TEST_F(VirtualMemory, MappingsAreRefusedOutsideTheRangeOverOthersAndInPart) {
  const auto handle = create();
  int local = 0;
  EXPECT_EQ(hipMemMap(&local, kChunk, 0, handle, 0), hipErrorInvalidValue);
  EXPECT_EQ(hipMemMap(second(), 2 * kChunk, 0, handle, 0), hipErrorInvalidValue);
  EXPECT_EQ(hipMemMap(range_, kChunk, kChunk, handle, 0), hipErrorInvalidValue) << "an offset";
  EXPECT_EQ(hipMemMap(range_, kChunk / 2, 0, handle, 0), hipErrorInvalidValue);
  ASSERT_EQ(hipMemMap(range_, kChunk, 0, handle, 0), hipSuccess);
  EXPECT_EQ(hipMemMap(range_, kChunk, 0, handle, 0), hipErrorInvalidValue);
  EXPECT_EQ(hipMemAddressFree(range_, 2 * kChunk), hipErrorUnknown) << "something is mapped";
  EXPECT_EQ(hipMemUnmap(range_, kChunk / 2), hipErrorInvalidValue);
  EXPECT_EQ(hipFree(range_), hipErrorInvalidValue);
  EXPECT_EQ(hipMemUnmap(range_, kChunk), hipSuccess);
  EXPECT_EQ(hipMemUnmap(range_, kChunk), hipErrorInvalidValue);
  EXPECT_EQ(hipMemRelease(handle), hipSuccess);
}

TEST_F(VirtualMemory, SizesAreMultiplesOfTheGranularityAndFitTheDevice) {
  std::size_t granularity = 0;
  hipMemAllocationProp properties = on_device(0);
  ASSERT_EQ(hipMemGetAllocationGranularity(&granularity, &properties, hipMemAllocationGranularityMinimum), hipSuccess);
  EXPECT_EQ(granularity, kChunk);
  hipMemGenericAllocationHandle_t handle = nullptr;
  EXPECT_EQ(hipMemCreate(&handle, kChunk + 4096, &properties, 0), hipErrorInvalidValue);
  EXPECT_EQ(hipMemCreate(&handle, std::size_t{1} << 42U, &properties, 0), hipErrorOutOfMemory);
  properties.location.id = 7;
  EXPECT_EQ(hipMemCreate(&handle, kChunk, &properties, 0), hipErrorInvalidDevice);
  properties = on_device(0, hipMemHandleTypeWin32);
  EXPECT_EQ(hipMemCreate(&handle, kChunk, &properties, 0), hipErrorNotSupported);
  EXPECT_EQ(handle, nullptr);
  void* address = nullptr;
  EXPECT_EQ(hipMemAddressReserve(&address, 4096, 0, nullptr, 0), hipErrorInvalidValue);
  EXPECT_EQ(hipMemAddressReserve(&address, kChunk, 3, nullptr, 0), hipErrorInvalidValue);
  constexpr std::size_t kAligned = std::size_t{1} << 28U;
  ASSERT_EQ(hipMemAddressReserve(&address, kChunk, kAligned, nullptr, 0), hipSuccess);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(address) % kAligned, 0U);
  EXPECT_EQ(hipMemAddressFree(address, 2 * kChunk), hipErrorInvalidValue);
  EXPECT_EQ(hipMemAddressFree(address, kChunk), hipSuccess);
}

using VirtualMemoryDeathTest = VirtualMemory;

__attribute__((noinline)) void read_without_access(const void* address) {
  static_cast<void>(*static_cast<const volatile char*>(address));
}

TEST_F(VirtualMemoryDeathTest, WithoutAccessTheMappedMemoryCannotBeTouched) {
  GTEST_FLAG_SET(death_test_style, "fast");
  const auto handle = create();
  ASSERT_EQ(hipMemMap(range_, kChunk, 0, handle, 0), hipSuccess);
  EXPECT_DEATH(read_without_access(range_), "");
  EXPECT_EQ(hipMemUnmap(range_, kChunk), hipSuccess);
  EXPECT_EQ(hipMemRelease(handle), hipSuccess);
}

constexpr std::size_t kHuge = 173'000'000'000;

// On a machine with less memory than that: only what is written costs any.
TEST(HugeMemory, OfThreeQuartersOfTheDeviceIsZeroAndCanBeUsedAtItsEnds) {
  char* memory = nullptr;
  std::size_t before = 0;
  std::size_t now = 0;
  std::size_t total = 0;
  ASSERT_EQ(hipMemGetInfo(&before, &total), hipSuccess);
  ASSERT_EQ(hipMalloc(&memory, kHuge), hipSuccess);
  ASSERT_EQ(hipMemGetInfo(&now, &total), hipSuccess);
  EXPECT_EQ(before - now, kHuge);
  char* more = nullptr;
  EXPECT_EQ(hipMalloc(&more, kHuge), hipErrorOutOfMemory) << "the device has 192 GB";
  ASSERT_EQ(hipMemset(memory + kHuge - 3, 5, 3), hipSuccess);
  char ends[5] = {};
  ASSERT_EQ(hipMemcpy(ends, memory + kHuge - 5, 5, hipMemcpyDeviceToHost), hipSuccess);
  EXPECT_THAT(ends, ::testing::ElementsAre(0, 0, 5, 5, 5));
  EXPECT_EQ(hipFree(memory), hipSuccess);
}

}  // namespace
