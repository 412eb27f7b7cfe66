// SPDX-License-Identifier: MIT
//
// An application that changes memory in place, and copies meanwhile: usage is
//   in_place KIND LAUNCHES [copy]
// KIND: of the memory that is changed: device, managed, pool, fine. copy: another thread copies to the GPU without
// pause. Where IN_PLACE_ROOT is set, the files of control groups are looked for in that folder: the plugin finds `open`
// and `access` here first.
#include <dlfcn.h>
#include <fcntl.h>
#include <hip/hip_runtime.h>
#include <multipass/count.h>

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace {

std::string redirected(const char* path) {
  const char* root = std::getenv("IN_PLACE_ROOT");
  for (const char* from : {"/sys/fs/cgroup", "/proc/self/cgroup"})
    if (root != nullptr && std::strncmp(path, from, std::strlen(from)) == 0) return std::string(root) + path;
  return path;
}

}  // namespace

extern "C" {
__attribute__((visibility("default"))) int open(const char* path, int flags, ...) {
  using Open = int (*)(const char*, int, ...);
  static const auto next = reinterpret_cast<Open>(::dlsym(RTLD_NEXT, "open"));
  va_list rest;
  va_start(rest, flags);
  const unsigned mode = (flags & O_CREAT) != 0 ? va_arg(rest, unsigned) : 0;
  va_end(rest);
  return next(redirected(path).c_str(), flags, mode);
}

__attribute__((visibility("default"))) int access(const char* path, int mode) {
  using Access = int (*)(const char*, int);
  static const auto next = reinterpret_cast<Access>(::dlsym(RTLD_NEXT, "access"));
  return next(redirected(path).c_str(), mode);
}
}

__global__ void triple(unsigned* values) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  multipass_count::store(&values[i]) = multipass_count::load(&values[i]) * 3 + 1;
}

namespace {

constexpr unsigned kSize = 1024, kBlock = 64;
constexpr std::size_t kBytes = kSize * sizeof(unsigned);

void check(hipError_t error) {
  if (error == hipSuccess) return;
  std::fprintf(stderr, "in_place: %s\n", hipGetErrorString(error));
  std::exit(90);
}

unsigned* allocate(const std::string& kind) {
  void* memory = nullptr;
  if (kind == "managed") {
    check(hipMallocManaged(&memory, kBytes, hipMemAttachGlobal));
  } else if (kind == "pool") {
    check(hipMallocAsync(&memory, kBytes, nullptr));
    check(hipStreamSynchronize(nullptr));
  } else if (kind == "fine") {
    check(hipExtMallocWithFlags(&memory, kBytes, hipDeviceMallocFinegrained));
  } else {
    check(hipMalloc(&memory, kBytes));
  }
  return static_cast<unsigned*>(memory);
}

// `begun`: the first copy was made, and others follow.
void copy_until(const std::atomic<bool>& over, std::atomic<bool>& begun) {
  hipStream_t stream = nullptr;
  check(hipStreamCreate(&stream));
  void* to = nullptr;
  check(hipMalloc(&to, kBytes));
  const std::vector<unsigned> from(kSize, 7);
  while (!over) {
    check(hipMemcpyAsync(to, from.data(), kBytes, hipMemcpyHostToDevice, stream));
    check(hipStreamSynchronize(stream));
    begun = true;
    begun.notify_one();
  }
  check(hipFree(to));
  check(hipStreamDestroy(stream));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 91;
  unsigned* values = allocate(argv[1]);
  std::vector<unsigned> host(kSize);
  for (unsigned i = 0; i < kSize; ++i) host[i] = i;
  check(hipMemcpy(values, host.data(), kBytes, hipMemcpyHostToDevice));
  std::atomic<bool> over{false};
  std::atomic<bool> begun{argc <= 3};
  std::thread copies([&] {
    if (argc > 3) copy_until(over, begun);
  });
  begun.wait(false);
  for (int i = 0; i < std::atoi(argv[2]); ++i)
    hipLaunchKernelGGL(triple, dim3(kSize / kBlock), dim3(kBlock), 0, nullptr, values);
  check(hipDeviceSynchronize());
  over = true;
  copies.join();
  check(hipMemcpy(host.data(), values, kBytes, hipMemcpyDeviceToHost));
  unsigned sum = 0;
  for (const unsigned value : host) sum = sum * 31 + value;
  check(hipFree(values));
  std::printf("in_place %08x\n", sum);
  return 0;
}
