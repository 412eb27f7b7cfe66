// SPDX-License-Identifier: MIT
#include "metrics/metrics.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "catalogue/spelling.hpp"
#include "metrics/embedded.hpp"
#include "metrics/identifiers.hpp"
#include "model/gpu_title.hpp"

namespace multipass::metrics {
namespace {

using nlohmann::json;

// Built in and checked by tests: it has the members that are read here.
json data() {
  return json::parse(embedded_sets());
}

std::vector<std::string> names_of_sets(const json& all) {
  std::vector<std::string> names;
  for (const json& set : all.at("sets")) names.push_back(set.at("name").get<std::string>());
  return names;
}

bool contains(const std::vector<std::string>& texts, const std::string& text) {
  return std::find(texts.begin(), texts.end(), text) != texts.end();
}

// The architecture whose formulas hold for `name`: one that is defined alike, or itself.
std::string described_as(const json& all, const std::string& name) {
  return all.at("aliases").value(name, name);
}

std::optional<Metric> metric_on(const json& entry, const std::string& architecture) {
  for (const json& variant : entry.at("variants")) {
    if (!contains(variant.at("architectures").get<std::vector<std::string>>(), architecture)) continue;
    Metric metric;
    entry.at("name").get_to(metric.name);
    entry.at("set").get_to(metric.set);
    entry.at("unit").get_to(metric.unit);
    variant.at("formula").get_to(metric.formula);
    metric.counters = counters_in(metric.formula);
    return metric;
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::string> missing_counters(const Metric& metric, const AgentCatalogue& gpu) {
  std::vector<std::string> missing;
  for (const std::string& counter : metric.counters)
    if (!gpu.counters.contains(counter)) missing.push_back(counter);
  return missing;
}

std::vector<std::string> set_names() {
  return names_of_sets(data());
}

SetNames check_names(const std::vector<std::string>& names) {
  SetNames result;
  if (names.empty()) return result;
  const std::vector<std::string> all = set_names();
  std::copy_if(all.begin(), all.end(), std::back_inserter(result.known),
               [&](const std::string& name) { return contains(names, name); });
  for (const std::string& name : std::set<std::string>(names.begin(), names.end())) {
    if (contains(all, name)) continue;
    const std::optional<std::string> near = catalogue::nearest(name, {all.begin(), all.end()});
    result.problems.push_back("'" + name + "' is not a set of metrics" +
                              (near ? "; did you mean " + *near + "?" : ";") + " there are " + joined(all));
  }
  return result;
}

Expansion expand(const std::vector<std::string>& sets, const AgentCatalogue& gpu) {
  Expansion result;
  if (sets.empty() || gpu.counters.empty()) return result;
  const json all = data();
  const std::string architecture = described_as(all, gpu.agent.name);
  std::set<std::string> without(sets.begin(), sets.end());
  for (const json& entry : all.at("metrics")) {
    if (!contains(sets, entry.at("set").get<std::string>())) continue;
    std::optional<Metric> metric = metric_on(entry, architecture);
    if (!metric) continue;
    without.erase(metric->set);
    const std::vector<std::string> missing = missing_counters(*metric, gpu);
    if (missing.empty())
      result.metrics.push_back(*std::move(metric));
    else
      result.warnings.push_back("metric " + metric->name + " is left out on " + gpu_title(gpu.agent) +
                                ": its SDK does not list " + joined(missing));
  }
  if (!without.empty())
    result.warnings.push_back((without.size() == 1 ? "set " : "sets ") + joined(without) +
                              (without.size() == 1 ? " has" : " have") + " no metric for " + gpu_title(gpu.agent));
  return result;
}

void add_to(catalogue::DeviceRequest& request, const std::vector<Metric>& metrics) {
  std::set<std::string> wanted(request.counters.begin(), request.counters.end());
  for (const Metric& metric : metrics) {
    for (const std::string& counter : metric.counters)
      if (wanted.insert(counter).second) request.counters.push_back(counter);
    if (metric.counters.size() > 1)
      (metric.of_panel() ? request.loose_groups : request.groups).push_back(metric.counters);
  }
}

std::vector<PlannedMetric> place(std::vector<Metric> metrics, const AgentPlan& plan) {
  std::vector<PlannedMetric> placed;
  for (Metric& metric : metrics) {
    const std::optional<std::uint32_t> pass = plan.first_with(metric.counters);
    placed.push_back({std::move(metric), pass});
  }
  return placed;
}

std::string text_of_unplaceable(const UnplaceableCounter& unplaceable, const std::vector<Metric>& metrics) {
  std::vector<std::string> lost;
  for (const Metric& metric : metrics)
    if (!metric.of_panel() && joined(metric.counters, ",") == unplaceable.counter)
      lost.push_back(metric.name + " of set " + metric.set);
  std::string text = unplaceable.counter + (unplaceable.is_group() ? " are not in one pass: " : " is not collected: ") +
                     unplaceable.reason;
  if (!lost.empty())
    text += "; " + std::string{lost.size() == 1 ? "the metric " : "the metrics "} + joined(lost) +
            (lost.size() == 1 ? " is lost" : " are lost");
  else if (unplaceable.is_group() && !unplaceable.block.empty())
    text += "; a group with fewer " + unplaceable.block + " counters fits";
  return text;
}

}  // namespace multipass::metrics
