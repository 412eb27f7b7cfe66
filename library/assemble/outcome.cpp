// SPDX-License-Identifier: MIT
#include "assemble/outcome.hpp"

#include <algorithm>
#include <optional>

#include "model/names.hpp"

namespace multipass::assemble {
namespace {

constexpr const char* kAtTheEnd = " when the program ended";

// Empty when every counter of the group is there.
Reason missing_readings(const AgentExpectation& expected, const PassRecord& record) noexcept {
  const std::vector<CounterIndex>& planned = expected.groups[record.group.value];
  const auto missing = std::count_if(planned.begin(), planned.end(), [&](CounterIndex counter) {
    return std::find(record.counters.begin(), record.counters.end(), counter) == record.counters.end();
  });
  if (missing == 0) return {};
  return Reason() << static_cast<std::uint64_t>(missing) << " of " << std::uint64_t{planned.size()}
                  << " counters were not delivered";
}

// Executions that read no counters and come before those that do.
std::uint32_t extras_of(const AgentExpectation& expected) noexcept {
  return (expected.warm_up ? 1U : 0U) + (expected.timing ? 1U : 0U);
}

// Why pass k of a replay loop does not hold what was planned; empty: it does.
Reason lack_of_pass(std::uint32_t k, const AgentExpectation& expected, const RunFacts& facts,
                    const std::vector<PassRecord>& passes) noexcept {
  const std::uint32_t extras = extras_of(expected);
  const auto record =
      std::find_if(passes.begin(), passes.end(), [k](const PassRecord& p) { return p.pass == PassIndex{k}; });
  if (facts.window_open && (record == passes.end() || record->counters.empty()))
    return Reason(k + extras < facts.passes_begun ? " had not ended" : " had not begun") << kAtTheEnd;
  if (record == passes.end()) return facts.untold ? " did not run, or the SDK did not say so" : " did not run";
  if (record->counters.empty()) return " delivered no counters";
  if (record->group.value >= expected.groups.size()) return " has readings of an unknown group";
  if (std::any_of(passes.begin(), record, [&](const PassRecord& p) { return p.group == record->group; }))
    return Reason(" read group ") << std::uint64_t{record->group.value} << " once more";
  const Reason missing = missing_readings(expected, *record);
  return missing.empty() ? missing : Reason(": ") << missing.text();
}

// What was lifted, in the order in which it would have declined.
Reason names_of(const SafetyReasons& lifted) noexcept {
  Reason names;
  for (const DeclineReason reason : kSafetyReasons)
    if (lifted.has(reason)) names << (names.empty() ? "" : ", ") << name_of(reason);
  return names;
}

// Of an early end: how far it came, in passes that read counters.
Reason ended_early(const AgentExpectation& expected, const RunFacts& facts) noexcept {
  const std::uint32_t extras = extras_of(expected);
  const std::uint32_t passes = facts.passes_begun - std::min(facts.passes_begun, extras);
  return Reason(name_of(*facts.ended)) << ": ended after " << std::uint64_t{passes} << " of "
                                       << std::uint64_t{expected.groups.size()} << " passes";
}

Judgement judge_replayed(const AgentExpectation& expected, const RunFacts& facts,
                         const std::vector<PassRecord>& passes) noexcept {
  if (facts.ended && facts.passes_begun < extras_of(expected) + expected.groups.size())
    return {Outcome::kIncomplete, ended_early(expected, facts)};
  if (expected.warm_up && !facts.warm_up_ran)
    return {Outcome::kIncomplete,
            facts.untold ? "the warm-up pass did not run, or the SDK did not say so" : "the warm-up pass did not run"};
  if (expected.timing && !facts.timed) return {Outcome::kIncomplete, "the timing pass delivered no times"};
  for (std::uint32_t k = 0; k < expected.groups.size(); ++k)
    if (const Reason lack = lack_of_pass(k, expected, facts, passes); !lack.empty())
      return {Outcome::kIncomplete, Reason("pass ") << std::uint64_t{k} << lack.text()};
  return {Outcome::kReplayed, names_of(facts.despite)};
}

// What holds for every dispatch, then what was decided of this one, then what the SDK let us see.
DeclineReason decline_reason(std::optional<DeclineReason> no_replay, const RunFacts& facts) noexcept {
  if (no_replay) return *no_replay;
  if (facts.declined) return *facts.declined;
  if (facts.ended) return *facts.ended;
  return facts.offered ? DeclineReason::kUnknown : DeclineReason::kNotOffered;
}

constexpr const char* kNotCollected = "no counters were collected";

}  // namespace

bool is_uncounted(const DispatchRecord& dispatch) noexcept {
  return dispatch.outcome == Outcome::kIncomplete && dispatch.reason == kNotCollected;
}

Judgement judge(const AgentExpectation& expected, std::optional<DeclineReason> no_replay, const RunFacts& facts,
                const std::vector<PassRecord>& passes) noexcept {
  if (expected.left_out) return {Outcome::kFiltered, name_of(FilterReason::kOtherGpu)};
  if (expected.groups.empty()) return {Outcome::kFiltered, "no_counters"};
  if (facts.filtered) return {Outcome::kFiltered, name_of(*facts.filtered)};
  if (facts.passes_begun > 0) return judge_replayed(expected, facts, passes);
  if (facts.untold) return {Outcome::kIncomplete, "it ran several times, and the SDK did not say in which pass"};
  if (facts.window_open) return {Outcome::kIncomplete, Reason("its launch had not ended") << kAtTheEnd};

  const auto counted =
      std::find_if(passes.begin(), passes.end(), [](const PassRecord& record) { return !record.counters.empty(); });
  if (counted == passes.end())
    return {Outcome::kIncomplete, facts.counters_chosen ? "no counters were delivered" : kNotCollected};
  if (counted->group.value >= expected.groups.size()) return {Outcome::kIncomplete, "readings of an unknown group"};
  if (const Reason missing = missing_readings(expected, *counted); !missing.empty())
    return {Outcome::kIncomplete, missing};
  if (expected.groups.size() == 1 || expected.single_pass) return {Outcome::kSinglePass, {}};
  return {Outcome::kDeclined, name_of(decline_reason(no_replay, facts))};
}

}  // namespace multipass::assemble
