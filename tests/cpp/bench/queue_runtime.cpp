// SPDX-License-Identifier: MIT
#include "bench/queue_runtime.hpp"

#include <time.h>

#include <algorithm>

#include "sdk/abi/rocprofiler.h"

namespace multipass::bench {
namespace {

QueueRuntime* g_runtime = nullptr;  // the table's functions have no argument for it

std::uint64_t boottime() {
  timespec time{};
  clock_gettime(CLOCK_BOOTTIME, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(time.tv_nsec);
}

}  // namespace

QueueRuntime::QueueRuntime(std::size_t devices) {
  g_runtime = this;
  kernel_.name = "_Z5emptyv.kd";
  kernel_.host_function = this;
  kernel_.code_object = 1;
  for (std::size_t i = 0; i < devices; ++i) {
    Queue& queue = *queues_.emplace_back(std::make_unique<Queue>());
    queue.packet.device = static_cast<std::uint32_t>(i);
    queue.packet.queue = i + 1;
    queue.packet.kernel = &kernel_;
    queue.packet.grid = {64, 1, 1};
    queue.packet.workgroup = {64, 1, 1};
    queue.packet.packets_in_write = 1;
    queue.jobs.reserve(1024);
    queue.thread = std::thread([this, &queue] { work(queue); });
  }
  table_.size = sizeof(table_);
  table_.device_count = [] { return g_runtime->queues_.size(); };
  table_.device_name = [](std::size_t device) { return device < g_runtime->queues_.size() ? "tiny" : nullptr; };
  table_.execute = [](multipass_sim_packet* packet, multipass_sim_done done, void* arg) {
    Queue& queue = *g_runtime->queues_[packet->device];
    const std::lock_guard lock(queue.mutex);
    queue.jobs.push_back({done, arg});
    queue.changed.notify_all();
  };
  table_.open_window = [](multipass_sim_packet*) {};
  table_.close_window = [](multipass_sim_packet*) {};
  table_.drain_queue = [](multipass_sim_packet*, std::uint32_t) { return 1; };  // one launch at a time
  table_.drain_others = [](multipass_sim_packet*, std::uint32_t) { return 1; };
  table_.allocations = [](std::size_t, void (*)(void*, const multipass_sim_allocation*), void*) {};
  table_.intercept = [] {
    if (g_runtime->table_.on_kernel != nullptr) g_runtime->table_.on_kernel(&g_runtime->kernel_);
  };
}

QueueRuntime::~QueueRuntime() {
  for (const auto& queue : queues_) {
    {
      const std::lock_guard lock(queue->mutex);
      queue->stop = true;
    }
    queue->changed.notify_all();
    queue->thread.join();
  }
}

void QueueRuntime::attach() {
  void* tables[] = {&table_};
  static_cast<void>(rocprofiler_set_api_table("hsa", 1, 0, tables, 1));
}

void QueueRuntime::launch(std::uint32_t device) {
  table_.on_submit(&queues_[device]->packet);
}

void QueueRuntime::synchronize() {
  for (const auto& queue : queues_) {
    std::unique_lock lock(queue->mutex);
    queue->changed.wait(lock, [&] { return queue->jobs.empty() && !queue->busy; });
  }
}

void QueueRuntime::work(Queue& queue) {
  std::vector<Job> taken;
  taken.reserve(1024);
  std::unique_lock lock(queue.mutex);
  for (;;) {
    queue.changed.wait(lock, [&] { return queue.stop || !queue.jobs.empty(); });
    if (queue.jobs.empty()) return;
    taken.swap(queue.jobs);
    queue.busy = true;
    lock.unlock();
    for (const Job& job : taken) {
      if (table_.on_start != nullptr) table_.on_start(job.arg);
      multipass_sim_execution execution{};
      execution.start_ns = boottime();
      execution.activity.waves = 1;
      execution.activity.work_items = 64;
      execution.end_ns = std::max(boottime(), execution.start_ns + 1);
      job.done(job.arg, &execution);
    }
    taken.clear();
    lock.lock();
    queue.busy = false;
    queue.changed.notify_all();
  }
}

}  // namespace multipass::bench
