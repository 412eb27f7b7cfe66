// SPDX-License-Identifier: MIT
//
// A kernel that adds one to memory of six kinds. Replayed, it shows which of them is restored between the passes:
// what hipMalloc gave and module variables are; what hipMallocAsync, hipMallocManaged and hipHostMalloc gave is not,
// and no fine-grained memory of the device.
#include <hip/hip_runtime.h>
#include <multipass/count.h>

#include <cstdio>
#include <cstdlib>

static void check(hipError_t error, const char* what) {
  if (error == hipSuccess) return;
  std::fprintf(stderr, "memory_kinds: %s: %s\n", what, hipGetErrorString(error));
  std::exit(1);
}

__device__ int variable = 0;

__global__ void add_one(int* device, int* pool, int* managed, int* host, int* fine) {
  ++multipass_count::store(device);
  ++multipass_count::store(pool);
  ++multipass_count::store(managed);
  ++multipass_count::store(host);
  ++multipass_count::store(fine);
  ++multipass_count::store(&variable);
}

int main() {
  int* device = nullptr;
  int* pool = nullptr;
  int* managed = nullptr;
  int* host = nullptr;
  int* fine = nullptr;
  check(hipMalloc(reinterpret_cast<void**>(&device), sizeof(int)), "allocation");
  check(hipMallocAsync(reinterpret_cast<void**>(&pool), sizeof(int), nullptr), "allocation from the pool");
  check(hipMallocManaged(reinterpret_cast<void**>(&managed), sizeof(int)), "managed allocation");
  check(hipHostMalloc(reinterpret_cast<void**>(&host), sizeof(int)), "host allocation");
  check(hipExtMallocWithFlags(reinterpret_cast<void**>(&fine), sizeof(int), hipDeviceMallocFinegrained),
        "fine-grained allocation");
  *managed = *host = 0;
  check(hipMemset(device, 0, sizeof(int)), "fill");
  check(hipMemset(pool, 0, sizeof(int)), "fill");
  check(hipMemset(fine, 0, sizeof(int)), "fill");
  hipLaunchKernelGGL(add_one, dim3(1), dim3(1), 0, nullptr, device, pool, managed, host, fine);
  check(hipGetLastError(), "launch");
  int seen[4] = {};
  check(hipMemcpy(&seen[0], device, sizeof(int), hipMemcpyDeviceToHost), "copy");
  check(hipMemcpy(&seen[1], pool, sizeof(int), hipMemcpyDeviceToHost), "copy");
  check(hipMemcpyFromSymbol(&seen[2], HIP_SYMBOL(variable), sizeof(int)), "copy of the variable");
  check(hipMemcpy(&seen[3], fine, sizeof(int), hipMemcpyDeviceToHost), "copy");
  std::printf("device %d pool %d variable %d managed %d host %d fine %d\n", seen[0], seen[1], seen[2], *managed, *host,
              seen[3]);
  check(hipFree(device), "free");
  check(hipFreeAsync(pool, nullptr), "free");
  check(hipFree(managed), "free");
  check(hipFree(fine), "free");
  check(hipHostFree(host), "free");
  return 0;
}
