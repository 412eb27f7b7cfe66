// SPDX-License-Identifier: MIT
//
// Catalogues for planner tests, the rule of what fits written a second time, and the exact optimum of small requests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "data/verdict_file.hpp"
#include "model/agent.hpp"
#include "planner/plan_agent.hpp"

namespace multipass::planner::testing {

// {counter: registers as "BLOCK:KEY"}
using CounterKeys = std::map<std::string, std::vector<std::string>>;

[[nodiscard]] AgentCatalogue catalogue_of(const std::string& arch, const std::map<std::string, std::uint32_t>& slots,
                                          const CounterKeys& counters);

struct PackingRequest {
  std::string id;
  Request request;
};

// tests/data/packing/<arch>.json: what the architecture can count, and requests to plan.
struct PackingData {
  AgentCatalogue catalogue;
  std::vector<PackingRequest> requests;

  [[nodiscard]] const Request& request(const std::string& id) const;  // throws when there is none
};

[[nodiscard]] PackingData load_packing(const std::string& arch);

// A realistic request and the fewest passes that it can have (tests/data/minimal-sets/<arch>.json).
struct MinimalSet {
  std::string id;
  std::size_t minimum = 0;
  std::vector<std::string> counters;
};

[[nodiscard]] std::vector<MinimalSet> load_minimal_sets(const std::string& arch);

// tests/data/verdicts/<arch>.txt, with catalogues that have all counters it names: one with the slots that the SDK
// advertises, and one with those that a configuration can really hold (tests/data/packing/<arch>.json).
struct VerdictData {
  AgentCatalogue advertised;
  AgentCatalogue catalogue;
  std::vector<test_data::VerdictLine> verdicts;
};

[[nodiscard]] VerdictData load_verdicts(const std::string& arch);

// What these counters program in each block: a register per key, and a hidden one for every X@FLAG that no plain X of
// the set serves. Works on the texts of the catalogue and shares nothing with the planner.
[[nodiscard]] std::map<std::string, std::uint32_t> registers_needed(const AgentCatalogue& catalogue,
                                                                    const std::vector<std::string>& counters);

// Whether no block has more distinct keys than slots: all that the SDK looks at, hidden registers not counted.
[[nodiscard]] bool keys_have_room(const AgentCatalogue& catalogue, const std::vector<std::string>& counters);

// Whether one counter is accumulated with two flags.
[[nodiscard]] bool has_clash(const AgentCatalogue& catalogue, const std::vector<std::string>& counters);

// registers_needed within the slots.
[[nodiscard]] bool has_room(const AgentCatalogue& catalogue, const std::vector<std::string>& counters);

// has_room and no clash.
[[nodiscard]] bool fits_one_pass(const AgentCatalogue& catalogue, const std::vector<std::string>& counters);

// Fewest passes, by trying every partition. For up to about nine counters, each of which fits alone.
[[nodiscard]] std::size_t optimum(const AgentCatalogue& catalogue, const std::vector<std::string>& counters);

// The same for groups that must each be whole in a pass; a counter may be in several.
[[nodiscard]] std::size_t optimum_of_groups(const AgentCatalogue& catalogue,
                                            const std::vector<std::vector<std::string>>& groups);

// Counters of all passes, sorted, with repetitions.
[[nodiscard]] std::vector<std::string> planned_counters(const AgentPlan& plan);

[[nodiscard]] std::vector<std::string> sorted(std::vector<std::string> names);

// A plan without groups that is right in itself: every pass fits, registers and capacity are what they are, every
// counter is in one pass or unplaceable, the bound is below. Adds test failures that name what is wrong.
void expect_sound(const AgentCatalogue& catalogue, const std::vector<std::string>& asked, const AgentPlan& plan);

}  // namespace multipass::planner::testing
