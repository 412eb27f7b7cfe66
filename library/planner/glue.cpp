// SPDX-License-Identifier: MIT
#include "planner/glue.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <span>
#include <string>
#include <utility>

#include "planner/bounds.hpp"
#include "planner/pass_model.hpp"

namespace multipass::planner {
namespace {

constexpr std::uint64_t kNodesOfATrial = 300;

std::size_t count_in(const Item& item, const std::vector<std::string>& counters) {
  return static_cast<std::size_t>(std::count_if(counters.begin(), counters.end(), [&](const std::string& name) {
    return std::binary_search(item.counters.begin(), item.counters.end(), name);
  }));
}

// Few items that have all of the counters between them: the next is the one with most of those that are not there yet,
// of several the smallest. Only where groups overlap is there a choice.
Bundle bundle_of(const Items& items, std::vector<std::string> missing) {
  Bundle bundle;
  while (!missing.empty()) {
    const auto worth = [&](const Item& item) {
      return std::pair{count_in(item, missing), -static_cast<std::ptrdiff_t>(item.cost.size())};
    };
    const auto best = std::max_element(items.all.begin(), items.all.end(),
                                       [&](const Item& a, const Item& b) { return worth(a) < worth(b); });
    bundle.push_back(static_cast<ItemId>(best - items.all.begin()));
    std::erase_if(missing, [&](const std::string& name) {
      return std::binary_search(best->counters.begin(), best->counters.end(), name);
    });
  }
  return bundle;
}

// By item: the lowest item that is glued to it, directly or not.
std::vector<ItemId> heads_of(std::size_t count, const std::vector<Bundle>& bundles) {
  std::vector<ItemId> heads(count);
  std::iota(heads.begin(), heads.end(), ItemId{0});
  const auto head = [&](ItemId id) {
    while (heads[id] != id) id = heads[id];
    return id;
  };
  for (const Bundle& bundle : bundles)
    for (const ItemId id : bundle) {
      const auto [low, high] = std::minmax({head(bundle.front()), head(id)});
      heads[high] = low;
    }
  for (ItemId id = 0; id < count; ++id) heads[id] = head(id);
  return heads;
}

class Keeper final {
 public:
  // `passes` is a packing of the core of `items`.
  Keeper(const Items& items, const Packing& passes, Nodes& nodes) : items_(items), nodes_(nodes) {
    remember(items, passes);
  }

  // As many of these bundles as can be kept beside those that are kept: all of them, or else by halves.
  void keep(std::span<const Bundle> candidates) {
    if (candidates.empty() || keeps_all(candidates) || candidates.size() == 1) return;
    const std::size_t half = candidates.size() / 2;
    keep(candidates.first(half));
    keep(candidates.subspan(half));
  }

  // The items of the bundle would be in one pass already.
  [[nodiscard]] bool is_together(const Bundle& bundle) const {
    return std::any_of(known_.begin(), known_.end(), [&](const PassModel& pass) {
      return std::all_of(bundle.begin(), bundle.end(),
                         [&](ItemId id) { return pass.added_registers(items_.all[id].cost) == 0; });
    });
  }

  [[nodiscard]] std::size_t kept() const noexcept { return kept_.size(); }
  [[nodiscard]] std::optional<KeptPartners> take() { return std::move(best_); }

 private:
  bool keeps_all(std::span<const Bundle> candidates) {
    if (nodes_.cut_off_struck()) return false;
    std::vector<Bundle> tried = kept_;
    tried.insert(tried.end(), candidates.begin(), candidates.end());
    std::optional<Glued> glued = glue(items_, tried);
    if (!glued) return false;
    std::optional<Packing> passes = packed(glued->items);
    if (!passes) return false;
    remember(glued->items, *passes);
    best_.emplace(std::move(*glued), *std::move(passes));
    kept_ = std::move(tried);
    return true;
  }

  // The core of the glued items in no more passes than there are.
  std::optional<Packing> packed(const Items& glued) {
    if (std::optional<Packing> passes = packed_as_known(glued)) return passes;
    const std::vector<Cost> costs = core_costs(glued);
    const auto count = static_cast<std::uint32_t>(known_.size());
    if (capacity_bound(glued.model, costs) > count) return std::nullopt;
    if (std::optional<Packing> passes = first_packing(glued, count)) return passes;
    Nodes given{std::min(nodes_.left, kNodesOfATrial), nodes_.cut_off};
    const std::uint64_t before = given.left;
    SearchResult result = search_packing(glued.model, costs, count, given);
    nodes_.left -= before - given.left;
    if (result.outcome != Outcome::kFound) return std::nullopt;
    for (std::vector<ItemId>& pass : result.passes)
      for (ItemId& id : pass) id = glued.core[id];
    return std::move(result.passes);
  }

