// SPDX-License-Identifier: MIT
#include "sim/sdk/faults.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <stdexcept>

#include "sim/sdk/diagnostics.hpp"

namespace multipass_sim {

namespace {

constexpr const char* kVariable = "ROCPROFSYS_MULTIPASS_SIM_FAULTS";

// What a fault can be limited to: more and more of agent; every, dispatch; pass.
enum class Scope : std::uint8_t { kProcess, kAgent, kDispatch, kPass };

struct Switch {
  std::string_view name;
  Fault fault;
  Scope scope;
  bool waits = false;  // takes seconds too
};

constexpr std::array kSwitches = {
    Switch{"not_offered", Fault::kNotOffered, Scope::kDispatch},
    Switch{"several_packets", Fault::kSeveralPackets, Scope::kDispatch},
    Switch{"snapshot_refused", Fault::kSnapshotRefused, Scope::kDispatch},
    Switch{"queue_stuck", Fault::kQueueStuck, Scope::kDispatch},
    Switch{"queue_stuck_aborts", Fault::kQueueStuckAborts, Scope::kDispatch},
    Switch{"agent_stuck", Fault::kAgentStuck, Scope::kDispatch},
    Switch{"agent_stuck_aborts", Fault::kAgentStuckAborts, Scope::kDispatch},
    Switch{"drain_waits", Fault::kDrainWaits, Scope::kDispatch, true},
    Switch{"copies_in_flight", Fault::kCopiesInFlight, Scope::kDispatch},
    Switch{"copies_unfenced", Fault::kCopiesUnfenced, Scope::kAgent},
    Switch{"pass_abandoned", Fault::kPassAbandoned, Scope::kPass},
    Switch{"pass_stuck_aborts", Fault::kPassStuckAborts, Scope::kPass},
    Switch{"pass_waits", Fault::kPassWaits, Scope::kPass, true},
    Switch{"passes_untold", Fault::kPassesUntold, Scope::kPass},
    Switch{"pass_added", Fault::kPassAdded, Scope::kDispatch},
    Switch{"inputs_change", Fault::kInputsChange, Scope::kPass},
    Switch{"restore_wrong", Fault::kRestoreWrong, Scope::kPass},
    Switch{"restore_partial", Fault::kRestorePartial, Scope::kPass},
    Switch{"restore_skipped", Fault::kRestoreSkipped, Scope::kPass},
    Switch{"restore_aborts", Fault::kRestoreAborts, Scope::kPass},
    Switch{"abort_after_pass", Fault::kAbortAfterPass, Scope::kPass},
    Switch{"exit_after_pass", Fault::kExitAfterPass, Scope::kPass},
    Switch{"kill_after_pass", Fault::kKillAfterPass, Scope::kPass},
    Switch{"payload_without_toggles", Fault::kPayloadWithoutToggles, Scope::kDispatch},
    Switch{"payload_short", Fault::kPayloadShort, Scope::kDispatch},
    Switch{"payload_callbacks_first", Fault::kPayloadCallbacksFirst, Scope::kDispatch},
    Switch{"payload_toggles_first", Fault::kPayloadTogglesFirst, Scope::kDispatch},
    Switch{"payload_longer", Fault::kPayloadLonger, Scope::kDispatch},
    Switch{"total_hidden", Fault::kTotalHidden, Scope::kDispatch},
    Switch{"more_operations", Fault::kMoreOperations, Scope::kDispatch},
    Switch{"cache_warm", Fault::kCacheWarm, Scope::kPass},
    Switch{"record_lost", Fault::kRecordLost, Scope::kPass},
    Switch{"record_twice", Fault::kRecordTwice, Scope::kPass},
    Switch{"instance_misplaced", Fault::kInstanceMisplaced, Scope::kPass},
    Switch{"record_before_complete", Fault::kRecordBeforeComplete, Scope::kPass},
    Switch{"record_after_passes", Fault::kRecordAfterPasses, Scope::kDispatch},
    Switch{"record_late", Fault::kRecordLate, Scope::kDispatch},
    Switch{"record_reversed", Fault::kRecordReversed, Scope::kDispatch},
    Switch{"record_at_stop", Fault::kRecordAtStop, Scope::kPass},
    Switch{"record_after_finalize", Fault::kRecordAfterFinalize, Scope::kPass},
    Switch{"record_on_handler", Fault::kRecordOnHandler, Scope::kPass},
    Switch{"records_meet", Fault::kRecordsMeet, Scope::kProcess},
    Switch{"replay_owned", Fault::kReplayOwned, Scope::kProcess},
    Switch{"counting_conflict", Fault::kCountingConflict, Scope::kProcess},
    Switch{"start_denied", Fault::kStartDenied, Scope::kProcess},
    Switch{"config_denied", Fault::kConfigDenied, Scope::kAgent},
    Switch{"not_lockable", Fault::kNotLockable, Scope::kAgent},
    Switch{"lite_trace", Fault::kLiteTrace, Scope::kProcess},
    Switch{"agent_unsupported", Fault::kAgentUnsupported, Scope::kAgent},
    Switch{"agent_empty", Fault::kAgentEmpty, Scope::kAgent},
    Switch{"dimensions_hidden", Fault::kDimensionsHidden, Scope::kProcess},
    Switch{"ids_tagged", Fault::kIdsTagged, Scope::kProcess},
    Switch{"replay_kind_moved", Fault::kReplayKindMoved, Scope::kProcess},
    Switch{"set_agents_hidden", Fault::kSetAgentsHidden, Scope::kProcess},
    Switch{"sdk_1_0_0", Fault::kSdk100, Scope::kProcess},
};
static_assert(kSwitches.size() == static_cast<std::size_t>(Fault::kCount));

struct Selector {
  std::string_view name;
  Scope scope;            // of the faults that take it, at least
  bool of_waits = false;  // of faults that wait only
};

constexpr bool takes(const Switch& fault, const Selector& selector) {
  return selector.scope <= fault.scope && (fault.waits || !selector.of_waits);
}

constexpr std::array kSelectors = {
    Selector{"agent", Scope::kAgent},
    Selector{"every", Scope::kDispatch},
    Selector{"dispatch", Scope::kDispatch},
    Selector{"pass", Scope::kPass},
    Selector{"seconds", Scope::kDispatch, true},
};

std::string quoted(std::string_view text) {
  return '"' + std::string(text) + '"';
}

const Switch& find_switch(std::string_view name) {
  const auto* const found = std::find_if(kSwitches.begin(), kSwitches.end(),
                                         [name](const Switch& candidate) { return candidate.name == name; });
  if (found != kSwitches.end()) return *found;
  std::string known;
  for (const Switch& candidate : kSwitches) known += (known.empty() ? "" : ", ") + std::string(candidate.name);
  throw std::invalid_argument("no fault is called " + quoted(name) + "; there are: " + known);
}

std::string selectors_of(const Switch& fault) {
  std::string known;
  for (const Selector& selector : kSelectors) {
    if (takes(fault, selector)) known += (known.empty() ? "" : ", ") + std::string(selector.name);
  }
  return known.empty() ? "it takes none" : "it takes: " + known;
}

std::uint64_t number(std::string_view selector, std::string_view text) {
  const std::uint64_t least = selector == "every" || selector == "dispatch" ? 1 : 0;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least) {
    throw std::invalid_argument(std::string(selector) + "=" + std::string(text) + ": a number from " +
                                std::to_string(least) + " is expected");
  }
  return value;
}

// The text before the separator; `text` keeps what follows.
std::string_view take_part(std::string_view& text, char separator) {
  const std::size_t at = text.find(separator);
  const std::string_view part = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
  return part;
}

}  // namespace

