// SPDX-License-Identifier: MIT
#include "replay/admission.hpp"

#include <algorithm>
#include <ctime>

namespace multipass::replay {
namespace {

// What a HIP program says first: HIP maps the memory of pools by the virtual-memory functions, so both are there then.
constexpr std::array kOfMemory{DeclineReason::kManagedMemory, DeclineReason::kPoolMemory,
                               DeclineReason::kVirtualMemory, DeclineReason::kFineGrainedMemory,
                               DeclineReason::kPinnedMemory,  DeclineReason::kExportedMemory,
                               DeclineReason::kImportedMemory};

constexpr std::uint64_t between(std::uint64_t from_ns, std::uint64_t to_ns) noexcept {
  return to_ns > from_ns ? to_ns - from_ns : 0;
}

}  // namespace

std::uint64_t boot_time_ns() noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(now.tv_nsec);
}

Admission::Admission(std::size_t agents, const AdmissionLimits& limits, const Surroundings& around)
    : clock_(around.clock),
      memory_(around.memory),
      copies_(around.copies),
      lifted_(limits.lifted),
      longest_copy_wait_(limits.copy_wait),
      budget_(limits.budget, around.clock()),
      host_memory_(limits.host_memory, around.files) {
  for (std::size_t i = 0; i < agents; ++i) agents_.push_back(std::make_unique<OfAgent>());
}

Admission::OfAgent* Admission::of(AgentIndex agent) const noexcept {
  return agent.value < agents_.size() ? agents_[agent.value].get() : nullptr;
}

// A condition is there: it declines, or is kept as one that was lifted.
bool Admission::holds_against(DeclineReason reason, Ticket& ticket) const noexcept {
  if (!lifted_.has(reason)) return true;
  ticket.despite.add(reason);
  return false;
}

std::optional<DeclineReason> Admission::refuses(const DispatchInfo& dispatch, std::uint64_t executions,
                                                Ticket& ticket) noexcept {
  const OfAgent* agent = of(dispatch.agent);
  ticket = Ticket{};
  ticket.executions = executions;
  ticket.asked_ns = ticket.began_ns = clock_();
  if (memory_ != nullptr) {
    ticket.footprint = memory_->footprint(dispatch.agent);
    if (const SafetyReasons present = memory_->present(dispatch.agent); present.any())
      for (const DeclineReason reason : kOfMemory)
        if (present.has(reason) && holds_against(reason, ticket)) return reason;
  }
  if (collectives_.load(std::memory_order_relaxed) && holds_against(DeclineReason::kCollectives, ticket))
    return DeclineReason::kCollectives;
  if (agent == nullptr) return std::nullopt;
  const std::uint64_t further = agent->copies.further(ticket.footprint);
  if (!host_memory_.has_room(further, ticket.asked_ns) && holds_against(DeclineReason::kHostMemory, ticket))
    return DeclineReason::kHostMemory;
  const auto projected = agent->projection.window(shape_of(dispatch), executions, ticket.footprint);
  ticket.projected_ns = projected.ns;
  if (projected.ns <= kLongestWindow || !holds_against(DeclineReason::kWindowTime, ticket)) return std::nullopt;
  const bool measured = !projected.assumed || agent->rate_window.load(std::memory_order_acquire);
  if (measured || projected.one_copy_ns > kLongestWindow) return DeclineReason::kWindowTime;
  ticket.measures_rate = true;
  ticket.projected_ns = kLongestWindow;  // it is ended then
  return std::nullopt;
}

// Of threads that ask at once one has the window that measures the rate.
std::optional<DeclineReason> Admission::opens(const DispatchInfo& dispatch, Ticket& ticket) noexcept {
  OfAgent* agent = of(dispatch.agent);
  if (agent == nullptr) return DeclineReason::kUnknown;  // it has no configurations, so it is not asked about
  if (ticket.measures_rate && agent->rate_window.exchange(true, std::memory_order_acq_rel))
    return DeclineReason::kWindowTime;
  if (const auto reason = takes(*agent, ticket)) {
    if (ticket.measures_rate) agent->rate_window.store(false, std::memory_order_release);
    return reason;
  }
  if (!meets_copy(dispatch.agent, *agent, ticket)) return std::nullopt;
  closes(dispatch, ticket, 0);
  return DeclineReason::kCopyInFlight;
}

// The thread holds no lock meanwhile, and a copy that is ordered before the launch ends without it.
bool Admission::meets_copy(AgentIndex index, OfAgent& agent, Ticket& ticket) noexcept {
  if (copies_ == nullptr) return false;
  const auto none_under_way = [&]() noexcept {
    // In this order: a copy that begins in between is seen as one of either kind. One that began while it was looked
    // for may be over already: it would end the replay, for nothing.
    ticket.copies_begun = copies_->begun(index);
    return !copies_->in_flight(index, clock_()) && copies_->begun(index) == ticket.copies_begun;
  };
  if (none_under_way() || !holds_against(DeclineReason::kCopyInFlight, ticket)) return false;
  return !agent.copy_wait.until(none_under_way, longest_copy_wait_);
}

std::optional<DeclineReason> Admission::takes(OfAgent& agent, Ticket& ticket) noexcept {
  const bool in_any_room = lifted_.has(DeclineReason::kHostMemory);
  if (!agent.copies.open(host_memory_, ticket.footprint, ticket.asked_ns, in_any_room))
    return DeclineReason::kHostMemory;
  const bool at_any_cost = lifted_.has(DeclineReason::kBudget);
  if (at_any_cost && ticket.projected_ns > budget_.left(ticket.asked_ns)) ticket.despite.add(DeclineReason::kBudget);
  ticket.open = budget_.open(ticket.projected_ns, ticket.asked_ns, at_any_cost);
  if (ticket.open) return std::nullopt;
  agent.copies.close(host_memory_);
  return DeclineReason::kBudget;
}

