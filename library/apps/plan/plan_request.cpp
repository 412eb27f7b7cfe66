// SPDX-License-Identifier: MIT
#include "apps/plan/plan_request.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "catalogue/accumulations.hpp"
#include "events/parse.hpp"
#include "events/sentinel_list.hpp"
#include "metrics/metrics.hpp"
#include "metrics/panels.hpp"
#include "model/gpu_title.hpp"
#include "planner/explain.hpp"
#include "planner/sentinels.hpp"

namespace multipass::apps {
namespace {

void add_problem(PlanDocument& document, const events::Problem& problem, std::uint32_t column, bool sentinel = false) {
  catalogue::UnknownToken unknown{problem.token, column, std::nullopt, problem.message, sentinel};
  if (!problem.hint.empty()) unknown.suggestion = problem.hint;
  document.unknown.push_back(std::move(unknown));
}

std::vector<std::string> parse_group(PlanDocument& document, const std::string& text) {
  const events::ParsedEvents parsed = events::parse(text);
  for (const events::Problem& problem : parsed.problems) add_problem(document, problem, 0);
  std::vector<std::string> counters;
  for (const CounterRequest& request : parsed.requests) {
    if (request.device)
      add_problem(document,
                  {events::text_of(request), 0, "a group holds for every GPU that wants it: no ':device=' in it",
                   request.counter},
                  0);
    else
      counters.push_back(request.counter);
  }
  return counters;
}

template <class List>
void append(List& target, List source) {
  target.insert(target.end(), std::make_move_iterator(source.begin()), std::make_move_iterator(source.end()));
}

// By GPU. What cannot be is told in the document.
std::vector<planner::SentinelChoice> choose_sentinels(PlanDocument& document, const std::string& text,
                                                      const std::vector<const AgentCatalogue*>& gpus) {
  std::vector<planner::SentinelChoice> choices(gpus.size());
  const events::SentinelList list = events::parse_sentinels(text);
  for (const events::Problem& problem : list.named.problems) add_problem(document, problem, problem.column, true);
  for (const events::Problem& note : list.named.notes)
    document.notes.push_back("sentinels: " + note.token + ": " + note.message);
  catalogue::SentinelResolution resolution = catalogue::resolve_sentinels(list.named.requests, gpus);
  for (std::size_t i = 0; i < gpus.size(); ++i) choices[i] = {list.automatic, std::move(resolution.devices[i])};
  append(document.unknown, std::move(resolution.unknown));
  append(document.ignored, std::move(resolution.ignored));
  append(document.warnings, std::move(resolution.warnings));
  append(document.notes, std::move(resolution.notes));
  return choices;
}

void sort_unique(std::vector<std::string>& texts) {
  std::sort(texts.begin(), texts.end());
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
}

void sort_document(PlanDocument& document) {
  std::sort(document.unknown.begin(), document.unknown.end(), [](const auto& a, const auto& b) {
    return std::tie(a.sentinel, a.token, a.column, a.reason) < std::tie(b.sentinel, b.token, b.column, b.reason);
  });
  std::sort(document.ignored.begin(), document.ignored.end(),
            [](const auto& a, const auto& b) { return std::tie(a.token, a.reason) < std::tie(b.token, b.reason); });
  sort_unique(document.duplicates);
  sort_unique(document.warnings);
  sort_unique(document.notes);
}

bool wants_accumulations(const PlanTexts& texts) {
  return !texts.compute_panels.empty() || catalogue::names_accumulation(texts.events) ||
         catalogue::names_accumulation(texts.sentinel) ||
         std::any_of(texts.groups.begin(), texts.groups.end(), catalogue::names_accumulation);
}

// What GPUs are asked for by sets and panels, and what is to be said of that when they are planned.
class WantedMetrics final {
 public:
  WantedMetrics(const PlanTexts& texts, const std::vector<const AgentCatalogue*>& gpus) : gpus_(gpus) {
    for (const AgentCatalogue* gpu : gpus) {
      sets_.push_back(metrics::expand(texts.sets, *gpu));
      panels_.push_back(metrics::expand_panels(texts.compute_panels, *gpu));
    }
  }

  void add_to(std::vector<catalogue::DeviceRequest>& devices) const {
    for (std::size_t i = 0; i < gpus_.size(); ++i) {
      metrics::add_to(devices[i], sets_[i].metrics);
      metrics::add_panels(devices[i], panels_[i]);
    }
  }