FaultList::Entry FaultList::parse_entry(std::string_view text) {
  const Switch& fault = find_switch(take_part(text, ':'));
  Entry entry;
  entry.fault = fault.fault;
  while (!text.empty()) {
    std::string_view value = take_part(text, ':');
    const std::string_view name = take_part(value, '=');
    const auto* const selector = std::find_if(kSelectors.begin(), kSelectors.end(), [&](const Selector& candidate) {
      return candidate.name == name && takes(fault, candidate);
    });
    if (selector == kSelectors.end()) {
      throw std::invalid_argument(std::string(fault.name) + " has no selector " + quoted(name) + "; " +
                                  selectors_of(fault));
    }
    std::array<std::optional<std::uint64_t>*, kSelectors.size()> places = {&entry.agent, &entry.every, &entry.dispatch,
                                                                           &entry.pass, &entry.seconds};
    *places[static_cast<std::size_t>(selector - kSelectors.begin())] = number(name, value);
  }
  return entry;
}

FaultList FaultList::parse(std::string_view text) {
  FaultList list;
  while (!text.empty()) {
    const std::string_view part = take_part(text, ',');
    if (part.empty()) continue;
    list.entries_.push_back(parse_entry(part));
    list.on_.set(static_cast<std::size_t>(list.entries_.back().fault));
  }
  return list;
}

bool FaultList::on_agent(Fault fault, std::size_t device) const noexcept {
  return on(fault) && std::any_of(entries_.begin(), entries_.end(), [&](const Entry& entry) {
           return entry.fault == fault && entry.agent.value_or(device) == device;
         });
}

const FaultList::Entry* FaultList::find(Fault fault, const FaultPlace& place) const noexcept {
  if (!on(fault)) return nullptr;
  const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return entry.fault == fault && entry.agent.value_or(place.device) == place.device &&
           (!entry.every || place.dispatch % *entry.every == 0) &&
           entry.dispatch.value_or(place.dispatch) == place.dispatch && (!entry.pass || entry.pass == place.pass);
  });
  return found == entries_.end() ? nullptr : &*found;
}

std::optional<std::chrono::seconds> FaultList::wait(Fault fault, const FaultPlace& place) const noexcept {
  const Entry* entry = find(fault, place);
  if (entry == nullptr) return std::chrono::seconds(0);
  if (!entry->seconds) return std::nullopt;
  return std::chrono::seconds(*entry->seconds);
}

const FaultList& Faults::list() {
  std::call_once(read_, [this] {
    const char* value = std::getenv(kVariable);
    if (value == nullptr) return;
    try {
      list_ = FaultList::parse(value);
    } catch (const std::exception& error) {
      fatal(std::string(kVariable) + ": " + error.what());
    }
  });
  return list_;
}

}  // namespace multipass_sim
