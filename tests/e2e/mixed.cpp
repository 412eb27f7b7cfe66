// SPDX-License-Identifier: MIT
//
// An application that uses every GPU, or one: usage is  mixed ROUNDS [DEVICE].
// Round r (from 0) launches on each device d the kernel `scale`, in place on 1000 * (d + 1) + 100 * r values, and then
// the kernel `fold` on as many, each in blocks of 96. The results are checked against the same sums on the host.
#include <hip/hip_runtime.h>
#include <multipass/count.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void scale(unsigned* values, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  multipass_count::branch(1);
  if (i >= n) return;
  multipass_count::valu(1 + threadIdx.x % 3);
  multipass_count::store(&values[i]) = 3 * multipass_count::load(&values[i]) + 1;
}

__global__ void fold(unsigned* sums, const unsigned* values, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  multipass_count::valu(2);
  multipass_count::lds(threadIdx.x < 32 ? 2 : 1);
  if (i < n) atomicAdd(&sums[threadIdx.x % 16], multipass_count::load(&values[i]));
}

namespace {

constexpr unsigned kBlock = 96;
constexpr unsigned kSums = 16;

void check(hipError_t error) {
  if (error == hipSuccess) return;
  std::fprintf(stderr, "mixed: %s\n", hipGetErrorString(error));
  std::exit(90);
}

struct Device {
  hipStream_t stream = nullptr;
  unsigned* values = nullptr;
  unsigned* sums = nullptr;
  unsigned expected[kSums] = {};
};

unsigned size_of(unsigned device, unsigned round) {
  return 1000 * (device + 1) + 100 * round;
}

void start(Device& device, unsigned number, unsigned round) {
  check(hipSetDevice(static_cast<int>(number)));
  const unsigned n = size_of(number, round);
  std::vector<unsigned> values(n);
  for (unsigned i = 0; i < n; ++i) values[i] = i + round;
  check(hipMalloc(&device.values, n * sizeof(unsigned)));
  check(hipMalloc(&device.sums, kSums * sizeof(unsigned)));
  check(hipMemset(device.sums, 0, kSums * sizeof(unsigned)));
  check(hipMemcpy(device.values, values.data(), n * sizeof(unsigned), hipMemcpyHostToDevice));
  check(hipStreamCreate(&device.stream));
  for (unsigned i = 0; i < n; ++i) device.expected[i % kBlock % kSums] += 3 * values[i] + 1;
  const dim3 grid((n + kBlock - 1) / kBlock);
  hipLaunchKernelGGL(scale, grid, dim3(kBlock), 0, device.stream, device.values, n);
  check(hipGetLastError());
  hipLaunchKernelGGL(fold, grid, dim3(kBlock), 0, device.stream, device.sums, device.values, n);
  check(hipGetLastError());
}

void finish(Device& device, unsigned number) {
  check(hipSetDevice(static_cast<int>(number)));
  check(hipStreamSynchronize(device.stream));
  unsigned sums[kSums];
  check(hipMemcpy(sums, device.sums, sizeof(sums), hipMemcpyDeviceToHost));
  for (unsigned i = 0; i < kSums; ++i)
    if (sums[i] != device.expected[i]) std::exit(91);
  check(hipStreamDestroy(device.stream));
  check(hipFree(device.values));
  check(hipFree(device.sums));
}

}  // namespace

int main(int argc, char** argv) {
  const unsigned rounds = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 1;
  int count = 0;
  check(hipGetDeviceCount(&count));
  for (int number = 0; number < count; ++number) {
    hipDeviceProp_t properties;
    check(hipGetDeviceProperties(&properties, number));
    std::printf("GPU %d: %s, waves of %d\n", number, properties.gcnArchName, properties.warpSize);
  }
  const unsigned first = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 0;
  const unsigned end = argc > 2 ? first + 1 : static_cast<unsigned>(count);
  for (unsigned round = 0; round < rounds; ++round) {
    std::vector<Device> devices(end);
    for (unsigned number = first; number < end; ++number) start(devices[number], number, round);
    for (unsigned number = first; number < end; ++number) finish(devices[number], number);
  }
  std::printf("correct\n");
  return 0;
}
