// SPDX-License-Identifier: MIT
//
// The kit of `doctor --selftest`. Each part is a process of its own, so that one that dies or hangs says something too:
//
//   multipass-kit counters | graph | streams | agents
//   multipass-kit restore device | variable | pool | virtual | managed | fine | host
//
// A part prints lines `name value`; what they must be is what it prints without a profiler. Exit codes: 0; 1 a call of
// HIP failed; 2 there is no such part; 3 this machine does not have what the part is about, and the last line says
// what.
#include <hip/hip_runtime.h>
#include <multipass/count.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr unsigned kMoreValu = 64;  // vector instructions of a wave by which multipass_kit_more has more than _few
constexpr int kLaunches = 3;        // of each stream and GPU
constexpr int kAbsent = 3;

void check(hipError_t error, const char* what) {
  if (error == hipSuccess) return;
  std::fprintf(stderr, "kit: %s: %s\n", what, hipGetErrorString(error));
  std::exit(1);
}

// For a call that a machine may not have.
void need(hipError_t error, const char* what) {
  if (error == hipSuccess) return;
  std::printf("absent %s answers: %s\n", what, hipGetErrorString(error));
  std::exit(kAbsent);
}

}  // namespace

__device__ int multipass_kit_variable = 0;

// In place: what it leaves tells how often it ran on memory that nobody restored.
__global__ void multipass_kit_step(int* value) {
  ++multipass_count::store(value);
}

__global__ void multipass_kit_graph_step(int* value) {
  ++multipass_count::store(value);
}

__global__ void multipass_kit_variable_step() {
  ++multipass_count::store(&multipass_kit_variable);
}

// multipass_kit_few and multipass_kit_more differ in the number of one vector instruction only, which no compiler
// changes or leaves out.
#if defined(__HIP_DEVICE_COMPILE__)
#define KIT_VALU(count, x, y) asm volatile(".rept " #count "\n v_xor_b32 %0, %1, %0\n .endr" : "+v"(x) : "v"(y))
#else
#define KIT_VALU(count, x, y) multipass_count::valu(count)
#endif

__global__ void multipass_kit_few(unsigned* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned x = i;
  KIT_VALU(1, x, i);
  multipass_count::store(&out[i]) = x;
}

__global__ void multipass_kit_more(unsigned* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned x = i;
  KIT_VALU(65, x, i);
  multipass_count::store(&out[i]) = x;
}

