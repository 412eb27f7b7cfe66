// SPDX-License-Identifier: MIT
#include "sim/sdk/work_thread.hpp"

#include <utility>

namespace multipass_sim {

WorkThread::WorkThread(const ThreadNotifiers& notifiers, std::size_t capacity)
    : notifiers_(notifiers), capacity_(capacity), state_(std::make_shared<State>()) {}

WorkThread::~WorkThread() {
  stop();
}

void WorkThread::start() {
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->running) return;
    state_->running = true;
    state_->stopping = false;
  }
  notifiers_.before_create();
  std::thread thread(&WorkThread::run, state_);
  {
    const std::lock_guard lock(state_->mutex);
    state_->thread = std::move(thread);
  }
  notifiers_.after_create();
}

bool WorkThread::try_post(Task& task) {
  const std::lock_guard lock(state_->mutex);
  if (!state_->running || state_->stopping || state_->tasks.size() >= capacity_) return false;
  state_->tasks.push_back(std::move(task));
  state_->work.notify_one();
  return true;
}

void WorkThread::drain() {
  if (is_this_thread()) return;
  std::unique_lock lock(state_->mutex);
  state_->idle.wait(lock, [this] { return !state_->running || (state_->tasks.empty() && !state_->busy); });
}

void WorkThread::stop() {
  std::thread thread;
  {
    const std::lock_guard lock(state_->mutex);
    if (!state_->running || state_->stopping) return;
    state_->stopping = true;
    state_->work.notify_all();
    thread = std::move(state_->thread);
  }
  if (thread.joinable()) {
    if (thread.get_id() == std::this_thread::get_id()) {
      thread.detach();  // a tool finalises from its own callback: the thread ends by itself
    } else {
      thread.join();
    }
  }
}

bool WorkThread::is_this_thread() const {
  const std::lock_guard lock(state_->mutex);
  return state_->id == std::this_thread::get_id();
}

void WorkThread::restart_in_child() {
  const bool was_running = state_->running && !state_->stopping;
  abandoned_.push_back(std::exchange(state_, std::make_shared<State>()));
  if (was_running) start();
}

void WorkThread::run(const std::shared_ptr<State>& state) {
  std::unique_lock lock(state->mutex);
  state->id = std::this_thread::get_id();
  for (;;) {
    state->work.wait(lock, [&] { return state->stopping || !state->tasks.empty(); });
    if (state->tasks.empty()) break;
    Task task = std::move(state->tasks.front());
    state->tasks.pop_front();
    state->busy = true;
    lock.unlock();
    task();
    task = nullptr;  // what it owns goes before anybody learns that it is done
    lock.lock();
    state->busy = false;
    if (state->tasks.empty()) state->idle.notify_all();
  }
  state->running = false;
  state->id = {};
  state->idle.notify_all();
}

}  // namespace multipass_sim
