// SPDX-License-Identifier: MIT
//
// What the request says of launches: which are counted, which are replayed, and why none is. Pure. Threads: any.
// Errors: a pattern that cannot be compiled.
#pragma once

#include <cstddef>
#include <optional>

#include "base/status.hpp"
#include "model/run.hpp"
#include "sdk/inventory.hpp"
#include "tool/pipeline.hpp"

namespace multipass::tool {

// Why no kernel is replayed, whatever the SDK would say; empty: it is asked.
[[nodiscard]] std::optional<DeclineReason> why_no_replay(const RunConfig& config, const sdk::SdkIdentity& identity);

// `agents`: how many. `replays`: the SDK is asked for replay.
[[nodiscard]] Result<Pipeline::Wishes> wishes_of(const RunConfig& config, std::size_t agents,
                                                 std::optional<DeclineReason> no_replay, bool replays);

}  // namespace multipass::tool