namespace {

int* counter_on_device() {
  int* value = nullptr;
  check(hipMalloc(reinterpret_cast<void**>(&value), sizeof(int)), "hipMalloc");
  check(hipMemset(value, 0, sizeof(int)), "hipMemset");
  check(hipDeviceSynchronize(), "hipDeviceSynchronize");
  return value;
}

int read_and_free(int* value) {
  int seen = 0;
  check(hipMemcpy(&seen, value, sizeof(int), hipMemcpyDeviceToHost), "hipMemcpy");
  check(hipFree(value), "hipFree");
  return seen;
}

// The launches in their order, with the waves and work-groups that each has: whole waves, and work-groups whose last
// wave is not full.
int counters() {
  struct Shape {
    unsigned blocks, threads;
  };
  constexpr Shape kShapes[] = {{16, 256}, {7, 100}, {64, 64}};
  constexpr std::size_t kItems = 4096;
  hipDeviceProp_t properties;
  check(hipGetDeviceProperties(&properties, 0), "hipGetDeviceProperties");
  const unsigned lanes = static_cast<unsigned>(properties.warpSize);
  unsigned* out = nullptr;
  check(hipMalloc(reinterpret_cast<void**>(&out), kItems * sizeof(unsigned)), "hipMalloc");
  for (const Shape shape : kShapes) {
    hipLaunchKernelGGL(multipass_kit_few, dim3(shape.blocks), dim3(shape.threads), 0, nullptr, out);
    hipLaunchKernelGGL(multipass_kit_more, dim3(shape.blocks), dim3(shape.threads), 0, nullptr, out);
    check(hipGetLastError(), "launch");
    std::printf("waves %u\ngroups %u\n", shape.blocks * ((shape.threads + lanes - 1) / lanes), shape.blocks);
  }
  check(hipDeviceSynchronize(), "hipDeviceSynchronize");
  check(hipFree(out), "hipFree");
  std::printf("more_valu %u\n", kMoreValu);
  return 0;
}

// Memory that is mapped by hand. Nothing of it is given back: the process ends soon.
void* map_memory() {
  hipMemAllocationProp properties = {};
  properties.type = hipMemAllocationTypePinned;
  properties.location.type = hipMemLocationTypeDevice;
  std::size_t size = 0;
  need(hipMemGetAllocationGranularity(&size, &properties, hipMemAllocationGranularityMinimum),
       "hipMemGetAllocationGranularity");
  void* address = nullptr;
  need(hipMemAddressReserve(&address, size, 0, nullptr, 0), "hipMemAddressReserve");
  hipMemGenericAllocationHandle_t handle;
  need(hipMemCreate(&handle, size, &properties, 0), "hipMemCreate");
  need(hipMemMap(address, size, 0, handle, 0), "hipMemMap");
  hipMemAccessDesc access = {};
  access.location = properties.location;
  access.flags = hipMemAccessFlagsProtReadWrite;
  need(hipMemSetAccess(address, size, &access, 1), "hipMemSetAccess");
  return address;
}

void* allocate(const std::string& kind) {
  void* memory = nullptr;
  if (kind == "device") check(hipMalloc(&memory, sizeof(int)), "hipMalloc");
  if (kind == "pool") need(hipMallocAsync(&memory, sizeof(int), nullptr), "hipMallocAsync");
  if (kind == "virtual") return map_memory();
  if (kind == "managed") need(hipMallocManaged(&memory, sizeof(int)), "hipMallocManaged");
  if (kind == "fine") {
    need(hipExtMallocWithFlags(&memory, sizeof(int), hipDeviceMallocFinegrained), "hipExtMallocWithFlags");
  }
  if (kind == "host") need(hipHostMalloc(&memory, sizeof(int)), "hipHostMalloc");
  return memory;
}

void release(const std::string& kind, void* memory) {
  if (kind == "pool") {
    check(hipFreeAsync(memory, nullptr), "hipFreeAsync");
  } else if (kind == "host") {
    check(hipHostFree(memory), "hipHostFree");
  } else if (kind != "virtual") {
    check(hipFree(memory), "hipFree");
  }
  check(hipDeviceSynchronize(), "hipDeviceSynchronize");
}

int restore_variable() {
  int seen = 0;
  check(hipMemcpyToSymbol(HIP_SYMBOL(multipass_kit_variable), &seen, sizeof(int)), "hipMemcpyToSymbol");
  hipLaunchKernelGGL(multipass_kit_variable_step, dim3(1), dim3(1), 0, nullptr);
  check(hipGetLastError(), "launch");
  check(hipMemcpyFromSymbol(&seen, HIP_SYMBOL(multipass_kit_variable), sizeof(int)), "hipMemcpyFromSymbol");
  std::printf("remains %d\n", seen);
  return 0;
}

// Memory of one kind, and no other of the application: whether a profiler replays launches then is a result as well.
int restore(const std::string& kind) {
  if (kind == "variable") return restore_variable();
  void* memory = allocate(kind);
  if (memory == nullptr) return 2;
  int seen = 0;
  check(hipMemcpy(memory, &seen, sizeof(int), hipMemcpyDefault), "hipMemcpy");
  hipLaunchKernelGGL(multipass_kit_step, dim3(1), dim3(1), 0, nullptr, static_cast<int*>(memory));
  check(hipGetLastError(), "launch");
  check(hipDeviceSynchronize(), "hipDeviceSynchronize");
  check(hipMemcpy(&seen, memory, sizeof(int), hipMemcpyDefault), "hipMemcpy");
  std::printf("remains %d\n", seen);
  release(kind, memory);
  return 0;
}

// One launch as ever, then a graph of two that was recorded from a stream, launched twice.
int graph() {
  int* value = counter_on_device();
  hipStream_t stream = nullptr;
  check(hipStreamCreate(&stream), "hipStreamCreate");
  hipLaunchKernelGGL(multipass_kit_step, dim3(1), dim3(1), 0, stream, value);
  check(hipStreamSynchronize(stream), "hipStreamSynchronize");
  need(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal), "hipStreamBeginCapture");
  hipLaunchKernelGGL(multipass_kit_graph_step, dim3(1), dim3(1), 0, stream, value);
  hipLaunchKernelGGL(multipass_kit_graph_step, dim3(1), dim3(1), 0, stream, value);
  hipGraph_t recorded = nullptr;
  need(hipStreamEndCapture(stream, &recorded), "hipStreamEndCapture");
  hipGraphExec_t executable = nullptr;
  need(hipGraphInstantiate(&executable, recorded, nullptr, nullptr, 0), "hipGraphInstantiate");
  for (int i = 0; i < 2; ++i) need(hipGraphLaunch(executable, stream), "hipGraphLaunch");
  check(hipStreamSynchronize(stream), "hipStreamSynchronize");
  check(hipGraphExecDestroy(executable), "hipGraphExecDestroy");
  check(hipGraphDestroy(recorded), "hipGraphDestroy");
  check(hipStreamDestroy(stream), "hipStreamDestroy");
  std::printf("value %d\n", read_and_free(value));
  return 0;
}

// One of two threads that launch at one time, each on a stream of its own.
struct Worker {
  int device;
  int* value;
  hipStream_t stream;
};

void launch_all(const Worker& worker) {
  check(hipSetDevice(worker.device), "hipSetDevice");
  for (int i = 0; i < kLaunches; ++i) {
    hipLaunchKernelGGL(multipass_kit_step, dim3(1), dim3(1), 0, worker.stream, worker.value);
    check(hipGetLastError(), "launch");
  }
  check(hipStreamSynchronize(worker.stream), "hipStreamSynchronize");
}

// Nothing is copied while they launch: a profiler may leave launches alone then.
int two_threads(int first_device, int second_device) {
  Worker workers[2] = {{first_device, nullptr, nullptr}, {second_device, nullptr, nullptr}};
  for (Worker& worker : workers) {
    check(hipSetDevice(worker.device), "hipSetDevice");
    worker.value = counter_on_device();
    check(hipStreamCreate(&worker.stream), "hipStreamCreate");
  }
  std::thread other(launch_all, workers[1]);
  launch_all(workers[0]);
  other.join();
  for (const Worker& worker : workers) {
    check(hipSetDevice(worker.device), "hipSetDevice");
    check(hipStreamDestroy(worker.stream), "hipStreamDestroy");
    std::printf("value %d\n", read_and_free(worker.value));
  }
  return 0;
}

int agents() {
  int count = 0;
  check(hipGetDeviceCount(&count), "hipGetDeviceCount");
  if (count < 2) {
    std::printf("absent the application sees %d GPU\n", count);
    return kAbsent;
  }
  return two_threads(0, 1);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string part = argc > 1 ? argv[1] : "";
  if (part == "counters") return counters();
  if (part == "restore" && argc > 2) return restore(argv[2]);
  if (part == "graph") return graph();
  if (part == "streams") return two_threads(0, 0);
  if (part == "agents") return agents();
  std::fprintf(stderr, "kit: name a part: counters, restore KIND, graph, streams, agents\n");
  return 2;
}
