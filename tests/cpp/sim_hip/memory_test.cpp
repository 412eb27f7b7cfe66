// SPDX-License-Identifier: MIT
//
// Copies and fills of every form reach the bytes they name; what is asked about memory is answered.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "hip/hip_runtime.h"
#include "sim_environment.hpp"

namespace {

using multipass_sim::DeviceArray;
using ::testing::Each;
using ::testing::ElementsAre;

constexpr std::size_t kHalfOfAll = SIZE_MAX / 2 + 1;  // bytes; twice as much is more than there are addresses

class Memory : public ::testing::Test {
 protected:
  void SetUp() override { static_cast<void>(hipGetLastError()); }
};

TEST_F(Memory, APitchedAllocationHasRowsAtMultiplesOf256) {
  char* rows = nullptr;
  std::size_t pitch = 0;
  ASSERT_EQ(hipMallocPitch(&rows, &pitch, 300, 3), hipSuccess);
  EXPECT_EQ(pitch, 512U);
  void* base = nullptr;
  std::size_t size = 0;
  EXPECT_EQ(hipMemGetAddressRange(&base, &size, rows + 1000), hipSuccess);
  EXPECT_EQ(base, rows);
  EXPECT_EQ(size, 3U * 512U);
  EXPECT_EQ(hipMemGetAddressRange(&base, &size, &base), hipErrorInvalidDevicePointer);
  EXPECT_EQ(hipFree(rows), hipSuccess);
}

TEST_F(Memory, ACopyOfRowsLeavesWhatIsBetweenThem) {
  const DeviceArray<char> to(std::vector<char>(12, '.'));
  const char from[] = "abXcdXefX";
  ASSERT_EQ(hipMemcpy2D(to.get(), 4, from, 3, 2, 3, hipMemcpyHostToDevice), hipSuccess);
  const std::vector<char> bytes = to.to_host();
  EXPECT_EQ(std::string(bytes.begin(), bytes.end()), "ab..cd..ef..");
  EXPECT_EQ(hipMemcpy2D(to.get(), 4, from, 1, 2, 3, hipMemcpyHostToDevice), hipErrorInvalidPitchValue);
  EXPECT_EQ(hipMemcpy2D(to.get(), 4, from, 3, 3, 4, hipMemcpyHostToDevice), hipErrorInvalidValue);  // 15 of 12 bytes
  EXPECT_EQ(hipMemcpy2D(to.get(), kHalfOfAll, from, 3, 2, 3, hipMemcpyHostToDevice), hipErrorInvalidValue);
}

TEST_F(Memory, FillsTakeElementsOfTheirSize) {
  const DeviceArray<std::uint32_t> words(std::vector<std::uint32_t>(4, 0));
  ASSERT_EQ(hipMemsetD32(words.get(), 0x01020304, 2), hipSuccess);
  ASSERT_EQ(hipMemsetD16(words.get() + 2, 0xabcd, 2), hipSuccess);
  ASSERT_EQ(hipMemsetD8Async(words.get() + 3, 0xee, 2, nullptr), hipSuccess);
  EXPECT_THAT(words.to_host(), ElementsAre(0x01020304U, 0x01020304U, 0xabcdabcdU, 0xeeeeU));
  EXPECT_EQ(hipMemsetD32(words.get(), 0, 5), hipErrorInvalidValue);
}

TEST_F(Memory, AFillOfRowsLeavesWhatIsBetweenThem) {
  const DeviceArray<char> rows(std::vector<char>(8, '.'));
  ASSERT_EQ(hipMemset2D(rows.get(), 4, 'x', 2, 2), hipSuccess);
  EXPECT_THAT(rows.to_host(), ElementsAre('x', 'x', '.', '.', 'x', 'x', '.', '.'));
  EXPECT_EQ(hipMemset2D(rows.get(), 4, 'x', 5, 2), hipErrorInvalidValue);
  EXPECT_EQ(hipMemset2D(rows.get(), kHalfOfAll, 'x', 2, 3), hipErrorInvalidValue);  // 2 * 2^63 bytes are not 0
}

TEST_F(Memory, CopiesNamedByTheirDirectionCheckIt) {
  const DeviceArray<int> first(std::vector<int>{1, 2});
  const DeviceArray<int> second(std::vector<int>{0, 0});
  int host[2] = {};
  ASSERT_EQ(hipMemcpyDtoD(second.get(), first.get(), 8), hipSuccess);
  ASSERT_EQ(hipMemcpyDtoH(host, second.get(), 8), hipSuccess);
  EXPECT_THAT(host, ElementsAre(1, 2));
  host[0] = 9;
  ASSERT_EQ(hipMemcpyHtoDAsync(first.get(), host, 4, nullptr), hipSuccess);
  EXPECT_THAT(first.to_host(), ElementsAre(9, 2));
  EXPECT_EQ(hipMemcpyHtoD(host, host, 8), hipErrorInvalidValue);
  EXPECT_EQ(hipMemcpyPeer(second.get(), 0, first.get(), 7, 8), hipErrorInvalidDevice);
  ASSERT_EQ(hipMemcpyPeer(second.get(), 1, first.get(), 0, 8), hipSuccess);
  EXPECT_THAT(second.to_host(), ElementsAre(9, 2));
}

TEST_F(Memory, RegisteredHostMemoryIsKnownUntilItIsUnregistered) {
  std::vector<char> memory(100);
  ASSERT_EQ(hipHostRegister(memory.data(), 100, hipHostRegisterMapped), hipSuccess);
  EXPECT_EQ(hipHostRegister(memory.data() + 50, 10, 0), hipErrorHostMemoryAlreadyRegistered);
  void* device = nullptr;
  unsigned flags = 0;
  EXPECT_EQ(hipHostGetDevicePointer(&device, memory.data() + 5, 0), hipSuccess);
  EXPECT_EQ(device, memory.data() + 5);
  EXPECT_EQ(hipHostGetFlags(&flags, memory.data()), hipSuccess);
  EXPECT_EQ(flags, hipHostRegisterMapped);
  EXPECT_EQ(hipHostFree(memory.data()), hipErrorInvalidValue);
  EXPECT_EQ(hipHostUnregister(memory.data()), hipSuccess);
  EXPECT_EQ(hipHostUnregister(memory.data()), hipErrorHostMemoryNotRegistered);
  EXPECT_EQ(hipHostGetDevicePointer(&device, memory.data(), 0), hipErrorInvalidValue);
}

TEST_F(Memory, APointerHasTheAttributesOfItsAllocation) {
  const DeviceArray<char> device(std::vector<char>(10));
  char* host = nullptr;
  char* managed = nullptr;
  ASSERT_EQ(hipHostMalloc(&host, 10, hipHostMallocPortable), hipSuccess);
  ASSERT_EQ(hipMallocManaged(&managed, 10), hipSuccess);
  hipPointerAttribute_t attributes;
  ASSERT_EQ(hipPointerGetAttributes(&attributes, device.get() + 3), hipSuccess);
  EXPECT_EQ(attributes.type, hipMemoryTypeDevice);
  EXPECT_EQ(attributes.devicePointer, device.get() + 3);
  EXPECT_EQ(attributes.hostPointer, nullptr);
  ASSERT_EQ(hipPointerGetAttributes(&attributes, host), hipSuccess);
  EXPECT_EQ(attributes.type, hipMemoryTypeHost);
  EXPECT_EQ(attributes.hostPointer, host);
  EXPECT_EQ(attributes.allocationFlags, hipHostMallocPortable);
  ASSERT_EQ(hipPointerGetAttributes(&attributes, managed), hipSuccess);
  EXPECT_EQ(attributes.type, hipMemoryTypeManaged);
  EXPECT_EQ(attributes.isManaged, 1);
  int on_stack = 0;
  EXPECT_EQ(hipPointerGetAttributes(&attributes, &on_stack), hipErrorInvalidValue);
  EXPECT_EQ(hipHostFree(host), hipSuccess);
  EXPECT_EQ(hipFree(managed), hipSuccess);
}

TEST_F(Memory, AdviceIsTakenForManagedMemoryOnly) {
  char* managed = nullptr;
  ASSERT_EQ(hipMallocManaged(&managed, 100), hipSuccess);
  const DeviceArray<char> device(std::vector<char>(100));
  EXPECT_EQ(hipMemPrefetchAsync(managed, 100, 0, nullptr), hipSuccess);
  EXPECT_EQ(hipMemPrefetchAsync(managed, 100, hipCpuDeviceId, nullptr), hipSuccess);
  EXPECT_EQ(hipMemPrefetchAsync(managed, 101, 0, nullptr), hipErrorInvalidValue);
  EXPECT_EQ(hipMemPrefetchAsync(managed, 100, 2, nullptr), hipErrorInvalidDevice);
  EXPECT_EQ(hipMemPrefetchAsync(device.get(), 100, 0, nullptr), hipErrorInvalidValue);
  EXPECT_EQ(hipMemAdvise(managed, 100, hipMemAdviseSetReadMostly, 0), hipSuccess);
  EXPECT_EQ(hipMemAdvise(managed, 100, static_cast<hipMemoryAdvise>(50), 0), hipErrorInvalidValue);
  EXPECT_EQ(hipFree(managed), hipSuccess);
}

__device__ int copied_symbol[2] = {1, 2};

TEST_F(Memory, SymbolsAreCopiedInStreamOrder) {
  int seen[2] = {};
  const int fresh[2] = {7, 8};
  hipStream_t stream = nullptr;
  ASSERT_EQ(hipStreamCreate(&stream), hipSuccess);
  ASSERT_EQ(hipMemcpyToSymbolAsync(HIP_SYMBOL(copied_symbol), fresh, 8, 0, hipMemcpyHostToDevice, stream), hipSuccess);
  ASSERT_EQ(hipMemcpyFromSymbolAsync(seen, HIP_SYMBOL(copied_symbol), 8, 0, hipMemcpyDeviceToHost, stream), hipSuccess);
  ASSERT_EQ(hipStreamSynchronize(stream), hipSuccess);
  EXPECT_THAT(seen, ElementsAre(7, 8));
  EXPECT_EQ(hipStreamDestroy(stream), hipSuccess);
}

TEST_F(Memory, PoolMemoryIsUsedInStreamOrderAndGivenBack) {
  hipMemPool_t pool = nullptr;
  ASSERT_EQ(hipDeviceGetDefaultMemPool(&pool, 0), hipSuccess);
  std::uint64_t before = 0;
  std::uint64_t used = 0;
  ASSERT_EQ(hipMemPoolGetAttribute(pool, hipMemPoolAttrUsedMemCurrent, &before), hipSuccess);
  hipStream_t stream = nullptr;
  ASSERT_EQ(hipStreamCreate(&stream), hipSuccess);
  int* values = nullptr;
  int host[4] = {};
  ASSERT_EQ(hipMallocAsync(&values, sizeof(host), stream), hipSuccess);
  ASSERT_EQ(hipMemsetD32Async(values, 5, 4, stream), hipSuccess);
  ASSERT_EQ(hipMemcpyAsync(host, values, sizeof(host), hipMemcpyDeviceToHost, stream), hipSuccess);
  ASSERT_EQ(hipMemPoolGetAttribute(pool, hipMemPoolAttrUsedMemCurrent, &used), hipSuccess);
  EXPECT_EQ(used - before, sizeof(host));
  ASSERT_EQ(hipFreeAsync(values, stream), hipSuccess);
  ASSERT_EQ(hipStreamSynchronize(stream), hipSuccess);
  EXPECT_THAT(host, Each(5));
  ASSERT_EQ(hipMemPoolGetAttribute(pool, hipMemPoolAttrUsedMemCurrent, &used), hipSuccess);
  EXPECT_EQ(used, before);
  EXPECT_EQ(hipFreeAsync(values, stream), hipErrorInvalidValue);
  EXPECT_EQ(hipStreamDestroy(stream), hipSuccess);
}

TEST_F(Memory, APoolOfItsOwnHasItsOwnAttributes) {
  hipMemPoolProps properties{};
  properties.allocType = hipMemAllocationTypePinned;
  properties.location = {hipMemLocationTypeDevice, 0};
  hipMemPool_t pool = nullptr;
  ASSERT_EQ(hipMemPoolCreate(&pool, &properties), hipSuccess);
  std::uint64_t threshold = 4096;
  ASSERT_EQ(hipMemPoolSetAttribute(pool, hipMemPoolAttrReleaseThreshold, &threshold), hipSuccess);
  std::uint64_t value = 0;
  EXPECT_EQ(hipMemPoolGetAttribute(pool, hipMemPoolAttrReleaseThreshold, &value), hipSuccess);
  EXPECT_EQ(value, 4096U);
  char* memory = nullptr;
  ASSERT_EQ(hipMallocFromPoolAsync(&memory, 100, pool, nullptr), hipSuccess);
  ASSERT_EQ(hipFree(memory), hipSuccess);
  EXPECT_EQ(hipMemPoolGetAttribute(pool, hipMemPoolAttrUsedMemHigh, &value), hipSuccess);
  EXPECT_EQ(value, 100U);
  value = 0;
  ASSERT_EQ(hipMemPoolSetAttribute(pool, hipMemPoolAttrUsedMemHigh, &value), hipSuccess);
  EXPECT_EQ(hipMemPoolGetAttribute(pool, hipMemPoolAttrUsedMemHigh, &value), hipSuccess);
  EXPECT_EQ(value, 0U);
  EXPECT_EQ(hipMemPoolGetAttribute(pool, hipMemPoolAttrReservedMemCurrent, &value), hipSuccess);
  EXPECT_EQ(value, 100U) << "kept, below the threshold";
  EXPECT_EQ(hipMemPoolTrimTo(pool, 0), hipSuccess);
  EXPECT_EQ(hipMemPoolGetAttribute(pool, hipMemPoolAttrReservedMemCurrent, &value), hipSuccess);
  EXPECT_EQ(value, 0U);
  EXPECT_EQ(hipMemPoolDestroy(pool), hipSuccess);
  EXPECT_EQ(hipMemPoolDestroy(pool), hipErrorInvalidValue);
  ASSERT_EQ(hipDeviceGetDefaultMemPool(&pool, 0), hipSuccess);
  EXPECT_EQ(hipMemPoolDestroy(pool), hipErrorInvalidValue);
}

TEST_F(Memory, PoolMemoryHasAKindOfItsOwnForTheSdk) {
  char* memory = nullptr;
  ASSERT_EQ(hipMallocAsync(&memory, 123, nullptr), hipSuccess);
  int kind = 0;
  struct Search {
    const void* address;
    int* kind;
  } search{memory, &kind};
  const auto visit = [](void* argument, const multipass_sim_allocation* allocation) {
    const auto& wanted = *static_cast<const Search*>(argument);
    if (allocation->address == wanted.address) *wanted.kind = allocation->kind;
  };
  multipass_sim::runtime_table()->allocations(0, visit, &search);
  EXPECT_EQ(kind, MULTIPASS_SIM_MEMORY_POOL);
  EXPECT_EQ(hipFreeAsync(memory, nullptr), hipSuccess);
}

}  // namespace
