// SPDX-License-Identifier: MIT
#include "replay/copies.hpp"

namespace multipass::replay {
namespace {

// A clock that stands before the beginning has measured nothing.
constexpr bool is_over(std::uint64_t since_ns, std::uint64_t now_ns) noexcept {
  return now_ns > since_ns && now_ns - since_ns > Copies::kLongestNs;
}

}  // namespace

Copies::Copies(std::size_t agents) : agents_(agents), of_agent_(std::make_unique<OfAgent[]>(agents)) {}

std::uint32_t Copies::known(std::optional<AgentIndex> agent) const noexcept {
  return agent && agent->value < agents_ ? agent->value : kNone;
}

template <typename Do>
void Copies::each(std::uint32_t from, std::uint32_t to, Do what) noexcept {
  if (from != kNone) what(of_agent_[from]);
  if (to != kNone && to != from) what(of_agent_[to]);
}

std::uint64_t Copies::begins(std::optional<AgentIndex> from, std::optional<AgentIndex> to,
                             std::uint64_t now_ns) noexcept {
  const std::uint32_t source = known(from);
  const std::uint32_t target = known(to);
  if (source == kNone && target == kNone) return 0;
  const std::uint64_t copy = take_slot(source, target, now_ns);
  if (copy == 0)
    each(source, target,
         [now_ns](OfAgent& agent) { agent.unfollowed_until_ns.store(now_ns + kLongestNs, std::memory_order_release); });
  each(source, target, [](OfAgent& agent) { agent.begun.fetch_add(1, std::memory_order_release); });
  return copy;
}

void Copies::ends(std::uint64_t begun) noexcept {
  if (begun != 0 && begun != kBeingFilled) (void)give_back(slots_[begun % kSlots], begun);
}

// The number of a copy names its slot: number modulo kSlots.
std::uint64_t Copies::take_slot(std::uint32_t from, std::uint32_t to, std::uint64_t now_ns) noexcept {
  for (std::size_t tried = 0; tried < kSlots; ++tried) {
    const std::uint64_t copy = last_.fetch_add(1, std::memory_order_relaxed) + 1;
    Slot& slot = slots_[copy % kSlots];
    std::uint64_t there = slot.copy.load(std::memory_order_acquire);
    if (there != 0 && there != kBeingFilled && is_over(slot.since_ns.load(std::memory_order_acquire), now_ns) &&
        give_back(slot, there))
      there = 0;
    if (there != 0 || !slot.copy.compare_exchange_strong(there, kBeingFilled, std::memory_order_acq_rel)) continue;
    slot.since_ns.store(now_ns, std::memory_order_release);
    slot.from.store(from, std::memory_order_release);
    slot.to.store(to, std::memory_order_release);
    each(from, to, [](OfAgent& agent) { agent.under_way.fetch_add(1, std::memory_order_release); });
    slot.copy.store(copy, std::memory_order_release);
    return copy;
  }
  return 0;
}

bool Copies::give_back(Slot& slot, std::uint64_t copy) noexcept {
  const std::uint32_t from = slot.from.load(std::memory_order_acquire);
  const std::uint32_t to = slot.to.load(std::memory_order_acquire);
  std::uint64_t expected = copy;
  if (!slot.copy.compare_exchange_strong(expected, 0, std::memory_order_acq_rel)) return false;
  each(from, to, [](OfAgent& agent) { agent.under_way.fetch_sub(1, std::memory_order_release); });
  return true;
}

bool Copies::in_flight(AgentIndex agent, std::uint64_t now_ns) const noexcept {
  if (agent.value >= agents_) return false;
  const OfAgent& of = of_agent_[agent.value];
  if (of.unfollowed_until_ns.load(std::memory_order_acquire) > now_ns) return true;
  if (of.under_way.load(std::memory_order_acquire) == 0) return false;
  for (const Slot& slot : slots_) {
    const std::uint64_t copy = slot.copy.load(std::memory_order_acquire);
    if (copy == 0) continue;
    if (copy == kBeingFilled) return true;  // it begins at this moment, of whichever agent
    const std::uint32_t from = slot.from.load(std::memory_order_acquire);
    const std::uint32_t to = slot.to.load(std::memory_order_acquire);
    const bool old = is_over(slot.since_ns.load(std::memory_order_acquire), now_ns);
    if ((from == agent.value || to == agent.value) && !old && slot.copy.load(std::memory_order_acquire) == copy)
      return true;
  }
  return false;
}

std::uint64_t Copies::begun(AgentIndex agent) const noexcept {
  return agent.value < agents_ ? of_agent_[agent.value].begun.load(std::memory_order_acquire) : 0;
}

}  // namespace multipass::replay
