// SPDX-License-Identifier: MIT
#include "sim/sdk/correlation.hpp"

namespace multipass_sim {

void Correlation::push(rocprofiler_context_id_t context, rocprofiler_thread_id_t thread,
                       rocprofiler_user_data_t value) {
  const std::lock_guard lock(mutex_);
  stacks_[{context.handle, thread}].push_back(value);
}

rocprofiler_user_data_t Correlation::pop(rocprofiler_context_id_t context, rocprofiler_thread_id_t thread) {
  const std::lock_guard lock(mutex_);
  const auto found = stacks_.find({context.handle, thread});
  if (found == stacks_.end() || found->second.empty()) return {0};
  const rocprofiler_user_data_t value = found->second.back();
  found->second.pop_back();
  return value;
}

rocprofiler_user_data_t Correlation::external(const Context& context, rocprofiler_thread_id_t thread,
                                              std::uint64_t internal) const {
  if (context.correlation && context.correlation->kernel_dispatch && context.correlation->callback != nullptr) {
    rocprofiler_user_data_t answer{0};
    const int refused = context.correlation->callback(
        thread, context.id, ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_KERNEL_DISPATCH,
        ROCPROFILER_KERNEL_DISPATCH_ENQUEUE, internal, &answer, context.correlation->args);
    if (refused == 0) return answer;
  }
  const std::lock_guard lock(mutex_);
  const auto found = stacks_.find({context.id.handle, thread});
  return found == stacks_.end() || found->second.empty() ? rocprofiler_user_data_t{0} : found->second.back();
}

}  // namespace multipass_sim
