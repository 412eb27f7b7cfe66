// SPDX-License-Identifier: MIT
//
// Which simulated GPUs this process has. Asked once, when the stand-in SDK and runtime start, by the thread that starts
// them; the models are immutable and may be shared after that.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/counters/device_model.hpp"

namespace multipass_sim {

struct SimulatedDevice {
  std::string name;  // of the agent: "gfx942"
  std::shared_ptr<const DeviceModel> model;
};

// Reads ROCPROFSYS_MULTIPASS_SIMULATE: names or paths of JSON files (with a "/" or ending in ".json"), separated by
// commas, one device each, in that order; unset or empty means "gfx942". Entries of one kind share one model.
// A name is the file <folder>/<name>.json; an empty `folder` means "devices" beside the shared library (or program)
// that holds this function. On failure `error` says what is wrong and the list is empty; on success `error` is empty.
[[nodiscard]] std::vector<SimulatedDevice> simulated_devices(std::string& error,
                                                             const std::string& folder = {}) noexcept;

}  // namespace multipass_sim
