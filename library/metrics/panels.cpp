// SPDX-License-Identifier: MIT
#include "metrics/panels.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "metrics/embedded.hpp"

namespace multipass::metrics {
namespace {

using nlohmann::json;

constexpr std::string_view kAll = "all";
constexpr std::string_view kEveryChannel = "[*]";  // behind the name of a counter
// A user of rocprofiler-compute has normalised metrics per kernel, second, wave or cycle; for the last two it takes
// these.
constexpr std::array kNormalUnits{"GRBM_GUI_ACTIVE", "SQ_WAVES"};

// Built in and checked by tests: it has the members that are read here.
json data() {
  return json::parse(embedded_panels());
}

template <class Values>
bool contains(const Values& values, const typename Values::value_type& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

std::vector<std::uint32_t> numbers_of(const json& all) {
  std::vector<std::uint32_t> numbers;
  for (const json& panel : all.at("panels")) numbers.push_back(panel.at("panel").get<std::uint32_t>());
  return numbers;
}

std::string text_of(const std::vector<std::uint32_t>& numbers) {
  std::vector<std::string> texts;
  for (const std::uint32_t number : numbers) texts.push_back(std::to_string(number));
  return joined(texts);
}

std::vector<std::string_view> parts_of(std::string_view text) {
  constexpr std::string_view kBetween = ", \t\n";
  std::vector<std::string_view> parts;
  for (std::size_t begin = text.find_first_not_of(kBetween); begin != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(kBetween, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = text.find_first_not_of(kBetween, end);
  }
  return parts;
}

// As it is written in the list of panels, without a sign or a 0 in front.
std::optional<std::uint32_t> number_in(std::string_view part) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), number);
  if (error != std::errc{} || std::to_string(number) != part) return std::nullopt;
  return number;
}

// Why `what` cannot be taken. rocprofiler-compute takes tables and metrics, too: 7.2, 7.2.1.
std::string no_panel(std::string_view what, const std::vector<std::uint32_t>& all) {
  const std::size_t dot = what.find('.');
  const std::optional<std::uint32_t> panel = number_in(what.substr(0, dot));
  const std::string hint = dot != std::string_view::npos && panel && contains(all, *panel)
                               ? "panels are whole, give " + std::to_string(*panel)
                               : "give all, or some of " + text_of(all) + ", with commas";
  return "'" + std::string{what} + "' is no panel: " + hint;
}

// The entries of the chosen panels for one architecture, in the order of the data.
class Expander final {
 public:
  explicit Expander(const AgentCatalogue& gpu) : gpu_(gpu) {}

  void add(const json& panel) {
    const auto number = panel.at("panel").get<std::uint32_t>();
    for (const json& table : panel.at("tables"))
      for (const json& entry : table.at("metrics"))
        if (contains(entry.at("architectures").get<std::vector<std::string>>(), gpu_.agent.name))
          add_metric(number, table.at("table").get<std::string>(), entry);
  }

  [[nodiscard]] PanelExpansion finish() {
    if (normalised_) add_units();
    return std::move(result_);
  }

 private:
  void add_metric(std::uint32_t panel, const std::string& table, const json& entry) {
    Metric metric;
    metric.name = table + ' ' + entry.at("metric").get<std::string>();
    metric.set = "panel " + std::to_string(panel);
    bool of_channels = false;
    for (std::string counter : entry.at("counters").get<std::vector<std::string>>()) {
      if (counter.ends_with(kEveryChannel)) {
        of_channels = true;
        counter.resize(counter.size() - kEveryChannel.size());
      }
      metric.counters.push_back(std::move(counter));
    }
    std::sort(metric.counters.begin(), metric.counters.end());
    if (std::vector<std::string> missing = missing_counters(metric, gpu_); !missing.empty()) {
      result_.lost.push_back({std::move(metric.name), std::move(missing)});
      return;
    }
    if (of_channels && !contains(result_.split, panel)) result_.split.push_back(panel);
    normalised_ = normalised_ || entry.value("normalised", false);
    result_.metrics.push_back(std::move(metric));
  }

  void add_units() {
    for (const char* unit : kNormalUnits) {
      if (gpu_.counters.contains(unit))
        result_.units.emplace_back(unit);
      else
        result_.lost.push_back({"normalised metrics per wave or cycle", {unit}});
    }
  }

  const AgentCatalogue& gpu_;
  bool normalised_ = false;
  PanelExpansion result_;
};

}  // namespace

std::vector<std::uint32_t> panel_numbers() {
  return numbers_of(data());
}

Result<std::vector<std::uint32_t>> parse_panels(std::string_view text) {
  const std::vector<std::uint32_t> all = panel_numbers();
  const std::vector<std::string_view> parts = parts_of(text);
  if (parts.empty()) return Status::error("it is empty: give all, or panels by number");
  if (parts.size() == 1 && parts[0] == kAll) return all;
  std::set<std::uint32_t> numbers;
  for (const std::string_view part : parts) {
    if (part == kAll) return Status::error("'all' stands alone: leave out the others, or it");
    const std::optional<std::uint32_t> number = number_in(part);
    if (!number || !contains(all, *number)) return Status::error(no_panel(part, all));
    numbers.insert(*number);
  }
  return std::vector<std::uint32_t>{numbers.begin(), numbers.end()};
}

std::vector<std::uint32_t> known_panels(const std::vector<std::uint32_t>& numbers, std::vector<std::string>& problems) {
  if (numbers.empty()) return {};
  const std::vector<std::uint32_t> all = panel_numbers();
  std::vector<std::uint32_t> known;
  for (const std::uint32_t number : std::set<std::uint32_t>(numbers.begin(), numbers.end()))
    if (contains(all, number))
      known.push_back(number);
    else
      problems.push_back(no_panel(std::to_string(number), all));
  return known;
}

PanelExpansion expand_panels(const std::vector<std::uint32_t>& panels, const AgentCatalogue& gpu) {
  PanelExpansion nothing;
  if (panels.empty() || gpu.counters.empty()) return nothing;
  const json all = data();
  nothing.known = contains(all.at("architectures").get<std::vector<std::string>>(), gpu.agent.name);
  if (!nothing.known) return nothing;
  Expander expander{gpu};
  for (const json& panel : all.at("panels"))
    if (contains(panels, panel.at("panel").get<std::uint32_t>())) expander.add(panel);
  return expander.finish();
}

void add_panels(catalogue::DeviceRequest& request, const PanelExpansion& panels) {
  add_to(request, panels.metrics);
  for (const std::string& unit : panels.units)
    if (!contains(request.counters, unit)) request.counters.push_back(unit);
}

}  // namespace multipass::metrics
