// SPDX-License-Identifier: MIT
#include "storage.hpp"

#include "base/write_file.hpp"
#include "output/perfetto/perfetto_sink.hpp"
#include "output/rocpd/rocpd_sink.hpp"

namespace adoption {
namespace {

// "GPU SQ_WAVES [0]", in a plan of several passes with " pass 1" behind it.
std::string track_name(const AgentProfiles& agent, const TrackKey& key) {
  const auto& [counter, pass] = key;
  std::string name = "GPU " + agent.counters.at(counter.value).name + " [" + std::to_string(agent.info.device) + "]";
  if (pass && agent.configs.size() > 1) name += " pass " + std::to_string(pass->value);
  return name;
}

}  // namespace

void Storage::add(const multipass::DispatchRecord& dispatch) {
  const std::lock_guard lock(mutex);
  dispatches.push_back(dispatch);
  for (const multipass::PassRecord& pass : dispatch.passes) {
    for (std::size_t i = 0; i < pass.counters.size(); ++i) {
      Total& total = totals[{pass.counters[i], pass.pass}];
      ++total.count;
      total.sum += pass.values[i];
    }
  }
}

multipass::Status write_outputs(const std::string& folder, const multipass::RunMetadata& run,
                                const std::vector<AgentProfiles>& agents,
                                const std::vector<std::unique_ptr<Storage>>& storages,
                                const std::vector<multipass::KernelSymbol>& kernels) {
  using multipass::Status;
  for (const auto& sink : {multipass::output::make_perfetto_sink(folder + "/adoption.pftrace"),
                           multipass::output::make_rocpd_sink(folder + "/adoption.db")}) {
    if (Status status = sink->begin(run); !status) return status;
    for (const AgentProfiles& agent : agents)
      if (Status status = sink->agent(agent.info, agent.counters, agent.plan); !status) return status;
    for (const multipass::KernelSymbol& kernel : kernels)
      if (Status status = sink->kernel(kernel); !status) return status;
    for (const auto& storage : storages)
      for (const multipass::DispatchRecord& dispatch : storage->dispatches)
        if (Status status = sink->dispatch(dispatch); !status) return status;
    if (Status status = sink->finish(); !status) return status;
  }
  std::string table;
  for (std::size_t i = 0; i < agents.size(); ++i)
    for (const auto& [key, total] : storages[i]->totals)
      table +=
          track_name(agents[i], key) + '\t' + std::to_string(total.count) + '\t' + std::to_string(total.sum) + '\n';
  return multipass::write_file(folder + "/adoption.tsv", table);
}

}  // namespace adoption
