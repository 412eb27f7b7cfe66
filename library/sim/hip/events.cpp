// SPDX-License-Identifier: MIT
#include "sim/hip/events.hpp"

#include <utility>

namespace multipass_sim {

EventMark Event::mark() const {
  const std::lock_guard lock(mutex_);
  return mark_;
}

void Event::set_mark(EventMark mark) {
  const std::lock_guard lock(mutex_);
  mark_ = std::move(mark);
}

hipEvent_t Events::create(bool timed) {
  auto event = std::make_shared<Event>(timed);
  const auto handle = reinterpret_cast<hipEvent_t>(event.get());
  const std::lock_guard lock(mutex_);
  events_.emplace(handle, std::move(event));
  return handle;
}

std::shared_ptr<Event> Events::find(hipEvent_t handle) const {
  const std::lock_guard lock(mutex_);
  const auto found = events_.find(handle);
  return found == events_.end() ? nullptr : found->second;
}

bool Events::remove(hipEvent_t handle) {
  const std::lock_guard lock(mutex_);
  return events_.erase(handle) == 1;
}

}  // namespace multipass_sim
