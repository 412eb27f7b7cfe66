// SPDX-License-Identifier: MIT
#include "output/perfetto/canonical.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <string>

namespace multipass::output::perfetto {

std::optional<Span> span_of(const PassRecord& pass) noexcept {
  constexpr std::uint64_t kLatest = std::numeric_limits<std::int64_t>::max();
  if (pass.start_ns == 0 || pass.end_ns == 0 || pass.start_ns > kLatest || pass.end_ns > kLatest) return std::nullopt;
  // Seen on real hardware: ROCm/rocm-examples #479.
  if (pass.start_ns > pass.end_ns) return Span{.start_ns = pass.end_ns, .end_ns = pass.start_ns, .swapped = true};
  return Span{.start_ns = pass.start_ns, .end_ns = pass.end_ns, .swapped = false};
}

std::optional<Span> span_of(const DispatchRecord& dispatch) noexcept {
  for (const PassRecord& pass : dispatch.passes)
    if (const std::optional<Span> span = span_of(pass)) return span;
  return std::nullopt;
}

std::vector<bool> unrequested(const std::vector<CounterInfo>& counters, const AgentPlan& plan) {
  std::set<std::string> sentinels;
  std::set<std::string> requested;
  for (const PassPlan& pass : plan.passes) {
    const std::set<std::string> added(pass.sentinels.begin(), pass.sentinels.end());
    sentinels.insert(added.begin(), added.end());
    for (const std::string& counter : pass.counters)
      if (!added.contains(counter)) requested.insert(counter);
  }
  std::vector<bool> result(counters.size());
  for (std::size_t i = 0; i < counters.size(); ++i)
    result[i] = sentinels.contains(counters[i].name) && !requested.contains(counters[i].name);
  return result;
}

std::vector<Reading> canonical_readings(const DispatchRecord& dispatch, const std::vector<bool>& unrequested) {
  std::vector<bool> done = unrequested;
  std::vector<Reading> readings;
  for (const PassRecord& pass : dispatch.passes) {
    for (std::size_t i = 0; i < pass.counters.size(); ++i) {
      const CounterIndex counter = pass.counters[i];
      if (done[counter.value]) continue;
      done[counter.value] = true;
      readings.push_back({.counter = counter, .value = pass.values[i]});
    }
  }
  std::ranges::sort(readings, {}, &Reading::counter);
  return readings;
}

}  // namespace multipass::output::perfetto
