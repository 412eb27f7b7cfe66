// SPDX-License-Identifier: MIT
#include "sim/hip/streams.hpp"

#include <unistd.h>

#include <utility>

namespace multipass_sim {
namespace {

// Ends the streams of a thread with it. `owner` is never destroyed (the runtime is not). In a forked child the workers
// are gone, and waiting for them would not end.
struct ThreadEnd {
  ~ThreadEnd() {
    if (owner != nullptr && process == ::getpid()) owner->end_thread();
  }
  Streams* owner = nullptr;
  pid_t process = 0;
};

thread_local ThreadEnd thread_end;

}  // namespace

hipStream_t Stream::handle() const noexcept {
  return is_default ? nullptr : reinterpret_cast<hipStream_t>(const_cast<Stream*>(this));
}

StreamPtr Streams::make(std::uint32_t device, bool is_default, bool blocking, int priority) {
  auto stream = std::make_shared<Stream>();
  stream->queue = std::make_shared<Queue>(++last_handle_, device, devices_.at(device));
  stream->device = device;
  stream->is_default = is_default;
  stream->blocking = blocking;
  stream->priority = priority;
  return stream;
}

StreamPtr Streams::find(hipStream_t handle, std::uint32_t device) {
  const std::lock_guard lock(mutex_);
  if (stopped_) return nullptr;
  if (handle == hipStreamPerThread) return of_thread(device);
  if (handle != nullptr) {
    const auto found = streams_.find(handle);
    return found == streams_.end() ? nullptr : found->second;
  }
  StreamPtr& stream = defaults_[device];
  if (stream == nullptr) stream = make(device, true, true);
  return stream;
}

StreamPtr Streams::of_thread(std::uint32_t device) {
  StreamPtr& stream = per_thread_[{std::this_thread::get_id(), device}];
  if (stream == nullptr) {
    stream = make(device, false, true);
    thread_end.owner = this;
    thread_end.process = ::getpid();
  }
  return stream;
}

void Streams::end_thread() {
  std::vector<StreamPtr> ended;
  {
    const std::lock_guard lock(mutex_);
    for (auto entry = per_thread_.begin(); entry != per_thread_.end();) {
      if (entry->first.first == std::this_thread::get_id()) {
        ended.push_back(std::move(entry->second));
        entry = per_thread_.erase(entry);
      } else {
        ++entry;
      }
    }
  }
  for (const StreamPtr& stream : ended) stream->queue->stop();
}

StreamPtr Streams::create(std::uint32_t device, bool blocking, int priority) {
  const std::lock_guard lock(mutex_);
  if (stopped_) return nullptr;
  StreamPtr stream = make(device, false, blocking, priority);
  streams_.emplace(stream->handle(), stream);
  return stream;
}

StreamPtr Streams::remove(hipStream_t handle) {
  const std::lock_guard lock(mutex_);
  const auto found = streams_.find(handle);
  if (found == streams_.end()) return nullptr;
  StreamPtr stream = std::move(found->second);
  streams_.erase(found);
  return stream;
}

std::vector<StreamPtr> Streams::remove_created(std::uint32_t device) {
  const std::lock_guard lock(mutex_);
  std::vector<StreamPtr> removed;
  for (auto entry = streams_.begin(); entry != streams_.end();) {
    if (entry->second->device == device) {
      removed.push_back(std::move(entry->second));
      entry = streams_.erase(entry);
    } else {
      ++entry;
    }
  }
  return removed;
}

std::vector<StreamPtr> Streams::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<StreamPtr> found;
  for (const auto& entry : defaults_) found.push_back(entry.second);
  for (const auto& entry : streams_) found.push_back(entry.second);
  for (const auto& entry : per_thread_) found.push_back(entry.second);
  return found;
}

std::vector<StreamPtr> Streams::of_device(std::uint32_t device) const {
  std::vector<StreamPtr> found = all();
  std::erase_if(found, [device](const StreamPtr& stream) { return stream->device != device; });
  return found;
}

Dependencies Streams::dependencies(const Stream& stream) const {
  Dependencies found;
  if (!stream.blocking) return found;
  for (const StreamPtr& other : of_device(stream.device)) {
    if (other->queue == stream.queue || !other->blocking || other->is_default == stream.is_default) continue;
    const std::uint64_t command = other->queue->last_command();
    if (!other->queue->completed(command)) found.push_back({other->queue, command});
  }
  return found;
}

void Streams::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  for (const StreamPtr& stream : all()) stream->queue->stop();
}

}  // namespace multipass_sim
