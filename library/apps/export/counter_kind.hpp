// SPDX-License-Identifier: MIT
//
// What a counter can say of two passes of one dispatch, by its name (docs/verification.md, "Three verdicts").
// Threads: any. Errors: none.
#pragma once

#include <cstdint>
#include <string_view>

namespace multipass::apps {

enum class CounterKind : std::uint8_t {
  kOther,         // nothing that a verdict rests on
  kInstructions,  // work: follows what a kernel finds in memory
  kWaves,         // of the launch: may show different work, never the same
  kCycles,        // with the duration: the clock
  kCache,         // follows what the caches held
};

[[nodiscard]] CounterKind kind_of_counter(std::string_view name) noexcept;

}  // namespace multipass::apps
