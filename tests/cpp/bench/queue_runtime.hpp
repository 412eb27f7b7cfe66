// SPDX-License-Identifier: MIT
//
// The runtime of callback_bench: empty kernels, one queue with a worker thread for each device, no memory. As little as
// the SDK can be given to work with, so that what is measured is its path and the client's.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "sim/interface/runtime_table.h"

namespace multipass::bench {

class QueueRuntime final {
 public:
  explicit QueueRuntime(std::size_t devices);
  ~QueueRuntime();
  QueueRuntime(const QueueRuntime&) = delete;
  QueueRuntime& operator=(const QueueRuntime&) = delete;

  void attach();
  // Returns when the SDK does. One thread at a time for each device.
  void launch(std::uint32_t device);
  // Until the queues are empty.
  void synchronize();

 private:
  struct Job {
    multipass_sim_done done = nullptr;
    void* arg = nullptr;
  };
  struct Queue {
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<Job> jobs;
    bool busy = false, stop = false;
    multipass_sim_packet packet{};
    std::thread thread;
  };
  void work(Queue& queue);

  multipass_sim_runtime table_{};
  multipass_sim_kernel kernel_{};
  std::vector<std::unique_ptr<Queue>> queues_;
};

}  // namespace multipass::bench
