// SPDX-License-Identifier: MIT
//
// LaunchRanges: which launches of a kernel are wanted, counted from 1 for each kernel, as rocprofv3 takes them:
// "1", "4-6", "[1-3]", "1,4-6", "[1-3],[7]". Brackets around a part are optional. Also for other
// numbers that are written so, such as ordinals of GPUs, which begin at 0. Immutable; any thread.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.hpp"

namespace multipass::replay {

class LaunchRanges final {
 public:
  LaunchRanges() = default;  // every launch

  // The message of an error names the column, from 1, and what is expected there.
  static Result<LaunchRanges> parse(std::string_view text, std::uint64_t lowest = 1);

  [[nodiscard]] bool contains(std::uint64_t number) const noexcept;

  // First and last number of each part, as written; empty: no limit.
  [[nodiscard]] const std::vector<std::pair<std::uint64_t, std::uint64_t>>& parts() const noexcept { return ranges_; }

 private:
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges_;  // first and last; empty: no limit
};

}  // namespace multipass::replay
