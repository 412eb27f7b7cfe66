// SPDX-License-Identifier: MIT
//
// How much of a run is in its capture file: the member `capture` of the summary (docs/formats/summary.md). A plain
// value.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>

namespace multipass::apps {

struct CaptureState {
  bool ended = false;                // its last frame is there
  std::uint64_t records_lost = 0;    // at least
  std::uint32_t error = 0;           // the errno that ended the writing of it; 0: none did
  std::uint64_t damaged_bytes = 0;   // that are part of no valid frame, or of a damaged header
  std::uint64_t damaged_frames = 0;  // whose bytes are right, and whose content is not understood
  std::optional<std::uint64_t>
      in_flight;  // dispatches, at the last checkpoint; nothing: it ended, or has no checkpoint
};

[[nodiscard]] nlohmann::ordered_json to_json(const CaptureState& state);

// What it lacks beside damage, in sentences; empty: nothing.
[[nodiscard]] std::string loss_text(const CaptureState& state);

}  // namespace multipass::apps
