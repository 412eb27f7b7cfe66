// SPDX-License-Identifier: MIT
//
// Buffers of records and the threads that hand them to the tool. Owner: Sdk. Any thread; the tool's callback runs on
// the buffer's callback thread, with no lock held. In a forked child the parent's records are still there.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "sdk/abi/rocprofiler.h"
#include "sim/sdk/completion.hpp"
#include "sim/sdk/work_thread.hpp"

namespace multipass_sim {

class Buffers final {
 public:
  explicit Buffers(const ThreadNotifiers& notifiers) : notifiers_(notifiers) {}

  struct Settings {
    rocprofiler_context_id_t context{};
    std::size_t size = 0;
    std::size_t watermark = 0;  // 0: every record is delivered at once
    rocprofiler_buffer_policy_t policy{};
    rocprofiler_buffer_tracing_cb_t callback = nullptr;
    void* data = nullptr;
  };

  rocprofiler_buffer_id_t create(const Settings& settings);
  rocprofiler_status_t destroy(rocprofiler_buffer_id_t id);  // busy 14, unknown 3
  rocprofiler_status_t flush(rocprofiler_buffer_id_t id);    // returns after the callback has; unknown 3
  [[nodiscard]] bool contains(rocprofiler_buffer_id_t id) const;

  rocprofiler_callback_thread_t create_thread();
  rocprofiler_status_t assign(rocprofiler_buffer_id_t id, rocprofiler_callback_thread_t thread);  // 3, 6

  // Copies a plain struct into the buffer. A full one drops it (DISCARD) or is handed over first (LOSSLESS).
  template <typename T>
  void emplace(rocprofiler_buffer_id_t id, rocprofiler_buffer_category_t category, std::uint32_t kind,
               const T& record) {
    add(id, static_cast<std::uint32_t>(category), kind, &record, sizeof(record));
  }

  void stop();

  void before_fork();
  void after_fork_in_parent();
  void after_fork_in_child();

 private:
  struct Record {
    std::uint32_t category = 0, kind = 0;
    std::vector<std::byte> payload;
  };
  struct Buffer {
    Settings settings;
    WorkThread* thread = nullptr;
    std::vector<Record> records;
    std::size_t used = 0;
    std::uint64_t dropped = 0;
    std::size_t handing_over = 0;  // batches on their way to the tool
  };
  using BufferPtr = std::shared_ptr<Buffer>;
  struct Batch {
    rocprofiler_buffer_id_t id{};
    BufferPtr buffer;
    std::vector<Record> records;
    std::uint64_t dropped = 0;
  };

  void add(rocprofiler_buffer_id_t id, std::uint32_t category, std::uint32_t kind, const void* data, std::size_t size);
  static Batch take(rocprofiler_buffer_id_t id, const BufferPtr& buffer);  // with the lock held
  void hand_over(Batch batch, Completion* done);
  void deliver(Batch& batch);

  const ThreadNotifiers& notifiers_;
  mutable std::mutex mutex_;
  std::map<std::uint64_t, BufferPtr> buffers_;
  std::vector<std::unique_ptr<WorkThread>> threads_;  // [0] is the one of buffers without an own
  std::uint64_t last_ = 0;
};

}  // namespace multipass_sim
