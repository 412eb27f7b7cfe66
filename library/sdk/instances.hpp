// SPDX-License-Identifier: MIT
//
// How the SDK numbers the instances of a counter, for those who keep the value of each.
// Threads: find_instances is called while the tool initialises; an InstanceShape is plain data, the look-up is
// noexcept.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/status.hpp"
#include "model/agent.hpp"

namespace multipass::sdk {

// The dimensions of a counter as the SDK lists them: the digits of the position of an instance, the first the lowest.
struct InstanceShape {
  std::vector<CounterDimension> dimensions;
  std::vector<std::uint64_t> ids;  // of these dimensions, the SDK's own

  // Where the instance with this id of the SDK is among all; empty: in a place that there is not.
  [[nodiscard]] std::optional<std::uint32_t> position(std::uint64_t instance) const noexcept;
};

// Of the counter with this id of the SDK. An error: it does not tell, or what it tells cannot be.
[[nodiscard]] Result<InstanceShape> find_instances(std::uint64_t counter);

}  // namespace multipass::sdk
