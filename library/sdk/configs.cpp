// SPDX-License-Identifier: MIT
#include "sdk/configs.hpp"

#include "sdk/abi/rocprofiler.h"
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

Result<std::uint64_t> create_config(std::uint64_t agent_handle, const std::vector<std::uint64_t>& ids) {
  rocprofiler_counter_config_id_t config{};
  const rocprofiler_status_t status = create(agent_handle, ids, config);
  if (status != ROCPROFILER_STATUS_SUCCESS) return Status::error(status_text(status));
  return config.handle;
}

bool accepts(std::uint64_t agent_handle, const std::vector<std::uint64_t>& ids) {
  rocprofiler_counter_config_id_t config{};
  if (create(agent_handle, ids, config) != ROCPROFILER_STATUS_SUCCESS) return false;
  destroy_config(config.handle);
  return true;
}

void destroy_config(std::uint64_t handle) noexcept {
  (void)rocprofiler_destroy_counter_config({handle});  // always succeeds
}

std::map<std::string, std::uint32_t> probe_slots(std::uint64_t agent_handle, const std::vector<SdkCounter>& counters) {
  std::map<std::string, std::vector<std::uint64_t>> by_block;
  for (const SdkCounter& counter : counters)
    if (!counter.info.is_derived && !counter.info.is_constant && !counter.info.block.empty())
      by_block[counter.info.block].push_back(counter.id);

  std::map<std::string, std::uint32_t> slots;
  for (const auto& [block, ids] : by_block) {
    std::vector<std::uint64_t> trial;
    for (const std::uint64_t id : ids) {
      trial.push_back(id);
      rocprofiler_counter_config_id_t config{};
      const rocprofiler_status_t status = create(agent_handle, trial, config);
      if (status == ROCPROFILER_STATUS_SUCCESS) {
        destroy_config(config.handle);
        continue;
      }
      trial.pop_back();
      if (status == ROCPROFILER_STATUS_ERROR_EXCEEDS_HW_LIMIT && !trial.empty()) break;
    }
    slots[block] = static_cast<std::uint32_t>(trial.size());
  }
  return slots;
}

}  // namespace multipass::sdk
