// SPDX-License-Identifier: MIT
//
// A kernel that does its work only where no earlier execution of it did: 700 vector instructions for the first, 100 for
// each that finds its mark. Usage is  once device | managed: the kind of memory that the mark is in.
#include <hip/hip_runtime.h>
#include <multipass/count.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

static void check(hipError_t error, const char* what) {
  if (error == hipSuccess) return;
  std::fprintf(stderr, "once: %s: %s\n", what, hipGetErrorString(error));
  std::exit(1);
}

__global__ void once(int* mark) {
  const bool done = multipass_count::load(mark) != 0;
  multipass_count::store(mark) = 1;
  multipass_count::valu(done ? 100 : 700);
}

int main(int argc, char** argv) {
  const bool managed = argc > 1 && std::strcmp(argv[1], "managed") == 0;
  int* mark = nullptr;
  void** memory = reinterpret_cast<void**>(&mark);
  check(managed ? hipMallocManaged(memory, sizeof(int)) : hipMalloc(memory, sizeof(int)), "allocation");
  check(hipMemset(mark, 0, sizeof(int)), "fill");
  hipLaunchKernelGGL(once, dim3(1), dim3(1), 0, nullptr, mark);
  check(hipGetLastError(), "launch");
  int seen = 0;
  check(hipMemcpy(&seen, mark, sizeof(int), hipMemcpyDeviceToHost), "copy");
  std::printf("once %d\n", seen);
  check(hipFree(mark), "free");
  return 0;
}
