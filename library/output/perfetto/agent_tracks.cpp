// SPDX-License-Identifier: MIT
#include "output/perfetto/agent_tracks.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/text.hpp"
#include "output/canonical.hpp"
#include "output/perfetto/hash.hpp"
#include "output/perfetto/track_layout.hpp"

namespace multipass::output::perfetto {
namespace {

constexpr std::string_view kDispatchCategory = "rocm_kernel_dispatch";
constexpr std::string_view kUntimedCategory = "rocm_kernel_dispatch_untimed";
constexpr std::string_view kPassCategory = "rocm_kernel_replay_pass";
constexpr std::string_view kCounterCategory = "rocm_counter_collection";

std::string gpu_description(const AgentInfo& agent, const AgentPlan& plan) {
  const std::string& product = agent.product_name.empty() ? agent.model_name : agent.product_name;
  std::string text = product.empty() ? agent.name : product + ", " + agent.name;
  text += ", " + std::to_string(plan.passes.size()) + (plan.passes.size() == 1 ? " pass" : " passes") + " planned";
  if (!plan.passes.empty())
    text += plan.proven_minimal() ? " (fewer are impossible)"
                                  : " (at least " + std::to_string(plan.lower_bound) + " are needed)";
  return text;
}

std::string counters_of(const AgentPlan& plan, std::size_t pass) {
  return pass < plan.passes.size() ? joined(planned_names(plan.passes[pass])) : std::string();
}

std::vector<std::string> names_of(const std::vector<CounterInfo>& counters) {
  std::vector<std::string> names;
  names.reserve(counters.size());
  for (const CounterInfo& counter : counters) names.push_back(counter.name);
  return names;
}

}  // namespace

AgentTracks::AgentTracks(AgentInfo agent, std::vector<CounterInfo> counters, AgentPlan plan, std::uint64_t seed,
                         std::uint64_t process_uuid, Shown shown)
    : agent_(std::move(agent)),
      counters_(std::move(counters)),
      plan_(std::move(plan)),
      roles_(roles_of(names_of(counters_), plan_)),
      seed_(hash_of(seed, agent_.index.value, 0)),
      process_uuid_(process_uuid),
      shown_(shown),
      extras_(seed_) {
  for (const CounterInfo& counter : counters_) keys_.push_back({.name = counter.name});
}

std::uint64_t AgentTracks::uuid(std::initializer_list<std::string_view> path) const noexcept {
  return hash_of(seed_, path);
}

std::vector<Annotation> AgentTracks::annotations_of(const DispatchRecord& dispatch) {
  return dispatch_annotations(dispatch, plan_, keys_,
                              shown_.counters ? readings_of(dispatch, roles_) : std::vector<Reading>{});
}

std::uint64_t AgentTracks::flow(const DispatchRecord& dispatch, const PassRecord& pass) const noexcept {
  return hash_of(seed_, dispatch.dispatch_id.value, pass.pass.value_or(PassIndex{}).value);
}

Status AgentTracks::check(const DispatchRecord& dispatch) const {
  const auto error = [&dispatch](const std::string& what) {
    return Status::error("dispatch " + std::to_string(dispatch.dispatch_id.value) + ": " + what);
  };
  for (const PassRecord& pass : dispatch.passes) {
    if (pass.counters.size() != pass.values.size())
      return error(std::to_string(pass.counters.size()) + " counters but " + std::to_string(pass.values.size()) +
                   " values");
    for (const CounterIndex counter : pass.counters)
      if (counter.value >= counters_.size())
        return error("counter " + std::to_string(counter.value) + " is not one of the " +
                     std::to_string(counters_.size()) + " that the agent declared");
  }
  return Status::ok();
}

Status AgentTracks::gpu_track(PacketWriter& writer) {
  if (gpu_uuid_ != 0) return Status::ok();
  gpu_uuid_ = uuid({"gpu"});
  const std::string name = "GPU " + std::to_string(agent_.device) + " [" + agent_.name + "]";
  return writer.track({.uuid = gpu_uuid_,
                       .parent_uuid = process_uuid_,
                       .name = name,
                       .description = gpu_description(agent_, plan_),
                       .rank = 1 + static_cast<std::int32_t>(std::min(agent_.device, 1U << 20U)),
                       .keep_separate = true});
}

Result<std::uint64_t> AgentTracks::queue_track(PacketWriter& writer, std::uint64_t handle, const Span& span) {
  const auto [entry, is_new] = queues_.try_emplace(handle);
  Queue& queue = entry->second;
  if (is_new) queue.ordinal = static_cast<std::uint32_t>(queues_.size() - 1);
  const std::size_t lane = queue.lanes.place(span.start_ns, span.end_ns);
  std::uint64_t& track = slot(queue.slices, lane);
  if (track != 0) return track;
  const std::string name = "Queue " + std::to_string(queue.ordinal);
  track = uuid({"queue", std::to_string(handle), std::to_string(lane)});
  std::string description =
      "Dispatches of the queue with the handle " + std::to_string(handle) +
      ". With replay, the times are those of pass 0, or of the timing pass where there is one (time_of).";
  if (lane != 0) description += " This lane holds those that overlap one on " + name + ".";
  if (Status status = writer.track({.uuid = track,
                                    .parent_uuid = gpu_uuid_,
                                    .name = lane_name(name, lane),
                                    .description = std::move(description),
                                    .rank = lane_rank(0, queue.ordinal, lane)});
      !status)
    return status;
  return track;
}

// Keys: 0 the only pass, 1 + k replay pass k, -1 - g group g read without replay.
Result<AgentTracks::Scope*> AgentTracks::scope_of(PacketWriter& writer, const PassRecord& pass, ScopeOf what) {
  const std::int64_t group = pass.group.value;
  const std::int64_t key = what == ScopeOf::kReadings && !has_passes() ? 0
                           : pass.pass                                 ? 1 + std::int64_t{pass.pass->value}
                                                                       : -1 - group;
  const auto [entry, is_new] = scopes_.try_emplace(key);
  Scope* scope = &entry->second;
  if (!is_new) return scope;
  if (key == 0) {
    scope->parent_uuid = gpu_uuid_;
    scope->first_rank = kCounterRank;
    return scope;
  }
  const bool replay = key > 0;
  const std::uint32_t number = pass.pass.value_or(PassIndex{pass.group.value}).value;
  const std::string digits = std::to_string(number);
  scope->suffix = (replay ? " pass " : " group ") + digits;
  scope->parent_uuid = uuid({replay ? "pass" : "group", digits});
  scope->first_rank = kLaneRanks;
  const std::string counters = counters_of(plan_, number);
  const std::string reads = shown_.permuted
                                ? "The groups of counters take turns: the argument group of a slice is the one "
                                  "that it read, where that is not " +
                                      digits
                                : "It reads " + counters;
  const std::int32_t rank = (replay ? kPassRank : kGroupRank) + static_cast<std::int32_t>(std::min(number, 1U << 19U));
  Status status =
      writer.track({.uuid = scope->parent_uuid,
                    .parent_uuid = gpu_uuid_,
                    .name = replay ? "Replay pass " + digits : "Group " + digits + " (not replayed)",
                    .description = replay ? "Execution " + digits + " of every replayed dispatch. " + reads
                                          : "Dispatches that were not replayed, and read the counters of pass " +
                                                digits + " only: " + counters,
                    .rank = rank});
  if (!status) return status;
  return scope;
}

Result<std::uint64_t> AgentTracks::kernels_track(PacketWriter& writer, Scope& scope, std::size_t lane) {
  std::uint64_t& track = slot(scope.kernels, lane);
  if (track != 0) return track;
  track = uuid({"kernels", scope.suffix, std::to_string(lane)});
  if (Status status = writer.track({.uuid = track,
                                    .parent_uuid = scope.parent_uuid,
                                    .name = lane_name("Kernels", lane),
                                    .description = "One slice per execution. A dispatch has one in every replay pass: "
                                                   "count dispatches on the queues, not here.",
                                    .rank = lane_rank(0, 0, lane)});
      !status)
    return status;
  return track;
}

Result<CounterLine*> AgentTracks::counter_track(PacketWriter& writer, Scope& scope, std::size_t lane,
                                                CounterIndex counter) {
  CounterLine& line = slot(slot(scope.counters, lane), counter.value);
  if (line.track_uuid != 0) return &line;
  const CounterInfo& info = counters_[counter.value];
  const std::string name = "GPU " + info.name + " [" + std::to_string(agent_.device) + "]" + scope.suffix;
  line = {.track_uuid = uuid({"counter", scope.suffix, info.name, std::to_string(lane)}), .category = kCounterCategory};
  if (Status status = writer.track({.uuid = line.track_uuid,
                                    .parent_uuid = scope.parent_uuid,
                                    .name = lane_name(name, lane),
                                    .description = info.description,
                                    .rank = lane_rank(scope.first_rank, counter.value, lane),
                                    .is_counter = true,
                                    .category = std::string(kCounterCategory),
                                    .unit_name = info.is_derived ? "" : "Count"});
      !status)
    return status;
  return &line;
}

Status AgentTracks::draw(PacketWriter& writer, const DispatchRecord& dispatch, const std::string& kernel,
                         Tally& tally) {
  const std::optional<Span> logical = span_of(dispatch);
  if (!logical) return Status::error("internal: a dispatch without times cannot be drawn");
  if (Status status = gpu_track(writer); !status) return status;
  if (Status status = draw_logical(writer, dispatch, *logical, kernel); !status) return status;
  if (Status status = extras_.draw(writer, gpu_uuid_, dispatch, logical, kernel, tally); !status) return status;
  for (const PassRecord& pass : dispatch.passes) {
    const std::optional<Span> span = span_of(pass);
    if (!span) {
      ++tally.passes_without_times;
      continue;
    }
    if (span->swapped) ++tally.swapped_times;
    if (Status status = draw_pass(writer, dispatch, pass, *span, *logical, kernel); !status) return status;
  }
  return Status::ok();
}

Status AgentTracks::draw_logical(PacketWriter& writer, const DispatchRecord& dispatch, const Span& span,
                                 const std::string& kernel) {
  const Result<std::uint64_t> track = queue_track(writer, dispatch.queue_id, span);
  if (!track) return track.status();
  std::vector<Annotation> annotations = annotations_of(dispatch);
  if (span.swapped) annotations.emplace_back("times_swapped", true);
  Event event{.track_uuid = *track,
              .category = kDispatchCategory,
              .name = kernel,
              .annotations = &annotations,
              .colour_by_digits = true};
  if (const auto to_timing = extras_.flow(dispatch, span)) event.flows_out.push_back(*to_timing);
  for (const PassRecord& pass : dispatch.passes) {
    const std::optional<Span> target = span_of(pass);
    if (pass.pass && target && target->start_ns >= span.start_ns) event.flows_out.push_back(flow(dispatch, pass));
  }
  return writer.slice(event, span.start_ns, span.end_ns);
}

Status AgentTracks::draw_pass(PacketWriter& writer, const DispatchRecord& dispatch, const PassRecord& pass,
                              const Span& span, const Span& logical, const std::string& kernel) {
  const bool is_replay = pass.pass.has_value();
  // Times only, and the queue shows those.
  if (!is_replay && (pass.counters.empty() || !shown_.counters)) return Status::ok();
  const Result<Scope*> found = scope_of(writer, pass, ScopeOf::kReadings);
  if (!found) return found.status();
  Scope& scope = **found;
  const std::size_t lane = scope.lanes.place(span.start_ns, span.end_ns);
  if (is_replay) {
    const Result<Scope*> loop = scope_of(writer, pass, ScopeOf::kSlice);
    if (!loop) return loop.status();
    const Result<std::uint64_t> track = kernels_track(writer, **loop, lane);
    if (!track) return track.status();
    std::vector<Annotation> annotations = pass_annotations(dispatch, pass);
    if (span.swapped) annotations.emplace_back("times_swapped", true);
    Event event{.track_uuid = *track,
                .category = kPassCategory,
                .name = kernel,
                .annotations = &annotations,
                .colour_by_digits = true};
    // An arrow that would point back in time is an import error: it would end before it began.
    if (span.start_ns >= logical.start_ns) event.flow_in = flow(dispatch, pass);
    if (Status status = writer.slice(event, span.start_ns, span.end_ns); !status) return status;
  }
  return shown_.counters ? draw_counters(writer, pass, span, scope, lane) : Status::ok();
}

// The zero is written with its value, hence before the next value of the track: at an equal time the reader keeps
// the order of the file, and the counter does not stay up (ROCm/rocm-systems #6146) or drop to 0 too early.
Status AgentTracks::draw_counters(PacketWriter& writer, const PassRecord& pass, const Span& span, Scope& scope,
                                  std::size_t lane) {
  for (std::size_t i = 0; i < pass.counters.size(); ++i) {
    if (!is_delivered(pass.values[i])) continue;
    const Result<CounterLine*> line = counter_track(writer, scope, lane, pass.counters[i]);
    if (!line) return line.status();
    if (Status status = writer.counter(**line, span.start_ns, pass.values[i]); !status) return status;
    if (Status status = writer.counter(**line, span.end_ns, 0.0); !status) return status;
  }
  return Status::ok();
}

Status AgentTracks::draw_without_times(PacketWriter& writer, const DispatchRecord& dispatch, const std::string& kernel,
                                       std::uint64_t at_ns, Tally& tally) {
  if (Status status = gpu_track(writer); !status) return status;
  if (untimed_uuid_ == 0) {
    untimed_uuid_ = uuid({"untimed"});
    Status status = writer.track({.uuid = untimed_uuid_,
                                  .parent_uuid = gpu_uuid_,
                                  .name = "Dispatches without times",
                                  .description = "Their start and end were not recorded. Where they stand here says "
                                                 "between which others they were reported, nothing more.",
                                  .rank = kUntimedRank});
    if (!status) return status;
  }
  const std::vector<Annotation> annotations = annotations_of(dispatch);
  Status status = writer.instant({.track_uuid = untimed_uuid_,
                                  .category = kUntimedCategory,
                                  .name = kernel,
                                  .annotations = &annotations,
                                  .colour_by_digits = true},
                                 at_ns);
  return status ? extras_.draw(writer, gpu_uuid_, dispatch, std::nullopt, kernel, tally) : status;
}

}  // namespace multipass::output::perfetto
