// SPDX-License-Identifier: MIT
#include "sdk/clock.hpp"

#include "sdk/abi/rocprofiler.h"

namespace multipass::sdk {

std::uint64_t now_ns() noexcept {
  rocprofiler_timestamp_t now = 0;
  return rocprofiler_get_timestamp(&now) == ROCPROFILER_STATUS_SUCCESS ? now : 0;
}

}  // namespace multipass::sdk
