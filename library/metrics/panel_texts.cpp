// SPDX-License-Identifier: MIT
//
// What is said of panels: what is lost, and what is in several passes.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "metrics/embedded.hpp"
#include "metrics/panels.hpp"
#include "model/gpu_title.hpp"

namespace multipass::metrics {
namespace {

constexpr std::size_t kMostLost = 12;
constexpr std::size_t kMostSpread = 3;  // every default profile has ten of them; `plan --explain` names all

// What is to be told of one GPU; empty: nothing.
struct Told {
  const AgentInfo* gpu;
  std::string text;
};

// One sentence for all GPUs of which the same is told, in the order of the first of each.
std::vector<std::string> by_gpus(const std::vector<Told>& told) {
  std::vector<std::pair<std::string, std::vector<std::string>>> sentences;
  for (const Told& one : told) {
    if (one.text.empty()) continue;
    const auto same = [&](const auto& sentence) { return sentence.first == one.text; };
    auto found = std::find_if(sentences.begin(), sentences.end(), same);
    if (found == sentences.end()) found = sentences.insert(sentences.end(), {one.text, {}});
    found->second.push_back(gpu_title(*one.gpu));
  }
  std::vector<std::string> texts;
  for (const auto& [text, gpus] : sentences) texts.push_back(joined(gpus) + ": " + text);
  return texts;
}

std::string metrics_of_panels(std::size_t count, const char* one, const char* many) {
  return counted(count, "metric", "metrics") + " of rocprofiler-compute's panels" + (count == 1 ? one : many);
}

std::string architectures() {
  const auto all = nlohmann::json::parse(embedded_panels());
  return joined(all.at("architectures").get<std::vector<std::string>>(), " and ");
}

std::string text_of(const std::vector<LostMetric>& lost) {
  if (lost.empty()) return {};
  std::vector<std::string> names;
  for (const LostMetric& metric : lost) names.push_back(metric.name + " (" + joined(metric.missing) + ")");
  return metrics_of_panels(lost.size(), " is left out: the SDK does not list a counter of it: ",
                           " are left out: the SDK does not list a counter of each: ") +
         joined_up_to(names, kMostLost);
}

// Counters that are read, and not only to compare passes.
std::set<std::string> counters_of(const AgentPlan& plan) {
  std::set<std::string> counters;
  for (const PassPlan& pass : plan.passes)
    for (const std::string& counter : pass.counters)
      if (!std::binary_search(pass.sentinels.begin(), pass.sentinels.end(), counter)) counters.insert(counter);
  return counters;
}

// Names of the metrics of panels without a pass for all their counters: those that lack one altogether, or the others.
std::vector<std::string> not_in_one_pass(const PlannedPanels& gpu, bool lacking) {
  const std::set<std::string> planned = counters_of(*gpu.plan);
  std::vector<std::string> names;
  for (const Metric& metric : *gpu.metrics) {
    if (!metric.of_panel() || gpu.plan->first_with(metric.counters)) continue;
    if (lacking != std::includes(planned.begin(), planned.end(), metric.counters.begin(), metric.counters.end()))
      names.push_back(metric.name);
  }
  return names;
}

}  // namespace

std::vector<std::string> panel_warnings(const std::vector<GpuPanels>& gpus, bool keeps_instances) {
  std::vector<Told> lost;
  std::vector<std::string> unknown;
  std::set<std::uint32_t> split;
  for (const GpuPanels& one : gpus) {
    lost.push_back({one.gpu, text_of(one.panels->lost)});
    if (!one.panels->known) unknown.push_back(gpu_title(*one.gpu));
    split.insert(one.panels->split.begin(), one.panels->split.end());
  }
  std::vector<std::string> texts = by_gpus(lost);
  if (!unknown.empty())
    texts.push_back("no panel is collected on " + joined(unknown) + ": panels are known for " + architectures() +
                    " only");
  if (keeps_instances) return texts;
  for (const std::uint32_t panel : split)
    texts.push_back("the channel tables of panel " + std::to_string(panel) +
                    " will be empty: what single channels count is recorded with '--instances keep' only");
  return texts;
}

std::vector<std::string> unplanned_warnings(const std::vector<PlannedPanels>& gpus) {
  std::vector<Told> told;
  for (const PlannedPanels& gpu : gpus)
    if (const std::vector<std::string> names = not_in_one_pass(gpu, true); !names.empty())
      told.push_back({gpu.gpu, metrics_of_panels(names.size(), " is lost with a counter that has no place: ",
                                                 " are lost with counters that have no place: ") +
                                   joined_up_to(names, kMostLost)});
  return by_gpus(told);
}

std::vector<std::string> spread_notes(const std::vector<PlannedPanels>& gpus) {
  std::vector<Told> told;
  for (const PlannedPanels& gpu : gpus)
    if (const std::vector<std::string> names = not_in_one_pass(gpu, false); !names.empty())
      told.push_back({gpu.gpu, metrics_of_panels(names.size(), " has counters that no pass takes together: ",
                                                 " have counters that no pass takes together: ") +
                                   joined_up_to(names, kMostSpread) +
                                   "; they are computed of what several passes read"});
  return by_gpus(told);
}

}  // namespace multipass::metrics
