// SPDX-License-Identifier: MIT
//
// Rows that describe the run: strings, node, process, threads, queues, streams.
// Owner: RocpdSink; the database outlives it. One thread. Errors: Status.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/status.hpp"
#include "model/run.hpp"
#include "output/rocpd/insert.hpp"

namespace multipass::output::rocpd {

// Rows of rocpd_string that dispatches refer to.
inline constexpr std::int64_t kDispatchCategory = 1;  // KERNEL_DISPATCH
inline constexpr std::int64_t kNoRegion = 2;          // the empty string: a NULL would hide the dispatch from `kernels`

class RunRows final {
 public:
  RunRows(Database& database, const Naming& naming, RunMetadata run);

  // Everything but the process, whose end is not known yet.
  Status begin();
  Status use_thread(std::uint64_t thread_id);  // 0: unknown
  Status use_queue(std::uint64_t queue_id);
  Status use_stream(std::uint64_t stream_id);
  void use_time(std::uint64_t time_ns) noexcept;
  void add_warning(const std::string& text) { warnings_.push_back(text); }
  Status finish();

  [[nodiscard]] std::int64_t node_id() const noexcept { return 1; }
  [[nodiscard]] std::int64_t process_id() const noexcept { return signed_bits(run_.pid); }

 private:
  Status add_node();

  RunMetadata run_;
  std::uint64_t last_ns_;
  std::vector<std::string> warnings_;
  std::unordered_set<std::uint64_t> threads_;
  std::unordered_set<std::uint64_t> queues_;
  std::unordered_set<std::uint64_t> streams_;
  Insert string_;
  Insert node_;
  Insert process_;
  Insert thread_;
  Insert queue_;
  Insert stream_;
};

}  // namespace multipass::output::rocpd
