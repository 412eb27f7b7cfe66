// SPDX-License-Identifier: MIT
//
// An application for tests of what faults of the SDK do to a run. Usage:
//
//   faults [THREADS LAUNCHES [pure [busy]]]
//                          thread t launches LAUNCHES times, on each GPU in turn, beginning with GPU t
//   faults graph           three launches, then a graph of five
//   faults leave LAUNCHES  a thread launches, main returns when a line is read from stdin
//   faults step FIRST ALL  FIRST launches, and when a line is read from stdin the others
//
// No two executions in a row of a thread on a GPU do the same work, also not those of one launch: the kernel counts
// them in memory of the host that no call made known, so that no tool sees it, and replay does not restore it. So a
// counter value tells which execution it was read in. What is printed does not depend on how often a launch is run if
// memory is restored between; `pure` leaves out what is wrong without that; `busy` allocates, copies and frees around
// each launch. Without arguments: 4 8 pure.
#include <hip/hip_runtime.h>
#include <multipass/count.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

constexpr unsigned kBlock = 64;
constexpr unsigned kItems = kBlock;
constexpr unsigned kGuard = 64;  // values at the start of each buffer that nothing depends on
constexpr unsigned kLine = 32;   // values in a line of the cache

__global__ void step(unsigned* totals, unsigned* results, const unsigned* values, unsigned* executions,
                     unsigned launch) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0) ++*executions;  // the first work-item runs before the others on the simulator
  const unsigned work = *executions % 41;
  multipass_count::valu(1 + work);
  for (unsigned line = 0; line < work; ++line) (void)multipass_count::load(&values[kGuard + line * kLine]);
  const unsigned value = multipass_count::load(&values[kGuard + i]);
  for (unsigned times = 0; times <= work; ++times) multipass_count::store(&results[kGuard + i]) = 3 * value + launch;
  multipass_count::store(&totals[kGuard + i]) += value;
}

namespace {

void check(hipError_t error) {
  if (error == hipSuccess) return;
  std::fprintf(stderr, "faults: %s\n", hipGetErrorString(error));
  std::exit(90);
}

// Of each worker, and in use until the process has ended: executions may still run then.
std::array<unsigned, 1024> g_executions{};
std::atomic<unsigned> g_workers{0};

// The buffers of one thread on one GPU.
class Worker {
 public:
  explicit Worker(int device) : device_(device) {
    check(hipSetDevice(device_));
    check(hipStreamCreate(&stream_));
    for (unsigned** buffer : {&totals_, &results_, &values_}) {
      check(hipMalloc(buffer, kBytes));
      check(hipMemset(*buffer, 0, kBytes));
    }
    std::vector<unsigned> values(kSize);
    for (unsigned i = 0; i < kSize; ++i) values[i] = i;
    check(hipMemcpy(values_, values.data(), kBytes, hipMemcpyHostToDevice));
  }

  void launch(unsigned number) {
    check(hipSetDevice(device_));
    hipLaunchKernelGGL(step, dim3(kItems / kBlock), dim3(kBlock), 0, stream_, totals_, results_, values_, executions_,
                       number);
    check(hipGetLastError());
    ++launches_;
    last_ = number;
  }

  void use_memory() {
    check(hipSetDevice(device_));
    void *device = nullptr, *host = nullptr;
    check(hipMalloc(&device, kBytes));
    check(hipHostMalloc(&host, kBytes));
    check(hipMemcpyAsync(device, values_, kBytes, hipMemcpyDeviceToDevice, stream_));
    check(hipMemcpyAsync(host, device, kBytes, hipMemcpyDeviceToHost, stream_));
    check(hipStreamSynchronize(stream_));
    check(hipFree(device));
    check(hipHostFree(host));
  }

