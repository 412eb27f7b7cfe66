// SPDX-License-Identifier: MIT
//
// Device variables are known from the first launch on, named by the host or not; nothing else of the program is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "hip/hip_runtime.h"
#include "sim/hip/device_variables.hpp"
#include "sim_environment.hpp"

__device__ int never_named = 3;
__constant__ float table_of_constants[4] = {1, 2, 3, 4};
__managed__ int managed_variable = 5;
int host_variable = 7;

struct Holder {
  static __device__ long member;
};
__device__ long Holder::member = 4;

namespace {

using multipass_sim::kind_of_variable;
using multipass_sim::runtime_table;

__device__ unsigned internal_variable;
__device__ const int unchanging = 9;
static __device__ int plain_static = 1;

__host__ __device__ int next_number() {
  static int number = 0;  // also the host's
  return ++number;
}

__global__ void touch(int* out) {
  ++never_named;
  internal_variable += static_cast<unsigned>(table_of_constants[1]);
  managed_variable += unchanging;
  Holder::member += plain_static++ + next_number();
  *out = host_variable;
}

std::vector<multipass_sim_allocation> memory_of(std::size_t device) {
  std::vector<multipass_sim_allocation> found;
  const auto visit = [](void* argument, const multipass_sim_allocation* allocation) {
    static_cast<std::vector<multipass_sim_allocation>*>(argument)->push_back(*allocation);
  };
  runtime_table()->allocations(device, visit, &found);
  return found;
}

int kind_at(const void* address, std::size_t size) {
  for (const multipass_sim_allocation& allocation : memory_of(0)) {
    const char* const begin = static_cast<const char*>(allocation.address);
    if (address >= begin && address < begin + allocation.size) return allocation.size == size ? allocation.kind : -1;
  }
  return 0;
}

class Variables : public ::testing::Test {
 protected:
  void SetUp() override {
    const multipass_sim::DeviceArray<int> out(std::vector<int>(1));
    hipLaunchKernelGGL(touch, dim3(1), dim3(1), 0, nullptr, out.get());
    ASSERT_EQ(hipDeviceSynchronize(), hipSuccess);
  }
};

TEST_F(Variables, AreKnownWithoutBeingNamedByTheHost) {
  EXPECT_EQ(kind_at(&never_named, sizeof(never_named)), MULTIPASS_SIM_MEMORY_VARIABLE);
  EXPECT_EQ(kind_at(&internal_variable, sizeof(internal_variable)), MULTIPASS_SIM_MEMORY_VARIABLE);
  EXPECT_EQ(kind_at(&plain_static, sizeof(plain_static)), MULTIPASS_SIM_MEMORY_VARIABLE);
  EXPECT_EQ(kind_at(&Holder::member, sizeof(Holder::member)), MULTIPASS_SIM_MEMORY_VARIABLE);
  EXPECT_EQ(kind_at(&table_of_constants, sizeof(table_of_constants)), MULTIPASS_SIM_MEMORY_VARIABLE);
}

TEST_F(Variables, OfManagedMemoryAreManaged) {
  EXPECT_EQ(kind_at(&managed_variable, sizeof(managed_variable)), MULTIPASS_SIM_MEMORY_MANAGED);
}

TEST_F(Variables, OfTheHostAndReadOnlyOnesAreNotTaken) {
  EXPECT_EQ(kind_at(&host_variable, sizeof(host_variable)), 0);
  EXPECT_EQ(kind_at(&unchanging, sizeof(unchanging)), 0);
  for (const multipass_sim_allocation& allocation : memory_of(0)) {
    if (allocation.kind != MULTIPASS_SIM_MEMORY_VARIABLE) continue;
    const char* const begin = static_cast<const char*>(allocation.address);
    const auto* const host = reinterpret_cast<const char*>(&host_variable);
    EXPECT_FALSE(host >= begin && host < begin + allocation.size);
  }
}

TEST_F(Variables, BelongToTheDeviceOfTheFirstLaunchAlone) {
  const auto other = memory_of(1);
  EXPECT_TRUE(std::none_of(other.begin(), other.end(), [](const multipass_sim_allocation& allocation) {
    return allocation.address == &never_named;
  }));
}

TEST(VariableNames, TheTagOfTheVariableItselfDecides) {
  EXPECT_EQ(kind_of_variable("_Z1xB10__device__"), MULTIPASS_SIM_MEMORY_VARIABLE);
  EXPECT_EQ(kind_of_variable("_ZN1S1mB12__constant__E"), MULTIPASS_SIM_MEMORY_VARIABLE);
  EXPECT_EQ(kind_of_variable("_Z1xB11__managed__"), MULTIPASS_SIM_MEMORY_MANAGED);
  EXPECT_EQ(kind_of_variable("_ZL1x"), 0);
  EXPECT_EQ(kind_of_variable("x"), 0);
  EXPECT_EQ(kind_of_variable("_ZZ1fB10__device__vE6number"), 0);
  EXPECT_EQ(kind_of_variable("_ZGV1xB10__device__"), 0);
}

}  // namespace
