// SPDX-License-Identifier: MIT
//
// The text of a status code, for messages: "EXCEEDS_HW_LIMIT (38)". Codes that the library does not know are numbers.
#pragma once

#include <string>

#include "sdk/abi/rocprofiler.h"

namespace multipass::sdk {

[[nodiscard]] inline std::string status_text(rocprofiler_status_t status) {
  const char* name = rocprofiler_get_status_name(status);
  const std::string number = std::to_string(static_cast<int>(status));
  if (name == nullptr) return "status " + number;
  return std::string(name) + " (" + number + ")";
}

}  // namespace multipass::sdk
