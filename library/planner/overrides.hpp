// SPDX-License-Identifier: MIT
//
// What is known of an architecture's registers beside what the SDK says of it. Constant data; threads: any.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace multipass::planner {

// One pass must not use more than `slots` registers of `block`, whatever is advertised.
struct SlotOverride {
  std::string_view arch;
  std::string_view block;
  std::uint32_t slots;
};

// `block` takes its registers from the same set as the other blocks with this `pool`.
struct SharedRegisters {
  std::string_view arch;
  std::string_view block;
  std::string_view pool;
};

[[nodiscard]] std::span<const SlotOverride> slot_overrides() noexcept;
[[nodiscard]] std::span<const SharedRegisters> shared_registers() noexcept;

}  // namespace multipass::planner
