// SPDX-License-Identifier: MIT
#include "output/perfetto/annotations.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "model/names.hpp"

namespace multipass::output::perfetto {
namespace {

std::string text_of(const Dim3& size) {
  return std::to_string(size.x) + "," + std::to_string(size.y) + "," + std::to_string(size.z);
}

std::string joined(const std::vector<std::string>& parts, std::string_view separator) {
  std::string text;
  for (const std::string& part : parts) {
    if (!text.empty()) text += separator;
    text += part;
  }
  return text;
}

// One line per pass, and one per counter that no pass holds.
std::vector<std::string> plan_lines(const AgentPlan& plan) {
  const std::string head = "GPU " + std::to_string(plan.device) + " [" + plan.arch + "] ";
  std::vector<std::string> lines;
  lines.reserve(plan.passes.size() + plan.unplaceable.size());
  for (std::size_t k = 0; k < plan.passes.size(); ++k)
    lines.push_back(head + "pass " + std::to_string(k) + ": " + joined(planned_names(plan.passes[k]), ", "));
  for (const UnplaceableCounter& counter : plan.unplaceable)
    lines.push_back(head + "not planned: " + counter.counter + " (" + counter.reason + ")");
  return lines;
}

// Each outcome has a key of its own, so that a query for one needs no second condition; null: it has no reasons.
const char* reason_key(Outcome outcome) noexcept {
  switch (outcome) {
    case Outcome::kDeclined:
      return "decline_reason";
    case Outcome::kIncomplete:
      return "incomplete_reason";
    case Outcome::kFiltered:
      return "filter_reason";
    case Outcome::kReplayed:
      return "unsafe_reason";
    case Outcome::kSinglePass:
      return nullptr;
  }
  return nullptr;
}

std::string extras_of(const DispatchRecord& dispatch) {
  std::vector<std::string> names;
  if (dispatch.warm_up) names.emplace_back(name_of(ExecutionKind::kWarmUp));
  if (dispatch.timing) names.emplace_back(name_of(ExecutionKind::kTiming));
  return joined(names, ", ");
}

}  // namespace

std::vector<std::string> planned_names(const PassPlan& pass) {
  std::vector<std::string> names = pass.counters;
  for (std::string& name : names)
    if (std::find(pass.sentinels.begin(), pass.sentinels.end(), name) != pass.sentinels.end()) name += " (sentinel)";
  return names;
}

AnnotationValue number(double value) noexcept {
  constexpr double kExact = 9007199254740992.0;  // 2^53
  if (!(std::fabs(value) <= kExact) || std::trunc(value) != value) return value;
  if (value < 0) return static_cast<std::int64_t>(value);
  return static_cast<std::uint64_t>(value);
}

std::vector<Annotation> dispatch_annotations(const DispatchRecord& dispatch, const AgentPlan& plan,
                                             std::vector<AnnotationKey>& counters,
                                             const std::vector<Reading>& readings) {
  std::vector<Annotation> result;
  result.reserve(readings.size() + 16);
  result.emplace_back("dispatch_id", dispatch.dispatch_id.value);
  result.emplace_back("outcome", std::string(name_of(dispatch.outcome)));
  if (const char* key = reason_key(dispatch.outcome); key != nullptr && !dispatch.reason.empty())
    result.emplace_back(key, dispatch.reason);
  result.emplace_back("passes", std::uint64_t{dispatch.passes_planned});
  result.emplace_back("executions", std::uint64_t{dispatch.passes.size()});
  if (const std::string extras = extras_of(dispatch); !extras.empty()) result.emplace_back("extra_passes", extras);
  if (const auto times = times_of(dispatch, in_pass_order(dispatch))) result.emplace_back("time_of", times->name());
  if (plan.passes.size() > 1 && dispatch.passes.size() == 1 && !dispatch.passes[0].pass &&
      !dispatch.passes[0].counters.empty())
    result.emplace_back("group", std::uint64_t{dispatch.passes[0].group.value});
  result.emplace_back("grid_size", text_of(dispatch.grid));
  result.emplace_back("workgroup_size", text_of(dispatch.workgroup));
  for (const Reading& reading : readings) result.emplace_back(counters[reading.counter.value], number(reading.value));
  result.emplace_back("group_segment_size", std::uint64_t{dispatch.group_segment_size});
  result.emplace_back("private_segment_size", std::uint64_t{dispatch.private_segment_size});
  result.emplace_back("kernel_id", dispatch.kernel.value);
  result.emplace_back("queue", dispatch.queue_id);
  if (dispatch.stream_id != 0) result.emplace_back("stream_id", dispatch.stream_id);
  result.emplace_back("thread_id", dispatch.thread_id);
  result.emplace_back("corr_id", dispatch.correlation_id);
  return result;
}

std::vector<Annotation> pass_annotations(const DispatchRecord& dispatch, const PassRecord& pass) {
  const std::uint32_t number = pass.pass.value_or(PassIndex{}).value;
  std::vector<Annotation> result = {{"replay_pass", std::uint64_t{number}},
                                    {"dispatch_id", dispatch.dispatch_id.value}};
  if (pass.group.value != number) result.emplace_back("group", std::uint64_t{pass.group.value});
  return result;
}

std::vector<Annotation> extra_annotations(const DispatchRecord& dispatch, ExecutionKind kind) {
  return {{"replay_extra", std::string(name_of(kind))}, {"dispatch_id", dispatch.dispatch_id.value}};
}

std::string properties_line(const AgentInfo& agent) {
  const auto member = [](const char* name, std::uint32_t value) { return name + ('=' + std::to_string(value)); };
  return "GPU " + std::to_string(agent.device) + " [" + agent.name + "] " +
         joined({member("cu_count", agent.cu_count), member("simd_count", agent.simd_count),
                 member("simd_per_cu", agent.simd_per_cu), member("wave_front_size", agent.wave_front_size),
                 member("num_xcc", agent.num_xcc), member("max_waves_per_simd", agent.max_waves_per_simd)},
                ", ");
}

std::vector<Annotation> run_annotations(const RunMetadata& run, const std::vector<AgentPlan>& gpus,
                                        const std::vector<std::string>& properties, const Tally& tally) {
  std::vector<std::string> plan;
  for (const AgentPlan& gpu : gpus)
    for (std::string& line : plan_lines(gpu)) plan.push_back(std::move(line));
  std::vector<Annotation> result{
      {"tool_version", run.tool_version},
      {"sdk_version", run.sdk_version},
      {"simulated", run.simulated},
      {"kernel_replay", run.kernel_replay},
      {"replay_mode", std::string(name_of(run.replay_mode))},
      {"command", joined(run.command, " ")},
      {"events", run.events},
      {"guid", run.guid},
      {"hostname", run.hostname},
      {"tool_start_ns", run.start_ns},
      {"dispatches", tally.dispatches},
  };
  if (!run.sdk_library.empty()) result.emplace_back("sdk_library", run.sdk_library);
  if (run.rank) result.emplace_back("rank", std::uint64_t{*run.rank});
  if (!plan.empty()) result.emplace_back("plan", std::move(plan));
  if (run.extras.warm_up) result.emplace_back("warm_up_pass", true);
  if (run.extras.timing) result.emplace_back("timing_pass", true);
  if (run.extras.permute) result.emplace_back("permute_groups", true);
  if (!run.sets.empty()) {
    result.emplace_back("sets", run.sets);
    result.emplace_back("properties", properties);
  }
  if (tally.without_times != 0) result.emplace_back("dispatches_without_times", tally.without_times);
  if (tally.passes_without_times != 0) result.emplace_back("passes_without_times", tally.passes_without_times);
  if (tally.swapped_times != 0) result.emplace_back("swapped_times", tally.swapped_times);
  if (!tally.warnings.empty()) result.emplace_back("warnings", tally.warnings);
  if (tally.warnings_dropped != 0) result.emplace_back("warnings_dropped", tally.warnings_dropped);
  return result;
}

}  // namespace multipass::output::perfetto