  // Each item where the best packing so far programs all of its registers.
  [[nodiscard]] std::optional<Packing> packed_as_known(const Items& glued) const {
    Packing passes(known_.size());
    for (const ItemId id : glued.core) {
      const std::size_t pass = known_pass(glued.all[id].cost);
      if (pass == known_.size()) return std::nullopt;
      passes[pass].push_back(id);
    }
    std::erase_if(passes, [](const std::vector<ItemId>& pass) { return pass.empty(); });
    return passes;
  }

  [[nodiscard]] std::size_t known_pass(const Cost& cost) const {
    const auto holds = [&](const PassModel& pass) { return pass.added_registers(cost) == 0; };
    return static_cast<std::size_t>(std::find_if(known_.begin(), known_.end(), holds) - known_.begin());
  }

  void remember(const Items& items, const Packing& passes) {
    known_.clear();
    for (const std::vector<ItemId>& pass : passes) {
      known_.emplace_back(items_.model);
      for (const ItemId id : pass) known_.back().add(items.all[id].cost);
    }
  }

  const Items& items_;
  Nodes& nodes_;
  std::vector<PassModel> known_;  // of the best packing so far
  std::vector<Bundle> kept_;
  std::optional<KeptPartners> best_;
};

}  // namespace

std::optional<Glued> glue(const Items& items, const std::vector<Bundle>& bundles) {
  const std::vector<ItemId> heads = heads_of(items.all.size(), bundles);
  Glued glued{{items.model, {}, {}, {}, {}}, {}};
  std::vector<ItemId> of_head(items.all.size());
  for (ItemId id = 0; id < items.all.size(); ++id) {
    const Item& item = items.all[id];
    if (heads[id] == id) {
      of_head[id] = static_cast<ItemId>(glued.items.all.size());
      glued.items.all.push_back(item);
      glued.parts.push_back({id});
      continue;
    }
    Item& whole = glued.items.all[of_head[heads[id]]];
    Cost cost;
    std::set_union(whole.cost.begin(), whole.cost.end(), item.cost.begin(), item.cost.end(), std::back_inserter(cost));
    whole.cost = std::move(cost);
    glued.parts[of_head[heads[id]]].push_back(id);
  }
  for (ItemId id = 0; id < glued.items.all.size(); ++id)
    if (glued.parts[id].size() > 1 && !PassModel{glued.items.model}.fits(glued.items.all[id].cost)) return std::nullopt;
  find_leaders(glued.items);
  return glued;
}

Packing unglued(const Glued& glued, const Packing& passes) {
  Packing all;
  for (const std::vector<ItemId>& pass : passes) {
    std::vector<ItemId>& parts = all.emplace_back();
    for (const ItemId id : pass) parts.insert(parts.end(), glued.parts[id].begin(), glued.parts[id].end());
    std::sort(parts.begin(), parts.end());
  }
  return all;
}

std::optional<KeptPartners> keep_partners(const Items& items, const std::vector<AskedPartners>& asked,
                                          const Packing& passes, Nodes& nodes) {
  std::vector<Bundle> bundles;
  for (const AskedPartners& partners : asked)
    if (Bundle bundle = bundle_of(items, partners.counters); bundle.size() > 1) bundles.push_back(std::move(bundle));
  Nodes half{nodes.left / 2, nodes.cut_off};
  nodes.left -= half.left;
  Keeper afresh{items, passes, half};
  afresh.keep(bundles);
  if (afresh.kept() == bundles.size()) return afresh.take();
  Keeper onwards{items, passes, nodes};
  std::vector<Bundle> together;
  std::vector<Bundle> apart;
  for (const Bundle& bundle : bundles) (onwards.is_together(bundle) ? together : apart).push_back(bundle);
  onwards.keep(together);
  onwards.keep(apart);
  return (onwards.kept() > afresh.kept() ? onwards : afresh).take();
}

}  // namespace multipass::planner
