// SPDX-License-Identifier: MIT
//
// y = a*x + y in place, launched several times, with a branch that depends on what is in memory: a profiler that runs
// the kernel more than once and does not restore y changes both the result and the number of branches. All values are
// small integers, so the result is the same to the bit on every device.
#include <hip/hip_runtime.h>
#include <multipass/count.h>

#include <cinttypes>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr std::size_t kSize = 100000;
constexpr unsigned kBlock = 256;
constexpr unsigned kGrid = (kSize + kBlock - 1) / kBlock;
constexpr int kLaunches = 5;
constexpr float kFactor = 2.0F;
constexpr float kLimit = 40.0F;

void check(hipError_t error, const char* what) {
  if (error == hipSuccess) return;
  std::fprintf(stderr, "axpy: %s: %s\n", what, hipGetErrorString(error));
  std::exit(1);
}

std::uint64_t fnv1a(const void* data, std::size_t size) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (std::size_t i = 0; i < size; ++i) hash = (hash ^ static_cast<const unsigned char*>(data)[i]) * 0x100000001b3;
  return hash;
}

}  // namespace

__global__ void axpy(float* y, const float* x, float a, float limit, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  multipass_count::valu(2);    // index
  multipass_count::branch(1);  // bounds
  if (i >= n) return;
  float sum = a * multipass_count::load(&x[i]) + multipass_count::load(&y[i]);
  multipass_count::valu_fma_f32(1);
  multipass_count::valu(1);  // compare
  if (sum > limit) {
    multipass_count::branch(1);
    sum = limit;
  }
  multipass_count::store(&y[i]) = sum;
}

int main() {
  std::vector<float> x(kSize);
  std::vector<float> y(kSize);
  for (std::size_t i = 0; i < kSize; ++i) {
    x[i] = static_cast<float>(i % 7);
    y[i] = static_cast<float>(i % 11);
  }
  constexpr std::size_t kBytes = kSize * sizeof(float);
  float* device_x = nullptr;
  float* device_y = nullptr;
  check(hipMalloc(&device_x, kBytes), "allocation of x");
  check(hipMalloc(&device_y, kBytes), "allocation of y");
  check(hipMemcpy(device_x, x.data(), kBytes, hipMemcpyHostToDevice), "copy of x");
  check(hipMemcpy(device_y, y.data(), kBytes, hipMemcpyHostToDevice), "copy of y");
  for (int launch = 0; launch < kLaunches; ++launch) {
    hipLaunchKernelGGL(axpy, dim3(kGrid), dim3(kBlock), 0, nullptr, device_y, device_x, kFactor, kLimit, kSize);
  }
  check(hipGetLastError(), "launch");
  check(hipDeviceSynchronize(), "synchronize");
  check(hipMemcpy(y.data(), device_y, kBytes, hipMemcpyDeviceToHost), "copy back");
  check(hipFree(device_x), "free of x");
  check(hipFree(device_y), "free of y");
  std::printf("axpy %016" PRIx64 "\n", fnv1a(y.data(), kBytes));
  return 0;
}
