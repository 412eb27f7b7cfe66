// SPDX-License-Identifier: MIT
#include "planner/items.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>
#include <utility>

#include "base/text.hpp"
#include "planner/pass_model.hpp"

namespace multipass::planner {
namespace {

using Names = std::vector<std::string>;

std::string registers_text(std::uint32_t count, const std::string& pool) {
  return std::to_string(count) + ' ' + pool + (count == 1 ? " register" : " registers");
}

bool is_part_of(const Names& small, const Names& large) {
  return std::includes(large.begin(), large.end(), small.begin(), small.end());
}

class ItemMaker final {
 public:
  ItemMaker(const AgentCatalogue& catalogue, const Request& request, const Refusals& refusals)
      : catalogue_(catalogue),
        request_(request),
        refusals_(refusals),
        names_(requested_names(request)),
        model_(catalogue, names_) {}

  [[nodiscard]] Items make() {
    for (const std::string& name : names_) judge(name);
    place_groups();
    for (const std::string& name : placeable_)
      if (!grouped_.contains(name)) items_.push_back({{name}, model_.cost_of({name}), false});
    std::sort(items_.begin(), items_.end(), [](const Item& a, const Item& b) { return a.counters < b.counters; });
    std::sort(unplaceable_.begin(), unplaceable_.end(),
              [](const UnplaceableCounter& a, const UnplaceableCounter& b) { return a.counter < b.counter; });
    Items made{std::move(model_), std::move(items_), {}, {}, std::move(unplaceable_)};
    find_leaders(made);
    return made;
  }

 private:
  // Sorts a requested name into placeable_, free_ or unplaceable_.
  void judge(const std::string& name) {
    const auto info = catalogue_.counters.find(name);
    if (info == catalogue_.counters.end()) return refuse(name, "not a counter of " + catalogue_.agent.name);
    const auto keys = catalogue_.register_keys.find(name);
    if (info->second.is_constant || keys == catalogue_.register_keys.end() || keys->second.empty()) {
      free_.insert(name);
    } else if (std::optional<UnplaceableCounter> misfit = misfit_of({name})) {
      unplaceable_.push_back(std::move(*misfit));
    } else if (refusals_.counters.contains(name)) {
      refuse(name, "the SDK refuses it on " + catalogue_.agent.name + " even alone");
    } else {
      placeable_.insert(name);
    }
  }

  void refuse(const std::string& name, std::string reason) {
    unplaceable_.push_back({name, std::move(reason), "", 0, 0});
  }

  // Why these counters together fit no pass; nothing when they do.
  [[nodiscard]] std::optional<UnplaceableCounter> misfit_of(const Names& counters) const {
    const Cost cost = model_.cost_of(counters);
    if (PassModel{model_}.fits(cost)) return std::nullopt;
    PassModel pass{model_};
    pass.add(cost);
    UnplaceableCounter misfit{joined(counters, ","), "", "", 0, 0};
    for (PoolId id = 0; id < model_.pools().size(); ++id) {
      const Pool& pool = model_.pools()[id];
      if (pass.used(id) <= pool.capacity) continue;
      misfit.block = pool.name;
      misfit.needs = pass.used(id);
      misfit.limit = pool.capacity;
      misfit.reason = pool.name.empty()
                          ? unknown_text(counters)
                          : (counters.size() == 1 ? "needs " : "they need ") + registers_text(misfit.needs, pool.name) +
                                ", a pass has " + std::to_string(misfit.limit);
      return misfit;
    }
    misfit.reason = (counters.size() == 1 ? "accumulates" : "they accumulate") +
                    std::string{" one counter with two resolutions, which disturb each other in one pass"};
    return misfit;
  }

  // Which of the counters behind `counters` have no known registers, and why.
  [[nodiscard]] std::string unknown_text(const Names& counters) const {
    std::set<std::string> no_counters;
    std::set<std::string> untold;
    for (const std::string& counter : counters)
      for (const RegisterKey& key : catalogue_.register_keys.at(counter))
        if (key.block.empty()) (catalogue_.counters.contains(key.name) ? untold : no_counters).insert(key.name);
    std::string reason = "its registers are not known: ";
    if (!no_counters.empty())
      reason += "its expression needs " + joined(no_counters) + ", not " +
                (no_counters.size() == 1 ? "a counter" : "counters") + " of " + catalogue_.agent.name;
    if (!untold.empty())
      reason += (no_counters.empty() ? "" : "; ") + std::string{"the SDK gives no block or expression for "} +
                (untold == std::set<std::string>{counters.begin(), counters.end()} ? "it" : joined(untold));
    return reason;
  }

