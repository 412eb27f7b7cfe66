// SPDX-License-Identifier: MIT
#include "planner/search.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <map>
#include <optional>
#include <unordered_set>
#include <utility>

#include "planner/search_state.hpp"

namespace multipass::planner {
namespace {

using Mask = std::uint64_t;  // of passes

constexpr std::size_t kMostRemembered = 2'000'000;  // refuted states: about 100 MB, where an effort is not the default
constexpr std::uint64_t kFirstDive = 500;           // nodes; later ones a quarter longer each

PassIndex lowest(Mask mask) {
  return static_cast<PassIndex>(std::countr_zero(mask));
}
Mask without_lowest(Mask mask) {
  return mask & (mask - 1);
}

struct SearchItem {
  std::size_t index = 0;  // of its cost
  std::uint64_t weight = 0;
  std::size_t twins = 0;  // class of items that differ only in registers of their own, of the same pools
  bool placed = false;
  Mask open = 0;  // passes it may still go to
};

class Search final {
 public:
  Search(const RegisterModel& model, const std::vector<Cost>& costs, PassIndex count)
      : model_(model), costs_(costs), count_(count), state_(model, costs, count) {
    make_items();
    make_twins();
  }

  // Short dives with different ties find what one long dive that began badly does not. What one of them refutes stays
  // refuted in the next, so that they get to the end of a search together.
  [[nodiscard]] SearchResult run(Nodes& nodes) {
    if (!state_.is_possible() || !look_again(~Mask{0})) return {Outcome::kImpossible, {}};
    for (std::uint64_t dive = kFirstDive;; dive += dive / 4, ++seed_) {
      const std::uint64_t given = std::min(dive, nodes.left);
      left_ = given;
      cut_off_ = nodes.cut_off;
      const Outcome outcome = descend();
      nodes.left -= given - left_;
      if (outcome == Outcome::kFound) return {outcome, packing()};
      if (outcome == Outcome::kImpossible || nodes.left == 0 || nodes.cut_off_struck()) return {outcome, {}};
    }
  }

 private:
  struct Change {
    std::size_t item;
    Mask open;
  };

  [[nodiscard]] const Cost& cost(std::size_t item) const { return costs_[items_[item].index]; }

  // A cost of one register fits wherever a slot is left, and no other item needs its register: the state keeps a slot
  // for it, and the search is about the others.
  void make_items() {
    const Mask all = count_ == kMostSearchedPasses ? ~Mask{0} : (Mask{1} << count_) - 1;
    for (std::size_t i = 0; i < costs_.size(); ++i) {
      if (costs_[i].size() == 1) continue;
      SearchItem& item = items_.emplace_back();
      item.index = i;
      item.open = all;
      for (const RegisterId id : costs_[i]) item.weight += model_.share(id);
    }
  }

  void make_twins() {
    std::vector<std::size_t> users(model_.registers().size());
    for (const Cost& cost : costs_)
      for (const RegisterId id : cost) ++users[id];
    std::map<std::pair<Cost, std::vector<PoolId>>, std::size_t> classes;
    for (SearchItem& item : items_) {
      std::pair<Cost, std::vector<PoolId>> likeness;
      for (const RegisterId id : costs_[item.index]) {
        const Register& reg = model_.registers()[id];
        const bool own = users[id] == 1 && reg.accumulates == kNoRegister && reg.accumulators.empty();
        own ? likeness.second.push_back(reg.pool) : likeness.first.push_back(id);
      }
      item.twins = classes.emplace(std::move(likeness), classes.size()).first->second;
    }
  }

  void set_open(std::size_t item, Mask open) {
    if (items_[item].open == open) return;
    changes_.push_back({item, items_[item].open});
    items_[item].open = open;
  }
  void restore(std::size_t mark) {
    for (; changes_.size() > mark; changes_.pop_back()) items_[changes_.back().item].open = changes_.back().open;
  }

  // Closes those of `passes` that an item does not fit any more. False when one has nowhere left to go.
  bool look_again(Mask passes) {
    for (std::size_t i = 0; i < items_.size(); ++i) {
      if (items_[i].placed) continue;
      Mask open = items_[i].open;
      for (Mask rest = open & passes; rest != 0; rest = without_lowest(rest))
        if (!state_.fits(lowest(rest), cost(i))) open &= ~(Mask{1} << lowest(rest));
      set_open(i, open);
      if (open == 0) return false;
    }
    return true;
  }

  // An item whose registers a pass has is in it for nothing, and could be nowhere better.
  void settle(PassIndex pass) {
    for (std::size_t i = 0; i < items_.size(); ++i) {
      if (items_[i].placed || !state_.holds(pass, cost(i))) continue;
      items_[i].placed = true;
      placed_.emplace_back(i, pass);
    }
  }

  [[nodiscard]] Mask empty_passes() const {
    Mask empty = 0;
    for (PassIndex pass = 0; pass < count_; ++pass)
      if (state_.is_empty(pass)) empty |= Mask{1} << pass;
    return empty;
  }

