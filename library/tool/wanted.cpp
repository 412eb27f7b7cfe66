// SPDX-License-Identifier: MIT
#include "tool/wanted.hpp"

#include <map>
#include <utility>

#include "base/text.hpp"
#include "events/sentinel_list.hpp"
#include "metrics/metrics.hpp"

namespace multipass::tool {
namespace {

std::string left_out(const catalogue::UnknownToken& unknown, const std::string& where) {
  return where + " is left out: " + unknown.reason +
         (unknown.suggestion ? "; did you mean " + *unknown.suggestion + "?" : "");
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

}  // namespace

events::ParsedEvents parse_events(const RunConfig& config, Preparation& preparation) {
  std::vector<std::string>& warnings = preparation.warnings;
  events::ParsedEvents parsed = events::parse(config.events);
  note_changes(parsed, preparation.notes);
  for (const events::Problem& problem : parsed.problems)
    warnings.push_back(at_column(problem.token, problem.column) + " is left out: " + problem.message +
                       (problem.hint.empty() ? "" : "; did you mean " + problem.hint + "?"));
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
  for (const catalogue::UnknownToken& unknown : resolution.unknown)
    warnings.push_back(left_out(unknown, at_column(unknown.token, unknown.column)));
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

void add_sets(const RunConfig& config, const std::vector<Gpu>& gpus, catalogue::Resolution& resolution,
              Preparation& preparation) {
  metrics::SetNames names = metrics::check_names(config.sets);
  std::vector<std::string>& warnings = preparation.warnings;
  for (const std::string& problem : names.problems) warnings.push_back("set left out: " + problem);
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    if (preparation.agents[gpus[i].agent].left_out) continue;
    const metrics::Expansion expansion = metrics::expand(names.known, gpus[i].catalogue);
    warnings.insert(warnings.end(), expansion.warnings.begin(), expansion.warnings.end());
    metrics::add_to(resolution.devices[i], expansion.metrics);
  }
  preparation.sets = std::move(names.known);
}

std::vector<planner::SentinelChoice> choose_sentinels(const RunConfig& config, bool replays,
                                                      const std::vector<Gpu>& gpus, Preparation& preparation) {
  std::vector<planner::SentinelChoice> choices(gpus.size());
  if (!replays) return choices;
  std::vector<std::string>& warnings = preparation.warnings;
  const events::SentinelList list = events::parse_sentinels(config.sentinel);
  for (const events::Problem& problem : list.named.problems)
    warnings.push_back("the sentinel '" + problem.token + "' is left out: " + problem.message +
                       (problem.hint.empty() ? "" : "; did you mean " + problem.hint + "?"));
  for (const events::Problem& note : list.named.notes)
    preparation.notes.push_back("the sentinel '" + note.token + "': " + note.message);
  std::vector<const AgentCatalogue*> catalogues;
  for (const Gpu& gpu : gpus) catalogues.push_back(&gpu.catalogue);
  catalogue::SentinelResolution resolution = catalogue::resolve_sentinels(list.named.requests, catalogues);
  for (const catalogue::UnknownToken& unknown : resolution.unknown)
    warnings.push_back(left_out(unknown, "the sentinel '" + unknown.token + "'"));
  for (const catalogue::IgnoredToken& ignored : resolution.ignored)
    warnings.push_back("'" + ignored.token + "' is " + ignored.reason);
  warnings.insert(warnings.end(), resolution.warnings.begin(), resolution.warnings.end());
  preparation.notes.insert(preparation.notes.end(), resolution.notes.begin(), resolution.notes.end());
  for (std::size_t i = 0; i < gpus.size(); ++i) choices[i] = {list.automatic, std::move(resolution.devices[i])};
  return choices;
}

}  // namespace multipass::tool
