// SPDX-License-Identifier: MIT
//
// The grammar and what becomes of a list that does not fit: ROCm/rocm-systems, projects/rocprofiler-systems of 2026,
// library/pmc: its settings, and device_providers/rocprofiler_sdk/provider.hpp.
#include "tool/polled.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "catalogue/resolve.hpp"
#include "model/gpu_title.hpp"
#include "planner/plan_agent.hpp"
#include "sdk/configs.hpp"
#include "tool/config_trials.hpp"

namespace multipass::tool {
namespace {

constexpr std::string_view kVariable = "ROCPROFSYS_GPU_PERF_COUNTERS";
constexpr const char* kBlanks = " \t\n\r";

// "SQ needs 9 of 8 registers (SQ_WAVES, ...)"
std::string need_text(const std::string& block, std::uint32_t needs, std::uint32_t limit,
                      const std::vector<std::string>& counters, const AgentCatalogue& catalogue) {
  constexpr std::size_t kMaxNames = 12;
  std::vector<std::string> users;
  for (const std::string& name : counters) {
    const auto keys = catalogue.register_keys.find(name);
    if (keys != catalogue.register_keys.end() &&
        std::any_of(keys->second.begin(), keys->second.end(),
                    [&](const RegisterKey& key) { return key.block == block; }))
      users.push_back(name);
  }
  const std::size_t more = users.size() > kMaxNames ? users.size() - kMaxNames : 0;
  users.resize(users.size() - more);
  std::string text = "block " + block + " has " + counted(limit, "register", "registers") + " where " +
                     std::to_string(needs) + " are needed";
  if (!users.empty()) text += " (" + joined(users) + (more == 0 ? ")" : " and " + std::to_string(more) + " more)");
  return text;
}

std::vector<std::string> needs_of(const AgentPlan& plan, const std::vector<std::string>& counters,
                                  const AgentCatalogue& catalogue) {
  std::vector<std::string> needs;
  for (const UnplaceableCounter& one : plan.unplaceable) needs.push_back(one.counter + ": " + one.reason);
  for (const BlockBound& block : plan.bounds.blocks)
    if (block.distinct > block.slots)
      needs.push_back(need_text(block.block, block.distinct, block.slots, counters, catalogue));
  if (needs.empty()) needs.emplace_back("the SDK does not take them together");
  return needs;
}

// Empty: one configuration holds them.
std::string excess(const Gpu& gpu, const sdk::SdkAgent& agent, const std::vector<std::string>& counters) {
  if (counters.empty()) return {};
  AgentCatalogue catalogue = gpu.catalogue;
  if (catalogue.slots.empty()) catalogue.slots = sdk::probe_slots(agent.handle, gpu.counters).by_block;
  ConfigTrials trials(agent.handle);
  planner::Options options;
  options.effort = 0;  // whether it is one pass shows without a search
  options.oracle = [&](const std::vector<std::string>& names) { return trials.accepts(ids_of(gpu, names)); };
  const AgentPlan plan = planner::plan_agent(catalogue, {counters, {}}, options);
  if (plan.passes.size() <= 1 && plan.unplaceable.empty()) return {};
  return gpu_title(agent.info) + ": rocprof-sys polls nothing here: " + std::string(kVariable) +
         " must fit one pass, but " + joined(needs_of(plan, counters, catalogue), "; ") +
         ". Leave some out, or add them to the list of this tool, which counts launches in several passes";
}

// What the two grammars read alike is a request; of what they do not, rocprof-sys finds nothing.
void add_token(const std::string& token, std::uint32_t column, events::ParsedEvents& parsed) {
  events::ParsedEvents one = events::parse(token);
  for (events::Problem& problem : one.problems) {
    problem.column = column;
    parsed.problems.push_back(std::move(problem));
  }
  if (one.requests.empty()) return;
  if (one.requests.size() > 1 || !one.problems.empty()) {
    parsed.problems.push_back({token, column, "rocprof-sys takes it for one name: put commas between names", {}});
  } else if (!one.notes.empty() || !one.duplicates.empty()) {
    parsed.problems.push_back(
        {token, column, "rocprof-sys looks for a counter of this very name", events::text_of(one.requests[0])});
  } else {
    one.requests[0].column = column;
    parsed.requests.push_back(std::move(one.requests[0]));
  }
}

}  // namespace

events::ParsedEvents parse_polled(const std::string& list) {
  events::ParsedEvents parsed;
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t end = std::min(list.find_first_of(",;", begin), list.size());
    const std::size_t first = std::min(list.find_first_not_of(kBlanks, begin), end);
    if (first < end)
      add_token(list.substr(first, list.find_last_not_of(kBlanks, end - 1) + 1 - first),
                static_cast<std::uint32_t>(first + 1), parsed);
    begin = end + 1;
  }
  return parsed;
}

std::vector<std::string> check_polled(const std::string& list, const std::vector<Gpu>& gpus,
                                      const std::vector<PreparedAgent>& agents) {
  std::vector<std::string> warnings;
  const auto tell = [&](const std::string& token, std::uint32_t column, const std::string& why,
                        const std::string& near) {
    warnings.push_back(std::string(kVariable) + ": '" + token + "' (column " + std::to_string(column) +
                       ") is not polled: " + why + (near.empty() ? "" : "; did you mean " + near + "?"));
  };
  const events::ParsedEvents parsed = parse_polled(list);
  for (const events::Problem& problem : parsed.problems)
    tell(problem.token, problem.column, problem.message, problem.hint);
  std::vector<const AgentCatalogue*> catalogues;
  for (const Gpu& gpu : gpus) catalogues.push_back(&gpu.catalogue);
  const catalogue::Resolution found = catalogue::resolve(parsed.requests, catalogues);
  for (const catalogue::UnknownToken& one : found.unknown)
    tell(one.token, one.column, one.reason, one.suggestion.value_or(""));
  for (const catalogue::NowhereToken& one : found.nowhere) tell(one.token, one.column, one.reason, {});
  for (const catalogue::IgnoredToken& one : found.ignored)
    warnings.push_back(std::string(kVariable) + ": '" + one.token + "' is not polled: " + one.reason);
  if (const std::size_t blank = list.find_first_of(kBlanks, std::min(list.find_first_not_of(kBlanks), list.size()));
      blank < list.find_last_not_of(kBlanks) && parsed.problems.empty())
    warnings.push_back(std::string(kVariable) + ": there is a blank at column " + std::to_string(blank + 1) +
                       ": some releases of rocprof-sys take it for part of a name, which they then do not find; leave "
                       "blanks out");
  for (std::size_t i = 0; i < gpus.size(); ++i)
    if (std::string text = excess(gpus[i], agents[gpus[i].agent].agent, found.devices[i].counters); !text.empty())
      warnings.push_back(std::move(text));
  return warnings;
}

std::string interference_text(bool replays) {
  return "rocprof-sys polls counters (" + std::string(kVariable) +
         ") while this tool collects those of launches: both use the registers of the same GPUs, so that values of "
         "either may be disturbed" +
         (replays ? ", and what is polled counts all executions of a replayed launch" : "") +
         "; for values to rely on, use one of them per run";
}

}  // namespace multipass::tool
