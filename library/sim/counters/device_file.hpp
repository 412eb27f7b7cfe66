// SPDX-License-Identifier: MIT
//
// devices/<name>.json as it stands in the file (docs/formats/simulated-device.md), before formulas are looked into.
// Plain data, owned by the caller; any thread. Errors: read_device_file throws std::runtime_error that names the file,
// the place in it and the value that is wrong; an unknown JSON member is an error too.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/counters/device_model.hpp"

namespace multipass_sim {

struct FileCounter {
  Counter counter;                     // expression: "" too for derived counters that read the generic function
  std::vector<std::string> registers;  // "TCC_HIT", "SQ_LEVEL_WAVES@HIGH_RES"; a base counter's own name
  std::optional<std::string> total;    // base counters: formula over the activity; none: the generic function
  bool is_each = false;                // `total` is what each instance reads ("each"), not the sum over them
  double constant = 0;                 // agent constants: their value
  std::string definition;  // not from the file but defined by a tool: the place in its text, for messages. Then
                           // registers and dimensions are those of the expression, filled in by bind_formulas
};

struct DeviceFile {
  AgentProperties agent;
  bool countable = true;                            // false: the SDK lists the GPU, but has no counters for it
  std::map<std::string, std::uint32_t> slots;       // registers of a block that the SDK gives one configuration
  std::map<std::string, std::uint32_t> real_slots;  // registers that the block has; never more than `slots`
  std::vector<FileCounter> counters;                // in file order
};

[[nodiscard]] DeviceFile read_device_file(const std::string& path);

}  // namespace multipass_sim
