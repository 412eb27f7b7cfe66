// SPDX-License-Identifier: MIT
// Launches one kernel while memory of a class is live, and once more when it is given back.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void add_one(float* data, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) data[i] += 1.0F;
}

namespace {

constexpr int kCount = 256;
constexpr std::size_t kBytes = kCount * sizeof(float);

void check(hipError_t error, const char* what) {
  if (error == hipSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, hipGetErrorString(error));
  std::exit(3);
}

void* allocate(const char* kind) {
  void* memory = nullptr;
  if (std::strcmp(kind, "managed") == 0) check(hipMallocManaged(&memory, kBytes), "managed");
  if (std::strcmp(kind, "pool") == 0) check(hipMallocAsync(&memory, kBytes, nullptr), "pool");
  if (std::strcmp(kind, "fine") == 0) check(hipExtMallocWithFlags(&memory, kBytes, 1), "fine");
  if (std::strcmp(kind, "device") == 0) check(hipMalloc(&memory, kBytes), "device");
  if (std::strcmp(kind, "host") == 0) check(hipHostMalloc(&memory, kBytes, 0), "host");
  return memory;
}

void release(const char* kind, void* memory) {
  if (std::strcmp(kind, "pool") == 0) {
    check(hipFreeAsync(memory, nullptr), "free");
    check(hipDeviceSynchronize(), "synchronize");
  } else {
    check(std::strcmp(kind, "host") == 0 ? hipHostFree(memory) : hipFree(memory), "free");
  }
}

}  // namespace

int main(int argc, char** argv) {
  const char* kind = argc > 1 ? argv[1] : "device";
  float* data = nullptr;
  check(hipMalloc(reinterpret_cast<void**>(&data), kBytes), "data");
  check(hipMemset(data, 0, kBytes), "memset");
  void* memory = allocate(kind);
  hipLaunchKernelGGL(add_one, dim3(1), dim3(kCount), 0, nullptr, data, kCount);
  check(hipDeviceSynchronize(), "synchronize");
  release(kind, memory);
  hipLaunchKernelGGL(add_one, dim3(1), dim3(kCount), 0, nullptr, data, kCount);
  check(hipDeviceSynchronize(), "synchronize");
  float first = 0;
  check(hipMemcpy(&first, data, sizeof(first), hipMemcpyDeviceToHost), "copy");
  std::printf("%g\n", static_cast<double>(first));
  return first == 2.0F ? 0 : 4;
}
