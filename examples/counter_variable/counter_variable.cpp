// SPDX-License-Identifier: MIT
//
// A variable of the device that a kernel counts up: the multiples of 2, 3 and 5 among the values, one launch for each,
// all into the same counter. It lies in the code object and not in memory of hipMalloc. A profiler that runs a launch
// more than once and does not restore the variable counts the multiples again. Exit code 1 when a count is wrong.
#include <hip/hip_runtime.h>
#include <multipass/count.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define HIP_CHECK(call)                                                                                 \
  do {                                                                                                  \
    const hipError_t hip_error = (call);                                                                \
    if (hip_error != hipSuccess) {                                                                      \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, hipGetErrorString(hip_error)); \
      std::exit(1);                                                                                     \
    }                                                                                                   \
  } while (false)

__device__ unsigned long long multiples;  // counted up by the kernel, never set back
__constant__ unsigned divisor;

__global__ void count_multiples(const unsigned* values, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  multipass_count::valu(1);    // index
  multipass_count::branch(1);  // bounds
  if (i >= n) return;
  multipass_count::smem(1);    // divisor, the same for all work-items of a wave
  multipass_count::valu(8);    // remainder
  multipass_count::branch(1);  // is it 0
  if (multipass_count::load(&values[i]) % divisor == 0) atomicAdd(&multiples, 1ULL);
}

int main() {
  constexpr unsigned kSize = 20000;
  constexpr unsigned kBlock = 256;
  constexpr unsigned kGrid = (kSize + kBlock - 1) / kBlock;

  std::vector<unsigned> values(kSize);
  for (unsigned i = 0; i < kSize; ++i) values[i] = i;
  unsigned* device_values = nullptr;
  HIP_CHECK(hipMalloc(&device_values, kSize * sizeof(unsigned)));
  HIP_CHECK(hipMemcpy(device_values, values.data(), kSize * sizeof(unsigned), hipMemcpyHostToDevice));
  unsigned long long wanted = 0;
  HIP_CHECK(hipMemcpyToSymbol(HIP_SYMBOL(multiples), &wanted, sizeof(wanted)));

  bool correct = true;
  for (const unsigned by : {2U, 3U, 5U}) {
    HIP_CHECK(hipMemcpyToSymbol(HIP_SYMBOL(divisor), &by, sizeof(by)));
    hipLaunchKernelGGL(count_multiples, dim3(kGrid), dim3(kBlock), 0, nullptr, device_values, kSize);
    HIP_CHECK(hipGetLastError());
    unsigned long long found = 0;
    HIP_CHECK(hipMemcpyFromSymbol(&found, HIP_SYMBOL(multiples), sizeof(found)));
    for (const unsigned value : values) wanted += value % by == 0 ? 1 : 0;
    std::printf("counter_variable: %llu after the multiples of %u, %s\n", found, by,
                found == wanted ? "correct" : "WRONG");
    correct = correct && found == wanted;
  }
  HIP_CHECK(hipFree(device_values));
  return correct ? 0 : 1;
}
