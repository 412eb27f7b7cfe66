// SPDX-License-Identifier: MIT
//
// An application for tests of what happens around an application: usage is  probe exit CODE | abort | devices | fork.
// Launch k (from 0) has 1000 * (k + 1) work-items that do something, in blocks of 64. Everything is printed before the
// last step, so that the output tells how far it came.
#include <hip/hip_runtime.h>
#include <multipass/count.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
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
  std::fprintf(stderr, "probe: %s\n", hipGetErrorString(error));
  std::exit(90);
}

void launch(unsigned index) {
  const unsigned n = 1000 * (index + 1);
  std::vector<unsigned> values(n, 1);
  unsigned* device = nullptr;
  check(hipMalloc(&device, n * sizeof(unsigned)));
  check(hipMemcpy(device, values.data(), n * sizeof(unsigned), hipMemcpyHostToDevice));
  hipLaunchKernelGGL(probe, dim3((n + 63) / 64), dim3(64), 0, nullptr, device, n);
  check(hipGetLastError());
  check(hipMemcpy(values.data(), device, n * sizeof(unsigned), hipMemcpyDeviceToHost));
  check(hipFree(device));
  for (unsigned i = 0; i < n; ++i)
    if (values[i] != i + 1) std::exit(91);
  std::printf("launch %u correct\n", index);
  std::fflush(stdout);
}

int launch_on_every_device() {
  int count = 0;
  check(hipGetDeviceCount(&count));
  for (int device = 0; device < count; ++device) {
    check(hipSetDevice(device));
    launch(static_cast<unsigned>(device));
  }
  return 0;
}

int launch_around_a_fork() {
  launch(0);
  const pid_t child = fork();
  if (child == 0) std::exit(7);  // runs the exit handlers
  int status = 0;
  if (waitpid(child, &status, 0) != child) return 92;
  std::printf("child ended with %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
  launch(1);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const char* const mode = argc > 1 ? argv[1] : "";
  if (std::strcmp(mode, "devices") == 0) return launch_on_every_device();
  if (std::strcmp(mode, "fork") == 0) return launch_around_a_fork();
  if (std::strcmp(mode, "abort") == 0) {
    launch(0);
    launch(1);
    while (std::getchar() != EOF) {
    }
    std::abort();
  }
  if (std::strcmp(mode, "exit") != 0 || argc < 3) return 93;
  launch(0);
  return std::atoi(argv[2]);
}
