// SPDX-License-Identifier: MIT
//
// A product of two matrices, made twice: a naive kernel that loads two elements for each multiplication, and a tiled
// one that brings tiles into shared memory and uses each element several times. The elements are small whole numbers,
// so both products are equal to the host's to the bit. Exit code 1 when one is not.
#include <hip/hip_runtime.h>
#include <multipass/count.h>

#include <cstddef>
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

constexpr unsigned kTile = 16;
constexpr unsigned kSide = 64;  // a multiple of kTile

__global__ void matmul_naive(float* c, const float* a, const float* b, unsigned side) {
  const unsigned column = blockIdx.x * kTile + threadIdx.x;
  const unsigned row = blockIdx.y * kTile + threadIdx.y;
  multipass_count::valu(4);  // indices
  float sum = 0.0F;
  for (unsigned k = 0; k < side; ++k) {
    sum += multipass_count::load(&a[row * side + k]) * multipass_count::load(&b[k * side + column]);
    multipass_count::valu_fma_f32(1);
    multipass_count::salu(1);  // k
    multipass_count::branch(1);
  }
  multipass_count::store(&c[row * side + column]) = sum;
}

__global__ void matmul_tiled(float* c, const float* a, const float* b, unsigned side) {
  __shared__ float tile_a[kTile][kTile];
  __shared__ float tile_b[kTile][kTile];
  const unsigned x = threadIdx.x;
  const unsigned y = threadIdx.y;
  const unsigned column = blockIdx.x * kTile + x;
  const unsigned row = blockIdx.y * kTile + y;
  multipass_count::valu(4);  // indices
  float sum = 0.0F;
  for (unsigned first = 0; first < side; first += kTile) {
    // On shared memory, `store` and `load` count as LDS instructions.
    multipass_count::store(&tile_a[y][x]) = multipass_count::load(&a[row * side + first + x]);
    multipass_count::store(&tile_b[y][x]) = multipass_count::load(&b[(first + y) * side + column]);
    __syncthreads();
    for (unsigned k = 0; k < kTile; ++k) {  // unrolled by a compiler: no branch
      sum += multipass_count::load(&tile_a[y][k]) * multipass_count::load(&tile_b[k][x]);
      multipass_count::valu_fma_f32(1);
    }
    __syncthreads();
    multipass_count::salu(1);  // first
    multipass_count::branch(1);
  }
  multipass_count::store(&c[row * side + column]) = sum;
}

bool report(const char* name, const float* device_c, const std::vector<float>& wanted) {
  std::vector<float> c(wanted.size());
  HIP_CHECK(hipMemcpy(c.data(), device_c, c.size() * sizeof(float), hipMemcpyDeviceToHost));
  const bool correct = c == wanted;
  std::printf("matmul %s %ux%u: %s\n", name, kSide, kSide, correct ? "correct" : "WRONG");
  return correct;
}

int main() {
  constexpr std::size_t kElements = std::size_t{kSide} * kSide;
  constexpr std::size_t kBytes = kElements * sizeof(float);
  std::vector<float> a(kElements);
  std::vector<float> b(kElements);
  for (std::size_t i = 0; i < kElements; ++i) {
    a[i] = static_cast<float>(i % 7);
    b[i] = static_cast<float>(i % 5) - 2.0F;
  }
  std::vector<float> wanted(kElements);
  for (unsigned row = 0; row < kSide; ++row) {
    for (unsigned k = 0; k < kSide; ++k) {
      for (unsigned column = 0; column < kSide; ++column) {
        wanted[row * kSide + column] += a[row * kSide + k] * b[k * kSide + column];
      }
    }
  }

  float* device_a = nullptr;
  float* device_b = nullptr;
  float* naive_c = nullptr;
  float* tiled_c = nullptr;
  for (float** address : {&device_a, &device_b, &naive_c, &tiled_c}) HIP_CHECK(hipMalloc(address, kBytes));
  HIP_CHECK(hipMemcpy(device_a, a.data(), kBytes, hipMemcpyHostToDevice));
  HIP_CHECK(hipMemcpy(device_b, b.data(), kBytes, hipMemcpyHostToDevice));

  const dim3 grid(kSide / kTile, kSide / kTile);
  const dim3 block(kTile, kTile);
  hipLaunchKernelGGL(matmul_naive, grid, block, 0, nullptr, naive_c, device_a, device_b, kSide);
  HIP_CHECK(hipGetLastError());
  hipLaunchKernelGGL(matmul_tiled, grid, block, 0, nullptr, tiled_c, device_a, device_b, kSide);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipDeviceSynchronize());

  const bool naive_correct = report("naive", naive_c, wanted);
  const bool tiled_correct = report("tiled", tiled_c, wanted);
  for (float* address : {device_a, device_b, naive_c, tiled_c}) HIP_CHECK(hipFree(address));
  return naive_correct && tiled_correct ? 0 : 1;
}