// Windows of an agent come one after the other: what it waited for those before is no time of its own.
void Admission::begins(const DispatchInfo& dispatch, Ticket& ticket) noexcept {
  if (const OfAgent* agent = of(dispatch.agent))
    ticket.began_ns = std::max(ticket.asked_ns, agent->last_end_ns.load(std::memory_order_acquire));
}

std::optional<DeclineReason> Admission::ends(const DispatchInfo& dispatch, const Ticket& ticket,
                                             std::uint64_t done) const noexcept {
  if (!ticket.open) return std::nullopt;
  const bool copied = copies_ != nullptr && copies_->begun(dispatch.agent) != ticket.copies_begun;
  if (copied && !lifted_.has(DeclineReason::kCopyInFlight)) return DeclineReason::kCopyInFlight;
  const std::uint64_t now_ns = clock_();
  const std::uint64_t taken_ns = between(ticket.began_ns, now_ns);
  const std::uint64_t next_ns = taken_ns / std::max<std::uint64_t>(done, 1);  // as those before it
  if (taken_ns + next_ns > kLongestWindow && !lifted_.has(DeclineReason::kWindowTime))
    return DeclineReason::kWindowTime;
  if (!lifted_.has(DeclineReason::kBudget) && budget_.overruns(next_ns, now_ns)) return DeclineReason::kBudget;
  return std::nullopt;
}

void Admission::closes(const DispatchInfo& dispatch, Ticket& ticket, std::uint64_t done) noexcept {
  OfAgent* agent = of(dispatch.agent);
  if (!ticket.open || agent == nullptr) return;
  ticket.open = false;
  const std::uint64_t now_ns = clock_();
  if (!budget_.close(ticket.projected_ns, now_ns)) return;
  agent->copies.close(host_memory_);
  if (done == 0 && ticket.measures_rate) agent->rate_window.store(false, std::memory_order_release);
  if (done == 0) return;
  agent->last_end_ns.store(now_ns, std::memory_order_release);
  // What was lifted declined nothing at the start, and ended nothing later.
  if (copies_ != nullptr && copies_->begun(dispatch.agent) != ticket.copies_begun)
    if (lifted_.has(DeclineReason::kCopyInFlight)) ticket.despite.add(DeclineReason::kCopyInFlight);
  for (const DeclineReason reason : kSafetyReasons)
    if (ticket.despite.has(reason))
      agent->despite[static_cast<std::size_t>(reason)].fetch_add(1, std::memory_order_relaxed);
  const LaunchShape shape = shape_of(dispatch);
  const std::uint64_t ns = between(ticket.began_ns, now_ns);
  if (agent->projection.measured(shape, {ns, done, ticket.footprint}) && ns >= kWorthTelling)
    tell(*agent,
         {shape, done, ticket.footprint, ns, agent->projection.window_ns(shape, ticket.executions, ticket.footprint)});
}

void Admission::tell(OfAgent& agent, const TimedWindow& window) noexcept {
  try {
    const std::lock_guard lock(agent.mutex);
    if (agent.timed_count < kMostTimed) agent.timed[agent.timed_count++] = window;
  } catch (...) {  // the lock is broken: it is not told of
  }
}

std::vector<TimedWindow> Admission::take_timed(AgentIndex agent) {
  OfAgent* found = of(agent);
  if (found == nullptr) return {};
  const std::lock_guard lock(found->mutex);
  const auto end = found->timed.begin() + static_cast<std::ptrdiff_t>(found->timed_count);
  std::vector<TimedWindow> taken(found->timed.begin(), end);
  found->timed_count = 0;
  return taken;
}

void Admission::executed(const DispatchInfo& dispatch, const Interval& times) noexcept {
  OfAgent* agent = of(dispatch.agent);
  if (agent == nullptr || !agent->asked.load(std::memory_order_relaxed)) return;
  if (times.start_ns == 0 || times.end_ns <= times.start_ns) return;
  agent->projection.executed(shape_of(dispatch), times.end_ns - times.start_ns);
}

void Admission::note(AgentIndex agent, std::optional<DeclineReason> declined) noexcept {
  OfAgent* found = of(agent);
  if (found == nullptr) return;
  if (!found->asked.load(std::memory_order_relaxed)) found->asked.store(true, std::memory_order_relaxed);
  if (!declined) {
    found->admitted.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  const auto reason = static_cast<std::size_t>(*declined);
  if (memory_ != nullptr) found->bytes[reason].store(memory_->bytes_of(*declined, agent), std::memory_order_relaxed);
  found->declined[reason].fetch_add(1, std::memory_order_relaxed);
}

Admission::Counts Admission::counts(AgentIndex agent) const noexcept {
  Counts counts;
  const OfAgent* found = of(agent);
  if (found == nullptr) return counts;
  counts.admitted = found->admitted.load(std::memory_order_relaxed);
  for (std::size_t i = 0; i < kDeclineReasons; ++i) {
    counts.declined[i] = found->declined[i].load(std::memory_order_relaxed);
    counts.despite[i] = found->despite[i].load(std::memory_order_relaxed);
    counts.bytes[i] = found->bytes[i].load(std::memory_order_relaxed);
  }
  return counts;
}

}  // namespace multipass::replay
