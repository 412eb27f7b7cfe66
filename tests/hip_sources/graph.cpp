// SPDX-License-Identifier: MIT
//
// One launch of a kernel, then a graph of two that was recorded from a stream, launched twice: kernel replay takes the
// first and leaves the graph's alone.
#include <hip/hip_runtime.h>
#include <multipass/count.h>

#include <cstdio>
#include <cstdlib>

static void check(hipError_t error, const char* what) {
  if (error == hipSuccess) return;
  std::fprintf(stderr, "graph: %s: %s\n", what, hipGetErrorString(error));
  std::exit(1);
}

__global__ void add_one(int* value) {
  ++multipass_count::store(value);
}

int main() {
  int* value = nullptr;
  hipStream_t stream = nullptr;
  check(hipMalloc(reinterpret_cast<void**>(&value), sizeof(int)), "allocation");
  check(hipMemset(value, 0, sizeof(int)), "fill");
  check(hipStreamCreate(&stream), "stream");
  hipLaunchKernelGGL(add_one, dim3(1), dim3(1), 0, stream, value);

  check(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal), "begin of the capture");
  hipLaunchKernelGGL(add_one, dim3(1), dim3(1), 0, stream, value);
  hipLaunchKernelGGL(add_one, dim3(1), dim3(1), 0, stream, value);
  hipGraph_t graph = nullptr;
  check(hipStreamEndCapture(stream, &graph), "end of the capture");
  hipGraphExec_t executable = nullptr;
  check(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0), "graph");
  for (int i = 0; i < 2; ++i) check(hipGraphLaunch(executable, stream), "launch of the graph");
  check(hipStreamSynchronize(stream), "synchronize");

  int seen = 0;
  check(hipMemcpy(&seen, value, sizeof(int), hipMemcpyDeviceToHost), "copy");
  std::printf("value %d\n", seen);
  check(hipGraphExecDestroy(executable), "end");
  check(hipGraphDestroy(graph), "end");
  check(hipStreamDestroy(stream), "end");
  check(hipFree(value), "end");
  return 0;
}
