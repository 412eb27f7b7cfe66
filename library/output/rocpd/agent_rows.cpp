// SPDX-License-Identifier: MIT
#include "output/rocpd/agent_rows.hpp"

#include <algorithm>
#include <utility>

#include "model/names.hpp"
#include "output/rocpd/json_text.hpp"

namespace multipass::output::rocpd {
namespace {

std::string_view type_of(const AgentInfo& agent) noexcept {
  return agent.type == AgentType::kGpu ? "GPU" : "CPU";
}

nlohmann::ordered_json describe_plan(const AgentPlan& plan) {
  nlohmann::ordered_json passes = nlohmann::ordered_json::array();
  for (const PassPlan& pass : plan.passes)
    passes.push_back({{"counters", pass.counters}, {"sentinel", pass.sentinels}});
  nlohmann::ordered_json unplaceable = nlohmann::ordered_json::array();
  for (const UnplaceableCounter& counter : plan.unplaceable)
    unplaceable.push_back({{"counter", counter.counter}, {"reason", counter.reason}});
  return {
      {"pass_count", plan.passes.size()}, {"lower_bound", plan.lower_bound}, {"proven_minimal", plan.proven_minimal()},
      {"proof", name_of(plan.proof)},     {"passes", std::move(passes)},     {"unplaceable", std::move(unplaceable)}};
}

std::string describe(const AgentInfo& agent, const AgentPlan& plan) {
  nlohmann::ordered_json text = {{"uuid", agent.uuid},
                                 {"cu_count", agent.cu_count},
                                 {"simd_count", agent.simd_count},
                                 {"simd_per_cu", agent.simd_per_cu},
                                 {"wave_front_size", agent.wave_front_size},
                                 {"num_xcc", agent.num_xcc},
                                 {"num_shader_banks", agent.num_shader_banks},
                                 {"max_waves_per_simd", agent.max_waves_per_simd},
                                 {"max_engine_clk_fcompute", agent.max_engine_clk_fcompute},
                                 {"local_mem_size", agent.local_mem_size}};
  if (agent.type == AgentType::kGpu) text["device"] = agent.device;
  if (!plan.passes.empty() || !plan.unplaceable.empty()) text["replay"] = describe_plan(plan);
  return to_text(text);
}

}  // namespace

AgentRows::AgentRows(Database& database, const Naming& naming, std::int64_t node_id, std::int64_t process_id)
    : node_id_(node_id),
      process_id_(process_id),
      agent_(database, naming, "info_agent",
             "id, nid, pid, type, absolute_index, logical_index, type_index, uuid, name, model_name, vendor_name, "
             "product_name, user_name, extdata"),
      pmc_(database, naming, "info_pmc",
           "id, nid, pid, agent_id, target_arch, name, symbol, description, component, value_type, block, expression, "
           "is_constant, is_derived, extdata") {}

Status AgentRows::add(const AgentInfo& agent, const std::vector<CounterInfo>& counters, const AgentPlan& plan) {
  AgentEntry entry;
  entry.id = agent.node_id;
  if (Status status = agent_.run({entry.id, node_id_, process_id_, type_of(agent), entry.id,
                                  std::int64_t{agent.logical_node_id}, std::int64_t{agent.logical_node_type_id},
                                  std::int64_t{agent.device_id}, agent.name, agent.model_name, agent.vendor_name,
                                  agent.product_name, agent.product_name, describe(agent, plan)});
      !status)
    return Status::error("agent " + std::to_string(agent.node_id) + " (" + agent.name + "): " + status.message());
  for (const CounterInfo& counter : counters)
    if (Status status = add_counter(agent, counter, entry); !status) return status;
  entry.planned.plan_passes(plan);
  if (!agents_.emplace(agent.index, std::move(entry)).second)
    return Status::error("agent index " + std::to_string(agent.index.value) + " occurs twice");
  return Status::ok();
}

Status AgentRows::add_counter(const AgentInfo& agent, const CounterInfo& counter, AgentEntry& entry) {
  // Two rows of one name would add up in every view.
  const std::vector<std::string>& names = entry.planned.names;
  if (std::find(names.begin(), names.end(), counter.name) != names.end())
    return Status::error("agent " + std::to_string(agent.node_id) + " (" + agent.name + ") lists counter " +
                         counter.name + " twice");
  const std::int64_t id = next_pmc_id_++;
  if (Status status = pmc_.run({id, node_id_, process_id_, entry.id, type_of(agent), counter.name, counter.name,
                                counter.description, "rocm", "ABS", counter.block, counter.expression,
                                std::int64_t{counter.is_constant}, std::int64_t{counter.is_derived},
                                to_text({{"instances", counter.instances}})});
      !status)
    return Status::error("counter " + counter.name + ": " + status.message());
  entry.planned.names.push_back(counter.name);
  entry.pmc_ids.push_back(id);
  return Status::ok();
}

const AgentEntry* AgentRows::find(AgentIndex index) const {
  const auto found = agents_.find(index);
  return found == agents_.end() ? nullptr : &found->second;
}

}  // namespace multipass::output::rocpd
