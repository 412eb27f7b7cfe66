// SPDX-License-Identifier: MIT
#include "sdk/counted_configs.hpp"

#include <dlfcn.h>

#include "sdk/abi/rocprofiler.h"

namespace multipass::sdk_test {
namespace {

template <class Function>
Function* behind(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

ConfigCalls& config_calls() {
  static ConfigCalls calls;
  return calls;
}

}  // namespace multipass::sdk_test

using multipass::sdk_test::behind;
using multipass::sdk_test::config_calls;

rocprofiler_status_t rocprofiler_create_counter_config(rocprofiler_agent_id_t agent_id,
                                                       rocprofiler_counter_id_t* counters_list, size_t counters_count,
                                                       rocprofiler_counter_config_id_t* config_id) {
  auto& calls = config_calls();
  ++calls.count;
  if (calls.refuse) {
    std::vector<std::uint64_t> ids;
    for (size_t i = 0; i < counters_count; ++i) ids.push_back(counters_list[i].handle);
    if (const int status = calls.refuse(agent_id.handle, ids); status != 0)
      return static_cast<rocprofiler_status_t>(status);
  }
  static auto* const kBehind = behind<decltype(rocprofiler_create_counter_config)>("rocprofiler_create_counter_config");
  const rocprofiler_status_t status = kBehind(agent_id, counters_list, counters_count, config_id);
  if (status == ROCPROFILER_STATUS_SUCCESS) ++calls.kept;
  return status;
}

rocprofiler_status_t rocprofiler_destroy_counter_config(rocprofiler_counter_config_id_t config_id) {
  --config_calls().kept;
  static auto* const kBehind =
      behind<decltype(rocprofiler_destroy_counter_config)>("rocprofiler_destroy_counter_config");
  return kBehind(config_id);
}
