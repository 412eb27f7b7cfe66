// SPDX-License-Identifier: MIT
//
// Whether the passes of the dispatches of each kernel did the same work, at the same clock, and found the same cache
// state: the members `kernels_agreement` and `kernels_agreement_rest` of the summary (docs/formats/summary.md).
//
// Dispatches are not kept: of each kernel there are counts and extents. Memory: one record for each of the first 4096
// pairs of agent and kernel that were launched, one for all others together, and the names of the kernels of the
// capture. One thread. Errors: none but std::bad_alloc.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/export/counter_kind.hpp"
#include "apps/export/outcome_counts.hpp"
#include "model/agent.hpp"
#include "model/dispatch.hpp"

namespace multipass::apps {

// What dispatches showed of one thing that passes should have in common. Relative differences are of the larger value,
// 1 at most.
struct AspectExtent {
  std::uint64_t compared = 0;       // dispatches in which it was compared
  std::uint64_t in_all_passes = 0;  // of them, those in which every pass was
  std::uint64_t zero = 0;           // dispatches whose every comparison was between zeros
  std::uint64_t indirect = 0;       // dispatches with comparisons that can show a difference only
  double spread = 0;                // the largest difference between two passes of a dispatch
};

struct TimeExtent {
  std::uint64_t pass_0_count = 0;  // dispatches whose pass 0 has a usable time
  std::uint64_t pass_0_total = 0;  // ns
  std::uint64_t pass_0_min = 0;
  std::uint64_t pass_0_max = 0;
  std::uint64_t passes_count = 0;  // passes with a usable time, of replayed dispatches
  std::uint64_t passes_min = 0;
  std::uint64_t passes_max = 0;
  double spread = 0;  // the largest difference between two passes of a dispatch
};

struct KernelExtent {
  std::uint64_t dispatches = 0;
  std::uint64_t replayed = 0;      // those with two passes or more
  std::uint64_t first_unread = 0;  // of them, those whose first execution read no counters: a warm-up or timing pass
  AspectExtent work;
  AspectExtent clock;
  AspectExtent cache;
  TimeExtent time;
  OutcomeCounts outcomes;
};

class KernelAgreement final {
 public:
  static constexpr std::size_t kKernels = 4096;

  void agent(const AgentInfo& agent, const std::vector<CounterInfo>& counters);
  void kernel(const KernelSymbol& kernel);
  void dispatch(const DispatchRecord& dispatch);

  // `simulated`: times are those of the host, and say nothing of a clock.
  [[nodiscard]] nlohmann::ordered_json kernels(bool simulated) const;
  [[nodiscard]] nlohmann::ordered_json rest(bool simulated) const;  // null when each kernel has a record of its own

 private:
  using Key = std::pair<std::uint32_t, std::uint64_t>;  // agent index, kernel id

  struct Agent {
    std::uint32_t device = 0;
    std::vector<CounterKind> kinds;  // by counter index
  };
  [[nodiscard]] KernelExtent& extent_of(const DispatchRecord& dispatch);
  [[nodiscard]] std::string name_of(const Key& key) const;

  std::map<std::uint32_t, Agent> agents_;
  std::map<Key, std::string> names_;
  std::map<std::uint64_t, Key> any_agent_;  // the first that a kernel was described for
  std::map<Key, KernelExtent> extents_;
  std::optional<KernelExtent> rest_;
};

}  // namespace multipass::apps
