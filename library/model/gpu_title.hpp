// SPDX-License-Identifier: MIT
//
// How messages name a GPU. Pure. Threads: any. Errors: none but std::bad_alloc.
#pragma once

#include <cstdint>
#include <string>

#include "model/agent.hpp"

namespace multipass {

// "GPU 0 (gfx942)"
[[nodiscard]] inline std::string gpu_title(std::uint32_t device, const std::string& architecture) {
  return "GPU " + std::to_string(device) + " (" + architecture + ")";
}

[[nodiscard]] inline std::string gpu_title(const AgentInfo& gpu) {
  return gpu_title(gpu.device, gpu.name);
}

}  // namespace multipass
