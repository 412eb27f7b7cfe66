// SPDX-License-Identifier: MIT
//
// How far the plugin was at some moment, as it stands in the capture file. A plain value.
#pragma once

#include <cstdint>

namespace multipass::journal {

struct CheckpointFrame {
  std::uint64_t dispatches = 0;  // recorded until then
  std::uint64_t in_flight = 0;   // seen and not recorded
  std::uint64_t dropped = 0;     // records
  std::uint64_t at_ns = 0;       // CLOCK_BOOTTIME

  friend bool operator==(const CheckpointFrame&, const CheckpointFrame&) = default;
};

}  // namespace multipass::journal