  void launch_graph(unsigned nodes) {
    check(hipStreamBeginCapture(stream_, hipStreamCaptureModeGlobal));
    for (unsigned node = 0; node < nodes; ++node) launch(node);
    hipGraph_t graph = nullptr;
    hipGraphExec_t executable = nullptr;
    check(hipStreamEndCapture(stream_, &graph));
    check(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
    check(hipGraphLaunch(executable, stream_));
    check(hipStreamSynchronize(stream_));
    check(hipGraphExecDestroy(executable));
    check(hipGraphDestroy(graph));
  }

  // How many results are not as they should be.
  unsigned wrong(bool pure) {
    check(hipSetDevice(device_));
    check(hipStreamSynchronize(stream_));
    std::vector<unsigned> results(kSize), totals(kSize);
    check(hipMemcpy(results.data(), results_, kBytes, hipMemcpyDeviceToHost));
    check(hipMemcpy(totals.data(), totals_, kBytes, hipMemcpyDeviceToHost));
    unsigned count = 0;
    for (unsigned i = kGuard; launches_ != 0 && i < kGuard + kItems; ++i) {
      if (results[i] != 3 * i + last_) ++count;
      if (!pure && totals[i] != launches_ * i) ++count;
    }
    return count;
  }

 private:
  static constexpr unsigned kSize = kGuard + 41 * kLine;
  static constexpr std::size_t kBytes = kSize * sizeof(unsigned);

  int device_;
  hipStream_t stream_ = nullptr;
  unsigned *totals_ = nullptr, *results_ = nullptr, *values_ = nullptr;
  unsigned* executions_ = &g_executions.at(g_workers++);
  unsigned launches_ = 0, last_ = 0;
};

using Workers = std::vector<std::unique_ptr<Worker>>;

Workers make_workers() {
  int devices = 0;
  check(hipGetDeviceCount(&devices));
  Workers workers;
  for (int device = 0; device < devices; ++device) workers.push_back(std::make_unique<Worker>(device));
  return workers;
}

int run_graph() {
  Worker worker(0);
  for (unsigned number = 0; number < 3; ++number) worker.launch(number);
  worker.launch_graph(5);
  std::printf("wrong: %u\n", worker.wrong(false));
  return 0;
}

int run_steps(unsigned first, unsigned all) {
  Worker worker(0);
  for (unsigned number = 0; number < first; ++number) worker.launch(number);
  std::printf("%u launched\n", first);
  std::fflush(stdout);
  while (std::getchar() != '\n') {
  }
  for (unsigned number = first; number < all; ++number) worker.launch(number);
  return 0;
}

// What the thread waits for may never come: nobody waits for the thread.
int run_away(unsigned launches) {
  std::thread([launches] {
    Worker& worker = *std::make_unique<Worker>(0).release();  // in use until the process has ended
    for (unsigned number = 0; number < launches; ++number) worker.launch(number);
  }).detach();
  while (std::getchar() != '\n') {
  }
  return 5;
}

int run_threads(unsigned threads, unsigned launches, bool pure, bool busy = false) {
  std::vector<Workers> workers;
  for (unsigned thread = 0; thread < threads; ++thread) workers.push_back(make_workers());
  std::vector<std::thread> running;
  for (unsigned thread = 0; thread < threads; ++thread) {
    running.emplace_back([&, thread] {
      Workers& own = workers[thread];
      for (unsigned number = 0; number < launches; ++number) {
        Worker& worker = *own[(thread + number) % own.size()];
        worker.launch(number);
        if (busy) worker.use_memory();
      }
    });
  }
  for (std::thread& thread : running) thread.join();
  for (unsigned thread = 0; thread < threads; ++thread) {
    for (std::size_t device = 0; device < workers[thread].size(); ++device)
      std::printf("thread %u GPU %zu wrong: %u\n", thread, device, workers[thread][device]->wrong(pure));
  }
  return 5;  // not 0, so that a lost exit code shows
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "graph") == 0) return run_graph();
  if (argc < 3) return run_threads(4, 8, true);
  const auto number = [argv](int at) { return static_cast<unsigned>(std::atoi(argv[at])); };
  if (argc == 3 && std::strcmp(argv[1], "leave") == 0) return run_away(number(2));
  if (argc == 4 && std::strcmp(argv[1], "step") == 0) return run_steps(number(2), number(3));
  const auto has = [argc, argv](int at, const char* word) { return argc > at && std::strcmp(argv[at], word) == 0; };
  return run_threads(number(1), number(2), has(3, "pure"), has(4, "busy"));
}
