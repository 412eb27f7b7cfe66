// SPDX-License-Identifier: MIT
//
// An MPI application: every rank launches on 1000 * (rank + 1) values of its own, then all add up what the kernels
// made. Rank 0 prints the sum and the number of ranks, so that the output tells whether the communication worked.
#include <hip/hip_runtime.h>
#include <mpi.h>
#include <multipass/count.h>

#include <cstdio>
#include <numeric>
#include <vector>

__global__ void probe(unsigned* values, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  multipass_count::valu(1);
  if (i >= n) return;
  const unsigned before = multipass_count::load(&values[i]);
  multipass_count::store(&values[i]) = before + i;
}

namespace {

void check(hipError_t error) {
  if (error == hipSuccess) return;
  std::fprintf(stderr, "mpi_ranks: %s\n", hipGetErrorString(error));
  MPI_Abort(MPI_COMM_WORLD, 90);
}

// The sum of 1 + i over all i below n, by the GPU.
unsigned long long sum_on_gpu(unsigned n) {
  std::vector<unsigned> values(n, 1);
  unsigned* device = nullptr;
  check(hipMalloc(&device, n * sizeof(unsigned)));
  check(hipMemcpy(device, values.data(), n * sizeof(unsigned), hipMemcpyHostToDevice));
  hipLaunchKernelGGL(probe, dim3((n + 63) / 64), dim3(64), 0, nullptr, device, n);
  check(hipGetLastError());
  check(hipMemcpy(values.data(), device, n * sizeof(unsigned), hipMemcpyDeviceToHost));
  check(hipFree(device));
  return std::accumulate(values.begin(), values.end(), 0ULL);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  unsigned long long all = 0;
  unsigned long long mine = sum_on_gpu(1000 * (static_cast<unsigned>(rank) + 1));
  MPI_Allreduce(&mine, &all, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  mine = sum_on_gpu(1000 * (static_cast<unsigned>(rank) + 1));  // once more, after all have met
  if (rank == 0) std::printf("%d ranks: %llu\n", size, all);
  MPI_Finalize();
  return 0;
}
