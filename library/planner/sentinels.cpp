// SPDX-License-Identifier: MIT
#include "planner/sentinels.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "model/gpu_title.hpp"
#include "planner/items.hpp"
#include "planner/pass_model.hpp"
#include "planner/register_model.hpp"

namespace multipass::planner {
namespace {

using Names = std::vector<std::string>;

// What is taken without being named, one of each line: the first that the agent can read.
constexpr std::array<std::array<std::string_view, 2>, 3> kAutomatic{{
    // Work: follows the data that a kernel finds. SQ_WAVES follows the geometry and is the same whatever was restored.
    {"SQ_INSTS_VALU", ""},
    // Time. GRBM_COUNT counts while the GPU idles, too.
    {"GRBM_GUI_ACTIVE", ""},
    // Cache: what was not there. Requests to L2 are the same whatever it holds (docs/decisions/0019).
    {"TCC_MISS", "GL2C_MISS"},
}};

bool contains(const Names& names, const std::string& name) {
  return std::binary_search(names.begin(), names.end(), name);
}

// Why a counter cannot be read at all; nothing when it can.
std::optional<std::string> why_never(const AgentCatalogue& catalogue, const std::string& name, AskedOracle& oracle) {
  Refusals refused;
  const bool countable = catalogue.counters.contains(name) && !catalogue.counters.at(name).is_constant;
  if (countable && oracle.exists() && !oracle.accepts({name})) refused.counters.insert(name);
  const Items items = make_items(catalogue, {{name}, {}}, refused);
  if (!items.unplaceable.empty()) return items.unplaceable.front().reason;
  if (items.all.empty()) return "a constant of the agent, the same for every dispatch";
  return std::nullopt;
}

class Placer final {
 public:
  Placer(const AgentCatalogue& catalogue, const std::set<std::string>& names, AskedOracle& oracle, AgentPlan& plan)
      : model_(catalogue, names), oracle_(oracle), plan_(plan) {
    for (const PassPlan& pass : plan_.passes) passes_.emplace_back(model_).add(model_.cost_of(pass.counters));
  }

  // Adds the sentinel where it can be. Nothing when it is in at least two passes then; else it is in none for that
  // purpose, and the result says why.
  std::optional<std::string> place(const std::string& name) {
    const Cost cost = model_.cost_of({name});
    std::vector<std::size_t> guests;
    std::size_t readers = 0;
    obstacles_.clear();
    for (std::size_t i = 0; i < passes_.size(); ++i) {
      const bool planned = contains(plan_.passes[i].counters, name);
      const bool guest = !planned && takes(i, name, cost);
      if (planned || guest) ++readers;
      if (guest) guests.push_back(i);
    }
    if (readers < 2)
      return std::string(readers == 0 ? "there is no room for it in any pass: " : "only one pass can read it: ") +
             joined(obstacles_, ", ") + (readers == 0 ? "" : " in the others");
    for (const std::size_t i : guests) add(i, name, cost);
    return std::nullopt;
  }

 private:
  bool takes(std::size_t i, const std::string& name, const Cost& cost) {
    if (!passes_[i].fits(cost)) {
      note_full_pools(i, cost);
      return false;
    }
    if (!oracle_.exists() || oracle_.accepts(with(i, name))) return true;
    obstacles_.insert("the SDK refuses it beside the other counters");
    return false;
  }

  void note_full_pools(std::size_t i, const Cost& cost) {
    PassModel full = passes_[i];
    full.add(cost);
    bool found = false;
    for (PoolId id = 0; id < model_.pools().size(); ++id) {
      const Pool& pool = model_.pools()[id];
      if (full.used(id) <= pool.capacity) continue;
      obstacles_.insert("no free " + pool.name + " registers");
      found = true;
    }
    if (!found) obstacles_.insert("what it accumulates is accumulated in another way");
  }

