// SPDX-License-Identifier: MIT
//
// Derived counters that a tool defines in text, added to the devices that it names. The members are those of the SDK's
// counter definition files (rocprofiler-sdk, source/lib/rocprofiler-sdk/counters/metrics.cpp: loadYAML); the text is
// the flow style of YAML that is also JSON. Plain functions and data owned by the caller; any thread. Errors:
// std::runtime_error that names the place in the text.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/counters/device_model.hpp"

namespace multipass_sim {

// One counter for one architecture.
struct CounterDefinition {
  std::uint32_t id = 0;
  std::string name, description, expression;
  std::string architecture;  // the agent's name: "gfx942"
  std::string place;         // in the text, for messages
};

// Entry i is devices[i] with its share of the definitions, or devices[i] itself when it has none or no counters at all;
// equal entries stay equal. Architectures that no device has are passed over. Ids follow the highest of a device and
// belong to no other device of the list.
[[nodiscard]] std::vector<std::shared_ptr<const DeviceModel>> with_definitions(
    const std::vector<std::shared_ptr<const DeviceModel>>& devices, std::string_view text);

}  // namespace multipass_sim
