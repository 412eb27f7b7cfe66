// SPDX-License-Identifier: MIT
#include "apps/plan/plan_json.hpp"

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>

#include "model/names.hpp"

namespace multipass::apps {
namespace {

using Json = nlohmann::ordered_json;

Json object_of(const std::map<std::string, std::uint32_t>& numbers) {
  Json json = Json::object();
  for (const auto& [key, number] : numbers) json[key] = number;
  return json;
}

Json pass_json(const PassPlan& pass, std::size_t index) {
  return {{"index", index},
          {"counters", pass.counters},
          {"sentinel", pass.sentinels},
          {"registers", object_of(pass.registers)},
          {"capacity", object_of(pass.capacity)}};
}

Json metrics_json(const std::vector<metrics::PlannedMetric>& planned) {
  Json list = Json::array();
  for (const auto& [metric, pass] : planned)
    list.push_back(Json{{"name", metric.name},
                        {"set", metric.set},
                        {"unit", metric.unit},
                        {"formula", metric.formula},
                        {"counters", metric.counters},
                        {"pass", pass ? Json(*pass) : Json(nullptr)}});
  return list;
}

Json bounds_json(const PlanBounds& bounds) {
  const auto or_null = [](const std::optional<std::uint32_t>& number) {
    return number ? Json(*number) : Json(nullptr);
  };
  Json blocks = Json::array();
  for (const BlockBound& block : bounds.blocks)
    blocks.push_back(Json{{"block", block.block},
                          {"registers", block.registers},
                          {"distinct", block.distinct},
                          {"slots", block.slots},
                          {"passes", block.passes},
                          {"searched", or_null(block.searched)},
                          {"binding", block.binding}});
  return {{"decided_by", name_of(bounds.kind)},
          {"blocks", std::move(blocks)},
          {"clique", bounds.clique},
          {"passes_without_groups", or_null(bounds.passes_without_groups)}};
}

Json agent_json(const AgentPlan& plan, const std::vector<metrics::PlannedMetric>& planned) {
  Json passes = Json::array();
  for (std::size_t i = 0; i < plan.passes.size(); ++i) passes.push_back(pass_json(plan.passes[i], i));
  Json groups = Json::array();
  for (const GroupPlacement& group : plan.groups)
    groups.push_back(Json{{"counters", group.counters}, {"pass", group.pass}});
  Json partners = Json::array();
  for (const PartnersPlacement& placement : plan.partners)
    partners.push_back(Json{{"name", placement.name},
                            {"counters", placement.counters},
                            {"pass", placement.pass ? Json(*placement.pass) : Json(nullptr)}});
  Json unplaceable = Json::array();
  for (const UnplaceableCounter& counter : plan.unplaceable)
    unplaceable.push_back(Json{{"counter", counter.counter},
                               {"reason", counter.reason},
                               {"block", counter.block},
                               {"needs", counter.needs},
                               {"limit", counter.limit}});
  return {{"device", plan.arch},
          {"device_index", plan.device},
          {"pass_count", plan.passes.size()},
          {"lower_bound", plan.lower_bound},
          {"proven_minimal", plan.proven_minimal()},
          {"proof", name_of(plan.proof)},
          {"search_given_up", plan.search_given_up},
          {"passes", std::move(passes)},
          {"groups", std::move(groups)},
          {"partners", std::move(partners)},
          {"metrics", metrics_json(planned)},
          {"unplaceable", std::move(unplaceable)},
          {"bounds", bounds_json(plan.bounds)}};
}

Json unknown_json(const catalogue::UnknownToken& token) {
  return {{"token", token.token},
          {"column", token.column},
          {"place", token.sentinel      ? "sentinel"
                    : token.column == 0 ? "group"
                                        : "events"},
          {"suggestion", token.suggestion ? Json(*token.suggestion) : Json(nullptr)},
          {"reason", token.reason}};
}

}  // namespace

std::string plan_json(const PlanDocument& document) {
  Json agents = Json::array();
  const std::vector<metrics::PlannedMetric> none;
  for (std::size_t i = 0; i < document.agents.size(); ++i)
    agents.push_back(agent_json(document.agents[i], i < document.metrics.size() ? document.metrics[i] : none));
  Json unknown = Json::array();
  for (const catalogue::UnknownToken& token : document.unknown) unknown.push_back(unknown_json(token));
  Json ignored = Json::array();
  for (const catalogue::IgnoredToken& token : document.ignored)
    ignored.push_back(Json{{"token", token.token}, {"reason", token.reason}});
  const Json json = {{"schema", kPlanSchema},
                     {"effort", document.effort},
                     {"agents", std::move(agents)},
                     {"unknown", std::move(unknown)},
                     {"duplicates", document.duplicates},
                     {"ignored", std::move(ignored)},
                     {"warnings", document.warnings},
                     {"notes", document.notes}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace multipass::apps
