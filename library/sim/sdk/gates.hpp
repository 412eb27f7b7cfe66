// SPDX-License-Identifier: MIT
//
// Who may call what when. Any thread.
#pragma once

#include "sim/sdk/sdk.hpp"

namespace multipass_sim {

// Calls that only work inside a tool's initialize answer 16 everywhere else.
[[nodiscard]] inline bool is_locked() noexcept {
  return sdk().registration.phase() != Registration::Phase::kInitializing;
}

[[nodiscard]] inline bool is_finalizing() noexcept {
  return sdk().registration.finalized() != 0;
}

}  // namespace multipass_sim
