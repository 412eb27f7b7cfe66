// SPDX-License-Identifier: MIT
//
// A runtime for the tests: kernels are functions over ordinary memory, each queue has one worker thread. It plays the
// part of the HIP stand-in towards the SDK and writes down, in order, what the SDK asks of it.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "sim/interface/runtime_table.h"

namespace sim_sdk_test {

// Events of all threads in one order. Any thread.
class EventLog final {
 public:
  void add(const std::string& event) {
    const std::lock_guard lock(mutex_);
    events_.push_back(event);
    changed_.notify_all();
  }
  [[nodiscard]] std::vector<std::string> events() const {
    const std::lock_guard lock(mutex_);
    return events_;
  }
  // Only the events that begin with one of the prefixes.
  [[nodiscard]] std::vector<std::string> only(const std::vector<std::string>& prefixes) const;

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> events_;
};

struct LaunchOptions {
  std::uint64_t queue = 1;
  std::uint32_t device = 0;
  std::uint32_t packets_in_write = 1;
  std::uint32_t is_graph = 0;
  const multipass_sim_kernel* kernel = nullptr;  // nullptr: the runtime's first one
};

class FakeRuntime final {
 public:
  using Body = std::function<void(multipass_sim_activity&)>;

  FakeRuntime();
  ~FakeRuntime();
  FakeRuntime(const FakeRuntime&) = delete;
  FakeRuntime& operator=(const FakeRuntime&) = delete;

  void attach();  // rocprofiler_set_api_table
  void add_allocation(void* address, std::size_t size, int kind) { allocations_.push_back({address, size, kind}); }
  void launch(Body body, const LaunchOptions& options = {});  // as hipLaunchKernel: returns after the submission
  void synchronize();                                         // until every execution has been handled

  [[nodiscard]] multipass_sim_runtime& table() { return table_; }
  [[nodiscard]] multipass_sim_kernel& kernel() { return kernel_; }
  EventLog log;
  bool drains = true;  // what the two drain functions answer
  std::size_t devices = 1;

 private:
  struct Packet {
    multipass_sim_packet packet{};
    Body body;
  };
  struct Job {
    Packet* packet;
    void (*start)(void*);
    multipass_sim_done done;
    void* arg;
  };
  struct Queue {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<Job> jobs;
    bool busy = false, stop = false;
    std::thread thread;
  };
  void execute(multipass_sim_packet* packet, multipass_sim_done done, void* arg);
  static void work(Queue& queue, EventLog& log);
  Queue& queue_of(std::uint64_t handle);

  multipass_sim_runtime table_{};
  multipass_sim_kernel kernel_{};
  std::vector<multipass_sim_allocation> allocations_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Packet>> packets_;
  std::map<std::uint64_t, std::unique_ptr<Queue>> queues_;
};

}  // namespace sim_sdk_test
