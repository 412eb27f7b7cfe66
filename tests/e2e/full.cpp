// SPDX-License-Identifier: MIT
//
// An application that fills the GPU once: a work-group of four waves on each compute unit, so one wave on each SIMD.
// Each wave issues 312 instructions, which makes the launch take as many cycles as each wave lives, 1312: all waves are
// there all the time (docs/simulator.md, "Exact by hand"). Each access of a wave is four requests to two lines of L2 of
// their own.
#include <hip/hip_runtime.h>
#include <multipass/count.h>

#include <cstdio>
#include <cstdlib>

constexpr unsigned kBlock = 256;

__global__ void full(float* sums, float* total, const float* a, const float* b) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  multipass_count::store(&sums[i]) = multipass_count::load(&a[i]) + multipass_count::load(&b[i]);
  multipass_count::atomic(&total[i]) += 1.0F;
  multipass_count::lds(8);
  multipass_count::smem(16);
  multipass_count::salu(24);
  multipass_count::branch(4);
  multipass_count::valu_add_f32(64);
  multipass_count::valu_fma_f32(64);
  multipass_count::valu(128);
}

static void check(hipError_t error) {
  if (error == hipSuccess) return;
  std::fprintf(stderr, "full: %s\n", hipGetErrorString(error));
  std::exit(1);
}

int main() {
  hipDeviceProp_t properties;
  check(hipGetDeviceProperties(&properties, 0));
  const unsigned blocks = static_cast<unsigned>(properties.multiProcessorCount);
  const std::size_t size = blocks * kBlock * sizeof(float);
  float* buffers[4] = {};
  for (float*& buffer : buffers) {
    check(hipMalloc(&buffer, size));
    check(hipMemset(buffer, 0, size));
  }
  hipLaunchKernelGGL(full, dim3(blocks), dim3(kBlock), 0, nullptr, buffers[0], buffers[1], buffers[2], buffers[3]);
  check(hipGetLastError());
  check(hipDeviceSynchronize());
  for (float* buffer : buffers) check(hipFree(buffer));
  return 0;
}
