// SPDX-License-Identifier: MIT
#include "sdk/definitions.hpp"

#include "sdk/abi/rocprofiler.h"
#include "sdk/status_text.hpp"

namespace multipass::sdk {

Status append_definitions(const std::string& yaml) {
  const rocprofiler_status_t status =
      rocprofiler_load_counter_definition(yaml.c_str(), yaml.size(), ROCPROFILER_COUNTER_FLAG_APPEND_DEFINITION);
  if (status == ROCPROFILER_STATUS_SUCCESS) return Status::ok();
  // The one cause that the generic code has here.
  if (status == ROCPROFILER_STATUS_ERROR)
    return Status::error("another tool of this process has had the SDK read its counter definitions; run without it");
  return Status::error("the SDK does not take counter definitions: " + status_text(status));
}

}  // namespace multipass::sdk
