// SPDX-License-Identifier: MIT
//
// The counters SQ_LEVEL_WAVES_ACCUM and their like (catalogue/accumulations.hpp), defined to the SDK where a run may
// want them.
//
// The definitions are YAML, as the SDK reads them, in the flow style that is also JSON: the library that writes JSON is
// here anyway, and no text that it writes is malformed, which would end the program (sdk/definitions.hpp).
// Owner: the preparation, on its thread. Errors: none but std::bad_alloc.
#pragma once

#include <span>
#include <string>

#include "model/run.hpp"
#include "sdk/inventory.hpp"

namespace multipass::tool {

// To be called before the first counter is listed. Empty, or a warning: they are not defined, and why. Without a GPU
// that has the levels nothing is done: the SDK's other counters are not touched for it.
[[nodiscard]] std::string define_accumulations(const RunConfig& config, std::span<const sdk::SdkAgent> agents);

// The definitions for these architectures; those without the levels are passed over. Empty: for none of them.
[[nodiscard]] std::string accumulation_definitions(std::span<const std::string> architectures);

}  // namespace multipass::tool
