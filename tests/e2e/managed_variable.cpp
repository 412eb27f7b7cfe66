// SPDX-License-Identifier: MIT
//
// An application that counts its launches in a managed variable, which no call of the program makes known: usage is
//   managed_variable LAUNCHES
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>

__managed__ int launched;

__global__ void count() {
  if (threadIdx.x == 0) launched = launched + 1;
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  for (int i = 0; i < std::atoi(argv[1]); ++i) hipLaunchKernelGGL(count, dim3(1), dim3(64), 0, nullptr);
  if (hipDeviceSynchronize() != hipSuccess) return 1;
  std::printf("%d\n", launched);
  return 0;
}
