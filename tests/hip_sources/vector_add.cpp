// SPDX-License-Identifier: MIT
//
// Vector addition the way HIP programs usually write it: a macro that checks each call, the device's properties
// printed, and the kernel timed with events. Built by the simulator's tests with g++ and by .ci/hipcc with hipcc.
#include <hip/hip_runtime.h>
#include <multipass/count.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                                    \
  do {                                                                                                 \
    const hipError_t status = (call);                                                                  \
    if (status != hipSuccess) {                                                                        \
      std::fprintf(stderr, "%s:%d: %s (%d)\n", __FILE__, __LINE__, hipGetErrorString(status), status); \
      std::exit(EXIT_FAILURE);                                                                         \
    }                                                                                                  \
  } while (0)

__device__ unsigned int items_done = 0;  // no host code names it but at the end

__global__ void vector_add(const float* a, const float* b, float* c, int n) {
  const int i = static_cast<int>(blockDim.x * blockIdx.x + threadIdx.x);
  if (i >= n) return;
  multipass_count::store(&c[i]) = multipass_count::load(&a[i]) + multipass_count::load(&b[i]);
  multipass_count::valu(1);
  atomicAdd(&items_done, 1U);
}

static void print_device() {
  int count = 0;
  CHECK(hipGetDeviceCount(&count));
  CHECK(hipSetDevice(0));
  hipDeviceProp_t properties;
  CHECK(hipGetDeviceProperties(&properties, 0));
  std::printf("devices: %d\n", count);
  std::printf("name: %s\n", properties.name);
  std::printf("architecture: %s\n", properties.gcnArchName);
  std::printf("compute units: %d, wave: %d, threads per block: %d\n", properties.multiProcessorCount,
              properties.warpSize, properties.maxThreadsPerBlock);
  std::printf("memory: %zu MiB, shared per block: %zu KiB\n", properties.totalGlobalMem >> 20,
              properties.sharedMemPerBlock >> 10);
  std::printf("grid: %d x %d x %d\n", properties.maxGridSize[0], properties.maxGridSize[1], properties.maxGridSize[2]);
}

int main() {
  print_device();
  const int n = 1 << 16;
  const std::size_t bytes = n * sizeof(float);
  std::vector<float> h_a(n), h_b(n), h_c(n);
  for (int i = 0; i < n; ++i) {
    h_a[i] = static_cast<float>(i);
    h_b[i] = static_cast<float>(2 * i);
  }
  float *d_a, *d_b, *d_c;
  CHECK(hipMalloc(&d_a, bytes));
  CHECK(hipMalloc(&d_b, bytes));
  CHECK(hipMalloc((void**)&d_c, bytes));
  CHECK(hipMemcpy(d_a, h_a.data(), bytes, hipMemcpyHostToDevice));
  CHECK(hipMemcpy(d_b, h_b.data(), bytes, hipMemcpyHostToDevice));

  hipEvent_t start, stop;
  CHECK(hipEventCreate(&start));
  CHECK(hipEventCreate(&stop));
  const int block = 256;
  const int grid = (n + block - 1) / block;
  CHECK(hipEventRecord(start, 0));
  hipLaunchKernelGGL(vector_add, dim3(grid), dim3(block), 0, 0, d_a, d_b, d_c, n);
  CHECK(hipGetLastError());
  CHECK(hipEventRecord(stop, 0));
  CHECK(hipEventSynchronize(stop));
  float milliseconds = 0.0F;
  CHECK(hipEventElapsedTime(&milliseconds, start, stop));

  CHECK(hipMemcpy(h_c.data(), d_c, bytes, hipMemcpyDeviceToHost));
  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += std::fabs(h_c[i] - 3.0F * static_cast<float>(i)) > 1e-5F ? 1 : 0;
  unsigned int done = 0;
  CHECK(hipMemcpyFromSymbol(&done, HIP_SYMBOL(items_done), sizeof(done)));
  std::printf("timed: %s\n", milliseconds > 0.0F ? "yes" : "no");
  std::printf("wrong: %d, done: %u\n", wrong, done);

  CHECK(hipEventDestroy(start));
  CHECK(hipEventDestroy(stop));
  CHECK(hipFree(d_a));
  CHECK(hipFree(d_b));
  CHECK(hipFree(d_c));
  return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
