// SPDX-License-Identifier: MIT
//
// Counters of the stand-in client: see client.cpp.
#include <algorithm>
#include <cstdlib>

#include "client.hpp"
#include "records.hpp"

namespace standin {

namespace {

void on_complete(rocprofiler_callback_tracing_record_t record, rocprofiler_user_data_t*, void*) {
  const auto* data = static_cast<const rocprofiler_callback_tracing_kernel_dispatch_data_t*>(record.payload);
  const std::lock_guard lock(client().mutex);
  client().times.try_emplace(data->dispatch_info.dispatch_id, Times{data->start_timestamp, data->end_timestamp});
}

void choose(rocprofiler_dispatch_counting_service_data_t data, rocprofiler_counter_config_id_t* config,
            rocprofiler_user_data_t*, void*) {
  const auto found = client().configs.find(data.dispatch_info.agent_id.handle);
  if (found != client().configs.end()) *config = found->second;
}

void on_record(rocprofiler_dispatch_counting_service_data_t data, rocprofiler_counter_record_t* values,
               std::size_t count, rocprofiler_user_data_t, void*) {
  Client& own = client();
  const std::lock_guard lock(own.mutex);
  const std::uint64_t agent = data.dispatch_info.agent_id.handle;
  std::map<std::uint64_t, double> sums;
  for (std::size_t i = 0; i < count; ++i) {
    rocprofiler_counter_id_t counter{0};
    rocprofiler_query_record_counter_id(values[i].id, &counter);
    sums[counter.handle] += values[i].counter_value;
  }
  Times times{0, 0};
  if (const auto found = own.times.find(data.dispatch_info.dispatch_id); found != own.times.end()) {
    times = found->second;
    own.times.erase(found);
  }
  if (times.start == 0 || times.end <= times.start) return;
  for (const auto& [counter, sum] : sums)
    records().add("counter", {{"dispatch", data.dispatch_info.dispatch_id},
                              {"gpu", std::uint64_t{own.agents.at(agent).ordinal}},
                              {"name", own.counters[agent][counter]},
                              {"value", sum},
                              {"start", times.start},
                              {"end", times.end}});
}

rocprofiler_status_t name_counters(rocprofiler_agent_id_t agent, rocprofiler_counter_id_t* counters, std::size_t count,
                                   void*) {
  for (std::size_t i = 0; i < count; ++i) {
    rocprofiler_counter_info_v0_t info{};
    const rocprofiler_status_t status =
        rocprofiler_query_counter_info(counters[i], ROCPROFILER_COUNTER_INFO_VERSION_0, &info);
    // Constants are not in the list of counters that names are looked up in.
    if (status == ROCPROFILER_STATUS_SUCCESS && info.is_constant == 0)
      client().counters[agent.handle][counters[i].handle] = info.name;
  }
  return ROCPROFILER_STATUS_SUCCESS;
}

// What ends the application today and is a line in 2026.
void reject(const std::string& what) {
  say(what);
  if (client().of_2025) std::abort();
}

std::vector<rocprofiler_counter_id_t> wanted_of(const Agent& agent, const std::vector<Event>& events) {
  std::vector<rocprofiler_counter_id_t> found;
  std::string missing;
  for (const Event& event : events) {
    if (!event.good) {
      say("invalid device qualifier in '" + event.token + "'");
      std::abort();  // in both ages
    }
    const auto& names = client().counters[agent.info->id.handle];
    const auto at = std::find_if(names.begin(), names.end(), [&](const auto& one) { return one.second == event.name; });
    if (event.device && *event.device != agent.ordinal) {
      if (!client().of_2025) missing += " " + event.token;  // also lists what is meant for other devices
      continue;
    }
    if (at == names.end())
      missing += " " + event.token;
    else
      found.push_back({at->first});
  }
  if (!missing.empty())
    reject("Unable to find all counters for agent " + std::to_string(agent.info->node_id) + " (gpu-" +
           std::to_string(agent.ordinal) + ", " + agent.info->name + "). Missing:" + missing);
  return found;
}

void make_configs(const std::vector<Event>& events) {
  for (const auto& [handle, agent] : client().agents) {
    const rocprofiler_status_t listed =
        rocprofiler_iterate_agent_supported_counters(agent.info->id, name_counters, nullptr);
    if (listed != ROCPROFILER_STATUS_SUCCESS) {
      reject("no counters on agent " + std::to_string(agent.info->node_id) + ": " + status_text(listed));
      continue;
    }
    std::vector<rocprofiler_counter_id_t> counters = wanted_of(agent, events);
    if (counters.empty()) continue;
    rocprofiler_counter_config_id_t config{0};
    checked("rocprofiler_create_counter_config",
            rocprofiler_create_counter_config(agent.info->id, counters.data(), counters.size(), &config));
    client().configs[handle] = config;
  }
}

}  // namespace

void count_kernels(const std::vector<Event>& events) {
  Client& own = client();
  make_configs(events);
  rocprofiler_create_context(&own.counter);
  constexpr rocprofiler_tracing_operation_t kComplete = ROCPROFILER_KERNEL_DISPATCH_COMPLETE;
  checked("rocprofiler_configure_callback_tracing_service",
          rocprofiler_configure_callback_tracing_service(own.counter, ROCPROFILER_CALLBACK_TRACING_KERNEL_DISPATCH,
                                                         &kComplete, 1, on_complete, nullptr));
  checked("rocprofiler_configure_callback_dispatch_counting_service",
          rocprofiler_configure_callback_dispatch_counting_service(own.counter, choose, nullptr, on_record, nullptr));
}

}  // namespace standin
