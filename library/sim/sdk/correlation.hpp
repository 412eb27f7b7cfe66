// SPDX-License-Identifier: MIT
//
// External correlation ids: a stack per context and thread, and the tool that wants to be asked per submission.
// Owner: Sdk. Any thread; the tool is asked with no lock held.
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "sim/sdk/context.hpp"

namespace multipass_sim {

class Correlation final {
 public:
  [[nodiscard]] std::uint64_t next_internal() noexcept { return ++last_; }  // one per launch

  void push(rocprofiler_context_id_t context, rocprofiler_thread_id_t thread, rocprofiler_user_data_t value);
  rocprofiler_user_data_t pop(rocprofiler_context_id_t context, rocprofiler_thread_id_t thread);  // empty: 0

  // The id of one submission of a kernel: the tool's answer, else the top of the stack, else 0.
  [[nodiscard]] rocprofiler_user_data_t external(const Context& context, rocprofiler_thread_id_t thread,
                                                 std::uint64_t internal) const;

  [[nodiscard]] std::mutex& mutex() const noexcept { return mutex_; }

 private:
  using Key = std::pair<std::uint64_t, rocprofiler_thread_id_t>;
  std::atomic<std::uint64_t> last_{0};
  mutable std::mutex mutex_;
  std::map<Key, std::vector<rocprofiler_user_data_t>> stacks_;
};

}  // namespace multipass_sim
