// SPDX-License-Identifier: MIT
//
// Rows of one dispatch: one event and one kernel_dispatch row, every requested counter once in pmc_event, and every
// execution with every reading in the replay tables.
// Owner: RocpdSink; the database outlives it. One thread. Errors: Status; the caller adds which dispatch it was.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.hpp"
#include "model/dispatch.hpp"
#include "output/rocpd/agent_rows.hpp"
#include "output/rocpd/canonical.hpp"
#include "output/rocpd/insert.hpp"

namespace multipass::output::rocpd {

class DispatchRows final {
 public:
  // The tables of passes are in `replay`, which may be the database itself, under the names of `replay_naming`.
  DispatchRows(Database& database, const Naming& naming, Database& replay, const Naming& replay_naming,
               std::int64_t node_id, std::int64_t process_id);

  Status add(const DispatchRecord& dispatch, const AgentEntry& agent);
  // Sends the rows that are still gathered.
  Status finish();
  // What a user should know of the recorded times, one sentence each.
  [[nodiscard]] std::vector<std::string> remarks() const;

 private:
  Status add_dispatch(const DispatchRecord& dispatch, const AgentEntry& agent, const DispatchSelection& selection);
  Status add_pass(const DispatchRecord& dispatch, const AgentEntry& agent, const PassSelection& pass);
  void count_times(const Interval& times) noexcept;

  Database* database_;
  std::int64_t node_id_;
  std::int64_t process_id_;
  std::int64_t event_id_ = 0;  // last ids given; all count from 1
  std::int64_t pmc_event_id_ = 0;
  std::int64_t replay_pass_id_ = 0;
  std::int64_t replay_pmc_id_ = 0;
  std::uint64_t inverted_ = 0;     // executions whose end lies before their start
  std::uint64_t zero_length_ = 0;  // start equals end, and is not 0
  std::uint64_t untimed_ = 0;      // dispatches without any time
  Insert kernel_dispatch_;         // one at a time: a dispatch that occurs twice is refused at once
  BulkInsert event_;
  BulkInsert pmc_event_;
  BulkInsert replay_pass_;
  BulkInsert replay_pmc_;
};

}  // namespace multipass::output::rocpd
