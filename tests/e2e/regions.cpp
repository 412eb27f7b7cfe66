// SPDX-License-Identifier: MIT
//
// An application that marks its launches with roctx, for tests of what is collected of it. Each word of the command
// line is one step, run by the calling thread:
//
//   N          N launches, without waiting for them
//   +MESSAGE   roctxRangePush; "+" alone: a NULL message
//   -          roctxRangePop
//   @MESSAGE   roctxRangeStart
//   /          roctxRangeStop of the oldest range that is open; "//": of one that does not exist
//   pause, resume             of the process
//   pause-own, resume-own     of the calling thread
//   sync       waits for all launches
//   thread[ ... ]   the steps between run on a thread of their own, which is awaited
//   all[ ... ]      the steps between run on four threads at the same time, each with a stream of its own
//   window[ ... ]   a launch, whose kernel lets the main program go on: the steps between run on another thread while
//                   that launch is executed for the first time
//
// Prints "launches N, sum N": how many launches there were and how many of them the memory has seen.
#include <hip/hip_runtime.h>
#include <multipass/count.h>

#include <rocprofiler-sdk-roctx/roctx.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

__global__ void step(unsigned* sum, unsigned* inside, const unsigned* outside) {
  if (inside != nullptr) {  // tells the host, and waits for it, the first time only
    if (__atomic_load_n(inside, __ATOMIC_ACQUIRE) == 0) {
      __atomic_store_n(inside, 1U, __ATOMIC_RELEASE);
      while (__atomic_load_n(outside, __ATOMIC_ACQUIRE) == 0) {
      }
    }
  }
  multipass_count::valu(1);
  atomicAdd(sum, 1);
}

namespace {

using Words = std::vector<std::string>;

void check(hipError_t error) {
  if (error == hipSuccess) return;
  std::fprintf(stderr, "regions: %s\n", hipGetErrorString(error));
  std::exit(90);
}

unsigned* sum = nullptr;
std::atomic<unsigned> launches{0};
std::mutex ranges_mutex;
std::vector<roctx_range_id_t> ranges;

void launch(hipStream_t stream, unsigned* inside = nullptr, const unsigned* outside = nullptr) {
  hipLaunchKernelGGL(step, dim3(1), dim3(1), 0, stream, sum, inside, outside);
  check(hipGetLastError());
  ++launches;
}

roctx_thread_id_t own_thread() {
  roctx_thread_id_t thread = 0;
  roctxGetThreadId(&thread);
  return thread;
}

void stop_oldest() {
  const std::lock_guard<std::mutex> lock(ranges_mutex);
  if (ranges.empty()) std::exit(91);
  roctxRangeStop(ranges.front());
  ranges.erase(ranges.begin());
}

void start(const char* message) {
  const std::lock_guard<std::mutex> lock(ranges_mutex);
  ranges.push_back(roctxRangeStart(message));
}

void run(const Words& words, hipStream_t stream);

// The words up to the bracket that closes; `at` is left on it.
Words inner(const Words& words, std::size_t& at) {
  Words found;
  int open = 1;
  for (++at; at < words.size(); ++at) {
    if (words[at].back() == '[') ++open;
    if (words[at] == "]" && --open == 0) return found;
    found.push_back(words[at]);
  }
  std::exit(92);
}

void on_all_threads(const Words& words) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&words] {
      hipStream_t stream = nullptr;
      check(hipStreamCreate(&stream));
      run(words, stream);
      check(hipStreamSynchronize(stream));
      check(hipStreamDestroy(stream));
    });
  }
  for (std::thread& thread : threads) thread.join();
}

void in_window(const Words& words, hipStream_t stream) {
  // Memory of the host that no call made known, so that no tool sees it. Replay does not restore it: a later pass goes
  // straight on.
  unsigned flags[2] = {};
  std::thread other([&] {
    while (__atomic_load_n(flags, __ATOMIC_ACQUIRE) == 0) std::this_thread::yield();
    run(words, stream);
    __atomic_store_n(flags + 1, 1U, __ATOMIC_RELEASE);
  });
  launch(stream, flags, flags + 1);
  other.join();
  check(hipDeviceSynchronize());
}

void run(const Words& words, hipStream_t stream) {
  for (std::size_t at = 0; at < words.size(); ++at) {
    const std::string& word = words[at];
    const char* const rest = word.size() == 1 ? nullptr : word.c_str() + 1;
    if (word == "pause") {
      if (roctxProfilerPause(0) != 0) std::exit(93);
    } else if (word == "resume") {
      if (roctxProfilerResume(0) != 0) std::exit(93);
    } else if (word == "pause-own") {
      roctxProfilerPause(own_thread());
    } else if (word == "resume-own") {
      roctxProfilerResume(own_thread());
    } else if (word == "sync") {
      check(hipDeviceSynchronize());
    } else if (word == "thread[") {
      const Words steps = inner(words, at);
      std::thread([&] { run(steps, stream); }).join();
    } else if (word == "all[") {
      on_all_threads(inner(words, at));
    } else if (word == "window[") {
      in_window(inner(words, at), stream);
    } else if (word[0] == '+') {
      roctxRangePush(rest);
    } else if (word[0] == '@') {
      start(rest);
    } else if (word == "-") {
      roctxRangePop();
    } else if (word == "/") {
      stop_oldest();
    } else if (word == "//") {
      roctxRangeStop(123456789);
    } else {
      for (int i = std::atoi(word.c_str()); i > 0; --i) launch(stream);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Words words(argv + 1, argv + argc);
  // Ranges and pauses before the first call of HIP are those of a program too.
  std::size_t first = 0;
  while (first < words.size() && std::atoi(words[first].c_str()) == 0 && words[first].back() != '[') ++first;
  run(Words(words.begin(), words.begin() + static_cast<long>(first)), nullptr);
  check(hipMalloc(&sum, sizeof(unsigned)));
  check(hipMemset(sum, 0, sizeof(unsigned)));
  run(Words(words.begin() + static_cast<long>(first), words.end()), nullptr);
  unsigned result = 0;
  check(hipMemcpy(&result, sum, sizeof result, hipMemcpyDeviceToHost));
  std::printf("launches %u, sum %u\n", launches.load(), result);
  return 0;
}
