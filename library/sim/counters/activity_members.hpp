// SPDX-License-Identifier: MIT
//
// The members of multipass_sim_activity by name: what a base counter's total may be made of. Constant; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "sim/interface/activity.h"

namespace multipass_sim {

struct ActivityMember {
  std::string_view name;
  std::uint64_t multipass_sim_activity::* field;
};

#define MULTIPASS_SIM_COUNT(name) +1
inline constexpr std::array<ActivityMember, MULTIPASS_SIM_ACTIVITY(MULTIPASS_SIM_COUNT)> kActivityMembers{{
#undef MULTIPASS_SIM_COUNT
#define MULTIPASS_SIM_ENTRY(name) {#name, &multipass_sim_activity::name},
    MULTIPASS_SIM_ACTIVITY(MULTIPASS_SIM_ENTRY)
#undef MULTIPASS_SIM_ENTRY
}};

}  // namespace multipass_sim
