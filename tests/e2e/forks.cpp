// SPDX-License-Identifier: MIT
//
// An application for tests of what forks, other programs and signals do to a run. Usage:
//
//   forks HOW [THREADS [FORKS [FORKERS]]]   FORKERS threads make FORKS children each, while THREADS threads launch
//   forks work CODE                         one launch, then exit code CODE
//   forks idle                              uses HIP, launches nothing
//   forks steady [HANDLER]                  launches until a signal ends it
//
// Thread t (from 0) launches 1000 * (t + 2) work-items at a time, before, during and after the forks, kForChild times
// at most for each child; the main thread launches 1000 before them and after them. How often each launched is printed,
// and how each child ended.
#include <hip/hip_runtime.h>
#include <multipass/count.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

__global__ void probe(unsigned* values, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  multipass_count::valu(1);
  if (i >= n) return;
  const unsigned before = multipass_count::load(&values[i]);
  multipass_count::store(&values[i]) = before + i;
}

namespace {

constexpr int kCode = 7;           // of a child that ends by itself
constexpr unsigned kAtLeast = 3;   // launches of a thread before the first fork, and after the last
constexpr unsigned kForChild = 8;  // launches of a thread for each child: on a busy machine forks are slow

const char* self = nullptr;
int generations = 0;  // of processes above this one, in "nested"
std::mutex said_mutex;
std::map<std::string, unsigned> said;  // how children ended

void check(hipError_t error) {
  if (error == hipSuccess) return;
  std::fprintf(stderr, "forks: %s\n", hipGetErrorString(error));
  std::exit(90);
}

// How many launches there are for the forks. Of the parent: a child may have been made while a thread held the lock.
class Pace {
 public:
  void next_child() {
    const std::lock_guard lock(mutex_);
    allowed_ += kForChild;
    changed_.notify_all();
  }

  void end() {
    const std::lock_guard lock(mutex_);
    over_ = true;
    changed_.notify_all();
  }

  // Waits while a thread that has launched so often is ahead of the forks. False when the last one is done.
  bool goes_on(unsigned launched) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return over_ || launched < allowed_; });
    return !over_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  unsigned allowed_ = kAtLeast;
  bool over_ = false;
};

// A stream with a buffer of n values. Nothing is copied while others launch: a copy into memory of a GPU that replays a
// kernel of another thread may be undone.
class Worker {
 public:
  explicit Worker(unsigned n) : n_(n) {
    check(hipStreamCreate(&stream_));
    check(hipMalloc(&device_, n * sizeof(unsigned)));
    check(hipMemset(device_, 0, n * sizeof(unsigned)));
  }

  void launch() {
    hipLaunchKernelGGL(probe, dim3((n_ + 63) / 64), dim3(64), 0, stream_, device_, n_);
    check(hipGetLastError());
    check(hipStreamSynchronize(stream_));
    launched_.fetch_add(1);
  }

  // Launches at this pace, which has kAtLeast launches before the first fork, and kAtLeast times after its end.
  void run(Pace& pace) {
    while (pace.goes_on(launched_)) launch();
    for (unsigned i = 0; i < kAtLeast; ++i) launch();
  }

  void wait_for_first_launches() const {
    while (launched_ < kAtLeast) std::this_thread::yield();
  }

  void tell() const {
    std::vector<unsigned> values(n_);
    check(hipMemcpy(values.data(), device_, n_ * sizeof(unsigned), hipMemcpyDeviceToHost));
    unsigned wrong = 0;
    for (unsigned i = 0; i < n_; ++i) wrong += values[i] != launched_ * i ? 1 : 0;
    std::printf("%u launched %u wrong %u\n", n_, launched_.load(), wrong);
  }

 private:
  unsigned n_;
  unsigned* device_ = nullptr;
  hipStream_t stream_ = nullptr;
  std::atomic<unsigned> launched_{0};
};

void say(const std::string& words) {
  const std::lock_guard lock(said_mutex);
  ++said[words];
}

