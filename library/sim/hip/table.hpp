// SPDX-License-Identifier: MIT
//
// The C functions behind the runtime table: each hands on to the runtime. See sim/interface/runtime_table.h.
#pragma once

#include "sim/interface/runtime_table.h"

namespace multipass_sim {

// The table of the process's one runtime, its hooks empty.
[[nodiscard]] multipass_sim_runtime make_table() noexcept;

// The table that the runtime offers, made when first asked for; null when there is no runtime.
[[nodiscard]] multipass_sim_runtime* runtime_table() noexcept;

}  // namespace multipass_sim
