// SPDX-License-Identifier: MIT
//
// An application that uses every GPU, or one: usage is  mixed ROUNDS [DEVICE | threads].
// Round r (from 0) launches on each device d the kernel `scale`, in place on 1000 * (d + 1) + 100 * r values, and then
// the kernel `fold` on as many, each in blocks of 96. The results are checked against the same sums on the host.
#include <hip/hip_runtime.h>
#include <multipass/count.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
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

// Devices first to end - 1: each round is started on all of them before any is waited for.
void run(unsigned first, unsigned end, unsigned rounds) {
  for (unsigned round = 0; round < rounds; ++round) {
    std::vector<Device> devices(end);
    for (unsigned number = first; number < end; ++number) start(devices[number], number, round);
    for (unsigned number = first; number < end; ++number) finish(devices[number], number);
  }
}

void run_at_once(unsigned devices, unsigned rounds) {
  std::vector<std::thread> threads;
  for (unsigned number = 0; number < devices; ++number) threads.emplace_back(run, number, number + 1, rounds);
  for (std::thread& thread : threads) thread.join();
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
  const unsigned all = static_cast<unsigned>(count);
  if (argc > 2 && std::strcmp(argv[2], "threads") == 0) {
    run_at_once(all, rounds);
  } else if (argc > 2) {
    const unsigned only = static_cast<unsigned>(std::atoi(argv[2]));
    run(only, only + 1, rounds);
  } else {
    run(0, all, rounds);
  }
  std::printf("correct\n");
  return 0;
}
