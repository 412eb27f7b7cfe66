// SPDX-License-Identifier: MIT
#include "assemble/outcome.hpp"

#include <algorithm>
#include <optional>

#include "model/names.hpp"

namespace multipass::assemble {
namespace {

constexpr const char* kAtTheEnd = " when the program ended";

// Empty when every counter of the group is there.
std::string missing_readings(const AgentExpectation& expected, const PassRecord& record) {
  const std::vector<CounterIndex>& planned = expected.groups[record.group.value];
  const auto missing = std::count_if(planned.begin(), planned.end(), [&](CounterIndex counter) {
    return std::find(record.counters.begin(), record.counters.end(), counter) == record.counters.end();
  });
  if (missing == 0) return {};
  return std::to_string(missing) + " of " + std::to_string(planned.size()) + " counters were not delivered";
}

Verdict judge_replayed(const AgentExpectation& expected, const RunFacts& facts, const std::vector<PassRecord>& passes) {
  const std::uint32_t extras = (expected.warm_up ? 1U : 0U) + (expected.timing ? 1U : 0U);
  if (expected.warm_up && !facts.warm_up_ran) return {Outcome::kIncomplete, "the warm-up pass did not run"};
  if (expected.timing && !facts.timed) return {Outcome::kIncomplete, "the timing pass delivered no times"};
  for (std::uint32_t k = 0; k < expected.groups.size(); ++k) {
    const auto record =
        std::find_if(passes.begin(), passes.end(), [k](const PassRecord& p) { return p.pass == PassIndex{k}; });
    const std::string pass = "pass " + std::to_string(k);
    if (facts.window_open && (record == passes.end() || record->counters.empty()))
      return {Outcome::kIncomplete,
              pass + (k + extras < facts.passes_begun ? " had not ended" : " had not begun") + kAtTheEnd};
    if (record == passes.end())
      return {Outcome::kIncomplete, pass + (facts.untold ? " did not run, or the SDK did not say so" : " did not run")};
    if (record->counters.empty()) return {Outcome::kIncomplete, pass + " delivered no counters"};
    if (record->group.value >= expected.groups.size())
      return {Outcome::kIncomplete, pass + " has readings of an unknown group"};
    const bool again =
        std::any_of(passes.begin(), record, [&](const PassRecord& p) { return p.group == record->group; });
    if (again)
      return {Outcome::kIncomplete, pass + " read group " + std::to_string(record->group.value) + " once more"};
    if (const std::string missing = missing_readings(expected, *record); !missing.empty())
      return {Outcome::kIncomplete, pass + ": " + missing};
  }
  return {Outcome::kReplayed, {}};
}

// What holds for every dispatch, then what was decided of this one, then what the SDK let us see.
DeclineReason decline_reason(std::optional<DeclineReason> no_replay, const RunFacts& facts) {
  if (no_replay) return *no_replay;
  if (facts.declined) return *facts.declined;
  return facts.offered ? DeclineReason::kUnknown : DeclineReason::kNotOffered;
}

constexpr const char* kNotCollected = "no counters were collected";

}  // namespace

bool is_uncounted(const DispatchRecord& dispatch) noexcept {
  return dispatch.outcome == Outcome::kIncomplete && dispatch.reason == kNotCollected;
}

Verdict judge(const AgentExpectation& expected, std::optional<DeclineReason> no_replay, const RunFacts& facts,
              const std::vector<PassRecord>& passes) {
  if (expected.left_out) return {Outcome::kFiltered, std::string(name_of(FilterReason::kOtherGpu))};
  if (expected.groups.empty()) return {Outcome::kFiltered, "no_counters"};
  if (facts.filtered) return {Outcome::kFiltered, std::string(name_of(*facts.filtered))};
  if (facts.passes_begun > 0) return judge_replayed(expected, facts, passes);
  if (facts.untold) return {Outcome::kIncomplete, "it ran several times, and the SDK did not say in which pass"};
  if (facts.window_open) return {Outcome::kIncomplete, std::string("its launch had not ended") + kAtTheEnd};

  const auto counted =
      std::find_if(passes.begin(), passes.end(), [](const PassRecord& record) { return !record.counters.empty(); });
  if (counted == passes.end())
    return {Outcome::kIncomplete, facts.counters_chosen ? "no counters were delivered" : kNotCollected};
  if (counted->group.value >= expected.groups.size()) return {Outcome::kIncomplete, "readings of an unknown group"};
  if (const std::string missing = missing_readings(expected, *counted); !missing.empty())
    return {Outcome::kIncomplete, missing};
  if (expected.groups.size() == 1 || expected.single_pass) return {Outcome::kSinglePass, {}};
  return {Outcome::kDeclined, std::string(name_of(decline_reason(no_replay, facts)))};
}

}  // namespace multipass::assemble
