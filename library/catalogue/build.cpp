// SPDX-License-Identifier: MIT
#include "catalogue/build.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

namespace multipass::catalogue {
namespace {

constexpr std::string_view kAccumulate = "accumulate";

// A counter named in an expression; `flag` is LOW_RES or HIGH_RES inside an accumulate(), else empty.
struct Mention {
  std::string name;
  std::string flag;
  friend auto operator<=>(const Mention&, const Mention&) = default;
};

// ASCII only: expressions are not subject to the locale.
bool is_letter(char c) noexcept {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}
bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}
bool is_blank(char c) noexcept {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// Reads an expression from left to right and knows only what matters here: words, numbers, and the brackets of
// accumulate(). The grammar around them (select, reduce, arithmetic) does not change which registers are needed.
class Scanner final {
 public:
  explicit Scanner(std::string_view text) noexcept : text_(text) {}

  [[nodiscard]] std::vector<Mention> mentions() {
    std::vector<Mention> found;
    while (next_word()) {
      if (peek() != '(') {
        found.push_back({std::string{word_}, {}});
      } else if (word_ == kAccumulate) {
        read_accumulate(found);
      }
    }
    return found;
  }

 private:
  // Moves to the next identifier; numbers such as 1e5 are passed over whole. False at the end.
  bool next_word() noexcept {
    while (at_ < text_.size()) {
      if (is_letter(text_[at_])) return take_word();
      if (is_digit(text_[at_]))
        skip_number();
      else
        ++at_;
    }
    return false;
  }

  bool take_word() noexcept {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
    word_ = text_.substr(begin, at_ - begin);
    return true;
  }

  void skip_number() noexcept {
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]) || text_[at_] == '.')) ++at_;
  }

  // The next character that is no blank, without moving; '\0' at the end.
  [[nodiscard]] char peek() const noexcept {
    std::size_t at = at_;
    while (at < text_.size() && is_blank(text_[at])) ++at;
    return at < text_.size() ? text_[at] : '\0';
  }

  // After the word "accumulate": ( argument , FLAG ). Every counter in the argument gets the flag.
  void read_accumulate(std::vector<Mention>& found) {
    const std::size_t open = text_.find('(', at_);
    const std::size_t close = closing(open);
    const std::string_view inside = text_.substr(open + 1, close - open - 1);
    const std::size_t comma = inside.rfind(',');
    const std::string_view argument = inside.substr(0, comma);
    std::string flag = comma == std::string_view::npos ? std::string{} : first_word(inside.substr(comma + 1));
    if (flag == "NONE") flag.clear();
    for (Mention& mention : Scanner{argument}.flat_mentions()) found.push_back({std::move(mention.name), flag});
    at_ = close;
  }

  // Words that are no functions, whatever stands around them. An accumulate() inside another one is not a thing.
  [[nodiscard]] std::vector<Mention> flat_mentions() {
    std::vector<Mention> found;
    while (next_word())
      if (peek() != '(') found.push_back({std::string{word_}, {}});
    return found;
  }

  [[nodiscard]] std::size_t closing(std::size_t open) const noexcept {
    std::size_t depth = 0;
    for (std::size_t at = open; at < text_.size(); ++at) {
      if (text_[at] == '(') ++depth;
      if (text_[at] == ')' && --depth == 0) return at;
    }
    return text_.size();
  }

  static std::string first_word(std::string_view text) {
    Scanner scanner{text};
    return scanner.next_word() ? std::string{scanner.word_} : std::string{};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string_view word_;
};

// What a counter costs that nobody can tell: the block "" has no slots anywhere.
RegisterKey unknown_cost(const std::string& counter) {
  return {"", counter};
}

// Of a word that is no counter of the agent: true when it was meant as one. Properties and operators are in small
// letters, counters never: so in all expressions of rocprofiler-sdk
// source/lib/rocprofiler-sdk/counters/yaml/counter_defs.yaml @ 8ab1ed78.
bool names_counter(std::string_view word) noexcept {
  constexpr std::array<std::string_view, 3> kFlags{"HIGH_RES", "LOW_RES", "NONE"};
  if (word.starts_with("DIMENSION_") || std::find(kFlags.begin(), kFlags.end(), word) != kFlags.end()) return false;
  return std::any_of(word.begin(), word.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
}

RegisterKey base_key(const CounterInfo& counter, const std::string& flag) {
  if (counter.block.empty()) return unknown_cost(counter.name);
  return {counter.block, flag.empty() ? counter.name : counter.name + '@' + flag};
}

}  // namespace

std::vector<RegisterKey> register_keys(const CounterInfo& counter, const std::map<std::string, CounterInfo>& counters) {
  std::set<RegisterKey> keys;
  std::set<Mention> seen;
  std::vector<std::pair<const CounterInfo*, std::string>> open{{&counter, {}}};
  bool of_constants = counter.is_constant;  // it uses some, or properties of the agent
  while (!open.empty()) {
    const auto [info, flag] = open.back();
    open.pop_back();
    of_constants = of_constants || info->is_constant;
    if (info->is_constant) continue;
    if (!info->is_derived) {
      keys.insert(base_key(*info, flag));
      continue;
    }
    if (info->expression.empty()) keys.insert(unknown_cost(info->name));
    for (Mention& mention : Scanner{info->expression}.mentions()) {
      const auto known = counters.find(mention.name);
      if (known == counters.end()) {
        if (names_counter(mention.name))
          keys.insert(unknown_cost(mention.name));
        else
          of_constants = true;
        continue;
      }
      if (mention.flag.empty()) mention.flag = flag;
      if (seen.insert(mention).second) open.emplace_back(&known->second, mention.flag);
    }
  }
  // An expression that leads to itself alone costs nothing that anybody can tell.
  if (keys.empty() && !of_constants) keys.insert(unknown_cost(counter.name));
  return {keys.begin(), keys.end()};
}

AgentCatalogue build(AgentInfo agent, std::vector<CounterInfo> counters, std::map<std::string, std::uint32_t> slots) {
  AgentCatalogue catalogue;
  catalogue.agent = std::move(agent);
  catalogue.slots = std::move(slots);
  for (CounterInfo& counter : counters) {
    std::string name = counter.name;
    catalogue.counters.emplace(std::move(name), std::move(counter));
  }
  for (const auto& [name, counter] : catalogue.counters)
    catalogue.register_keys.emplace(name, register_keys(counter, catalogue.counters));
  return catalogue;
}

}  // namespace multipass::catalogue
