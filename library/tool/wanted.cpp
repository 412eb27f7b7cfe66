// SPDX-License-Identifier: MIT
#include "tool/wanted.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "events/sentinel_list.hpp"
#include "metrics/metrics.hpp"
#include "metrics/panels.hpp"
#include "model/names.hpp"

namespace multipass::tool {
namespace {

// `near`: what may have been meant, or empty.
std::string left_out(const std::string& where, const std::string& reason, const std::string& near) {
  return where + " is left out: " + reason + (near.empty() ? "" : "; did you mean " + near + "?");
}

std::string at_column(const std::string& token, std::uint32_t column) {
  if (column == 0) return "'" + token + "' (in a group)";  // named there only
  return "'" + token + "' (column " + std::to_string(column) + ")";
}

// One line for each kind of note, however many tokens it is about.
void note_changes(const events::ParsedEvents& parsed, std::vector<std::string>& notes) {
  std::map<std::string, std::vector<std::string>> tokens;  // by message
  for (const events::Problem& note : parsed.notes) tokens[note.message].push_back(at_column(note.token, note.column));
  for (const auto& [message, list] : tokens) notes.push_back(joined(list) + ": " + message);
}

void note_duplicates(const std::vector<std::string>& duplicates, std::vector<std::string>& notes) {
  if (!duplicates.empty()) notes.push_back("asked for more than once, collected once: " + joined(duplicates));
}

// Tokens of a list of sentinels that cannot be read, or are read in another way.
void tell_unread(const events::ParsedEvents& named, Preparation& preparation) {
  for (const events::Problem& problem : named.problems)
    preparation.warnings.push_back(left_out("the sentinel '" + problem.token + "'", problem.message, problem.hint));
  for (const events::Problem& note : named.notes)
    preparation.notes.push_back("the sentinel '" + note.token + "': " + note.message);
}

// Sentinels that are wanted on a GPU that has them and is not wanted itself.
void tell_left_out(const std::vector<CounterRequest>& sentinels, const RunConfig& config, const std::vector<Gpu>& gpus,
                   Preparation& preparation) {
  for (const CounterRequest& request : sentinels) {
    if (!request.device || *request.device >= gpus.size()) continue;
    const Gpu& gpu = gpus[*request.device];
    if (preparation.agents[gpu.agent].left_out && gpu.catalogue.counters.contains(request.counter))
      preparation.warnings.push_back("the sentinel '" + events::text_of(request) + "' is left out: 'gpus " +
                                     config.gpus + "' leaves that GPU out");
  }
}

// `devices`: the sentinels that each GPU has. One note, when there is any that no launch is replayed for.
void note_unused(const std::vector<std::vector<std::string>>& devices, ReplayMode mode, const std::vector<Gpu>& gpus,
                 Preparation& preparation) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < gpus.size(); ++i)
    if (!preparation.agents[gpus[i].agent].left_out) names.insert(devices[i].begin(), devices[i].end());
  if (names.empty()) return;
  const bool chosen = mode == ReplayMode::kRotate || mode == ReplayMode::kOff;
  preparation.notes.push_back(
      (names.size() == 1 ? "the sentinel " : "the sentinels ") + joined(names) +
      (names.size() == 1 ? " is not read" : " are not read") + ": no launch is replayed, " +
      (chosen ? "by 'replay " + std::string{name_of(mode)} + "'" : "since this SDK has no kernel replay"));
}

// Takes away the groups with a counter that no GPU has, which cannot be whole anywhere. These counters are returned.
std::set<std::string> drop_broken_groups(const std::vector<Gpu>& gpus, catalogue::Resolution& resolution) {
  std::set<std::string> missing;
  const auto is_missing = [&](const std::string& counter) {
    const bool nowhere = std::none_of(gpus.begin(), gpus.end(),
                                      [&](const Gpu& gpu) { return gpu.catalogue.counters.contains(counter); });
    if (nowhere) missing.insert(counter);
    return nowhere;
  };
  for (catalogue::DeviceRequest& device : resolution.devices)
    std::erase_if(device.groups, [&](const std::vector<std::string>& group) {
      return std::count_if(group.begin(), group.end(), is_missing) > 0;
    });
  return missing;
}

}  // namespace

std::vector<std::uint64_t> ids_of(const Gpu& gpu, const std::vector<std::string>& names) {
  std::vector<std::uint64_t> ids;
  ids.reserve(names.size());
  for (const std::string& name : names) ids.push_back(gpu.ids.at(name));
  return ids;
}

events::ParsedEvents parse_events(const RunConfig& config, Preparation& preparation) {
  std::vector<std::string>& warnings = preparation.warnings;
  events::ParsedEvents parsed = events::parse(config.events);
  note_changes(parsed, preparation.notes);
  for (const events::Problem& problem : parsed.problems)
    warnings.push_back(left_out(at_column(problem.token, problem.column), problem.message, problem.hint));
  return parsed;
}

