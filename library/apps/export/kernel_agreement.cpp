// SPDX-License-Identifier: MIT
#include "apps/export/kernel_agreement.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "output/canonical.hpp"

namespace multipass::apps {
namespace {

using nlohmann::ordered_json;

// Relative differences up to which two passes count as the same (docs/verification.md, "Three verdicts").
constexpr double kWorkTolerance = 0.0006;
constexpr double kClockTolerance = 0.05;
constexpr double kCacheTolerance = 0.05;

// The values that several passes of one dispatch have of one quantity.
struct Seen {
  std::size_t passes = 0;
  double low = 0;
  double high = 0;

  void add(double value) noexcept {
    low = passes == 0 ? value : std::min(low, value);
    high = passes == 0 ? value : std::max(high, value);
    ++passes;
  }
  [[nodiscard]] bool zero() const noexcept { return low == 0 && high == 0; }
  [[nodiscard]] double spread() const noexcept {
    if (low == high) return 0;
    return std::min(1.0, (high - low) / std::max(std::abs(low), std::abs(high)));
  }
};

std::uint64_t duration_of(const PassRecord& pass) noexcept {
  return pass.end_ns > pass.start_ns ? pass.end_ns - pass.start_ns : 0;
}

// What one dispatch shows of one aspect.
struct Comparison {
  bool compared = false;
  bool everywhere = false;
  bool zero = false;
  bool indirect = false;
  double spread = 0;

