// SPDX-License-Identifier: MIT
//
// Rows of code objects and kernel symbols. A kernel that was dispatched and whose symbol never came gets a made-up row
// at the end, named by its number: without one every view would drop its dispatches.
// Owner: RocpdSink; the database outlives it. One thread. Errors: Status that names the kernel.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_set>

#include "base/status.hpp"
#include "model/dispatch.hpp"
#include "output/rocpd/insert.hpp"

namespace multipass::output::rocpd {

class KernelRows final {
 public:
  KernelRows(Database& database, const Naming& naming, std::int64_t node_id, std::int64_t process_id);

  // `agent_id`: row of info_agent. A kernel that comes again is ignored.
  Status add(const KernelSymbol& kernel, std::int64_t agent_id);
  // A dispatch of this kernel, on this agent, was written.
  void use(KernelId kernel, std::int64_t agent_id);
  // Rows for kernels that were used and not added.
  Status finish();

 private:
  Status add_code_object(std::uint64_t code_object_id, std::int64_t agent_id);
  Status add_unknown(KernelId kernel, std::int64_t agent_id);

  std::int64_t node_id_;
  std::int64_t process_id_;
  std::unordered_set<std::uint64_t> code_objects_;
  std::unordered_set<KernelId> added_;
  std::map<KernelId, std::int64_t> used_;  // and not added; ordered, so that equal runs give equal files
  Insert code_object_;
  Insert symbol_;
};

}  // namespace multipass::output::rocpd
