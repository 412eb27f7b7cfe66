// SPDX-License-Identifier: MIT
#include "output/rocpd/dispatch_rows.hpp"

#include "model/names.hpp"
#include "output/canonical.hpp"
#include "output/rocpd/json_text.hpp"
#include "output/rocpd/run_rows.hpp"

namespace multipass::output::rocpd {
namespace {

nlohmann::ordered_json pair_of(const Interval& interval) {
  return nlohmann::ordered_json::array({signed_bits(interval.start_ns), signed_bits(interval.end_ns)});
}

// No view of schema 3.x reads this column of kernel_dispatch, so it is free for us.
std::string describe(const DispatchRecord& dispatch, const DispatchSelection& selection) {
  nlohmann::ordered_json replay = {{"passes", dispatch.passes_planned},
                                   {"executions", dispatch.passes.size()},
                                   {"canonical_pass", nullptr},
                                   {"complete", selection.complete},
                                   {"outcome", name_of(dispatch.outcome)}};
  const std::optional<DispatchTimes>& times = selection.times;
  if (times && times->pass != nullptr && times->pass->pass) replay["canonical_pass"] = times->pass->pass->value;
  const bool single = selection.passes.size() == 1 && !selection.passes.front().record->pass;
  if (single && dispatch.outcome != Outcome::kFiltered) replay["group"] = selection.passes.front().record->group.value;
  if (!dispatch.reason.empty()) replay["reason"] = dispatch.reason;
  if (dispatch.warm_up) replay["warm_up"] = pair_of(*dispatch.warm_up);
  if (dispatch.timing) replay["timing"] = pair_of(*dispatch.timing);
  if (times)
    replay["time_of"] = times->name();
  else
    replay["times"] = "unknown";
  return to_text({{"replay", replay}});
}

std::string describe(const DispatchRecord& dispatch, const PassSelection& pass) {
  if (dispatch.outcome == Outcome::kFiltered) return "{}";  // no counters were read, so there is no group
  nlohmann::ordered_json text = {{"group", pass.record->group.value}};
  if (!pass.missing.empty()) text["missing"] = pass.missing;
  return to_text(text);
}

std::string sentence(std::uint64_t count, const char* what) {
  return std::to_string(count) + " " + what + "; written as recorded";
}

}  // namespace

DispatchRows::DispatchRows(Database& database, const Naming& naming, Database& replay, const Naming& replay_naming,
                           std::int64_t node_id, std::int64_t process_id)
    : database_(&database),
      node_id_(node_id),
      process_id_(process_id),
      kernel_dispatch_(database, naming, "kernel_dispatch",
                       "id, nid, pid, tid, agent_id, kernel_id, dispatch_id, queue_id, stream_id, start, \"end\", "
                       "private_segment_size, group_segment_size, workgroup_size_x, workgroup_size_y, "
                       "workgroup_size_z, grid_size_x, grid_size_y, grid_size_z, region_name_id, event_id, extdata"),
      event_(database, naming, "event", "id, category_id, stack_id, parent_stack_id, correlation_id"),
      pmc_event_(database, naming, "pmc_event", "id, event_id, pmc_id, value"),
      replay_pass_(replay, replay_naming, "replay_pass",
                   "id, kernel_dispatch_id, dispatch_id, replay_pass, start, \"end\", status, extdata"),
      replay_pmc_(replay, replay_naming, "replay_pmc", "id, replay_pass_id, pmc_id, value, is_canonical") {}

Status DispatchRows::add(const DispatchRecord& dispatch, const AgentEntry& agent) {
  const Result<DispatchSelection> selection = select_readings(dispatch, agent.planned);
  if (!selection) return selection.status();
  if (Status status = add_dispatch(dispatch, agent, *selection); !status) return status;
  if (!selection->times) ++untimed_;
  for (const std::optional<Interval>& extra : {dispatch.warm_up, dispatch.timing})
    if (extra) count_times(*extra);
  for (const PassSelection& pass : selection->passes)
    if (Status status = add_pass(dispatch, agent, pass); !status) return status;
  return Status::ok();
}

Status DispatchRows::add_dispatch(const DispatchRecord& dispatch, const AgentEntry& agent,
                                  const DispatchSelection& selection) {
  ++event_id_;
  // The external correlation id is 0 unless a tool pushes one; this tool does not.
  constexpr std::int64_t kNoExternalId = 0;
  const std::int64_t correlation = signed_bits(dispatch.correlation_id);
  if (Status status = event_.add({event_id_, kDispatchCategory, correlation, correlation, kNoExternalId}); !status)
    return status;
  const std::int64_t id = signed_bits(dispatch.dispatch_id.value);
  const auto [start, end] = selection.times ? selection.times->interval : Interval{};
  Status status = kernel_dispatch_.run({id,
                                        node_id_,
                                        process_id_,
                                        signed_bits(dispatch.thread_id),
                                        agent.id,
                                        signed_bits(dispatch.kernel.value),
                                        id,
                                        signed_bits(dispatch.queue_id),
                                        signed_bits(dispatch.stream_id),
                                        signed_bits(start),
                                        signed_bits(end),
                                        std::int64_t{dispatch.private_segment_size},
                                        std::int64_t{dispatch.group_segment_size},
                                        std::int64_t{dispatch.workgroup.x},
                                        std::int64_t{dispatch.workgroup.y},
                                        std::int64_t{dispatch.workgroup.z},
                                        std::int64_t{dispatch.grid.x},
                                        std::int64_t{dispatch.grid.y},
                                        std::int64_t{dispatch.grid.z},
                                        kNoRegion,
                                        event_id_,
                                        describe(dispatch, selection)});
  if (!status && database_->constraint_failed()) return Status::error("it occurs twice: " + status.message());
  return status;
}

Status DispatchRows::add_pass(const DispatchRecord& dispatch, const AgentEntry& agent, const PassSelection& pass) {
  const PassRecord& record = *pass.record;
  count_times({record.start_ns, record.end_ns});
  const std::int64_t dispatch_id = signed_bits(dispatch.dispatch_id.value);
  const Value number = record.pass ? Value{std::int64_t{record.pass->value}} : Value{nullptr};
  const std::string_view state = pass.missing.empty() ? "OK" : "PARTIAL";
  if (Status status =
          replay_pass_.add({++replay_pass_id_, dispatch_id, dispatch_id, number, signed_bits(record.start_ns),
                            signed_bits(record.end_ns), state, describe(dispatch, pass)});
      !status)
    return status;
  for (std::size_t at = 0; at < record.counters.size(); ++at) {
    const std::int64_t pmc = agent.pmc_ids[record.counters[at].value];
    const Value value = is_delivered(record.values[at]) ? Value{record.values[at]} : Value{nullptr};
    const std::int64_t canonical = pass.canonical[at] ? 1 : 0;
    if (Status status = replay_pmc_.add({++replay_pmc_id_, replay_pass_id_, pmc, value, canonical}); !status)
      return status;
    if (canonical == 0) continue;
    if (Status status = pmc_event_.add({++pmc_event_id_, event_id_, pmc, value}); !status) return status;
  }
  return Status::ok();
}

Status DispatchRows::finish() {
  for (BulkInsert* insert : {&event_, &pmc_event_, &replay_pass_, &replay_pmc_})
    if (Status status = insert->flush(); !status) return status;
  return Status::ok();
}

void DispatchRows::count_times(const Interval& times) noexcept {
  if (times.end_ns < times.start_ns) ++inverted_;
  if (times.end_ns == times.start_ns && times.start_ns != 0) ++zero_length_;
}

std::vector<std::string> DispatchRows::remarks() const {
  std::vector<std::string> texts;
  if (inverted_ > 0) texts.push_back(sentence(inverted_, "executions end before they start"));
  if (zero_length_ > 0) texts.push_back(sentence(zero_length_, "executions start and end at the same nanosecond"));
  if (untimed_ > 0)
    texts.push_back(std::to_string(untimed_) + " dispatches have no known time; their start and end are 0");
  return texts;
}

}  // namespace multipass::output::rocpd
