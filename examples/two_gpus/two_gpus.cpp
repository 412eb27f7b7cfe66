// SPDX-License-Identifier: MIT
//
// A polynomial of each element of a vector, in place and twice, with the vector divided between two GPUs that may be of
// different architecture; where there is one GPU, it does all. Each GPU has a stream, and both work at the same time.
// The host computes the same; exit code 1 when an element differs.
#include <hip/hip_runtime.h>
#include <multipass/count.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
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

constexpr std::size_t kSize = 40000;
constexpr unsigned kBlock = 256;
constexpr int kRounds = 2;
constexpr int kMostGpus = 2;

__host__ __device__ constexpr std::uint32_t polynomial(std::uint32_t x) {
  return (3U * x + 5U) * x + 7U;  // modulo 2^32
}

__global__ void apply_polynomial(std::uint32_t* values, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  multipass_count::valu(2);    // 64-bit index
  multipass_count::branch(1);  // bounds
  if (i >= n) return;
  multipass_count::valu(2);  // two multiply-adds
  multipass_count::store(&values[i]) = polynomial(multipass_count::load(&values[i]));
}

// What one GPU has of the vector.
struct Part {
  int device = 0;
  std::size_t first = 0;
  std::size_t size = 0;
  std::uint32_t* values = nullptr;
  hipStream_t stream = nullptr;
};

// Queues all of a part's work and returns.
void start(Part& part, const std::vector<std::uint32_t>& values) {
  const std::size_t bytes = part.size * sizeof(std::uint32_t);
  HIP_CHECK(hipSetDevice(part.device));
  HIP_CHECK(hipStreamCreate(&part.stream));
  HIP_CHECK(hipMalloc(&part.values, bytes));
  HIP_CHECK(hipMemcpyAsync(part.values, values.data() + part.first, bytes, hipMemcpyHostToDevice, part.stream));
  const auto grid = static_cast<unsigned>((part.size + kBlock - 1) / kBlock);
  for (int round = 0; round < kRounds; ++round) {
    hipLaunchKernelGGL(apply_polynomial, dim3(grid), dim3(kBlock), 0, part.stream, part.values, part.size);
    HIP_CHECK(hipGetLastError());
  }
}

// Waits for a part and puts its result in place.
void finish(Part& part, std::vector<std::uint32_t>& values) {
  const std::size_t bytes = part.size * sizeof(std::uint32_t);
  HIP_CHECK(hipSetDevice(part.device));
  HIP_CHECK(hipMemcpyAsync(values.data() + part.first, part.values, bytes, hipMemcpyDeviceToHost, part.stream));
  HIP_CHECK(hipStreamSynchronize(part.stream));
  HIP_CHECK(hipFree(part.values));
  HIP_CHECK(hipStreamDestroy(part.stream));
  hipDeviceProp_t properties;
  HIP_CHECK(hipGetDeviceProperties(&properties, part.device));
  std::printf("two_gpus: GPU %d %s did %zu elements\n", part.device, properties.gcnArchName, part.size);
}

int main() {
  int count = 0;
  HIP_CHECK(hipGetDeviceCount(&count));
  count = std::min(count, kMostGpus);
  if (count == 0) {
    std::fprintf(stderr, "two_gpus: no GPU\n");
    return 1;
  }
  std::vector<std::uint32_t> values(kSize);
  for (std::size_t i = 0; i < kSize; ++i) values[i] = static_cast<std::uint32_t>(i);

  const std::size_t share = kSize / static_cast<std::size_t>(count);
  std::vector<Part> parts(static_cast<std::size_t>(count));
  for (int device = 0; device < count; ++device) {
    Part& part = parts[static_cast<std::size_t>(device)];
    part.device = device;
    part.first = share * static_cast<std::size_t>(device);
    part.size = device + 1 == count ? kSize - part.first : share;
    start(part, values);
  }
  for (Part& part : parts) finish(part, values);

  for (std::size_t i = 0; i < kSize; ++i) {
    auto wanted = static_cast<std::uint32_t>(i);
    for (int round = 0; round < kRounds; ++round) wanted = polynomial(wanted);
    if (values[i] == wanted) continue;
    std::fprintf(stderr, "two_gpus: element %zu is %u and not %u\n", i, values[i], wanted);
    return 1;
  }
  std::printf("two_gpus: %zu elements correct\n", kSize);
  return 0;
}
