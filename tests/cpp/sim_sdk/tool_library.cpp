// SPDX-License-Identifier: MIT
//
// A tool as a shared library; SIM_SDK_TOOL_NAME tells two copies apart. It says on stderr what is called.
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "sdk/abi/rocprofiler.h"

namespace {

void say(const std::string& what) {
  const std::string line = std::string(SIM_SDK_TOOL_NAME) + " " + what + "\n";
  static_cast<void>(!write(STDERR_FILENO, line.data(), line.size()));
}

int initialize(rocprofiler_client_finalize_t, void*) {
  say("initialize");
  return -1;  // ignored by the SDK
}

void finalize(void*) {
  say("finalize");
}

rocprofiler_tool_configure_result_t result{sizeof(result), &initialize, &finalize, nullptr};

}  // namespace

rocprofiler_tool_configure_result_t* rocprofiler_configure(uint32_t version, const char* runtime_version,
                                                           uint32_t priority, rocprofiler_client_id_t*) {
  say("configure " + std::to_string(version) + " " + runtime_version + " " + std::to_string(priority));
  const char* withdrawn = std::getenv("SIM_SDK_TEST_NULL");
  return withdrawn != nullptr && std::string(withdrawn) == SIM_SDK_TOOL_NAME ? nullptr : &result;
}
