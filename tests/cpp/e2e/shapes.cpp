// SPDX-License-Identifier: MIT
//
// An application that launches one kernel in two shapes in turn, and others as its arguments say: usage is
//   shapes ROUNDS [GRAPHS]
// Each round launches `touch` on 64 and on 4096 work-items; then GRAPHS graphs of one launch on 64 are launched; at the
// end `ncclDevKernel_AllReduce`, in 64 work-items, by name a collective.
#include <hip/hip_runtime.h>
#include <multipass/count.h>

#include <cstdio>
#include <cstdlib>

__global__ void touch(unsigned* values) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  multipass_count::store(&values[i]) = multipass_count::load(&values[i]) + 1;
}

__global__ void ncclDevKernel_AllReduce(unsigned* values) {
  multipass_count::store(&values[threadIdx.x]) = multipass_count::load(&values[threadIdx.x]) * 2;
}

namespace {

constexpr unsigned kSmall = 64;
constexpr unsigned kLarge = 4096;

void check(hipError_t error) {
  if (error == hipSuccess) return;
  std::fprintf(stderr, "shapes: %s\n", hipGetErrorString(error));
  std::exit(90);
}

void launch_graphs(unsigned* values, int graphs) {
  hipStream_t stream = nullptr;
  check(hipStreamCreate(&stream));
  check(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
  hipLaunchKernelGGL(touch, dim3(1), dim3(kSmall), 0, stream, values);
  hipGraph_t graph = nullptr;
  check(hipStreamEndCapture(stream, &graph));
  hipGraphExec_t executable = nullptr;
  check(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
  for (int i = 0; i < graphs; ++i) check(hipGraphLaunch(executable, stream));
  check(hipStreamSynchronize(stream));
  check(hipGraphExecDestroy(executable));
  check(hipGraphDestroy(graph));
  check(hipStreamDestroy(stream));
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 1;
  const int graphs = argc > 2 ? std::atoi(argv[2]) : 0;
  unsigned* values = nullptr;
  check(hipMalloc(&values, kLarge * sizeof(unsigned)));
  check(hipMemset(values, 0, kLarge * sizeof(unsigned)));
  for (int round = 0; round < rounds; ++round)
    for (const unsigned size : {kSmall, kLarge})
      hipLaunchKernelGGL(touch, dim3(size / kSmall), dim3(kSmall), 0, nullptr, values);
  check(hipDeviceSynchronize());
  if (graphs > 0) launch_graphs(values, graphs);
  hipLaunchKernelGGL(ncclDevKernel_AllReduce, dim3(1), dim3(kSmall), 0, nullptr, values);
  unsigned first = 0;
  unsigned last = 0;
  check(hipMemcpy(&first, values, sizeof(first), hipMemcpyDeviceToHost));
  check(hipMemcpy(&last, values + kLarge - 1, sizeof(last), hipMemcpyDeviceToHost));
  check(hipFree(values));
  std::printf("shapes %u %u\n", first, last);
  return 0;
}
