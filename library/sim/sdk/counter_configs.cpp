// SPDX-License-Identifier: MIT
#include "sim/sdk/counter_configs.hpp"

#include <algorithm>

namespace multipass_sim {

namespace {

std::vector<std::uint32_t> ids_of(const std::vector<const Counter*>& counters) {
  std::vector<std::uint32_t> ids;
  ids.reserve(counters.size());
  for (const Counter* counter : counters) ids.push_back(counter->id);
  return ids;
}

void add_once(std::vector<const Counter*>& counters, const Counter* counter) {
  if (std::find(counters.begin(), counters.end(), counter) == counters.end()) counters.push_back(counter);
}

}  // namespace

rocprofiler_status_t CounterConfigs::create(rocprofiler_agent_id_t agent, const rocprofiler_counter_id_t* counters,
                                            std::size_t count, rocprofiler_counter_config_id_t* id) {
  if (id == nullptr || (counters == nullptr && count != 0)) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
  infos_.read_definitions();
  auto config = std::make_shared<CounterConfig>();
  config->agent = agents_.find(agent);
  if (config->agent == nullptr) return ROCPROFILER_STATUS_ERROR_AGENT_NOT_FOUND;
  for (std::size_t i = 0; i < count; ++i) {
    if (const rocprofiler_status_t status = add_counter(*config, counters[i]); status != ROCPROFILER_STATUS_SUCCESS) {
      return status;
    }
  }
  if (config->agent->model == nullptr) return ROCPROFILER_STATUS_ERROR_METRIC_NOT_VALID_FOR_AGENT;
  if (id->handle != 0) {
    if (const auto other = find(*id)) {
      for (const Counter* counter : other->counters) {
        const rocprofiler_status_t status = add_counter(*config, {counter->id});
        if (status != ROCPROFILER_STATUS_SUCCESS) return status;
      }
    }
  }
  const Fit fit = config->agent->model->fit(ids_of(config->counters));
  if (fit == Fit::kRefused) return ROCPROFILER_STATUS_ERROR_EXCEEDS_HW_LIMIT;
  config->overflows = fit == Fit::kOverflows;
  const std::lock_guard lock(mutex_);
  id->handle = ++last_;
  configs_.emplace(id->handle, std::move(config));
  return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t CounterConfigs::add_counter(CounterConfig& config, rocprofiler_counter_id_t id) {
  if (infos_.find(id) == nullptr) return ROCPROFILER_STATUS_ERROR_COUNTER_NOT_FOUND;
  const Counter* counter =
      config.agent->model == nullptr ? nullptr : config.agent->model->find(static_cast<std::uint32_t>(id.handle));
  if (counter == nullptr) return ROCPROFILER_STATUS_ERROR_METRIC_NOT_VALID_FOR_AGENT;
  add_once(config.counters, counter);
  return ROCPROFILER_STATUS_SUCCESS;
}

void CounterConfigs::destroy(rocprofiler_counter_config_id_t id) {
  const std::lock_guard lock(mutex_);
  configs_.erase(id.handle);
}

std::shared_ptr<const CounterConfig> CounterConfigs::find(rocprofiler_counter_config_id_t id) const {
  const std::lock_guard lock(mutex_);
  const auto found = configs_.find(id.handle);
  return found == configs_.end() ? nullptr : found->second;
}

}  // namespace multipass_sim
