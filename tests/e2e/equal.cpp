// SPDX-License-Identifier: MIT
//
// An application whose launches are equal: same kernel, same extent, same work. Usage:
//
//   equal LAUNCHES          launches of a kernel
//   equal LAUNCHES graph    the same as launches of a graph that holds it, and none beside
//
// Prints a sum of what the kernel wrote, which is the same for any number of launches.
#include <hip/hip_runtime.h>
#include <multipass/count.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

constexpr unsigned kItems = 512;
constexpr unsigned kBlock = 64;

__global__ void triple(unsigned* results, const unsigned* values) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  multipass_count::valu(1 + i % 3);
  multipass_count::store(&results[i]) = 3 * multipass_count::load(&values[i]);
}

static void check(hipError_t error) {
  if (error == hipSuccess) return;
  std::fprintf(stderr, "equal: %s\n", hipGetErrorString(error));
  std::exit(1);
}

static void launch(unsigned* results, const unsigned* values, hipStream_t stream) {
  hipLaunchKernelGGL(triple, dim3(kItems / kBlock), dim3(kBlock), 0, stream, results, values);
}

static void launch_graph(unsigned* results, const unsigned* values, hipStream_t stream, int times) {
  check(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
  launch(results, values, stream);
  hipGraph_t graph = nullptr;
  check(hipStreamEndCapture(stream, &graph));
  hipGraphExec_t executable = nullptr;
  check(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
  for (int i = 0; i < times; ++i) check(hipGraphLaunch(executable, stream));
  check(hipStreamSynchronize(stream));
  check(hipGraphExecDestroy(executable));
  check(hipGraphDestroy(graph));
}

int main(int count, char** words) {
  const int launches = count > 1 ? std::atoi(words[1]) : 1;
  const bool graph = count > 2 && std::strcmp(words[2], "graph") == 0;
  std::vector<unsigned> host(kItems);
  for (unsigned i = 0; i < kItems; ++i) host[i] = i;
  unsigned* values = nullptr;
  unsigned* results = nullptr;
  hipStream_t stream = nullptr;
  check(hipStreamCreate(&stream));
  check(hipMalloc(&values, kItems * sizeof(unsigned)));
  check(hipMalloc(&results, kItems * sizeof(unsigned)));
  check(hipMemcpy(values, host.data(), kItems * sizeof(unsigned), hipMemcpyHostToDevice));
  if (graph) {
    launch_graph(results, values, stream, launches);
  } else {
    for (int i = 0; i < launches; ++i) launch(results, values, stream);
  }
  check(hipStreamSynchronize(stream));
  check(hipMemcpy(host.data(), results, kItems * sizeof(unsigned), hipMemcpyDeviceToHost));
  unsigned sum = 0;
  for (const unsigned value : host) sum += value;
  std::printf("equal %u\n", sum);
  check(hipFree(values));
  check(hipFree(results));
  check(hipStreamDestroy(stream));
  return 0;
}