  // With the plans, one a GPU.
  void tell(PlanDocument& document, bool keeps_instances) {
    std::vector<metrics::GpuPanels> asked;
    std::vector<metrics::PlannedPanels> planned;
    for (std::size_t i = 0; i < gpus_.size(); ++i) {
      const AgentInfo& gpu = gpus_[i]->agent;
      append(document.warnings, std::move(sets_[i].warnings));
      asked.push_back({&gpu, &panels_[i]});
      planned.push_back({&gpu, &document.agents[i], &panels_[i].metrics});
    }
    append(document.warnings, metrics::panel_warnings(asked, keeps_instances));
    append(document.warnings, metrics::unplanned_warnings(planned));
    append(document.notes, metrics::spread_notes(planned));
    for (std::size_t i = 0; i < gpus_.size(); ++i) {
      append(sets_[i].metrics, std::move(panels_[i].metrics));
      document.metrics.push_back(metrics::place(std::move(sets_[i].metrics), document.agents[i]));
    }
  }

 private:
  const std::vector<const AgentCatalogue*>& gpus_;
  std::vector<metrics::Expansion> sets_;
  std::vector<metrics::PanelExpansion> panels_;
};

AgentPlan plan_gpu(const AgentCatalogue& catalogue, const planner::Request& request, const PlanLimits& limits) {
  planner::Options options;
  options.effort = limits.effort;
  if (limits.new_cut_off) options.give_up = limits.new_cut_off();
  AgentPlan plan = planner::plan_agent(catalogue, request, options);
  // A shorter search than the plan's may find more passes than the plan has.
  if (!plan.groups.empty())
    plan.bounds.passes_without_groups =
        std::min(planner::passes_without_groups(catalogue, request), static_cast<std::uint32_t>(plan.passes.size()));
  return plan;
}

}  // namespace

PlanDocument plan_request(const std::vector<AgentCatalogue>& catalogues, const PlanTexts& texts,
                          const PlanLimits& limits) {
  PlanDocument document;
  document.effort = limits.effort;
  events::ParsedEvents parsed = events::parse(texts.events);
  for (const events::Problem& problem : parsed.problems) add_problem(document, problem, problem.column);
  for (const events::Problem& note : parsed.notes) document.notes.push_back(note.token + ": " + note.message);
  std::vector<std::vector<std::string>> groups;
  for (const std::string& group : texts.groups) groups.push_back(parse_group(document, group));

  std::vector<AgentCatalogue> completed;
  if (wants_accumulations(texts)) {
    completed = catalogues;
    for (AgentCatalogue& catalogue : completed) catalogue::add_accumulations(catalogue);
  }
  std::vector<const AgentCatalogue*> gpus;
  for (const AgentCatalogue& catalogue : completed.empty() ? catalogues : completed) gpus.push_back(&catalogue);
  catalogue::Resolution resolution = catalogue::resolve(parsed.requests, gpus, groups);
  std::vector<planner::SentinelChoice> sentinels = choose_sentinels(document, texts.sentinel, gpus);
  WantedMetrics wanted_metrics{texts, gpus};
  wanted_metrics.add_to(resolution.devices);
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    catalogue::DeviceRequest& wanted = resolution.devices[i];
    const planner::Request request{std::move(wanted.counters), std::move(wanted.groups), std::move(sentinels[i]),
                                   std::move(wanted.loose_groups)};
    AgentPlan plan = plan_gpu(*gpus[i], request, limits);
    if (plan.search_given_up) document.warnings.push_back(gpu_title(gpus[i]->agent) + ": " + planner::given_up_text());
    append(document.warnings, planner::sentinel_warnings(plan));
    document.agents.push_back(std::move(plan));
  }
  wanted_metrics.tell(document, texts.keeps_instances);
  append(document.unknown, std::move(resolution.unknown));
  append(document.duplicates, std::move(parsed.duplicates));
  append(document.duplicates, std::move(resolution.duplicates));
  append(document.warnings, std::move(resolution.warnings));
  for (const catalogue::NowhereToken& nowhere : resolution.nowhere)
    document.warnings.push_back(nowhere.token + " is collected nowhere: " + nowhere.reason);
  append(document.notes, std::move(resolution.notes));
  append(document.ignored, std::move(resolution.ignored));
  sort_document(document);
  return document;
}

bool nothing_placed(const PlanDocument& document) {
  const auto is_asked = [](const catalogue::UnknownToken& token) { return !token.sentinel; };
  bool asked = std::any_of(document.unknown.begin(), document.unknown.end(), is_asked) || !document.warnings.empty();
  for (const AgentPlan& plan : document.agents) {
    if (!plan.passes.empty()) return false;
    asked = asked || !plan.unplaceable.empty();
  }
  return asked;
}

}  // namespace multipass::apps
