// SPDX-License-Identifier: MIT
//
// An application of many short launches with much memory in use: usage is  many_kernels LAUNCHES BYTES. Its 20
// kernels come in turn and change memory in place, so that a launch that is run again without its memory restored
// shows in the sum. It prints the sum, and how many milliseconds the clock of the GPU got ahead of the machine's
// meanwhile.
#include <hip/hip_runtime.h>
#include <multipass/count.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

constexpr int kKernels = 20;
constexpr int kItems = 64;

template <int kNumber>
__global__ void step(unsigned* values) {
  const unsigned i = threadIdx.x;
  multipass_count::store(&values[i]) = multipass_count::load(&values[i]) * 3U + static_cast<unsigned>(kNumber) + i;
}

namespace {

using Launcher = void (*)(unsigned*);

template <int kNumber>
void launch(unsigned* values) {
  hipLaunchKernelGGL(step<kNumber>, dim3(1), dim3(kItems), 0, nullptr, values);
}

template <int... kNumbers>
void launch_one(int number, unsigned* values, std::integer_sequence<int, kNumbers...>) {
  static const Launcher launchers[] = {&launch<kNumbers>...};
  launchers[number](values);
}

void check(hipError_t error) {
  if (error == hipSuccess) return;
  std::fprintf(stderr, "many_kernels: %s\n", hipGetErrorString(error));
  std::exit(90);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 91;
  const long launches = std::atol(argv[1]);
  unsigned* values = nullptr;
  hipEvent_t start = nullptr;
  hipEvent_t stop = nullptr;
  const auto bytes = static_cast<std::size_t>(std::atoll(argv[2]));
  check(hipMalloc(&values, bytes));
  check(hipMemset(values, 0, kItems * sizeof(unsigned)));
  check(hipEventCreate(&start));
  check(hipEventCreate(&stop));
  check(hipEventRecord(start, nullptr));
  const auto began = std::chrono::steady_clock::now();
  for (long i = 0; i < launches; ++i)
    launch_one(static_cast<int>(i % kKernels), values, std::make_integer_sequence<int, kKernels>());
  check(hipEventRecord(stop, nullptr));
  check(hipEventSynchronize(stop));
  const std::chrono::duration<double, std::milli> real = std::chrono::steady_clock::now() - began;
  float elapsed = 0;
  check(hipEventElapsedTime(&elapsed, start, stop));
  unsigned found[kItems];
  check(hipMemcpy(found, values, sizeof(found), hipMemcpyDeviceToHost));
  unsigned sum = 0;
  for (const unsigned value : found) sum = sum * 31U + value;
  std::printf("sum %08x ahead %.0f\n", sum, static_cast<double>(elapsed) - real.count());
  check(hipEventDestroy(start));
  check(hipEventDestroy(stop));
  return hipFree(values) == hipSuccess ? 0 : 92;
}
