// SPDX-License-Identifier: MIT
//
// Who may call what when. Any thread.
#pragma once

#include <cctype>
#include <cstdlib>
#include <string>
#include <string_view>

#include "sim/sdk/sdk.hpp"

namespace multipass_sim {

// Calls that only work inside a tool's initialize answer 16 everywhere else.
[[nodiscard]] inline bool is_locked() noexcept {
  return sdk().registration.phase() != Registration::Phase::kInitializing;
}

[[nodiscard]] inline bool is_finalizing() noexcept {
  return sdk().registration.finalized() != 0;
}

// Any value but an empty one and 0, off, no, false in any case.
[[nodiscard]] inline bool is_switched_on(std::string_view value) {
  std::string word{value};
  for (char& letter : word) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return !word.empty() && word != "0" && word != "off" && word != "no" && word != "false";
}

// The fault lite_trace: while ROCPROF_LITE_TRACE is set, services other than code objects and buffered kernel
// dispatches are refused with 19 (ROCm/rocm-systems PR #5510).
[[nodiscard]] inline bool is_lite_trace() {
  if (!sdk().faults.on(Fault::kLiteTrace)) return false;
  const char* value = std::getenv("ROCPROF_LITE_TRACE");
  return value != nullptr && is_switched_on(value);
}

}  // namespace multipass_sim