std::string ending(int status) {
  if (WIFEXITED(status)) return "exit " + std::to_string(WEXITSTATUS(status));
  return "signal " + std::to_string(WTERMSIG(status));
}

void wait_for(pid_t child) {
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) std::exit(92);
  if (generations > 0 && ending(status) != "exit 7") std::exit(97);
  say(ending(status));
}

// A pipe whose other end tells that the child has come so far.
struct Ready {
  int ends[2]{};
  Ready() {
    if (pipe(ends) != 0) std::exit(93);
  }
  void tell() const {
    if (write(ends[1], "x", 1) != 1) _exit(94);
  }
  void wait() const {
    char byte = 0;
    if (read(ends[0], &byte, 1) != 1) std::exit(95);
  }
  ~Ready() {
    close(ends[0]);
    close(ends[1]);
  }
};

[[noreturn]] void wait_for_a_signal(const Ready& ready) {
  ready.tell();
  for (;;) pause();
}

[[noreturn]] void work_instead() {
  execl(self, self, "work", "5", nullptr);
  _exit(96);
}

void exit_7(int) {
  std::exit(kCode);
}

void make_child(const std::string& how);

// What a child does that was made by fork(). It has none of the parent's threads.
[[noreturn]] void be_child(const std::string& how, const Ready& ready) {
  rlimit no_core{};
  setrlimit(RLIMIT_CORE, &no_core);
  if (how == "_exit") _exit(kCode);
  if (how == "quick_exit") std::quick_exit(kCode);
  if (how == "abort") std::abort();
  if (how == "segv") raise(SIGSEGV);
  if (how == "term" || how == "kill") wait_for_a_signal(ready);
  if (how == "handler") {
    std::signal(SIGTERM, exit_7);
    wait_for_a_signal(ready);
  }
  if (how == "exec") work_instead();
  if (how == "nested") {
    if (generations > 1) std::exit(kCode);
    ++generations;
    make_child(how);
    make_child(how);
    std::exit(kCode);
  }
  if (how == "threads") {
    std::thread([] { std::vector<int>(1000).resize(2000); }).join();
    std::exit(kCode);
  }
  if (how == "gpu") {  // refused by the runtime, here as on hardware
    unsigned* device = nullptr;
    std::exit(hipMalloc(&device, 4) == hipSuccess ? 98 : kCode);
  }
  std::exit(kCode);
}

void make_child(const std::string& how) {
  if (how == "system") return say(ending(std::system((std::string(self) + " work 5").c_str())));
  if (how == "popen") {
    FILE* out = popen((std::string(self) + " work 5").c_str(), "r");
    if (out == nullptr) std::exit(93);
    while (std::fgetc(out) != EOF) {
    }
    return say(ending(pclose(out)));
  }
  if (how == "spawn") {
    pid_t child = -1;
    char* const words[] = {const_cast<char*>(self), const_cast<char*>("work"), const_cast<char*>("5"), nullptr};
    if (posix_spawn(&child, self, nullptr, nullptr, words, environ) != 0) std::exit(93);
    return wait_for(child);
  }
  if (how == "vfork") {
    const pid_t child = vfork();
    if (child == 0) work_instead();
    return wait_for(child);
  }
  const Ready ready;
  const auto child = how == "raw" ? static_cast<pid_t>(syscall(SYS_fork)) : fork();
  if (child == 0) be_child(how == "raw" ? "_exit" : how, ready);
  if (how == "term" || how == "kill" || how == "handler") {
    ready.wait();
    kill(child, how == "kill" ? SIGKILL : SIGTERM);
  }
  wait_for(child);
}

