// SPDX-License-Identifier: MIT
#include "fake_runtime.hpp"

#include <time.h>

#include <algorithm>
#include <utility>

#include "sdk/abi/rocprofiler.h"

namespace sim_sdk_test {

namespace {

FakeRuntime* current = nullptr;  // the table's functions have no argument for it

std::uint64_t now() {
  timespec time{};
  clock_gettime(CLOCK_BOOTTIME, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(time.tv_nsec);
}

}  // namespace

std::vector<std::string> EventLog::only(const std::vector<std::string>& prefixes) const {
  std::vector<std::string> result;
  for (const std::string& event : events()) {
    const auto matches = [&](const std::string& prefix) { return event.rfind(prefix, 0) == 0; };
    if (std::any_of(prefixes.begin(), prefixes.end(), matches)) result.push_back(event);
  }
  return result;
}

FakeRuntime::FakeRuntime() {
  current = this;
  kernel_.name = "_Z4testv.kd";
  kernel_.host_function = this;
  kernel_.code_object = 1;
  kernel_.group_segment_size = 64;
  kernel_.sgpr_count = 16;
  table_.size = sizeof(table_);
  table_.device_count = [] { return current->devices; };
  table_.device_name = [](std::size_t device) { return device < current->devices ? "tiny" : nullptr; };
  table_.execute = [](multipass_sim_packet* packet, multipass_sim_done done, void* arg) {
    current->execute(packet, done, arg);
  };
  table_.open_window = [](multipass_sim_packet*) { current->log.add("open_window"); };
  table_.close_window = [](multipass_sim_packet*) { current->log.add("close_window"); };
  table_.drain_queue = [](multipass_sim_packet*, std::uint32_t) {
    current->log.add("drain_queue");
    return current->drains ? 1 : 0;
  };
  table_.drain_others = [](multipass_sim_packet*, std::uint32_t) {
    current->log.add("drain_others");
    return current->drains ? 1 : 0;
  };
  table_.allocations = [](std::size_t, void (*visit)(void*, const multipass_sim_allocation*), void* arg) {
    current->log.add("memory");
    for (const multipass_sim_allocation& allocation : current->allocations_) visit(arg, &allocation);
  };
  table_.intercept = [] {
    if (current->table_.on_kernel != nullptr) current->table_.on_kernel(&current->kernel_);
  };
}

FakeRuntime::~FakeRuntime() {
  for (auto& [handle, queue] : queues_) {
    {
      const std::lock_guard lock(queue->mutex);
      queue->stop = true;
      queue->changed.notify_all();
    }
    queue->thread.join();
  }
}

void FakeRuntime::attach() {
  void* tables[] = {&table_};
  static_cast<void>(rocprofiler_set_api_table("hsa", 1, 0, tables, 1));
}

void FakeRuntime::launch(Body body, const LaunchOptions& options) {
  auto packet = std::make_unique<Packet>();
  packet->body = std::move(body);
  packet->packet.device = options.device;
  packet->packet.queue = options.queue;
  packet->packet.kernel = options.kernel == nullptr ? &kernel_ : options.kernel;
  packet->packet.grid = {256, 2, 1};
  packet->packet.workgroup = {64, 1, 1};
  packet->packet.group_segment_size = 64;
  packet->packet.packets_in_write = options.packets_in_write;
  packet->packet.is_graph = options.is_graph;
  multipass_sim_packet* raw = &packet->packet;
  {
    const std::lock_guard lock(mutex_);
    packets_.push_back(std::move(packet));
  }
  if (table_.on_submit != nullptr) {
    table_.on_submit(raw);
  } else {
    execute(raw, [](void*, const multipass_sim_execution*) {}, nullptr);
  }
}

void FakeRuntime::synchronize() {
  std::vector<Queue*> queues;
  {
    const std::lock_guard lock(mutex_);
    for (auto& [handle, queue] : queues_) queues.push_back(queue.get());
  }
  for (Queue* queue : queues) {
    std::unique_lock lock(queue->mutex);
    queue->changed.wait(lock, [&] { return queue->jobs.empty() && !queue->busy; });
  }
}

void FakeRuntime::execute(multipass_sim_packet* packet, multipass_sim_done done, void* arg) {
  Packet* own = nullptr;
  {
    const std::lock_guard lock(mutex_);
    // The newest as a rule, of up to 10,000.
    const auto found = std::find_if(packets_.rbegin(), packets_.rend(),
                                    [&](const auto& candidate) { return &candidate->packet == packet; });
    own = found->get();
  }
  Queue& queue = queue_of(packet->queue);
  const std::lock_guard lock(queue.mutex);
  queue.jobs.push_back({own, table_.on_start, done, arg});
  queue.changed.notify_all();
}

FakeRuntime::Queue& FakeRuntime::queue_of(std::uint64_t handle) {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<Queue>& queue = queues_[handle];
  if (!queue) {
    queue = std::make_unique<Queue>();
    queue->thread = std::thread([raw = queue.get(), this] { work(*raw, log); });
  }
  return *queue;
}

void FakeRuntime::work(Queue& queue, EventLog& log) {
  std::unique_lock lock(queue.mutex);
  for (;;) {
    queue.changed.wait(lock, [&] { return queue.stop || !queue.jobs.empty(); });
    if (queue.jobs.empty()) return;
    const Job job = queue.jobs.front();
    queue.jobs.pop_front();
    queue.busy = true;
    lock.unlock();
    multipass_sim_execution execution{};
    if (job.start != nullptr) job.start(job.arg);
    execution.start_ns = now();
    log.add("run");
    job.packet->body(execution.activity);
    execution.end_ns = std::max(now(), execution.start_ns + 1);
    job.done(job.arg, &execution);
    lock.lock();
    queue.busy = false;
    queue.changed.notify_all();
  }
}

}  // namespace sim_sdk_test
