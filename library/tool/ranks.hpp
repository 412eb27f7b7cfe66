// SPDX-License-Identifier: MIT
//
// Which processes of a parallel job are profiled, by the ranks that their launcher gave them.
// Threads: pure function. Errors: a Status that names the list and its fault.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/status.hpp"

namespace multipass::tool {

struct RankChoice {
  bool wanted = true;
  std::string text;  // what there is to say: why not, or of a process without a rank that it is wanted; or empty
};

// `ranks`: as RunConfig has them; empty: all. A process without a rank is wanted: whoever asks for a rank must not get
// nothing because a launcher is not known here.
[[nodiscard]] Result<RankChoice> choose_rank(const std::string& ranks, std::optional<std::uint32_t> rank);

}  // namespace multipass::tool
