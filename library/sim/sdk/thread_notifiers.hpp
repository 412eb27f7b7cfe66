// SPDX-License-Identifier: MIT
//
// Who wants to know when the library makes a thread of its own (rocprofiler_at_internal_thread_create).
// Owner: Sdk. Any thread. The callbacks run on the thread that creates, with no lock held.
#pragma once

#include <mutex>
#include <vector>

#include "sdk/abi/rocprofiler.h"

namespace multipass_sim {

class ThreadNotifiers final {
 public:
  void add(rocprofiler_internal_thread_library_cb_t before, rocprofiler_internal_thread_library_cb_t after, int libs,
           void* data);

  void before_create() const;
  void after_create() const;

  [[nodiscard]] std::mutex& mutex() const noexcept { return mutex_; }  // for the fork handlers

 private:
  struct Entry {
    rocprofiler_internal_thread_library_cb_t before;
    rocprofiler_internal_thread_library_cb_t after;
    void* data;
  };
  [[nodiscard]] std::vector<Entry> snapshot() const;

  mutable std::mutex mutex_;
  std::vector<Entry> entries_;
};

}  // namespace multipass_sim