  void take(const Seen& seen, std::size_t passes, bool direct = true) noexcept {
    if (seen.passes < 2) return;
    if (seen.zero()) {
      zero = zero || direct;
      return;
    }
    spread = std::max(spread, seen.spread());
    (direct ? compared : indirect) = true;
    if (direct && seen.passes == passes) everywhere = true;
  }
  void add_to(AspectExtent& extent) const noexcept {
    extent.compared += compared ? 1 : 0;
    extent.in_all_passes += everywhere ? 1 : 0;
    extent.zero += zero && !compared ? 1 : 0;
    extent.indirect += indirect ? 1 : 0;
    extent.spread = std::max(extent.spread, spread);
  }
};

void add_time(std::span<const PassRecord* const> passes, TimeExtent& extent) noexcept {
  Seen seen;
  for (const PassRecord* pass : passes) {
    const std::uint64_t ns = duration_of(*pass);
    if (ns == 0) continue;
    seen.add(static_cast<double>(ns));
    extent.passes_min = extent.passes_count == 0 ? ns : std::min(extent.passes_min, ns);
    extent.passes_max = std::max(extent.passes_max, ns);
    ++extent.passes_count;
    if (pass->pass.value_or(PassIndex{1}) != PassIndex{0}) continue;
    extent.pass_0_min = extent.pass_0_count == 0 ? ns : std::min(extent.pass_0_min, ns);
    extent.pass_0_max = std::max(extent.pass_0_max, ns);
    extent.pass_0_total += ns;
    ++extent.pass_0_count;
  }
  if (seen.passes > 1) extent.spread = std::max(extent.spread, seen.spread());
}

void add_readings(std::span<const PassRecord* const> passes, const std::vector<CounterKind>& kinds,
                  KernelExtent& extent) {
  std::vector<Seen> counters(kinds.size());
  Seen cycles;  // of the clock
  Seen clock;
  for (const PassRecord* pass : passes)
    for (std::size_t i = 0; i < std::min(pass->counters.size(), pass->values.size()); ++i) {
      const std::uint32_t counter = pass->counters[i].value;
      const double value = pass->values[i];
      if (counter >= kinds.size() || kinds[counter] == CounterKind::kOther || !output::is_delivered(value)) continue;
      counters[counter].add(value);
      if (kinds[counter] != CounterKind::kCycles) continue;
      cycles.add(value);
      if (const std::uint64_t ns = duration_of(*pass); ns != 0) clock.add(value / static_cast<double>(ns));
    }
  Comparison work;
  Comparison same_clock;
  Comparison cache;
  for (std::size_t counter = 0; counter < kinds.size(); ++counter) {
    const Seen& seen = counters[counter];
    if (kinds[counter] == CounterKind::kInstructions) work.take(seen, passes.size());
    if (kinds[counter] == CounterKind::kWaves) work.take(seen, passes.size(), false);
    if (kinds[counter] == CounterKind::kCache) cache.take(seen, passes.size());
  }
  same_clock.take(clock, passes.size());
  same_clock.indirect = cycles.passes > 1 && clock.passes < 2;  // cycles were read, and are of no known time
  work.add_to(extent.work);
  same_clock.add_to(extent.clock);
  cache.add_to(extent.cache);
}

// Why nothing can be said of an aspect; empty: something can.
const char* why_unknown(const AspectExtent& aspect, const KernelExtent& of, double tolerance, const char* indirect) {
  if (aspect.compared != 0 || aspect.spread > tolerance) return "";
  if (of.replayed == 0) return "not_replayed";
  if (aspect.zero != 0) return "zero";
  return aspect.indirect != 0 ? indirect : "not_read";
}

ordered_json aspect_json(const AspectExtent& aspect, double tolerance, const std::string& reason) {
  const bool unknown = !reason.empty();
  const char* verdict = unknown                      ? "unknown"
                        : aspect.spread == 0         ? "exact"
                        : aspect.spread <= tolerance ? "within"
                                                     : "not";
  return {{"verdict", verdict},
          {"reason", reason},
          {"spread", unknown ? ordered_json(nullptr) : ordered_json(aspect.spread)},
          {"compared", aspect.compared},
          {"in_all_passes", aspect.in_all_passes}};
}

ordered_json time_json(const TimeExtent& time) {
  const auto or_null = [](bool there, const ordered_json& value) { return there ? value : ordered_json(nullptr); };
  return {{"pass_0", or_null(time.pass_0_count != 0, {{"count", time.pass_0_count},
                                                      {"total", time.pass_0_total},
                                                      {"min", time.pass_0_min},
                                                      {"max", time.pass_0_max}})},
          {"passes", or_null(time.passes_count != 0, {{"count", time.passes_count},
                                                      {"min", time.passes_min},
                                                      {"max", time.passes_max},
                                                      {"spread", time.spread}})}};
}

// Where the first execution read nothing, all that did may be on memory that it left, and agree on wrong numbers: a
// difference still shows, and equal passes prove nothing. One such dispatch is enough: what it hides is the kernel's.
std::string why_work_unknown(const KernelExtent& extent) {
  const std::string why = why_unknown(extent.work, extent, kWorkTolerance, "waves_only");
  const bool same = why.empty() && extent.work.spread <= kWorkTolerance;
  return same && extent.first_unread != 0 ? "first_unread" : why;
}

ordered_json extent_json(const KernelExtent& extent, bool simulated) {
  const std::string of_clock = why_unknown(extent.clock, extent, kClockTolerance, "no_times");
  ordered_json work = aspect_json(extent.work, kWorkTolerance, why_work_unknown(extent));
  // Work that differs is the only evidence that a client has (docs/decisions/0019), and nothing is evidence for "yes".
  const char* restored = work.at("verdict") == "not" ? "no" : "unknown";
  return {{"dispatches", extent.dispatches},
          {"replayed", extent.replayed},
          {"outcomes", extent.outcomes.document()},
          {"work", std::move(work)},
          {"clock", aspect_json(extent.clock, kClockTolerance,
                                simulated && of_clock.empty() ? std::string{"simulated"} : of_clock)},
          {"cache",
           aspect_json(extent.cache, kCacheTolerance, why_unknown(extent.cache, extent, kCacheTolerance, "not_read"))},
          {"inputs_restored", restored},
          {"time", time_json(extent.time)}};
}

}  // namespace

void KernelAgreement::agent(const AgentInfo& agent, const std::vector<CounterInfo>& counters) {
  Agent& known = agents_[agent.index.value];
  known.device = agent.device;
  known.kinds.clear();
  for (const CounterInfo& counter : counters) known.kinds.push_back(kind_of_counter(counter.name));
}

void KernelAgreement::kernel(const KernelSymbol& kernel) {
  const Key key{kernel.agent.value, kernel.id.value};
  names_[key] = kernel.demangled.empty() ? kernel.name : kernel.demangled;
  any_agent_.emplace(kernel.id.value, key);
}

KernelExtent& KernelAgreement::extent_of(const DispatchRecord& dispatch) {
  const Key key{dispatch.agent.value, dispatch.kernel.value};
  const auto found = extents_.find(key);
  if (found != extents_.end()) return found->second;
  if (extents_.size() < kKernels) return extents_[key];
  if (!rest_) rest_.emplace();
  return *rest_;
}

void KernelAgreement::dispatch(const DispatchRecord& dispatch) {
  KernelExtent& extent = extent_of(dispatch);
  ++extent.dispatches;
  extent.outcomes.add(dispatch);
  std::vector<const PassRecord*> passes;
  for (const PassRecord& pass : dispatch.passes)
    if (pass.pass) passes.push_back(&pass);
  if (passes.size() < 2) return;
  ++extent.replayed;
  extent.first_unread += dispatch.warm_up || dispatch.timing ? 1 : 0;
  add_time(passes, extent.time);
  static const std::vector<CounterKind> none;
  const auto agent = agents_.find(dispatch.agent.value);
  add_readings(passes, agent == agents_.end() ? none : agent->second.kinds, extent);
}

std::string KernelAgreement::name_of(const Key& key) const {
  auto found = names_.find(key);
  if (found == names_.end())
    if (const auto any = any_agent_.find(key.second); any != any_agent_.end()) found = names_.find(any->second);
  return found == names_.end() ? "kernel " + std::to_string(key.second) : found->second;
}

ordered_json KernelAgreement::kernels(bool simulated) const {
  ordered_json list = ordered_json::array();
  for (const auto& [key, extent] : extents_) {
    const auto agent = agents_.find(key.first);
    ordered_json entry{{"agent", key.first},
                       {"device", agent == agents_.end() ? ordered_json(nullptr) : ordered_json(agent->second.device)},
                       {"kernel_id", key.second},
                       {"kernel", name_of(key)}};
    entry.update(extent_json(extent, simulated));
    list.push_back(std::move(entry));
  }
  return list;
}

ordered_json KernelAgreement::rest(bool simulated) const {
  return rest_ ? extent_json(*rest_, simulated) : ordered_json(nullptr);
}

}  // namespace multipass::apps
