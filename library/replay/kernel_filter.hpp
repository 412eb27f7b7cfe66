// SPDX-License-Identifier: MIT
//
// KernelFilter: which dispatches the user wants counters of. Asked once for each logical dispatch, so that all of its
// passes share one answer.
//
// Owned by the Session. The patterns are searched once for each kernel, when it becomes known; a dispatch then costs
// one look-up under a lock of its agent, and nothing without a filter. Threads: any. Without memory a dispatch is
// admitted. Memory: an entry for each kernel that is loaded, and for kMaxUnannounced that were never made known.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/cache_line.hpp"
#include "base/status.hpp"
#include "model/dispatch_info.hpp"
#include "model/run.hpp"
#include "replay/launch_ranges.hpp"
#include "replay/pattern.hpp"
#include "replay/regions.hpp"

namespace multipass::replay {

class KernelFilter final {
 public:
  static constexpr std::size_t kMaxUnannounced = 4096;

  KernelFilter() = default;  // admits everything

  // An error names the setting, its text, the column and the fault.
  static Result<KernelFilter> create(const FilterConfig& config, std::size_t agents);

  // What is outside of the regions is filtered first, and is no launch that the ranges of launches count.
  void follow(std::shared_ptr<const Regions> regions) noexcept { regions_ = std::move(regions); }

  // False: nothing is ever filtered.
  [[nodiscard]] bool active() const noexcept { return !agents_.empty() || regions_; }

  // A kernel became known, before its first dispatch. False: a pattern could not be searched in its name to the end,
  // and counts as not found.
  bool know(KernelId kernel, std::string_view demangled) noexcept;
  // It was unloaded and is not launched again.
  void forget(KernelId kernel) noexcept;

  // On the launching thread. Counts a launch of its kernel and says why the dispatch is filtered; nothing: it is
  // wanted. A kernel for which there is no room has no count: none of its launches is in a range.
  [[nodiscard]] std::optional<FilterReason> decide(const DispatchInfo& dispatch) noexcept;

 private:
  [[nodiscard]] std::optional<FilterReason> without_count() const noexcept {
    return ranges_.parts().empty() ? std::nullopt : std::optional(FilterReason::kOutOfRange);
  }

  struct Kernel {
    std::optional<FilterReason> by_name;
    bool known = false;
    std::uint64_t launches = 0;
  };
  // A kernel can be launched on several agents; each counts for itself, and none waits for another.
  struct alignas(kCacheLine) Agent {
    std::mutex mutex;
    std::unordered_map<KernelId, Kernel> kernels;  // guarded by mutex
    std::size_t unannounced = 0;                   // guarded by mutex; of these
  };

  std::optional<Pattern> include_;
  std::optional<Pattern> exclude_;
  LaunchRanges ranges_;
  std::shared_ptr<const Regions> regions_;
  std::vector<std::unique_ptr<Agent>> agents_;  // by AgentIndex; none without a filter
};

}  // namespace multipass::replay
