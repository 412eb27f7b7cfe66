// SPDX-License-Identifier: MIT
//
// What all submissions of one launch share: the passes of a replayed one have the same dispatch, correlation and
// thread. Made on the launching thread; plain data.
#pragma once

#include "sdk/abi/rocprofiler.h"
#include "sim/interface/runtime_table.h"
#include "sim/sdk/agents.hpp"
#include "sim/sdk/faults.hpp"

namespace multipass_sim {

struct Launch {
  multipass_sim_packet* packet = nullptr;
  const Agent* agent = nullptr;
  rocprofiler_kernel_dispatch_info_t info{};
  std::uint64_t correlation = 0;
  rocprofiler_thread_id_t thread = 0;
};

[[nodiscard]] inline FaultPlace place_of(const Launch& launch) noexcept {
  return {launch.agent->device, launch.info.dispatch_id, std::nullopt};
}

}  // namespace multipass_sim
