// SPDX-License-Identifier: MIT
//
// What makes two launches alike: the kernel and the extent it is launched with. Plain value; a key of tables.
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/dispatch.hpp"
#include "model/dispatch_info.hpp"
#include "model/ids.hpp"

namespace multipass {

struct LaunchShape {
  KernelId kernel;
  Dim3 grid;  // work-items
  Dim3 workgroup;
  friend bool operator==(const LaunchShape&, const LaunchShape&) = default;
};

[[nodiscard]] constexpr LaunchShape shape_of(const DispatchInfo& dispatch) noexcept {
  return {dispatch.kernel, dispatch.grid, dispatch.workgroup};
}

}  // namespace multipass

template <>
struct std::hash<multipass::LaunchShape> {
  std::size_t operator()(const multipass::LaunchShape& shape) const noexcept {
    std::uint64_t mixed = shape.kernel.value;
    // Odd multiplier and shift: extents that differ in one dimension only must not fall into one bucket.
    for (const std::uint32_t part :
         {shape.grid.x, shape.grid.y, shape.grid.z, shape.workgroup.x, shape.workgroup.y, shape.workgroup.z}) {
      mixed = (mixed ^ part) * 0x9E3779B97F4A7C15U;
      mixed ^= mixed >> 32U;
    }
    return static_cast<std::size_t>(mixed);
  }
};
