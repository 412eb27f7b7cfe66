// SPDX-License-Identifier: MIT
// Any text is read, looked up on three small GPUs, and planned: what was accepted means the same when it is written
// again, and nothing that was asked for is lost on the way. After the first '|' comes a group, after each further one
// another.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "apps/plan/plan_request.hpp"
#include "events/parse.hpp"
#include "events/pieces.hpp"

namespace {

using multipass::AgentCatalogue;
using multipass::AgentPlan;
using multipass::CounterRequest;
using multipass::apps::PlanDocument;
using multipass::events::ParsedEvents;
using multipass::events::Problem;

constexpr std::uint64_t kEffort = 200;

void require(bool holds) {
  if (!holds) std::abort();
}

AgentCatalogue gpu(std::uint32_t device, const std::map<std::string, std::vector<std::string>>& counters) {
  AgentCatalogue catalogue;
  catalogue.agent.name = "fuzz" + std::to_string(device);
  catalogue.agent.device = device;
  catalogue.slots = {{"SQ", 2}, {"TCC", 1}};
  for (const auto& [name, keys] : counters) {
    catalogue.counters[name].name = name;
    catalogue.counters[name].is_constant = keys.empty();
    for (const std::string& key : keys)
      catalogue.register_keys[name].push_back({key.starts_with('T') ? "TCC" : "SQ", key});
  }
  return catalogue;
}

// A counter that fits, some that share, one too large, one of two blocks, accumulations, constants; what the other GPU
// lacks; a GPU that counts nothing.
const std::vector<AgentCatalogue>& gpus() {
  static const std::vector<AgentCatalogue> all{gpu(0, {{"A", {"A"}},
                                                       {"B", {"B"}},
                                                       {"C", {"A", "B"}},
                                                       {"D", {"D", "T"}},
                                                       {"E", {"A@HIGH_RES"}},
                                                       {"F", {"A@LOW_RES"}},
                                                       {"G", {"A", "B", "D"}},
                                                       {"T", {"T"}},
                                                       {"T2", {"T2"}},
                                                       {"K", {}}}),
                                               gpu(1, {{"A", {"A", "B", "D"}}, {"B", {}}, {"K", {"K"}}, {"Z", {"Z"}}}),
                                               gpu(2, {})};
  return all;
}

bool asks(const CounterRequest& request, const AgentCatalogue& gpu) {
  return !request.device || *request.device == gpu.agent.device;
}

bool has(const std::vector<std::string>& texts, const std::string& text) {
  return std::find(texts.begin(), texts.end(), text) != texts.end();
}

// Every piece of the text is a request or has one problem, at its column; there are no others.
void check_parsed(std::string_view text, const ParsedEvents& parsed) {
  std::set<std::uint32_t> refused;
  for (const Problem& problem : parsed.problems) require(refused.insert(problem.column).second);
  std::set<std::uint32_t> first;
  for (const CounterRequest& request : parsed.requests) require(first.insert(request.column).second);
  std::size_t known = 0;
  for (const multipass::events::Piece& piece : multipass::events::pieces_of(text)) {
    const auto column = static_cast<std::uint32_t>(piece.offset + 1);
    known += refused.contains(column) ? 1 : 0;
    known += first.contains(column) ? 1 : 0;
    if (refused.contains(column)) continue;
    // Accepted: the name is how the piece begins. It is the first of that name, or a duplicate.
    require(std::any_of(parsed.requests.begin(), parsed.requests.end(), [&](const CounterRequest& request) {
      const bool is_same = piece.text.starts_with(request.counter) && request.column <= column;
      return is_same && (request.column == column || has(parsed.duplicates, multipass::events::text_of(request)));
    }));
  }
  require(known == parsed.problems.size() + parsed.requests.size());
}

// What was accepted, written again, is accepted again and means the same.
void check_round_trip(const ParsedEvents& parsed) {
  std::string list;
  for (const CounterRequest& request : parsed.requests) list += multipass::events::text_of(request) + " ";
  const ParsedEvents again = multipass::events::parse(list);
  require(again.problems.empty() && again.requests.size() == parsed.requests.size());
  for (std::size_t i = 0; i < again.requests.size(); ++i)
    require(again.requests[i].counter == parsed.requests[i].counter &&
            again.requests[i].device == parsed.requests[i].device);
}

// Sentinels are beside what was asked for.
bool is_asked_in(const multipass::PassPlan& pass, const std::string& counter) {
  return has(pass.counters, counter) && !has(pass.sentinels, counter);
}

std::size_t passes_with(const AgentPlan& plan, const std::string& counter) {
  return static_cast<std::size_t>(std::count_if(plan.passes.begin(), plan.passes.end(),
                                                [&](const auto& pass) { return is_asked_in(pass, counter); }));
}

bool is_unplaceable(const AgentPlan& plan, const std::string& counter) {
  return std::any_of(plan.unplaceable.begin(), plan.unplaceable.end(),
                     [&](const auto& one) { return one.counter == counter; });
}

// Where a request ended: unknown, for no GPU, or on each GPU that has it in a pass, unplaceable, or ignored.
void check_request(const CounterRequest& request, const PlanDocument& document, bool has_groups) {
  const std::string token = multipass::events::text_of(request);
  const bool is_ignored = std::any_of(document.ignored.begin(), document.ignored.end(),
                                      [&](const auto& one) { return one.token == token; });
  const bool is_unknown = std::any_of(document.unknown.begin(), document.unknown.end(), [&](const auto& one) {
    return one.token == token && one.reason.find("counter") != std::string::npos;
  });
  const bool is_nowhere = std::any_of(document.warnings.begin(), document.warnings.end(), [&](const auto& warning) {
    return warning.starts_with(token + " is collected nowhere");
  });
  std::size_t answered = (is_unknown ? 1U : 0U) + (is_nowhere ? 1U : 0U);
  for (const AgentCatalogue& gpu : gpus()) {
    const AgentPlan& plan = document.agents[gpu.agent.device];
    if (!asks(request, gpu) || !gpu.counters.contains(request.counter)) continue;
    require(!is_unknown && !is_nowhere);
    const std::size_t passes = passes_with(plan, request.counter);
    const bool unplaceable = is_unplaceable(plan, request.counter);
    if (gpu.counters.at(request.counter).is_constant) {
      require(is_ignored && passes == 0 && !unplaceable);
    } else {
      require(has_groups ? (passes > 0) != unplaceable : passes + (unplaceable ? 1 : 0) == 1);
    }
    answered = 1;
  }
  require(answered == 1);
}

// Nothing is in a pass that nobody asked for, and every pass fits.
void check_passes(const std::set<std::string>& asked, const PlanDocument& document) {
  for (const AgentPlan& plan : document.agents) {
    require(plan.lower_bound <= plan.passes.size());
    for (const auto& pass : plan.passes) {
      require(!pass.counters.empty());
      for (const std::string& counter : pass.counters) require(asked.contains(counter) || has(pass.sentinels, counter));
      for (const auto& [block, used] : pass.registers) require(used <= pass.capacity.at(block));
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text{reinterpret_cast<const char*>(data), size};
  multipass::apps::PlanTexts texts;
  texts.events = std::string{text.substr(0, text.find('|'))};
  const ParsedEvents parsed = multipass::events::parse(texts.events);
  check_parsed(texts.events, parsed);
  check_round_trip(parsed);

  std::set<std::string> asked;
  for (const CounterRequest& request : parsed.requests) asked.insert(request.counter);
  for (std::size_t bar = text.find('|'); bar != std::string_view::npos; bar = text.find('|')) {
    text.remove_prefix(bar + 1);
    texts.groups.emplace_back(text.substr(0, text.find('|')));
    for (const CounterRequest& request : multipass::events::parse(texts.groups.back()).requests)
      asked.insert(request.counter);
  }
  const PlanDocument document = multipass::apps::plan_request(gpus(), texts, {kEffort, nullptr});
  for (const Problem& problem : parsed.problems)
    require(std::any_of(document.unknown.begin(), document.unknown.end(), [&](const auto& unknown) {
      return unknown.token == problem.token && unknown.column == problem.column;
    }));
  for (const CounterRequest& request : parsed.requests) check_request(request, document, !texts.groups.empty());
  for (const std::string& duplicate : parsed.duplicates) require(has(document.duplicates, duplicate));
  check_passes(asked, document);
  (void)multipass::apps::plan_json(document);
  return 0;
}
