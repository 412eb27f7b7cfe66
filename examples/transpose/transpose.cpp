// SPDX-License-Identifier: MIT
//
// A matrix transposed by tiles in shared memory, with edges that do not fill a tile. The host checks the result; the
// exit code is 1 when an element is wrong.
#include <hip/hip_runtime.h>
#include <multipass/count.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr unsigned kTile = 32;
constexpr unsigned kRowsPerStep = 8;
constexpr unsigned kWidth = 300;
constexpr unsigned kHeight = 200;
constexpr int kLaunches = 3;

void check(hipError_t error, const char* what) {
  if (error == hipSuccess) return;
  std::fprintf(stderr, "transpose: %s: %s\n", what, hipGetErrorString(error));
  std::exit(1);
}

}  // namespace

__global__ void transpose(std::uint32_t* to, const std::uint32_t* from, unsigned width, unsigned height) {
  __shared__ std::uint32_t tile[kTile][kTile + 1];  // one more column: no bank conflicts
  const unsigned column = blockIdx.x * kTile + threadIdx.x;
  const unsigned row = blockIdx.y * kTile + threadIdx.y;
  multipass_count::valu(4);
  for (unsigned step = 0; step < kTile; step += kRowsPerStep) {
    multipass_count::branch(1);
    if (column < width && row + step < height) {
      tile[threadIdx.y + step][threadIdx.x] = multipass_count::load(&from[std::size_t{row + step} * width + column]);
      multipass_count::lds(1);
    }
  }
  __syncthreads();
  const unsigned to_column = blockIdx.y * kTile + threadIdx.x;
  const unsigned to_row = blockIdx.x * kTile + threadIdx.y;
  multipass_count::valu(4);
  for (unsigned step = 0; step < kTile; step += kRowsPerStep) {
    multipass_count::branch(1);
    if (to_column < height && to_row + step < width) {
      multipass_count::lds(1);
      multipass_count::store(&to[std::size_t{to_row + step} * height + to_column]) =
          tile[threadIdx.x][threadIdx.y + step];
    }
  }
}

int main() {
  std::vector<std::uint32_t> matrix(std::size_t{kWidth} * kHeight);
  for (std::size_t i = 0; i < matrix.size(); ++i) matrix[i] = static_cast<std::uint32_t>(i * 2654435761U);
  std::vector<std::uint32_t> result(matrix.size());
  const std::size_t bytes = matrix.size() * sizeof(std::uint32_t);
  std::uint32_t* from = nullptr;
  std::uint32_t* to = nullptr;
  check(hipMalloc(&from, bytes), "allocation of the matrix");
  check(hipMalloc(&to, bytes), "allocation of the result");
  check(hipMemcpy(from, matrix.data(), bytes, hipMemcpyHostToDevice), "copy");
  const dim3 grid((kWidth + kTile - 1) / kTile, (kHeight + kTile - 1) / kTile);
  for (int launch = 0; launch < kLaunches; ++launch) {
    hipLaunchKernelGGL(transpose, grid, dim3(kTile, kRowsPerStep), 0, nullptr, to, from, kWidth, kHeight);
  }
  check(hipGetLastError(), "launch");
  check(hipMemcpy(result.data(), to, bytes, hipMemcpyDeviceToHost), "copy back");
  check(hipFree(from), "free of the matrix");
  check(hipFree(to), "free of the result");
  for (std::size_t row = 0; row < kHeight; ++row) {
    for (std::size_t column = 0; column < kWidth; ++column) {
      if (result[column * kHeight + row] == matrix[row * kWidth + column]) continue;
      std::fprintf(stderr, "transpose: wrong element at row %zu, column %zu\n", row, column);
      return 1;
    }
  }
  std::printf("transpose %ux%u correct\n", kHeight, kWidth);
  return 0;
}
