// SPDX-License-Identifier: MIT
#include "sim/sdk/thread_notifiers.hpp"

namespace multipass_sim {

void ThreadNotifiers::add(rocprofiler_internal_thread_library_cb_t before,
                          rocprofiler_internal_thread_library_cb_t after, int libs, void* data) {
  if ((libs & ROCPROFILER_LIBRARY) == 0) return;  // the other libraries' threads are not simulated
  const std::lock_guard lock(mutex_);
  entries_.push_back({before, after, data});
}

void ThreadNotifiers::before_create() const {
  for (const Entry& entry : snapshot()) {
    if (entry.before != nullptr) entry.before(ROCPROFILER_LIBRARY, entry.data);
  }
}

void ThreadNotifiers::after_create() const {
  for (const Entry& entry : snapshot()) {
    if (entry.after != nullptr) entry.after(ROCPROFILER_LIBRARY, entry.data);
  }
}

std::vector<ThreadNotifiers::Entry> ThreadNotifiers::snapshot() const {
  const std::lock_guard lock(mutex_);
  return entries_;
}

}  // namespace multipass_sim