  [[nodiscard]] Names with(std::size_t i, const std::string& name) const {
    Names names = plan_.passes[i].counters;
    names.insert(std::upper_bound(names.begin(), names.end(), name), name);
    return names;
  }

  void add(std::size_t i, const std::string& name, const Cost& cost) {
    PassPlan& pass = plan_.passes[i];
    pass.counters = with(i, name);
    pass.sentinels.insert(std::upper_bound(pass.sentinels.begin(), pass.sentinels.end(), name), name);
    passes_[i].add(cost);
    tell_registers(model_, passes_[i], pass);
  }

  RegisterModel model_;
  AskedOracle& oracle_;
  AgentPlan& plan_;
  std::vector<PassModel> passes_;
  std::set<std::string> obstacles_;  // of the sentinel that is being placed
};

Names automatic(const AgentCatalogue& catalogue, AskedOracle& model_alone) {
  Names chosen;
  for (const auto& alternatives : kAutomatic)
    for (const std::string_view alternative : alternatives) {
      const std::string name{alternative};
      if (!catalogue.counters.contains(name) || why_never(catalogue, name, model_alone)) continue;
      chosen.push_back(name);
      break;
    }
  return chosen;
}

// Those that can be read, in order of name; the others are told.
Names usable(const AgentCatalogue& catalogue, const Names& named, AskedOracle& oracle, AgentPlan& plan) {
  Names chosen;
  for (const std::string& name : std::set<std::string>{named.begin(), named.end()})
    if (std::optional<std::string> reason = why_never(catalogue, name, oracle))
      plan.left_out_sentinels.push_back({name, *std::move(reason)});
    else
      chosen.push_back(name);
  return chosen;
}

// Those that compare nothing are told when they were asked for by name.
void place_all(const AgentCatalogue& catalogue, const Names& names, bool named, AskedOracle& oracle, AgentPlan& plan) {
  std::set<std::string> known{names.begin(), names.end()};
  for (const PassPlan& pass : plan.passes) known.insert(pass.counters.begin(), pass.counters.end());
  Placer placer{catalogue, known, oracle, plan};
  for (const std::string& name : names)
    if (std::optional<std::string> reason = placer.place(name); reason && named)
      plan.left_out_sentinels.push_back({name, *std::move(reason)});
  std::sort(plan.left_out_sentinels.begin(), plan.left_out_sentinels.end(),
            [](const LeftOutSentinel& a, const LeftOutSentinel& b) { return a.counter < b.counter; });
}

bool accepts_all(AskedOracle& oracle, const std::vector<PassPlan>& passes) {
  return !oracle.exists() ||
         std::all_of(passes.begin(), passes.end(), [&](const PassPlan& pass) { return oracle.accepts(pass.counters); });
}

}  // namespace

void add_sentinels(const AgentCatalogue& catalogue, const SentinelChoice& choice, AskedOracle& oracle,
                   AgentPlan& plan) {
  if (plan.passes.size() < 2) return;
  const Oracle none;
  AskedOracle model_alone{none};
  const Names names =
      choice.automatic ? automatic(catalogue, model_alone) : usable(catalogue, choice.named, oracle, plan);
  if (names.empty()) return;
  // By the model first: one question to the oracle for each pass, in place of one for each sentinel in it.
  AgentPlan by_model = plan;
  place_all(catalogue, names, !choice.automatic, model_alone, by_model);
  if (accepts_all(oracle, by_model.passes))
    plan = std::move(by_model);
  else
    place_all(catalogue, names, !choice.automatic, oracle, plan);
}

std::vector<std::string> sentinel_warnings(const AgentPlan& plan) {
  std::vector<std::string> warnings;
  for (const LeftOutSentinel& sentinel : plan.left_out_sentinels)
    warnings.push_back(gpu_title(plan.device, plan.arch) + ": the sentinel " + sentinel.counter +
                       " compares nothing and is left out: " + sentinel.reason);
  return warnings;
}

}  // namespace multipass::planner