catalogue::Resolution resolve(const RunConfig& config, const events::ParsedEvents& parsed, const std::vector<Gpu>& gpus,
                              Preparation& preparation) {
  std::vector<std::string>& warnings = preparation.warnings;
  std::vector<const AgentCatalogue*> catalogues;
  for (const Gpu& gpu : gpus) catalogues.push_back(&gpu.catalogue);
  catalogue::Resolution resolution = catalogue::resolve(parsed.requests, catalogues, config.groups);
  for (const Gpu& gpu : gpus)
    if (gpu.refused) std::erase(resolution.notes, catalogue::note_without_counters(gpu.catalogue));
  const std::set<std::string> of_groups = drop_broken_groups(gpus, resolution);
  for (const catalogue::UnknownToken& unknown : resolution.unknown) {
    const bool of_group = of_groups.contains(unknown.token.substr(0, unknown.token.find(':')));
    warnings.push_back(
        left_out(at_column(unknown.token, unknown.column), unknown.reason, unknown.suggestion.value_or("")) +
        (of_group ? "; the others of its group are planned singly" : ""));
  }
  for (const catalogue::IgnoredToken& ignored : resolution.ignored)
    warnings.push_back("'" + ignored.token + "' is not counted: " + ignored.reason);
  for (const catalogue::NowhereToken& nowhere : resolution.nowhere)
    warnings.push_back(at_column(nowhere.token, nowhere.column) + " is collected nowhere: " + nowhere.reason);
  warnings.insert(warnings.end(), resolution.warnings.begin(), resolution.warnings.end());
  std::vector<std::string> duplicates = parsed.duplicates;
  duplicates.insert(duplicates.end(), resolution.duplicates.begin(), resolution.duplicates.end());
  note_duplicates(duplicates, preparation.notes);
  preparation.notes.insert(preparation.notes.end(), resolution.notes.begin(), resolution.notes.end());
  return resolution;
}

void add_sets(const RunConfig& config, std::vector<Gpu>& gpus, catalogue::Resolution& resolution,
              Preparation& preparation) {
  metrics::SetNames names = metrics::check_names(config.sets);
  std::vector<std::string>& warnings = preparation.warnings;
  for (const std::string& problem : names.problems) warnings.push_back("set left out: " + problem);
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    if (preparation.agents[gpus[i].agent].left_out) continue;
    metrics::Expansion expansion = metrics::expand(names.known, gpus[i].catalogue);
    warnings.insert(warnings.end(), expansion.warnings.begin(), expansion.warnings.end());
    metrics::add_to(resolution.devices[i], expansion.metrics);
    gpus[i].metrics = std::move(expansion.metrics);
  }
  preparation.sets = std::move(names.known);
}

void add_panels(const RunConfig& config, std::vector<Gpu>& gpus, catalogue::Resolution& resolution,
                Preparation& preparation) {
  std::vector<std::string> problems;
  std::vector<std::uint32_t> known = metrics::known_panels(config.compute_panels, problems);
  std::vector<std::string>& warnings = preparation.warnings;
  for (const std::string& problem : problems) warnings.push_back("a panel is left out: " + problem);
  std::vector<metrics::PanelExpansion> expansions(gpus.size());
  std::vector<metrics::GpuPanels> told;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    if (preparation.agents[gpus[i].agent].left_out) continue;
    expansions[i] = metrics::expand_panels(known, gpus[i].catalogue);
    metrics::add_panels(resolution.devices[i], expansions[i]);
    told.push_back({&gpus[i].catalogue.agent, &expansions[i]});
  }
  const std::vector<std::string> texts = metrics::panel_warnings(told, config.keeps_instances);
  warnings.insert(warnings.end(), texts.begin(), texts.end());
  for (std::size_t i = 0; i < gpus.size(); ++i)
    std::move(expansions[i].metrics.begin(), expansions[i].metrics.end(), std::back_inserter(gpus[i].metrics));
  preparation.compute_panels = std::move(known);
}

void tell_planned_panels(const std::vector<Gpu>& gpus, Preparation& preparation) {
  std::vector<metrics::PlannedPanels> planned;
  for (const Gpu& gpu : gpus) {
    const PreparedAgent& agent = preparation.agents[gpu.agent];
    if (!agent.plan.passes.empty()) planned.push_back({&agent.agent.info, &agent.plan, &gpu.metrics});
  }
  const std::vector<std::string> lost = metrics::unplanned_warnings(planned);
  preparation.warnings.insert(preparation.warnings.end(), lost.begin(), lost.end());
  const std::vector<std::string> spread = metrics::spread_notes(planned);
  preparation.notes.insert(preparation.notes.end(), spread.begin(), spread.end());
}

std::vector<planner::SentinelChoice> choose_sentinels(const RunConfig& config, bool replays,
                                                      const std::vector<Gpu>& gpus, Preparation& preparation) {
  const events::SentinelList list = events::parse_sentinels(config.sentinel);
  tell_unread(list.named, preparation);
  tell_left_out(list.named.requests, config, gpus, preparation);
  std::vector<const AgentCatalogue*> catalogues;
  for (const Gpu& gpu : gpus) catalogues.push_back(&gpu.catalogue);
  catalogue::SentinelResolution resolution = catalogue::resolve_sentinels(list.named.requests, catalogues);
  std::vector<std::string>& warnings = preparation.warnings;
  for (const catalogue::UnknownToken& unknown : resolution.unknown)
    warnings.push_back(
        left_out("the sentinel '" + unknown.token + "'", unknown.reason, unknown.suggestion.value_or("")));
  for (const catalogue::IgnoredToken& ignored : resolution.ignored)
    warnings.push_back("'" + ignored.token + "' is " + ignored.reason);
  std::vector<planner::SentinelChoice> choices(gpus.size());
  if (!replays) {
    note_unused(resolution.devices, config.replay, gpus, preparation);
    return choices;
  }
  warnings.insert(warnings.end(), resolution.warnings.begin(), resolution.warnings.end());
  preparation.notes.insert(preparation.notes.end(), resolution.notes.begin(), resolution.notes.end());
  for (std::size_t i = 0; i < gpus.size(); ++i) choices[i] = {list.automatic, std::move(resolution.devices[i])};
  return choices;
}

}  // namespace multipass::tool
