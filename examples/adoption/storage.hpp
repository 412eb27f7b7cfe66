// SPDX-License-Identifier: MIT
//
// What was read of ONE agent, until the end of the process. One lock for each agent, held for one insertion.
// Memory: all that was read; a host with a cache on disk appends to that instead.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/status.hpp"
#include "model/dispatch.hpp"
#include "model/run.hpp"
#include "profiles.hpp"

namespace adoption {

// With the agent whose storage it is, a track of the host: (agent, counter, pass). No pass: it was not replayed.
using TrackKey = std::pair<multipass::CounterIndex, std::optional<multipass::PassIndex>>;

struct Total {
  std::uint64_t count = 0;
  double sum = 0;
};

struct Storage {
  std::mutex mutex;
  std::vector<multipass::DispatchRecord> dispatches;  // guarded by mutex, as is what follows
  std::map<TrackKey, Total> totals;

  void add(const multipass::DispatchRecord& dispatch);  // any thread; throws std::bad_alloc only
};

// Writes adoption.pftrace, adoption.db, and adoption.tsv with the totals of each track. storages[i] belongs to
// agents[i]. Once counting has ended: takes no lock.
multipass::Status write_outputs(const std::string& folder, const multipass::RunMetadata& run,
                                const std::vector<AgentProfiles>& agents,
                                const std::vector<std::unique_ptr<Storage>>& storages,
                                const std::vector<multipass::KernelSymbol>& kernels);

}  // namespace adoption
