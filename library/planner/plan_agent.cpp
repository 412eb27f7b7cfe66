// SPDX-License-Identifier: MIT
#include "planner/plan_agent.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "planner/explain.hpp"
#include "planner/first_fit.hpp"
#include "planner/items.hpp"
#include "planner/minimise.hpp"
#include "planner/oracle_split.hpp"
#include "planner/partners.hpp"
#include "planner/pass_model.hpp"
#include "planner/sentinels.hpp"

namespace multipass::planner {
namespace {

PassPlan pass_plan(const Items& items, const std::vector<ItemId>& pass) {
  PassPlan plan;
  plan.counters = counters_of(items, pass);
  tell_registers(items.model, model_of(items, pass), plan);
  return plan;
}

// Fullest first, then by name: an order that says something and does not depend on how the packing was found.
bool comes_before(const PassPlan& left, const PassPlan& right) {
  const auto used = [](const PassPlan& plan) {
    std::uint64_t sum = 0;
    for (const auto& [block, registers] : plan.registers) sum += registers;
    return sum;
  };
  if (used(left) != used(right)) return used(left) > used(right);
  return left.counters < right.counters;
}

Proof proof_of(std::size_t passes, const Minimised& minimised) {
  if (passes == minimised.bound) return Proof::kBound;
  return passes == minimised.at_least ? Proof::kSearch : Proof::kNone;
}

std::vector<AskedPartners> partners_of(const AgentCatalogue& catalogue, const Items& items) {
  std::set<std::string> counters;
  for (const Item& item : items.all) counters.insert(item.counters.begin(), item.counters.end());
  return asked_partners(catalogue, {counters.begin(), counters.end()});
}

AgentPlan plan_of(const AgentCatalogue& catalogue, const Items& items, const std::vector<AskedPartners>& partners,
                  const Packing& passes, const Minimised& minimised) {
  AgentPlan plan;
  plan.agent = catalogue.agent.index;
  plan.arch = catalogue.agent.name;
  plan.device = catalogue.agent.device;
  for (const std::vector<ItemId>& pass : passes) plan.passes.push_back(pass_plan(items, pass));
  std::sort(plan.passes.begin(), plan.passes.end(), comes_before);
  plan.lower_bound = minimised.bound;
  plan.bounds = explain_bounds(items, minimised);
  plan.proof = proof_of(plan.passes.size(), minimised);
  plan.search_given_up = minimised.given_up;
  for (const Item& item : items.all)
    if (const auto pass = plan.first_with(item.counters); item.is_group && pass)
      plan.groups.push_back({item.counters, *pass});
  for (const AskedPartners& asked : partners)
    plan.partners.push_back({asked.name, asked.counters, plan.first_with(asked.counters)});
  plan.unplaceable = items.unplaceable;
  return plan;
}

}  // namespace

AgentPlan plan_agent(const AgentCatalogue& catalogue, const Request& request, const Options& options) {
  AskedOracle oracle{options.oracle};
  CutOff cut_off{options.give_up};
  Refusals refusals;
  // Every further round has more refusals, of which there are no more than counters and groups. Those that show in a
  // quick packing are found before the effort is spent.
  while (true) {
    const Items items = make_items(catalogue, request, refusals);
    if (oracle.exists() && find_refusals(items, minimise(items, {}, {}).passes, oracle, refusals)) continue;
    const std::vector<AskedPartners> partners = partners_of(catalogue, items);
    Minimised minimised = minimise(items, partners, {options.effort, &cut_off});
    Packing passes = std::move(minimised.passes);
    std::vector<std::vector<std::string>> refused;
    if (oracle.exists()) {
      if (find_refusals(items, passes, oracle, refusals)) continue;
      refused = refused_passes(items, passes, oracle);
      passes = split_refused(items, std::move(passes), oracle);
    }
    AgentPlan plan = plan_of(catalogue, items, partners, passes, minimised);
    plan.refused = std::move(refused);
    add_sentinels(catalogue, request.sentinels, oracle, plan);
    return plan;
  }
}

std::string given_up_text() {
  return "the search for fewer passes took longer than " + std::to_string(kSearchTime.count()) +
         " s and was given up: first-fit plan";
}

}  // namespace multipass::planner