  void place_groups() {
    std::set<Names> groups = without_constants(request_.groups);
    std::erase_if(groups, [this](const Names& group) { return !is_possible(group); });
    std::set<Names> loose = without_constants(request_.loose_groups);
    std::erase_if(loose, [this](const Names& group) { return obstacle_of(group).has_value(); });
    groups.merge(loose);
    for (const Names& group : groups) {
      const bool inside_another = std::any_of(groups.begin(), groups.end(), [&](const Names& other) {
        return &other != &group && is_part_of(group, other);
      });
      if (inside_another) continue;
      grouped_.insert(group.begin(), group.end());
      items_.push_back({group, model_.cost_of(group), true});
    }
  }

  [[nodiscard]] std::set<Names> without_constants(const std::vector<Names>& asked) const {
    std::set<Names> groups;
    for (const Names& group : asked) {
      std::set<std::string> members{group.begin(), group.end()};
      std::erase_if(members, [this](const std::string& name) { return free_.contains(name); });
      if (!members.empty()) groups.emplace(members.begin(), members.end());
    }
    return groups;
  }

  // Why the group cannot be whole in a pass; nothing when it can.
  [[nodiscard]] std::optional<UnplaceableCounter> obstacle_of(const Names& group) const {
    const auto because = [&](const std::string& reason) {
      return UnplaceableCounter{joined(group, ","), reason, "", 0, 0};
    };
    for (const std::string& name : group)
      if (!placeable_.contains(name)) return because("not whole without " + name + ", which cannot be placed");
    if (std::optional<UnplaceableCounter> misfit = misfit_of(group)) return misfit;
    if (!refusals_.groups.contains(group)) return std::nullopt;
    return because("the SDK refuses them together on " + catalogue_.agent.name);
  }

  // False, and reported, when not. Of one counter it is told already that it has no place.
  bool is_possible(const Names& group) {
    std::optional<UnplaceableCounter> obstacle = obstacle_of(group);
    if (!obstacle) return true;
    if (group.size() == 1) return false;
    obstacle->reason += std::string{"; "} + kSingly;
    unplaceable_.push_back(std::move(*obstacle));
    return false;
  }

  static constexpr const char* kSingly = "they are planned singly";

  const AgentCatalogue& catalogue_;
  const Request& request_;
  const Refusals& refusals_;
  std::set<std::string> names_;
  RegisterModel model_;
  std::set<std::string> placeable_;
  std::set<std::string> free_;
  std::set<std::string> grouped_;
  std::vector<Item> items_;
  std::vector<UnplaceableCounter> unplaceable_;
};

}  // namespace

std::set<std::string> requested_names(const Request& request) {
  std::set<std::string> names{request.counters.begin(), request.counters.end()};
  for (const auto* groups : {&request.groups, &request.loose_groups})
    for (const Names& group : *groups) names.insert(group.begin(), group.end());
  return names;
}

void find_leaders(Items& items) {
  const auto count = static_cast<ItemId>(items.all.size());
  // Largest first, so that a leader is never led itself; of equal costs the first leads.
  std::vector<ItemId> order(count);
  std::iota(order.begin(), order.end(), ItemId{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](ItemId a, ItemId b) { return items.all[a].cost.size() > items.all[b].cost.size(); });
  items.leader.resize(count);
  for (const ItemId id : order) {
    const Cost& cost = items.all[id].cost;
    const auto leads = [&](ItemId other) {
      const Cost& larger = items.all[other].cost;
      return std::includes(larger.begin(), larger.end(), cost.begin(), cost.end());
    };
    const auto leader = std::find_if(items.core.begin(), items.core.end(), leads);
    items.leader[id] = leader == items.core.end() ? id : *leader;
    if (leader == items.core.end()) items.core.push_back(id);
  }
  std::sort(items.core.begin(), items.core.end());
}

std::vector<Cost> core_costs(const Items& items) {
  std::vector<Cost> costs;
  for (const ItemId id : items.core) costs.push_back(items.all[id].cost);
  return costs;
}

PassModel model_of(const Items& items, const std::vector<ItemId>& pass) {
  PassModel model{items.model};
  for (const ItemId id : pass) model.add(items.all[id].cost);
  return model;
}

Items make_items(const AgentCatalogue& catalogue, const Request& request, const Refusals& refusals) {
  return ItemMaker{catalogue, request, refusals}.make();
}

}  // namespace multipass::planner