  // The item with the fewest passes to choose from; of several the heaviest, which each dive sees a little differently.
  [[nodiscard]] std::optional<std::size_t> hardest(Mask hidden) const {
    std::optional<std::size_t> best;
    std::pair<int, std::uint64_t> best_key;
    for (std::size_t i = 0; i < items_.size(); ++i) {
      if (items_[i].placed) continue;
      const std::uint64_t half = items_[i].weight / 2;
      const std::uint64_t weight =
          seed_ == 0 ? items_[i].weight : half + mixed(mixed(seed_) + items_[i].index) % (half + 1);
      const std::pair key{-std::popcount(items_[i].open & ~hidden), weight};
      if (best && key <= best_key) continue;
      best = i;
      best_key = key;
    }
    return best;
  }

  [[nodiscard]] std::vector<PassIndex> cheapest_first(std::size_t item, Mask passes) const {
    std::vector<std::pair<Price, PassIndex>> priced;
    for (Mask rest = passes; rest != 0; rest = without_lowest(rest))
      priced.emplace_back(state_.price(lowest(rest), cost(item)), lowest(rest));
    std::sort(priced.begin(), priced.end());
    std::vector<PassIndex> sorted;
    for (const auto& [price, pass] : priced) sorted.push_back(pass);
    return sorted;
  }

  Outcome descend() {
    const Mask empty = empty_passes();
    const Mask hidden = without_lowest(empty);  // one empty pass is as good as the others
    const std::optional<std::size_t> item = hardest(hidden);
    if (!item) return Outcome::kFound;
    if (impossible_.contains(state_.hash())) return Outcome::kImpossible;
    const std::size_t mark = changes_.size();
    for (const PassIndex pass : cheapest_first(*item, items_[*item].open & ~hidden)) {
      const Outcome outcome = left_ == 0 ? Outcome::kGaveUp : place(*item, pass);
      if (outcome == Outcome::kFound) return outcome;
      if (outcome == Outcome::kGaveUp) {
        restore(mark);
        return outcome;
      }
      if (!close_for_twins(*item, state_.is_empty(pass) ? empty : Mask{1} << pass)) break;
    }
    restore(mark);
    if (impossible_.size() < kMostRemembered) impossible_.insert(state_.hash());
    return Outcome::kImpossible;
  }

  // What failed with an item in a pass fails with a twin there: in a packing the two could change places. False when
  // a twin has nowhere left to go.
  bool close_for_twins(std::size_t item, Mask passes) {
    for (std::size_t i = 0; i < items_.size(); ++i) {
      if (items_[i].placed || items_[i].twins != items_[item].twins) continue;
      set_open(i, items_[i].open & ~passes);
      if (items_[i].open == 0) return false;
    }
    return true;
  }

  // Everything is as it was unless a packing was found.
  Outcome place(std::size_t item, PassIndex pass) {
    --left_;
    if (++unasked_ == kNodesPerQuestion) {
      unasked_ = 0;
      if (cut_off_ != nullptr && cut_off_->strikes()) left_ = 0;
    }
    const std::size_t changes = changes_.size();
    const std::size_t added = state_.mark();
    const std::size_t placed = placed_.size();
    const bool tighter = state_.add(pass, cost(item));
    settle(pass);
    const Outcome outcome = look_again(tighter ? ~Mask{0} : Mask{1} << pass) ? descend() : Outcome::kImpossible;
    if (outcome == Outcome::kFound) return outcome;
    restore(changes);
    state_.take_back(added);
    for (; placed_.size() > placed; placed_.pop_back()) items_[placed_.back().first].placed = false;
    return outcome;
  }

  // The items where they are placed, and every cost of one register where a slot is left.
  [[nodiscard]] Packing packing() {
    Packing passes(count_);
    for (const auto& [item, pass] : placed_) passes[pass].push_back(static_cast<ItemId>(items_[item].index));
    for (std::size_t i = 0; i < costs_.size(); ++i) {
      if (costs_[i].size() != 1) continue;
      PassIndex pass = 0;
      while (!state_.fits(pass, costs_[i])) ++pass;
      state_.add(pass, costs_[i]);
      passes[pass].push_back(static_cast<ItemId>(i));
    }
    std::erase_if(passes, [](const std::vector<ItemId>& pass) { return pass.empty(); });
    for (std::vector<ItemId>& pass : passes) std::sort(pass.begin(), pass.end());
    return passes;
  }

  const RegisterModel& model_;
  const std::vector<Cost>& costs_;
  PassIndex count_;
  SearchState state_;
  std::vector<SearchItem> items_;
  std::uint64_t seed_ = 0;     // of this dive
  std::uint64_t left_ = 0;     // nodes of this dive
  std::uint64_t unasked_ = 0;  // nodes since the cut-off was asked
  CutOff* cut_off_ = nullptr;
  std::vector<Change> changes_;                            // in order, to be undone from the end
  std::vector<std::pair<std::size_t, PassIndex>> placed_;  // likewise
  std::unordered_set<StateHash, HashOfState> impossible_;  // states from which no packing can be reached
};

}  // namespace

SearchResult search_packing(const RegisterModel& model, const std::vector<Cost>& costs, std::uint32_t count,
                            Nodes& nodes) {
  if (costs.empty()) return {Outcome::kFound, {}};
  if (count == 0) return {Outcome::kImpossible, {}};
  if (count > kMostSearchedPasses || nodes.left == 0 || nodes.cut_off_struck()) return {Outcome::kGaveUp, {}};
  return Search{model, costs, count}.run(nodes);
}

}  // namespace multipass::planner
