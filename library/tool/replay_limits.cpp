// SPDX-License-Identifier: MIT
#include "tool/replay_limits.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "model/names.hpp"

namespace multipass::tool {
namespace {

using Unit = std::pair<std::string_view, std::uint64_t>;

constexpr std::string_view kNone = "none";
constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kLongest = 8760 * 3600 * kSecond;  // a year
constexpr std::uint64_t kGiga = 1'000'000'000;
constexpr std::uint64_t kMostBytes = 1'000'000 * kGiga;
constexpr std::array kTimes{Unit{"ms", kSecond / 1000}, Unit{"s", kSecond}, Unit{"m", 60 * kSecond},
                            Unit{"h", 3600 * kSecond}};
constexpr std::array kSizes{Unit{"B", 1},
                            Unit{"KB", 1000},
                            Unit{"MB", 1'000'000},
                            Unit{"GB", kGiga},
                            Unit{"TB", 1000 * kGiga},
                            Unit{"KiB", std::uint64_t{1} << 10U},
                            Unit{"MiB", std::uint64_t{1} << 20U},
                            Unit{"GiB", std::uint64_t{1} << 30U},
                            Unit{"TiB", std::uint64_t{1} << 40U}};
constexpr std::array kShares{Unit{"%", 1000}};  // in thousandths of a percent

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::optional<std::uint64_t> digits(std::string_view text, std::size_t most) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const bool is_digit = !text.empty() && text.front() >= '0' && text.front() <= '9';
  if (!is_digit || text.size() > most || std::from_chars(text.data(), end, value).ptr != end) return std::nullopt;
  return value;
}

// Fifteen digits, three more behind a point, and a unit, each of them there; at least one and at most `most`.
std::optional<std::uint64_t> quantity(std::string_view text, std::span<const Unit> units, std::uint64_t most) {
  const std::size_t number = std::min(text.find_first_not_of("0123456789."), text.size());
  const auto unit =
      std::find_if(units.begin(), units.end(), [&](const Unit& u) { return u.first == text.substr(number); });
  if (unit == units.end()) return std::nullopt;
  const std::size_t point = std::min(text.find('.'), number);
  const auto whole = digits(text.substr(0, point), 15);
  std::uint64_t thousandths = 0;
  if (point != number) {
    const auto fraction = digits(text.substr(point + 1, number - point - 1), 3);
    if (!fraction) return std::nullopt;
    thousandths = *fraction;
    for (std::size_t given = number - point - 1; given < 3; ++given) thousandths *= 10;
  }
  if (!whole || *whole > most / unit->second) return std::nullopt;
  // Largest: 10^15 of a TB and its thousandths. In two steps, so that nothing overflows.
  const std::uint64_t value =
      *whole * unit->second + thousandths * (unit->second / 1000) + thousandths * (unit->second % 1000) / 1000;
  return value == 0 || value > most ? std::nullopt : std::optional(value);
}

template <typename T>
Result<T> refused(std::string_view text, const char* allowed) {
  return Status::error("'" + std::string(text) + "' is not understood (allowed: " + allowed + ")");
}

}  // namespace

Result<ReplayBudget> parse_replay_budget(std::string_view text) {
  ReplayBudget budget;
  if (trimmed(text) == kNone) return budget;
  constexpr const char* kAllowed =
      "a duration (500ms, 90s, 5m, 1h), a share of the wall time so far (10%), both with a comma, none";
  for (std::string_view rest = text;;) {
    const std::size_t comma = rest.find(',');
    const std::string_view part = trimmed(rest.substr(0, comma));
    if (part.ends_with('%')) {
      const auto share = quantity(part, kShares, 100'000);
      if (!share || budget.share > 0) return refused<ReplayBudget>(text, kAllowed);
      budget.share = static_cast<double>(*share) / 100'000;
    } else {
      const auto ns = quantity(part, kTimes, kLongest);
      if (!ns || budget.ns != 0) return refused<ReplayBudget>(text, kAllowed);
      budget.ns = *ns;
    }
    if (comma == std::string_view::npos) return budget;
    rest.remove_prefix(comma + 1);
  }
}

Result<std::uint64_t> parse_max_replays(std::string_view text) {
  const std::string_view number = trimmed(text);
  if (number == kNone) return std::uint64_t{0};
  constexpr std::uint64_t kMost = 4294967295;
  const std::size_t first = number.find_first_not_of('0');
  const auto value = first == std::string_view::npos ? std::nullopt : digits(number.substr(first), 10);
  if (!value || *value > kMost) return refused<std::uint64_t>(text, "a number from 1 to 4294967295, none");
  return *value;
}

Result<SafetyReasons> parse_unsafe(std::string_view text) {
  SafetyReasons lifted;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = std::min(rest.find_first_of(", \t"), rest.size());
    const std::string_view name = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (name.empty()) continue;
    if (name == "all") {
      lifted.add_all();
    } else if (const auto reason = safety_reason_of(name)) {
      lifted.add(*reason);
    } else {
      std::string allowed;
      for (const DeclineReason known : kSafetyReasons) allowed.append(name_of(known)).append(", ");
      return refused<SafetyReasons>(name, (allowed + "all").c_str());
    }
  }
  if (!lifted.any()) return refused<SafetyReasons>(text, "names of reasons, all");
  return lifted;
}

Result<std::uint64_t> parse_host_memory(std::string_view text) {
  const auto bytes = quantity(trimmed(text), kSizes, kMostBytes);
  if (!bytes) return refused<std::uint64_t>(text, "a size (512MB, 64GB, 64GiB)");
  return *bytes;
}

}  // namespace multipass::tool
