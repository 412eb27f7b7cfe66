// SPDX-License-Identifier: MIT
#include "sdk/configs.hpp"

#include <map>
#include <string_view>

#include "sdk/abi/rocprofiler.h"
#include "sdk/recorder.hpp"
#include "sdk/status_text.hpp"

namespace multipass::sdk {
namespace {

rocprofiler_status_t create(std::uint64_t agent_handle, const std::vector<std::uint64_t>& ids,
                            rocprofiler_counter_config_id_t& config) {
  std::vector<rocprofiler_counter_id_t> list;
  list.reserve(ids.size());
  for (const std::uint64_t id : ids) list.push_back({id});
  config.handle = 0;  // anything else means "these counters too"
  return rocprofiler_create_counter_config({agent_handle}, list.data(), list.size(), &config);
}

}  // namespace

Result<std::uint64_t> create_config(std::uint64_t agent_handle, const std::vector<std::uint64_t>& ids, bool& too_many) {
  rocprofiler_counter_config_id_t config{};
  const rocprofiler_status_t status = create(agent_handle, ids, config);
  too_many = status == ROCPROFILER_STATUS_ERROR_EXCEEDS_HW_LIMIT;
  if (status != ROCPROFILER_STATUS_SUCCESS) return Status::error(status_text(status));
  if (Recorder* to = recorder()) to->config_made(agent_handle, ids, config.handle);
  return config.handle;
}

void destroy_config(std::uint64_t handle) noexcept {
  if (Recorder* to = recorder()) to->config_gone(handle);
  (void)rocprofiler_destroy_counter_config({handle});  // always succeeds
}

catalogue::Slots probe_slots(std::uint64_t agent_handle, const std::vector<SdkCounter>& counters) {
  std::vector<CounterInfo> infos;
  std::map<std::string_view, std::uint64_t> ids;
  for (const SdkCounter& counter : counters) {
    infos.push_back(counter.info);
    ids.emplace(counter.info.name, counter.id);
  }
  catalogue::Slots slots = catalogue::probe_slots(infos, [&](const std::vector<std::string>& names) {
    std::vector<std::uint64_t> wanted;
    wanted.reserve(names.size());
    for (const std::string& name : names) wanted.push_back(ids.at(name));
    rocprofiler_counter_config_id_t config{};
    const rocprofiler_status_t status = create(agent_handle, wanted, config);
    if (status == ROCPROFILER_STATUS_SUCCESS) destroy_config(config.handle);
    if (status == ROCPROFILER_STATUS_SUCCESS) return catalogue::Answer::kTaken;
    return status == ROCPROFILER_STATUS_ERROR_EXCEEDS_HW_LIMIT ? catalogue::Answer::kTooMany
                                                               : catalogue::Answer::kRefused;
  });
  if (Recorder* to = recorder()) to->slots(agent_handle, slots.by_block);
  return slots;
}

}  // namespace multipass::sdk
