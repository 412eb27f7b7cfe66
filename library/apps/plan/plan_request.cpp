// SPDX-License-Identifier: MIT
#include "apps/plan/plan_request.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "events/parse.hpp"
#include "events/sentinel_list.hpp"
#include "metrics/metrics.hpp"
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

  std::vector<const AgentCatalogue*> gpus;
  for (const AgentCatalogue& catalogue : catalogues) gpus.push_back(&catalogue);
  catalogue::Resolution resolution = catalogue::resolve(parsed.requests, gpus, groups);
  std::vector<planner::SentinelChoice> sentinels = choose_sentinels(document, texts.sentinel, gpus);
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    catalogue::DeviceRequest& wanted = resolution.devices[i];
    metrics::Expansion expansion = metrics::expand(texts.sets, *gpus[i]);
    metrics::add_to(wanted, expansion.metrics);
    append(document.warnings, std::move(expansion.warnings));
    const planner::Request request{std::move(wanted.counters), std::move(wanted.groups), std::move(sentinels[i]),
                                   std::move(wanted.loose_groups)};
    AgentPlan plan = plan_gpu(*gpus[i], request, limits);
    if (plan.search_given_up) document.warnings.push_back(gpu_title(gpus[i]->agent) + ": " + planner::given_up_text());
    append(document.warnings, planner::sentinel_warnings(plan));
    document.metrics.push_back(metrics::place(std::move(expansion.metrics), plan));
    document.agents.push_back(std::move(plan));
  }
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
