// SPDX-License-Identifier: MIT
//
// An application for tests of what is left of a run that dies. Usage:
//
//   victim FILE HOW [LAUNCHES]
//
// Launch k (from 0) has 1 + k % 7 waves and is waited for. Then k + 1 and the time (CLOCK_MONOTONIC, ns) are appended
// to FILE, 16 bytes that outlive the process: what was done is known without anything of the tool. After LAUNCHES
// launches HOW tells what becomes of it:
//
//   steady     it goes on until a signal ends it
//   done       main returns 0; return: 3
//   _exit      _exit(3)
//   callback   exit(3) in a function that the runtime calls
//   handler    exit(3) in a handler of SIGTERM, which it sends to itself between two launches
//   abort, segv, exec, memory   from a second thread, while the first one launches on; exec starts `true`, memory
//              takes memory until the kernel kills the process
#include <fcntl.h>
#include <hip/hip_runtime.h>
#include <multipass/count.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <string>
#include <thread>
#include <vector>

__global__ void work(unsigned* values) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned before = multipass_count::load(&values[i]);
  multipass_count::store(&values[i]) = before + i;
}

namespace {

constexpr unsigned kWave = 64;
constexpr unsigned kMost = 7;  // waves

void check(hipError_t error) {
  if (error == hipSuccess) return;
  std::fprintf(stderr, "victim: %s\n", hipGetErrorString(error));
  std::exit(90);
}

class Victim {
 public:
  explicit Victim(const char* file) : file_(open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644)) {
    if (file_ < 0) std::exit(91);
    check(hipMalloc(&values_, kMost * kWave * sizeof(unsigned)));
    check(hipMemset(values_, 0, kMost * kWave * sizeof(unsigned)));
  }

  void launch() {
    const auto waves = static_cast<unsigned>(1 + done_ % kMost);
    hipLaunchKernelGGL(work, dim3(waves), dim3(kWave), 0, nullptr, values_);
    check(hipGetLastError());
    check(hipStreamSynchronize(nullptr));
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    const std::uint64_t record[] = {
        ++done_, static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(now.tv_nsec)};
    if (write(file_, record, sizeof record) != sizeof record) std::exit(92);
  }

  [[nodiscard]] std::uint64_t done() const { return done_; }

  void launch_for_ever() {
    for (;;) launch();
  }

 private:
  int file_;
  unsigned* values_ = nullptr;
  std::atomic<std::uint64_t> done_{0};
};

void exit_3(void*) {
  std::exit(3);
}

[[noreturn]] void take_memory() {
  constexpr std::size_t kPiece = 1U << 20U;
  for (std::vector<std::string> taken;;) taken.emplace_back(kPiece, 'x');
}

// In the midst of launches of the other thread.
[[noreturn]] void die(const std::string& how, const Victim& victim) {
  for (const std::uint64_t before = victim.done(); victim.done() < before + 2;) std::this_thread::yield();
  if (how == "abort") std::abort();
  if (how == "segv") raise(SIGSEGV);
  if (how == "memory") take_memory();
  execlp("true", "true", nullptr);
  _exit(93);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string how = argc > 2 ? argv[2] : "";
  if (how.empty()) return 89;
  rlimit no_core{};
  setrlimit(RLIMIT_CORE, &no_core);
  Victim victim(argv[1]);
  const long launches = argc > 3 ? std::atol(argv[3]) : std::numeric_limits<long>::max();
  for (long i = 0; i < launches; ++i) victim.launch();
  if (how == "done") return 0;
  if (how == "return") return 3;
  if (how == "_exit") _exit(3);
  if (how == "callback") {
    check(hipLaunchHostFunc(nullptr, exit_3, nullptr));
    for (;;) pause();
  }
  if (how == "handler") {
    std::signal(SIGTERM, [](int) { std::exit(3); });
    raise(SIGTERM);
  }
  if (how == "abort" || how == "segv" || how == "exec" || how == "memory")
    std::thread([&] { die(how, victim); }).detach();
  victim.launch_for_ever();
}
