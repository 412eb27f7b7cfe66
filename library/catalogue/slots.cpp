// SPDX-License-Identifier: MIT
#include "catalogue/slots.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>

namespace multipass::catalogue {
namespace {

using Names = std::vector<std::string>;

// How many registers a block has on most architectures (ROCm/rocm-systems @1b1610fc). Where
// the trial starts, no more: with a wrong number it is longer and comes to the same end.
std::size_t usual_slots(std::string_view block) noexcept {
  constexpr std::array<std::string_view, 5> kTwo{"CPC", "CPF", "GRBM", "TA", "TD"};
  if (block == "SQ") return 8;
  if (block == "SPI") return 6;
  return std::find(kTwo.begin(), kTwo.end(), block) == kTwo.end() ? 4 : 2;
}

Names first_of(const Names& names, std::size_t count) {
  return {names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(count, names.size()))};
}

class Trials final {
 public:
  explicit Trials(const TryConfig& try_config) : try_config_(try_config) {}

  [[nodiscard]] Answer answer_to(const Names& names) {
    ++count_;
    return try_config_(names);
  }
  [[nodiscard]] std::size_t count() const noexcept { return count_; }

 private:
  const TryConfig& try_config_;
  std::size_t count_ = 0;
};

// One counter after the other; those that are refused for another reason than the limit are passed over.
std::size_t probe_singly(Trials& trials, const Names& names) {
  Names trial;
  for (const std::string& name : names) {
    trial.push_back(name);
    const Answer answer = trials.answer_to(trial);
    if (answer == Answer::kTaken) continue;
    trial.pop_back();
    if (answer == Answer::kTooMany && !trial.empty()) break;
  }
  return trial.size();
}

// `taken` are accepted. Nothing when a counter is refused for another reason than the limit.
std::optional<std::size_t> probe_upwards(Trials& trials, const Names& names, std::size_t taken) {
  for (; taken < names.size(); ++taken) {
    const Answer answer = trials.answer_to(first_of(names, taken + 1));
    if (answer == Answer::kTooMany) return taken;
    if (answer != Answer::kTaken) return std::nullopt;
  }
  return taken;
}

// `taken` are too many. Nothing when a counter is refused for another reason, or even one is too many.
std::optional<std::size_t> probe_downwards(Trials& trials, const Names& names, std::size_t taken) {
  while (--taken > 0) {
    const Answer answer = trials.answer_to(first_of(names, taken));
    if (answer == Answer::kTaken) return taken;
    if (answer != Answer::kTooMany) return std::nullopt;
  }
  return std::nullopt;
}

// `usual_fit`: it is known that as many counters as usual are accepted.
std::size_t probe_block(Trials& trials, const Names& names, std::size_t usual, bool usual_fit) {
  const std::size_t some = std::min(usual, names.size());
  const Answer answer = usual_fit ? Answer::kTaken : trials.answer_to(first_of(names, some));
  std::optional<std::size_t> found;
  if (answer == Answer::kTaken) found = probe_upwards(trials, names, some);
  if (answer == Answer::kTooMany) found = probe_downwards(trials, names, some);
  return found ? *found : probe_singly(trials, names);
}

}  // namespace

Slots probe_slots(const std::vector<CounterInfo>& counters, const TryConfig& try_config) {
  std::map<std::string, Names> by_block;
  std::set<std::string_view> known;
  for (const CounterInfo& counter : counters)
    if (!counter.is_derived && !counter.is_constant && !counter.block.empty() && known.insert(counter.name).second)
      by_block[counter.block].push_back(counter.name);

  Trials trials{try_config};
  Names usual;
  for (const auto& [block, names] : by_block) {
    const Names some = first_of(names, usual_slots(block));
    usual.insert(usual.end(), some.begin(), some.end());
  }
  const bool usual_fit = !usual.empty() && trials.answer_to(usual) == Answer::kTaken;
  Slots slots;
  for (const auto& [block, names] : by_block)
    slots.by_block[block] = static_cast<std::uint32_t>(probe_block(trials, names, usual_slots(block), usual_fit));
  slots.trials = trials.count();
  return slots;
}

}  // namespace multipass::catalogue
