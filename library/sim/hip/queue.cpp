// SPDX-License-Identifier: MIT
#include "sim/hip/queue.hpp"

#include <algorithm>
#include <exception>
#include <string>
#include <utility>

#include "sim/hip/clock.hpp"
#include "sim/hip/costs.hpp"
#include "sim/hip/message.hpp"

namespace multipass_sim {
namespace {

__thread bool working = false;

// Marks the calling thread as one that works for a queue.
class WorkingScope final {
 public:
  WorkingScope() noexcept : before_(std::exchange(working, true)) {}
  ~WorkingScope() { working = before_; }
  WorkingScope(const WorkingScope&) = delete;
  WorkingScope& operator=(const WorkingScope&) = delete;

 private:
  bool before_;
};

}  // namespace

Queue::Queue(std::uint64_t handle, std::uint32_t device, const WaveGeometry& geometry)
    : handle_(handle), device_(device), geometry_(geometry), worker_([this] { work_loop(); }) {}

Queue::~Queue() {
  stop();
}

bool Queue::on_worker() noexcept {
  return working;
}

Queue::Command& Queue::append(Dependencies dependencies) {
  Command& command = commands_.emplace_back();
  command.number = ++last_command_;
  command.dependencies = std::move(dependencies);
  return command;
}

std::uint64_t Queue::enqueue(std::function<void()> work, Dependencies dependencies) {
  Lock lock(mutex_);
  if (stopped_) {
    const std::uint64_t number = completed_ = ++last_command_;
    lock.unlock();
    const std::lock_guard run_lock(run_mutex_);
    work();
    return number;
  }
  Command& command = append(std::move(dependencies));
  command.work = std::move(work);
  if (command.work) outstanding_.insert(command.ticket = ++last_ticket_);
  changed_.notify_all();
  return command.number;
}

void Queue::ensure_queued(Packet& packet, const Dependencies& dependencies) {
  if (packet.queued) return;
  append(dependencies).packet = packet.shared_from_this();
  packet.queued = true;
}

void Queue::execute(Packet& packet, const PendingExecution& execution, const Dependencies& dependencies) {
  Lock lock(mutex_);
  if (stopped_) {
    lock.unlock();
    return run_execution(packet, execution);
  }
  packet.pending.push_back(execution);
  packet.pending.back().ticket = ++last_ticket_;
  outstanding_.insert(last_ticket_);
  ensure_queued(packet, dependencies);
  changed_.notify_all();
}

void Queue::open_window(Packet& packet, const Dependencies& dependencies) {
  const Lock lock(mutex_);
  if (stopped_) return;
  packet.window_open = true;
  ensure_queued(packet, dependencies);
  changed_.notify_all();
}

void Queue::close_window(Packet& packet) {
  const Lock lock(mutex_);
  packet.window_open = false;
  changed_.notify_all();
}

std::uint64_t Queue::last_command() const {
  const Lock lock(mutex_);
  return last_command_;
}

void Queue::wait(std::uint64_t command) const {
  Lock lock(mutex_);
  changed_.wait(lock, [&] { return completed_ >= command; });
}

bool Queue::completed(std::uint64_t command) const {
  const Lock lock(mutex_);
  return completed_ >= command;
}

bool Queue::drain(Clock::time_point deadline) const {
  Lock lock(mutex_);
  const std::uint64_t newest = last_ticket_;
  return changed_.wait_until(lock, deadline, [&] { return outstanding_.empty() || *outstanding_.begin() > newest; });
}

bool Queue::failed() const {
  const Lock lock(mutex_);
  return failed_;
}

void Queue::stop() {
  {
    const Lock lock(mutex_);
    if (stopping_) return;
    stopping_ = true;
    changed_.notify_all();
  }
  worker_.join();
}

void Queue::work_loop() {
  const WorkingScope scope;
  Lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stopping_ || !commands_.empty(); });
    if (commands_.empty()) break;
    // The head stays in place while it runs: others only append, so the reference holds.
    Command& head = commands_.front();
    lock.unlock();
    for (const Dependency& dependency : head.dependencies) dependency.queue->wait(dependency.command);
    lock.lock();
    if (head.packet != nullptr) {
      run_packet(lock, head.packet);
    } else {
      run_work(lock, head.work, head.ticket);
    }
    completed_ = head.number;
    Command finished = std::move(head);
    commands_.pop_front();
    changed_.notify_all();
    lock.unlock();
    finished = {};  // may end a packet and its arguments: not under the lock
    lock.lock();
  }
  stopped_ = true;
}

void Queue::run_packet(Lock& lock, const std::shared_ptr<Packet>& packet) {
  for (;;) {
    changed_.wait(lock, [&] { return !packet->pending.empty() || !packet->window_open || stopping_; });
    if (packet->pending.empty()) break;
    const PendingExecution execution = packet->pending.front();
    packet->pending.pop_front();
    lock.unlock();
    run_execution(*packet, execution);
    lock.lock();
    outstanding_.erase(execution.ticket);
    changed_.notify_all();
  }
  packet->queued = false;
}

void Queue::run_work(Lock& lock, const std::function<void()>& work, std::uint64_t ticket) {
  if (!work) return;
  lock.unlock();
  {
    const std::lock_guard run_lock(run_mutex_);
    work();
  }
  lock.lock();
  outstanding_.erase(ticket);
}

void Queue::run_execution(Packet& packet, const PendingExecution& execution) {
  const WorkingScope scope;
  multipass_sim_execution result{};
  if (execution.start != nullptr) execution.start(execution.argument);
  {
    const std::lock_guard run_lock(run_mutex_);
    result = run_kernel(packet);
  }
  if (execution.done != nullptr) execution.done(execution.argument, &result);
}

multipass_sim_execution Queue::run_kernel(const Packet& packet) {
  multipass_sim_execution result{};
  result.start_ns = std::max(boot_time_ns(), last_end_ns_ + 1);
  try {
    result.activity = engine_.run(packet.launch, geometry_);
  } catch (const std::exception& error) {
    print_message("kernel " + std::string(packet.kernel->name) + " was not run to its end: " + error.what());
    const Lock lock(mutex_);
    failed_ = true;
  }
  let_time_pass_until(result.start_ns + costs().kernel_ns());
  result.end_ns = last_end_ns_ = std::max(boot_time_ns(), result.start_ns + 1);
  return result;
}

}  // namespace multipass_sim
