// SPDX-License-Identifier: MIT
//
// How many passes are needed at least, whatever is tried. Pure; threads: any.
#pragma once

#include <cstdint>

#include "planner/items.hpp"

namespace multipass::planner {

// The larger of
//   - over all pools, ceil(registers that must be programmed in some pass / capacity). Of a counter X this is X once,
//     each X@FLAG once, and one more X for every further flag, since accumulations of one counter are in different
//     passes and each of them needs its own X;
//   - the flags of any one counter, for the same reason;
// and 1 when there is anything to place.
[[nodiscard]] std::uint32_t capacity_bound(const Items& items);

}  // namespace multipass::planner
