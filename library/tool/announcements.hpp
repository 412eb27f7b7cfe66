// SPDX-License-Identifier: MIT
//
// What is told at the start, when it is known how counters will be read: the way, the plan, what will have no effect.
// Pure. Threads: any. Errors: none but std::bad_alloc.
#pragma once

#include <string>
#include <vector>

#include "base/log.hpp"
#include "model/run.hpp"
#include "sdk/inventory.hpp"
#include "sdk/services.hpp"
#include "tool/preparation.hpp"

namespace multipass::tool {

struct Announcement {
  LogLevel level = LogLevel::kInfo;  // a warning is for the capture too
  std::string text;
};

// How the SDK is used: the mode that was asked for, and what became of it.
struct Way {
  const RunConfig& config;
  const sdk::SdkIdentity& identity;
  const sdk::Services& services;
  bool replay_asked = false;  // the SDK was asked for kernel replay
};

// Which of the two ways a list that takes several passes is read in, and why.
[[nodiscard]] Announcement which_way(const Way& way);

// Options for replayed launches where none is replayed: they have no effect.
[[nodiscard]] std::vector<Announcement> unused_extras(const Way& way);

// What of the program's roctx calls cannot be followed. `by_range`: its ranges decide what is collected.
[[nodiscard]] std::vector<Announcement> unfollowed_regions(const Way& way, bool by_range);

// What of the program's memory is not seen where kernels are replayed, so that a replay may do harm.
[[nodiscard]] std::vector<Announcement> unseen_memory(const Way& way);

// Counters, passes and sentinels of each GPU; with verbose also which partners are apart.
[[nodiscard]] std::vector<Announcement> plans(const Way& way, const std::vector<PreparedAgent>& agents);

}  // namespace multipass::tool
