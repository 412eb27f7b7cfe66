// SPDX-License-Identifier: MIT
//
// A kernel that does more work each time it finds what an earlier execution of it left: 100 vector instructions for the
// first, 200 for the second. Usage is  grows device | pool | managed | fine | host: the kind of memory that it counts
// in.
#include <hip/hip_runtime.h>
#include <multipass/count.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

static void check(hipError_t error, const char* what) {
  if (error == hipSuccess) return;
  std::fprintf(stderr, "grows: %s: %s\n", what, hipGetErrorString(error));
  std::exit(1);
}

__global__ void grow(int* executions) {
  const int found = multipass_count::load(executions);
  multipass_count::store(executions) = found + 1;
  for (int round = 0; round <= found; ++round) multipass_count::valu(100);
}

int main(int argc, char** argv) {
  const char* kind = argc > 1 ? argv[1] : "device";
  int* executions = nullptr;
  void** memory = reinterpret_cast<void**>(&executions);
  if (std::strcmp(kind, "pool") == 0) {
    check(hipMallocAsync(memory, sizeof(int), nullptr), "allocation from the pool");
  } else if (std::strcmp(kind, "managed") == 0) {
    check(hipMallocManaged(memory, sizeof(int)), "managed allocation");
  } else if (std::strcmp(kind, "fine") == 0) {
    check(hipExtMallocWithFlags(memory, sizeof(int), hipDeviceMallocFinegrained), "fine-grained allocation");
  } else if (std::strcmp(kind, "host") == 0) {
    check(hipHostMalloc(memory, sizeof(int), hipHostMallocCoherent), "host allocation");
  } else {
    check(hipMalloc(memory, sizeof(int)), "allocation");
  }
  check(hipMemset(executions, 0, sizeof(int)), "fill");
  hipLaunchKernelGGL(grow, dim3(1), dim3(1), 0, nullptr, executions);
  check(hipGetLastError(), "launch");
  int seen = 0;
  check(hipMemcpy(&seen, executions, sizeof(int), hipMemcpyDeviceToHost), "copy");
  std::printf("%s %d\n", kind, seen);
  if (std::strcmp(kind, "pool") == 0) {
    check(hipFreeAsync(executions, nullptr), "free");
  } else {
    check(std::strcmp(kind, "host") == 0 ? hipHostFree(executions) : hipFree(executions), "free");
  }
  return 0;
}
