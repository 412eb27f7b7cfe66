// SPDX-License-Identifier: MIT
//
// What the runtime needs to know of a simulated GPU. Plain data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/hip/activity_recorder.hpp"

namespace multipass_sim {

inline constexpr std::uint32_t kMaxBlockSize = 1024;  // work-items, of every device

struct DeviceInfo {
  std::string name;  // "gfx942"
  std::string product_name;
  WaveGeometry geometry;
  std::uint32_t compute_units = 1;
  std::uint32_t waves_per_compute_unit = 1;
  std::uint32_t clock_mhz = 0;
  std::uint32_t gfx_target_version = 0;  // 90402 for gfx942
  std::size_t memory_bytes = 0;
  std::size_t lds_bytes = 0;  // per work-group
};

// The devices that the environment asks for. On failure none, and one line on stderr that says why.
[[nodiscard]] std::vector<DeviceInfo> find_devices();

}  // namespace multipass_sim
