// SPDX-License-Identifier: MIT
#include "planner/overrides.hpp"

#include <array>

namespace multipass::planner {
namespace {

constexpr std::array kSlotOverrides{
    // 16 SQ slots are advertised, the register table of aqlprofile has 8, and a ninth ends the process
    // (ROCm/rocm-systems @1b1610fc).
    SlotOverride{"gfx1200", "SQ", 8},
    SlotOverride{"gfx1201", "SQ", 8},
    // Only one TCP counter per pass (ROCm/rocm-systems PR #10041). Its siblings are planned alike, since their own
    // limit is not known and one register is always there (compare PR #10912).
    SlotOverride{"gfx1151", "TCP", 1},
    SlotOverride{"gfx1152", "TCP", 1},
    SlotOverride{"gfx1153", "TCP", 1},
};

constexpr std::array kSharedRegisters{
    // ROCm/rocm-systems PRs #7469, #9252.
    SharedRegisters{"gfx1250", "SP", "SP+SQ"},
    SharedRegisters{"gfx1250", "SQ", "SP+SQ"},
};

}  // namespace

std::span<const SlotOverride> slot_overrides() noexcept {
  return kSlotOverrides;
}
std::span<const SharedRegisters> shared_registers() noexcept {
  return kSharedRegisters;
}

}  // namespace multipass::planner
