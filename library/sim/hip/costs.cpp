// SPDX-License-Identifier: MIT
#include "sim/hip/costs.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>

#include "sim/hip/message.hpp"

namespace multipass_sim {
namespace {

constexpr const char* kVariable = "ROCPROFSYS_MULTIPASS_SIM_COST";
constexpr const char* kKnown = "there are: copy=RATE, kernel=TIME, drain=TIME";

struct Unit {
  std::string_view name;
  double size;
};

// In nanoseconds.
constexpr std::array kTimes = {Unit{"ns", 1}, Unit{"us", 1e3}, Unit{"ms", 1e6}, Unit{"s", 1e9}};
// In bytes each second.
constexpr std::array kRates = {Unit{"KB/s", 1e3}, Unit{"MB/s", 1e6}, Unit{"GB/s", 1e9}, Unit{"TB/s", 1e12}};

template <std::size_t kCount>
double quantity(std::string_view word, std::string_view text, const std::array<Unit, kCount>& units,
                std::string_view form) {
  double number = 0;
  const auto [stopped, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view name = text.substr(static_cast<std::size_t>(stopped - text.data()));
  const auto* const unit =
      std::find_if(units.begin(), units.end(), [name](const Unit& one) { return one.name == name; });
  constexpr double kLargest = 1e15;  // of the smallest unit; a time of more than eleven days is a slip
  if (error != std::errc() || unit == units.end() || !(number * unit->size >= 1 && number * unit->size <= kLargest))
    throw std::invalid_argument(std::string(word) + "=" + std::string(text) + ": " + std::string(form) +
                                " is expected");
  return number * unit->size;
}

std::uint64_t time_of(std::string_view word, std::string_view text) {
  return static_cast<std::uint64_t>(quantity(word, text, kTimes, "a time such as 20us, 1ms or 2s"));
}

Costs read() noexcept {
  const char* const value = std::getenv(kVariable);
  if (value == nullptr) return {};
  try {
    return Costs::parse(value);
  } catch (const std::exception& error) {
    print_message(std::string(kVariable) + ": " + error.what());
    std::abort();
  }
}

}  // namespace

Costs Costs::parse(std::string_view text) {
  Costs costs;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    const std::string_view part = text.substr(0, comma);
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
    if (part.empty()) continue;
    const std::size_t equals = part.find('=');
    const std::string_view word = part.substr(0, equals);
    const std::string_view amount = equals == std::string_view::npos ? std::string_view{} : part.substr(equals + 1);
    if (word == "kernel") {
      costs.kernel_ns_ = time_of(word, amount);
    } else if (word == "drain") {
      costs.drain_ns_ = time_of(word, amount);
    } else if (word == "copy") {
      costs.copy_ns_per_byte_ = 1e9 / quantity(word, amount, kRates, "a rate such as 500MB/s or 4GB/s");
    } else {
      throw std::invalid_argument("no cost is called \"" + std::string(word) + "\"; " + kKnown);
    }
  }
  return costs;
}

std::uint64_t Costs::copy_ns(std::uint64_t bytes) const noexcept {
  return static_cast<std::uint64_t>(static_cast<double>(bytes) * copy_ns_per_byte_);
}

const Costs& costs() noexcept {
  static const Costs read_once = read();
  return read_once;
}

}  // namespace multipass_sim
