// SPDX-License-Identifier: MIT
#include "sim/sdk/buffers.hpp"

#include <cstring>
#include <limits>
#include <utility>

namespace multipass_sim {

namespace {

constexpr std::size_t kUnbounded = std::numeric_limits<std::size_t>::max();

}  // namespace

rocprofiler_buffer_id_t Buffers::create(const Settings& settings) {
  WorkThread* standard = nullptr;
  rocprofiler_buffer_id_t id{};
  {
    const std::lock_guard lock(mutex_);
    if (threads_.empty()) threads_.push_back(std::make_unique<WorkThread>(notifiers_, kUnbounded));
    standard = threads_.front().get();
    id.handle = ++last_;
    auto buffer = std::make_shared<Buffer>();
    buffer->settings = settings;
    buffer->thread = standard;
    buffers_.emplace(id.handle, std::move(buffer));
  }
  standard->start();  // with the first buffer; later it runs already
  return id;
}

rocprofiler_status_t Buffers::destroy(rocprofiler_buffer_id_t id) {
  const std::lock_guard lock(mutex_);
  const auto found = buffers_.find(id.handle);
  if (found == buffers_.end()) return ROCPROFILER_STATUS_ERROR_BUFFER_NOT_FOUND;
  if (found->second->handing_over != 0) return ROCPROFILER_STATUS_ERROR_BUFFER_BUSY;
  buffers_.erase(found);
  return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t Buffers::flush(rocprofiler_buffer_id_t id) {
  Batch batch;
  {
    const std::lock_guard lock(mutex_);
    const auto found = buffers_.find(id.handle);
    if (found == buffers_.end()) return ROCPROFILER_STATUS_ERROR_BUFFER_NOT_FOUND;
    batch = take(id, found->second);
  }
  WorkThread* thread = batch.buffer->thread;
  if (thread->is_this_thread()) {
    deliver(batch);  // the tool flushes from its own buffer callback
    return ROCPROFILER_STATUS_SUCCESS;
  }
  Completion done;
  hand_over(std::move(batch), &done);
  done.wait();
  return ROCPROFILER_STATUS_SUCCESS;
}

bool Buffers::contains(rocprofiler_buffer_id_t id) const {
  const std::lock_guard lock(mutex_);
  return buffers_.contains(id.handle);
}

rocprofiler_callback_thread_t Buffers::create_thread() {
  auto own = std::make_unique<WorkThread>(notifiers_, kUnbounded);
  own->start();
  const std::lock_guard lock(mutex_);
  if (threads_.empty()) threads_.push_back(std::make_unique<WorkThread>(notifiers_, kUnbounded));
  threads_.push_back(std::move(own));
  return {threads_.size() - 1};
}

rocprofiler_status_t Buffers::assign(rocprofiler_buffer_id_t id, rocprofiler_callback_thread_t thread) {
  const std::lock_guard lock(mutex_);
  const auto found = buffers_.find(id.handle);
  if (found == buffers_.end()) return ROCPROFILER_STATUS_ERROR_BUFFER_NOT_FOUND;
  if (thread.handle == 0 || thread.handle >= threads_.size()) return ROCPROFILER_STATUS_ERROR_THREAD_NOT_FOUND;
  found->second->thread = threads_[thread.handle].get();
  return ROCPROFILER_STATUS_SUCCESS;
}

void Buffers::add(rocprofiler_buffer_id_t id, std::uint32_t category, std::uint32_t kind, const void* data,
                  std::size_t size) {
  Record record{category, kind, std::vector<std::byte>(size)};
  std::memcpy(record.payload.data(), data, size);
  std::vector<Batch> ready;
  {
    const std::lock_guard lock(mutex_);
    const auto found = buffers_.find(id.handle);
    if (found == buffers_.end()) return;
    Buffer& buffer = *found->second;
    if (buffer.used + size > buffer.settings.size) {
      if (buffer.settings.policy != ROCPROFILER_BUFFER_POLICY_LOSSLESS) {
        ++buffer.dropped;
        return;
      }
      ready.push_back(take(id, found->second));
    }
    buffer.records.push_back(std::move(record));
    buffer.used += size;
    if (buffer.used >= buffer.settings.watermark) ready.push_back(take(id, found->second));
  }
  for (Batch& batch : ready) hand_over(std::move(batch), nullptr);
}

Buffers::Batch Buffers::take(rocprofiler_buffer_id_t id, const BufferPtr& buffer) {
  Batch batch{id, buffer, std::exchange(buffer->records, {}), std::exchange(buffer->dropped, 0)};
  buffer->used = 0;
  ++buffer->handing_over;
  return batch;
}

void Buffers::hand_over(Batch batch, Completion* done) {
  WorkThread* thread = batch.buffer->thread;
  auto shared = std::make_shared<Batch>(std::move(batch));  // a task must be copyable
  WorkThread::Task task = [this, shared, done] {
    deliver(*shared);
    if (done != nullptr) done->signal();
  };
  if (!thread->try_post(task)) task();
}

void Buffers::deliver(Batch& batch) {
  if (!batch.records.empty() || batch.dropped != 0) {
    std::vector<rocprofiler_record_header_t> headers(batch.records.size());
    std::vector<rocprofiler_record_header_t*> pointers;
    for (std::size_t i = 0; i < headers.size(); ++i) {
      headers[i].category = batch.records[i].category;
      headers[i].kind = batch.records[i].kind;
      headers[i].payload = batch.records[i].payload.data();
      pointers.push_back(&headers[i]);
    }
    const Settings& settings = batch.buffer->settings;
    if (settings.callback != nullptr) {
      settings.callback(settings.context, batch.id, pointers.data(), pointers.size(), settings.data, batch.dropped);
    }
  }
  const std::lock_guard lock(mutex_);
  --batch.buffer->handing_over;
}

void Buffers::stop() {
  std::vector<WorkThread*> threads;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& thread : threads_) threads.push_back(thread.get());
  }
  for (WorkThread* thread : threads) thread->stop();
}

void Buffers::before_fork() {
  mutex_.lock();
  for (const auto& thread : threads_) thread->before_fork();
}

void Buffers::after_fork_in_parent() {
  for (const auto& thread : threads_) thread->after_fork_in_parent();
  mutex_.unlock();
}

void Buffers::after_fork_in_child() {
  for (const auto& [id, buffer] : buffers_) buffer->handing_over = 0;
  mutex_.unlock();
  for (const auto& thread : threads_) thread->restart_in_child();
}

}  // namespace multipass_sim
