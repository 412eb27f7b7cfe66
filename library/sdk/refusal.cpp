// SPDX-License-Identifier: MIT
#include "sdk/refusal.hpp"

#include "sdk/abi/rocprofiler.h"
#include "sdk/status_text.hpp"

namespace multipass::sdk {

std::optional<std::string> refusal(std::uint64_t agent_handle, std::uint64_t counter_id) {
  rocprofiler_counter_id_t counter{counter_id};
  rocprofiler_counter_config_id_t config{};
  const rocprofiler_status_t status = rocprofiler_create_counter_config({agent_handle}, &counter, 1, &config);
  if (status == ROCPROFILER_STATUS_ERROR_EXCEEDS_HW_LIMIT) return std::nullopt;
  if (status != ROCPROFILER_STATUS_SUCCESS) return "the SDK refuses it: " + status_text(status);
  (void)rocprofiler_destroy_counter_config(config);  // always succeeds
  return std::nullopt;
}

}  // namespace multipass::sdk