int fork_while_launching(const std::string& how, unsigned threads, unsigned forks, unsigned forkers) {
  Worker main_worker(1000);
  main_worker.launch();
  Pace pace;
  std::vector<std::thread> running;
  std::vector<std::unique_ptr<Worker>> launching;
  for (unsigned t = 0; t < threads; ++t) launching.push_back(std::make_unique<Worker>(1000 * (t + 2)));
  for (const auto& worker : launching) running.emplace_back([&] { worker->run(pace); });
  for (const auto& worker : launching) worker->wait_for_first_launches();

  std::vector<std::thread> forking;
  const auto make_children = [&] {
    for (unsigned i = 0; i < forks; ++i) {
      pace.next_child();
      make_child(how);
    }
  };
  for (unsigned f = 1; f < forkers; ++f) forking.emplace_back(make_children);
  make_children();
  for (std::thread& thread : forking) thread.join();

  pace.end();
  for (std::thread& thread : running) thread.join();
  main_worker.launch();
  main_worker.tell();
  for (const auto& worker : launching) worker->tell();
  for (const auto& [words, times] : said) std::printf("children %s: %u\n", words.c_str(), times);
  return 3;  // not 0, so that a lost exit code shows
}

// The child lives on; its number is printed.
int leave_a_child(bool daemon) {
  Worker worker(1000);
  worker.launch();
  std::fflush(stdout);
  const Ready ready;
  const pid_t child = fork();
  if (child == 0) {
    if (daemon) {
      setsid();
      if (fork() != 0) _exit(0);
    }
    std::printf("left %d\n", static_cast<int>(getpid()));
    std::fflush(stdout);
    ready.tell();
    for (;;) pause();
  }
  if (daemon) waitpid(child, nullptr, 0);
  ready.wait();
  worker.launch();
  worker.tell();
  return 3;
}

// The process ends while another thread forks, or while a child does.
int exit_while_forking(bool in_child) {
  Worker worker(1000);
  worker.launch();
  worker.tell();
  std::fflush(stdout);
  const Ready ready;
  const auto fork_on = [&](unsigned times) {
    for (unsigned i = 0; i < times; ++i) {
      const pid_t child = fork();
      if (child == 0) std::exit(kCode);
      if (child > 0) waitpid(child, nullptr, 0);
      if (i == 2) ready.tell();
    }
  };
  if (in_child) {
    if (fork() == 0) {
      fork_on(50);
      std::exit(kCode);
    }
  } else {
    std::thread([&] { fork_on(1'000'000); }).detach();
  }
  ready.wait();
  std::exit(3);
}

int fork_in_a_host_function() {
  Worker worker(1000);
  worker.launch();
  const auto host = [](void*) { make_child("exit"); };
  check(hipLaunchHostFunc(nullptr, host, nullptr));
  check(hipStreamSynchronize(nullptr));
  worker.launch();
  worker.tell();
  for (const auto& [words, times] : said) std::printf("children %s: %u\n", words.c_str(), times);
  return 3;
}

int work(int code) {
  Worker(1000).launch();
  return code;
}

int launch_and_exec() {
  Worker worker(1000);
  worker.launch();
  worker.launch();
  work_instead();
}

int launch_until_a_signal(const std::string& handler) {
  if (handler == "exit") std::signal(SIGTERM, exit_7);
  if (handler == "_exit") std::signal(SIGTERM, [](int) { _exit(kCode); });
  Worker worker(1000);
  for (unsigned i = 0;; ++i) {
    worker.launch();
    if (i == 20) {
      std::printf("launching %d\n", static_cast<int>(getpid()));
      std::fflush(stdout);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  self = argv[0];
  const std::string how = argc > 1 ? argv[1] : "";
  const auto number = [&](int at, int otherwise) {
    return static_cast<unsigned>(argc > at ? std::atoi(argv[at]) : otherwise);
  };
  if (how.empty()) return 89;
  if (how == "idle") return static_cast<int>(hipSetDevice(0));  // no launch
  if (how == "work") return work(static_cast<int>(number(2, 0)));
  if (how == "steady") return launch_until_a_signal(argc > 2 ? argv[2] : "");
  if (how == "linger" || how == "daemon") return leave_a_child(how == "daemon");
  if (how == "leaving" || how == "left") return exit_while_forking(how == "left");
  if (how == "host") return fork_in_a_host_function();
  if (how == "replace") return launch_and_exec();
  return fork_while_launching(how, number(2, 1), number(3, 1), number(4, 1));
}
