// SPDX-License-Identifier: MIT
//
// c = a + b, as small as a complete HIP program is: errors checked, the launch timed by events, the result compared
// with the host's. README.md beside it goes through what is needed to profile an own source like this one. With --time
// the time between the events is printed too, which is another one on each run. Exit code 1 when an element is wrong.
#include <hip/hip_runtime.h>
#include <multipass/count.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define HIP_CHECK(call)                                                                                 \
  do {                                                                                                  \
    const hipError_t hip_error = (call);                                                                \
    if (hip_error != hipSuccess) {                                                                      \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, hipGetErrorString(hip_error)); \
      std::exit(1);                                                                                     \
    }                                                                                                   \
  } while (false)

__global__ void vector_add(float* c, const float* a, const float* b, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  multipass_count::valu(1);    // index
  multipass_count::branch(1);  // bounds
  if (i >= n) return;
  multipass_count::store(&c[i]) = multipass_count::load(&a[i]) + multipass_count::load(&b[i]);
  multipass_count::valu(1);  // addition
}

int main(int argc, char** argv) {
  const bool print_time = argc > 1 && std::strcmp(argv[1], "--time") == 0;
  constexpr unsigned kSize = 16384;
  constexpr unsigned kBlock = 256;
  constexpr unsigned kBytes = kSize * sizeof(float);

  std::vector<float> a(kSize);
  std::vector<float> b(kSize);
  std::vector<float> c(kSize);
  for (unsigned i = 0; i < kSize; ++i) {
    a[i] = static_cast<float>(i);
    b[i] = static_cast<float>(2 * i);
  }
  float* device_a = nullptr;
  float* device_b = nullptr;
  float* device_c = nullptr;
  HIP_CHECK(hipMalloc(&device_a, kBytes));
  HIP_CHECK(hipMalloc(&device_b, kBytes));
  HIP_CHECK(hipMalloc(&device_c, kBytes));
  HIP_CHECK(hipMemcpy(device_a, a.data(), kBytes, hipMemcpyHostToDevice));
  HIP_CHECK(hipMemcpy(device_b, b.data(), kBytes, hipMemcpyHostToDevice));

  hipEvent_t start = nullptr;
  hipEvent_t stop = nullptr;
  HIP_CHECK(hipEventCreate(&start));
  HIP_CHECK(hipEventCreate(&stop));
  HIP_CHECK(hipEventRecord(start, nullptr));
  hipLaunchKernelGGL(vector_add, dim3(kSize / kBlock), dim3(kBlock), 0, nullptr, device_c, device_a, device_b, kSize);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipEventRecord(stop, nullptr));
  HIP_CHECK(hipEventSynchronize(stop));
  float milliseconds = 0.0F;
  HIP_CHECK(hipEventElapsedTime(&milliseconds, start, stop));
  HIP_CHECK(hipEventDestroy(start));
  HIP_CHECK(hipEventDestroy(stop));

  HIP_CHECK(hipMemcpy(c.data(), device_c, kBytes, hipMemcpyDeviceToHost));
  HIP_CHECK(hipFree(device_a));
  HIP_CHECK(hipFree(device_b));
  HIP_CHECK(hipFree(device_c));
  for (unsigned i = 0; i < kSize; ++i) {
    if (c[i] == a[i] + b[i]) continue;
    std::fprintf(stderr, "vector_add: element %u is %g and not %g\n", i, static_cast<double>(c[i]),
                 static_cast<double>(a[i] + b[i]));
    return 1;
  }
  std::printf("vector_add: %u elements correct\n", kSize);
  if (print_time) std::printf("vector_add: %.3f ms between the events\n", static_cast<double>(milliseconds));
  return 0;
}
