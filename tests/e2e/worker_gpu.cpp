// SPDX-License-Identifier: MIT
//
// A library for workers.py: the kernel of probe.cpp, for a program that is not C++.
#include <hip/hip_runtime.h>
#include <multipass/count.h>

#include <vector>

__global__ void probe(unsigned* values, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  multipass_count::valu(1);
  if (i >= n) return;
  const unsigned before = multipass_count::load(&values[i]);
  multipass_count::store(&values[i]) = before + i;
}

// Launches on n values; 0, or the error, or -1 when a result is wrong.
extern "C" int launch(unsigned n) {
  std::vector<unsigned> values(n, 1);
  unsigned* device = nullptr;
  if (const hipError_t error = hipMalloc(&device, n * sizeof(unsigned)); error != hipSuccess) return error;
  if (hipMemcpy(device, values.data(), n * sizeof(unsigned), hipMemcpyHostToDevice) != hipSuccess) return -2;
  hipLaunchKernelGGL(probe, dim3((n + 63) / 64), dim3(64), 0, nullptr, device, n);
  if (const hipError_t error = hipGetLastError(); error != hipSuccess) return error;
  if (hipMemcpy(values.data(), device, n * sizeof(unsigned), hipMemcpyDeviceToHost) != hipSuccess) return -2;
  for (unsigned i = 0; i < n; ++i)
    if (values[i] != i + 1) return -1;
  return hipFree(device);
}
