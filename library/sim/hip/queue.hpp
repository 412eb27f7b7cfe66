// SPDX-License-Identifier: MIT
//
// A queue of one device and its worker thread: runs commands in the order in which they were put in. A command is a
// piece of host work (copy, event, host function) or a packet; a packet stays at the head until its executions are done
// and its window is closed. Any thread may call; waiting functions must not be called on the worker. Shared ownership,
// for commands of other queues wait on this one. stop() comes before the last reference goes.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "sim/hip/engine.hpp"
#include "sim/hip/packet.hpp"

namespace multipass_sim {

class Queue;

// A command waits until its queue has completed `command`.
struct Dependency {
  std::shared_ptr<Queue> queue;
  std::uint64_t command = 0;
};
using Dependencies = std::vector<Dependency>;

class Queue final {
 public:
  using Clock = std::chrono::steady_clock;

  Queue(std::uint64_t handle, std::uint32_t device, const WaveGeometry& geometry);
  ~Queue();
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  [[nodiscard]] std::uint64_t handle() const noexcept { return handle_; }
  [[nodiscard]] std::uint32_t device() const noexcept { return device_; }

  // Puts a command in; returns its number, counted from 1. After stop() it runs at once on the calling thread.
  std::uint64_t enqueue(std::function<void()> work, Dependencies dependencies);

  // Puts one execution of the packet in. The packet takes its place in the order with its first execution or window.
  void execute(Packet& packet, const PendingExecution& execution, const Dependencies& dependencies);
  void open_window(Packet& packet, const Dependencies& dependencies);
  void close_window(Packet& packet);

  [[nodiscard]] std::uint64_t last_command() const;
  void wait(std::uint64_t command) const;
  [[nodiscard]] bool completed(std::uint64_t command) const;

  // Waits until no work (execution, copy, host function) is left that was put in before the call; false: the time came
  // first.
  [[nodiscard]] bool drain(Clock::time_point deadline) const;

  // True when a kernel could not be run to its end.
  [[nodiscard]] bool failed() const;

  // Completes what was put in, windows that are still open included, and ends the worker. Later calls do nothing.
  void stop();

  // True on a thread that works for a queue.
  [[nodiscard]] static bool on_worker() noexcept;

 private:
  struct Command {
    std::uint64_t number = 0;
    std::uint64_t ticket = 0;  // of the work; packets have one per execution
    std::function<void()> work;
    std::shared_ptr<Packet> packet;
    Dependencies dependencies;
  };
  using Lock = std::unique_lock<std::mutex>;

  void work_loop();
  void run_packet(Lock& lock, const std::shared_ptr<Packet>& packet);
  void run_work(Lock& lock, const std::function<void()>& work, std::uint64_t ticket);
  void run_execution(Packet& packet, const PendingExecution& execution);
  multipass_sim_execution run_kernel(const Packet& packet);
  Command& append(Dependencies dependencies);
  void ensure_queued(Packet& packet, const Dependencies& dependencies);

  const std::uint64_t handle_;
  const std::uint32_t device_;
  const WaveGeometry geometry_;

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::deque<Command> commands_;
  std::set<std::uint64_t> outstanding_;  // tickets of work not yet done
  std::uint64_t last_ticket_ = 0;
  std::uint64_t last_command_ = 0;
  std::uint64_t completed_ = 0;
  bool stopping_ = false;
  bool stopped_ = false;
  bool failed_ = false;

  std::mutex run_mutex_;           // held while a command runs; contended only after stop()
  Engine engine_;                  // under run_mutex_
  std::uint64_t last_end_ns_ = 0;  // under run_mutex_
  std::thread worker_;
};

}  // namespace multipass_sim
