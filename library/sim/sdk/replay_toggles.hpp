// SPDX-License-Identifier: MIT
//
// What replay_start_context and replay_stop_context chose during one replay loop. Sticky until the loop ends.
// Owner: the Replay of one launch, on its thread. Counting honours both calls, dispatch tracing only the stop.
#pragma once

#include <set>
#include <vector>

#include "sim/sdk/context.hpp"

namespace multipass_sim {

class ReplayToggles final {
 public:
  explicit ReplayToggles(const std::vector<ContextPtr>& active_at_start) {
    for (const ContextPtr& context : active_at_start) known_.insert(context->id.handle);
  }

  // A context that was not active when the loop began: 11.
  rocprofiler_status_t start(rocprofiler_context_id_t id) {
    if (!known_.contains(id.handle)) return ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_STARTED;
    not_counting_.erase(id.handle);
    return ROCPROFILER_STATUS_SUCCESS;
  }
  rocprofiler_status_t stop(rocprofiler_context_id_t id) {
    if (!known_.contains(id.handle)) return ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_STARTED;
    not_counting_.insert(id.handle);
    not_tracing_.insert(id.handle);
    return ROCPROFILER_STATUS_SUCCESS;
  }

  [[nodiscard]] bool counts(const Context& context) const { return !not_counting_.contains(context.id.handle); }
  [[nodiscard]] bool traces(const Context& context) const { return !not_tracing_.contains(context.id.handle); }

 private:
  std::set<std::uint64_t> known_, not_counting_, not_tracing_;
};

}  // namespace multipass_sim
