// SPDX-License-Identifier: MIT
//
// Values of a recording that JsonReader has no function for. Errors: std::runtime_error with the reader's place, the
// member and what was found.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sdk/abi/rocprofiler.h"
#include "sim/counters/json_reader.hpp"

namespace multipass_sim::play {

[[nodiscard]] std::int64_t signed_integer(JsonReader& from, const char* key);
// From -1 on, in 32 bits: a number of an operation, or a status.
[[nodiscard]] std::int32_t small_integer(JsonReader& from, const char* key);
[[nodiscard]] const nlohmann::json& array(JsonReader& from, const char* key);
[[nodiscard]] std::vector<std::string> texts(JsonReader& from, const char* key);
[[nodiscard]] rocprofiler_dim3_t dim(JsonReader& from, const char* key);

}  // namespace multipass_sim::play
