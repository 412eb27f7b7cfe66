// SPDX-License-Identifier: MIT
//
// A sum over a block by shuffles of its waves, a vote at the barrier, and what the host asks before it launches.
#include <hip/hip_runtime.h>
#include <multipass/count.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

static void check(hipError_t error, const char* what) {
  if (error == hipSuccess) return;
  std::fprintf(stderr, "wave: %s: %s\n", what, hipGetErrorString(error));
  std::exit(1);
}

__device__ __forceinline__ int sum_of_wave(int value) {
  for (int offset = warpSize / 2; offset > 0; offset /= 2) value += __shfl_down(value, offset);
  return value;
}

__global__ void sum_of_block(const int* values, int* sums, int* odd) {
  __shared__ int of_wave[64];
  const int value = multipass_count::load(&values[blockIdx.x * blockDim.x + threadIdx.x]);
  const int sum = sum_of_wave(value);
  const bool first = __lane_id() == 0;
  if (first) of_wave[threadIdx.x / warpSize] = sum;
  const int count = __syncthreads_count(value & 1);
  if (threadIdx.x != 0) return;
  int total = 0;
  for (unsigned wave = 0; wave < blockDim.x / warpSize; ++wave) total += of_wave[wave];
  multipass_count::store(&sums[blockIdx.x]) = total;
  atomicAdd_system(odd, count);
}

int main() {
  int per_unit = 0;
  check(hipOccupancyMaxActiveBlocksPerMultiprocessor(&per_unit, sum_of_block, 256, 0), "occupancy");
  const int blocks = 4;
  const int block = 256;
  std::vector<int> values(blocks * block);
  for (int i = 0; i < blocks * block; ++i) values[i] = i % 10;
  int *device_values = nullptr, *sums = nullptr, *odd = nullptr;
  check(hipMalloc(reinterpret_cast<void**>(&device_values), values.size() * sizeof(int)), "allocation");
  check(hipMalloc(reinterpret_cast<void**>(&sums), blocks * sizeof(int)), "allocation");
  check(hipMallocManaged(reinterpret_cast<void**>(&odd), sizeof(int)), "allocation");
  *odd = 0;
  check(hipMemcpyHtoD(device_values, values.data(), values.size() * sizeof(int)), "copy");
  void* arguments[] = {&device_values, &sums, &odd};
  check(hipLaunchKernel(reinterpret_cast<const void*>(sum_of_block), dim3(blocks), dim3(block), arguments, 0, nullptr),
        "launch");
  check(hipDeviceSynchronize(), "synchronize");
  int host[blocks] = {};
  check(hipMemcpy(host, sums, sizeof(host), hipMemcpyDeviceToHost), "copy");
  std::printf("sums %d %d %d %d odd %d fits %s\n", host[0], host[1], host[2], host[3], *odd,
              per_unit > 0 ? "yes" : "no");
  check(hipFree(device_values), "free");
  check(hipFree(sums), "free");
  check(hipFree(odd), "free");
  return 0;
}
