// SPDX-License-Identifier: MIT
//
// Events: a mark in a queue, and when the queue came to it. Owned by the application through its handle; any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "hip/hip_runtime_api.h"
#include "sim/hip/captures.hpp"
#include "sim/hip/queue.hpp"

namespace multipass_sim {

// One recording of an event. Queue null: never recorded, or recorded in a capture.
struct EventMark {
  std::shared_ptr<Queue> queue;
  std::uint64_t command = 0;
  std::shared_ptr<std::atomic<std::uint64_t>> time_ns;
  std::shared_ptr<StreamCapture> capture;  // where it was recorded, and behind what
  std::vector<const GraphNode*> captured_nodes;

  [[nodiscard]] bool reached() const { return queue == nullptr || queue->completed(command); }
};

class Event final {
 public:
  explicit Event(bool timed) : timed_(timed) {}
  [[nodiscard]] bool timed() const noexcept { return timed_; }
  [[nodiscard]] EventMark mark() const;
  void set_mark(EventMark mark);

 private:
  const bool timed_;
  mutable std::mutex mutex_;
  EventMark mark_;
};

class Events final {
 public:
  [[nodiscard]] hipEvent_t create(bool timed);
  [[nodiscard]] std::shared_ptr<Event> find(hipEvent_t handle) const;  // null: unknown
  [[nodiscard]] bool remove(hipEvent_t handle);

 private:
  mutable std::mutex mutex_;
  std::map<hipEvent_t, std::shared_ptr<Event>> events_;
};

}  // namespace multipass_sim
