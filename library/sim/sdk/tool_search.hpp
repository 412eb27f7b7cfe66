// SPDX-License-Identifier: MIT
//
// Finds every rocprofiler_configure of the process, in the SDK's order: the forced one, ROCP_TOOL_LIBRARIES from left
// to right, the default and next symbol, the link map. The same function is taken once. On the registering thread.
// ROCP_TOOL_LIBRARIES has the defects of the real one (registration.cpp @0028ad56): as soon as it holds a colon, the
// text after the last colon is dropped. A missing file ends the process.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sdk/abi/rocprofiler.h"

namespace multipass_sim {

[[nodiscard]] std::vector<std::string> split_tool_libraries(std::string_view value);

[[nodiscard]] std::vector<rocprofiler_configure_func_t> find_tools(rocprofiler_configure_func_t forced);

}  // namespace multipass_sim
