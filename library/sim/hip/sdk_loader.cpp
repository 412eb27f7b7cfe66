// SPDX-License-Identifier: MIT
#include "sim/hip/sdk_loader.hpp"

#include <array>

#include "sim/hip/sdk_entry.hpp"

namespace multipass_sim {

void load_sdk_if_wanted(multipass_sim_runtime& table) noexcept {
  std::array<void*, 1> tables = {&table};
  offer_to_sdk("hsa", MULTIPASS_SIM_RUNTIME_VERSION, tables);
}

}  // namespace multipass_sim
