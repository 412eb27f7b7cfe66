// SPDX-License-Identifier: MIT
//
// The bundled demonstration: three kernels of different character on two streams, twelve launches. Each is wrong when a
// profiler runs it more than once without restoring memory: the axpy is in place, the histogram adds to its bins, and
// the transpose ping-pongs between two buffers. Integer-valued throughout: the same output everywhere.
#include <hip/hip_runtime.h>
#include <multipass/count.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

namespace {

constexpr std::size_t kSize = 65536;
constexpr unsigned kBlock = 256;
constexpr unsigned kSide = 256;  // kSide * kSide == kSize
constexpr unsigned kTile = 16;
constexpr unsigned kBins = 64;
constexpr int kRounds = 4;
constexpr float kFactor = 3.0F;
constexpr float kLimit = 50.0F;

void check(hipError_t error, const char* what) {
  if (error == hipSuccess) return;
  std::fprintf(stderr, "demo: %s: %s\n", what, hipGetErrorString(error));
  std::exit(1);
}

template <class T>
T* to_device(const std::vector<T>& values) {
  T* address = nullptr;
  check(hipMalloc(&address, values.size() * sizeof(T)), "allocation");
  check(hipMemcpy(address, values.data(), values.size() * sizeof(T), hipMemcpyHostToDevice), "copy");
  return address;
}

template <class T>
std::vector<T> to_host(const T* address, std::size_t count) {
  std::vector<T> values(count);
  check(hipMemcpy(values.data(), address, count * sizeof(T), hipMemcpyDeviceToHost), "copy back");
  return values;
}

}  // namespace

__global__ void axpy(float* y, const float* x, float a, float limit, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  multipass_count::valu(2);
  multipass_count::branch(1);
  if (i >= n) return;
  float sum = a * multipass_count::load(&x[i]) + multipass_count::load(&y[i]);
  multipass_count::valu_fma_f32(1);
  multipass_count::valu(1);
  if (sum > limit) {
    multipass_count::branch(1);
    sum = limit;
  }
  multipass_count::store(&y[i]) = sum;
}

__global__ void transpose(std::uint32_t* to, const std::uint32_t* from, unsigned side) {
  __shared__ std::uint32_t tile[kTile][kTile + 1];
  const unsigned column = blockIdx.x * kTile + threadIdx.x;
  const unsigned row = blockIdx.y * kTile + threadIdx.y;
  multipass_count::valu_int32(8);  // indices
  tile[threadIdx.y][threadIdx.x] = multipass_count::load(&from[std::size_t{row} * side + column]);
  multipass_count::lds(2);
  __syncthreads();
  const std::size_t to_row = blockIdx.x * kTile + threadIdx.y;
  multipass_count::store(&to[to_row * side + blockIdx.y * kTile + threadIdx.x]) = tile[threadIdx.x][threadIdx.y];
}

// Bins of the block in shared memory first, so that the global ones are touched once per block.
__global__ void histogram(unsigned* bins, const std::uint32_t* values, std::size_t n) {
  __shared__ unsigned local[kBins];
  if (threadIdx.x < kBins) local[threadIdx.x] = 0;
  multipass_count::branch(1);
  multipass_count::lds(1);
  __syncthreads();
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  multipass_count::valu(4);
  if (i < n) atomicAdd(&local[multipass_count::load(&values[i]) % kBins], 1U);
  __syncthreads();
  multipass_count::branch(1);
  if (threadIdx.x < kBins) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

int main() {
  std::vector<float> x(kSize);
  std::vector<float> y(kSize);
  std::vector<std::uint32_t> matrix(kSize);
  for (std::size_t i = 0; i < kSize; ++i) {
    x[i] = static_cast<float>(i % 5);
    y[i] = static_cast<float>(i % 13);
    matrix[i] = static_cast<std::uint32_t>(i * i / 3 + i);
  }
  float* const device_x = to_device(x);
  float* const device_y = to_device(y);
  std::uint32_t* const front = to_device(matrix);
  std::uint32_t* const back = to_device(std::vector<std::uint32_t>(kSize));
  unsigned* const bins = to_device(std::vector<unsigned>(kBins));
  hipStream_t vectors = nullptr;
  hipStream_t matrices = nullptr;
  check(hipStreamCreate(&vectors), "stream");
  check(hipStreamCreate(&matrices), "stream");

  constexpr unsigned kBlocks = kSize / kBlock;
  constexpr unsigned kTiles = kSide / kTile;
  for (int round = 0; round < kRounds; ++round) {
    std::uint32_t* const from = round % 2 == 0 ? front : back;
    std::uint32_t* const to = round % 2 == 0 ? back : front;
    hipLaunchKernelGGL(axpy, dim3(kBlocks), dim3(kBlock), 0, vectors, device_y, device_x, kFactor, kLimit, kSize);
    hipLaunchKernelGGL(transpose, dim3(kTiles, kTiles), dim3(kTile, kTile), 0, matrices, to, from, kSide);
    hipLaunchKernelGGL(histogram, dim3(kBlocks), dim3(kBlock), 0, matrices, bins, to, kSize);
  }
  check(hipGetLastError(), "launch");
  check(hipStreamSynchronize(vectors), "synchronize");
  check(hipStreamSynchronize(matrices), "synchronize");

  const std::vector<float> sums = to_host(device_y, kSize);
  const std::vector<unsigned> counts = to_host(bins, kBins);
  const bool same = to_host(front, kSize) == matrix;  // an even number of transpositions
  std::printf("axpy: sum %.0f\n", std::accumulate(sums.begin(), sums.end(), 0.0));
  std::printf("transpose: %s\n", same ? "restored the matrix" : "WRONG");
  std::printf("histogram: %u values, %u in bin 0\n", std::accumulate(counts.begin(), counts.end(), 0U), counts[0]);
  for (void* address : {static_cast<void*>(device_x), static_cast<void*>(device_y), static_cast<void*>(front),
                        static_cast<void*>(back), static_cast<void*>(bins)}) {
    check(hipFree(address), "free");
  }
  check(hipStreamDestroy(vectors), "stream");
  check(hipStreamDestroy(matrices), "stream");
  return same ? 0 : 1;
}
