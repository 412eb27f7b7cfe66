// SPDX-License-Identifier: MIT
//
// An application for the test of two copies of the SDK in one process: usage is  copies before | after | never FILE.
// The file is loaded before or after the first HIP call, into a namespace of its own: as a library whose name is
// taken, the loader would give that of the first copy to whoever asks by name.
#include <dlfcn.h>
#include <hip/hip_runtime.h>
#include <multipass/count.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void answer(int* value) {
  multipass_count::store(value) = 42;
}

namespace {

void load(const char* file) {
  if (dlmopen(LM_ID_NEWLM, file, RTLD_NOW | RTLD_LOCAL) != nullptr) return;
  std::fprintf(stderr, "copies: %s\n", dlerror());
  std::exit(90);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 91;
  if (std::strcmp(argv[1], "before") == 0) load(argv[2]);
  int* device = nullptr;
  int value = 0;
  if (hipMalloc(&device, sizeof(int)) != hipSuccess) return 92;
  hipLaunchKernelGGL(answer, dim3(1), dim3(1), 0, nullptr, device);
  if (hipMemcpy(&value, device, sizeof(int), hipMemcpyDeviceToHost) != hipSuccess) return 93;
  if (std::strcmp(argv[1], "after") == 0) load(argv[2]);
  std::printf("%d\n", value);
  return hipFree(device) == hipSuccess ? 0 : 94;
}
