// SPDX-License-Identifier: MIT
#include "apps/export/summary_sink.hpp"

#include <utility>

#include "base/write_file.hpp"
#include "model/names.hpp"

namespace multipass::apps {
namespace {

using nlohmann::ordered_json;

constexpr int kSchema = 1;

ordered_json agent_json(const AgentInfo& agent, const AgentPlan& plan) {
  ordered_json passes = ordered_json::array();
  ordered_json sentinels = ordered_json::array();
  for (const PassPlan& pass : plan.passes) {
    passes.push_back(pass.counters);
    sentinels.push_back(pass.sentinels);
  }
  ordered_json unplaceable = ordered_json::array();
  for (const UnplaceableCounter& counter : plan.unplaceable)
    unplaceable.push_back({{"counter", counter.counter}, {"reason", counter.reason}});
  return {{"index", agent.index.value},
          {"device", agent.device},
          {"name", agent.name},
          {"pass_count", plan.passes.size()},
          {"lower_bound", plan.lower_bound},
          {"proven_minimal", plan.proven_minimal()},
          {"passes", std::move(passes)},
          {"sentinels", std::move(sentinels)},
          {"unplaceable", std::move(unplaceable)}};
}

}  // namespace

SummarySink::SummarySink(std::filesystem::path target) : target_(std::move(target)) {
  for (const char* format : {"journal", "perfetto", "rocpd"}) files_[format] = nullptr;
}

Status SummarySink::begin(const RunMetadata& run) {
  run_ = run;
  return Status::ok();
}

Status SummarySink::agent(const AgentInfo& agent, const std::vector<CounterInfo>& counters, const AgentPlan& plan) {
  agreement_.agent(agent, counters);
  if (agent.type == AgentType::kGpu) agents_.push_back(agent_json(agent, plan));
  return Status::ok();
}

Status SummarySink::kernel(const KernelSymbol& kernel) {
  agreement_.kernel(kernel);
  return Status::ok();
}

Status SummarySink::dispatch(const DispatchRecord& dispatch) {
  outcomes_.add(dispatch);
  for (const PassRecord& pass : dispatch.passes) readings_ += pass.values.size();
  kernels_.insert(dispatch.kernel.value);
  agreement_.dispatch(dispatch);
  return Status::ok();
}

Status SummarySink::warning(const std::string& text) {
  warnings_.push_back(text);
  return Status::ok();
}

Status SummarySink::write(const std::vector<OutputFile>& files, const std::vector<std::string>& errors) {
  for (const OutputFile& file : files) files_[file.format] = file.path.string();
  warnings_.insert(warnings_.end(), errors.begin(), errors.end());
  return finish();
}

Status SummarySink::finish() {
  // Names come from the profiled program and may be any bytes.
  const Status status =
      write_file(target_.string(), document().dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n");
  return status ? Status::ok() : Status::error("the summary " + status.message());
}

ordered_json SummarySink::document() const {
  ordered_json dispatches = {{"seen", outcomes_.all()}};
  dispatches.update(outcomes_.document());
  return {{"schema", kSchema},
          {"tool_version", run_.tool_version},
          {"sdk",
           {{"version", run_.sdk_version},
            {"library", run_.sdk_library},
            {"simulated", run_.simulated},
            {"kernel_replay", run_.kernel_replay}}},
          {"command", run_.command},
          {"pid", run_.pid},
          {"rank", run_.rank ? ordered_json(*run_.rank) : ordered_json(nullptr)},
          {"host", run_.hostname},
          {"replay_mode", name_of(run_.replay_mode)},
          {"sets", run_.sets},
          {"warm_up_pass", run_.extras.warm_up},
          {"timing_pass", run_.extras.timing},
          {"permute_groups", run_.extras.permute},
          {"capture", to_json(capture_)},
          {"agents", agents_},
          {"dispatches", std::move(dispatches)},
          {"readings", readings_},
          {"kernels", kernels_.size()},
          {"kernels_agreement", agreement_.kernels(run_.simulated)},
          {"kernels_agreement_rest", agreement_.rest(run_.simulated)},
          {"files", files_},
          {"warnings", warnings_}};
}

}  // namespace multipass::apps
