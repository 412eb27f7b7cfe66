// SPDX-License-Identifier: MIT
//
// A kernel that adds one to memory that hipMemMap put at reserved addresses. Replayed, it adds once in each pass:
// mapped memory is not restored.
#include <hip/hip_runtime.h>
#include <multipass/count.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>

static void check(hipError_t error, const char* what) {
  if (error == hipSuccess) return;
  std::fprintf(stderr, "virtual_memory: %s: %s\n", what, hipGetErrorString(error));
  std::exit(1);
}

__global__ void add_one(int* value) {
  ++multipass_count::store(value);
}

int main() {
  hipMemAllocationProp properties = {};
  properties.type = hipMemAllocationTypePinned;
  properties.location.type = hipMemLocationTypeDevice;
  properties.location.id = 0;
  std::size_t size = 0;
  check(hipMemGetAllocationGranularity(&size, &properties, hipMemAllocationGranularityRecommended), "granularity");
  void* address = nullptr;
  check(hipMemAddressReserve(&address, size, 0, nullptr, 0), "addresses");
  hipMemGenericAllocationHandle_t handle = nullptr;
  check(hipMemCreate(&handle, size, &properties, 0), "physical memory");
  check(hipMemMap(address, size, 0, handle, 0), "mapping");
  hipMemAccessDesc access = {};
  access.location = properties.location;
  access.flags = hipMemAccessFlagsProtReadWrite;
  check(hipMemSetAccess(address, size, &access, 1), "access");

  int* const value = static_cast<int*>(address);
  check(hipMemset(value, 0, sizeof(int)), "fill");
  hipLaunchKernelGGL(add_one, dim3(1), dim3(1), 0, nullptr, value);
  check(hipGetLastError(), "launch");
  int seen = 0;
  check(hipMemcpy(&seen, value, sizeof(int), hipMemcpyDeviceToHost), "copy");
  std::printf("mapped %d\n", seen);

  check(hipMemUnmap(address, size), "unmapping");
  check(hipMemRelease(handle), "release");
  check(hipMemAddressFree(address, size), "addresses");
  return 0;
}
