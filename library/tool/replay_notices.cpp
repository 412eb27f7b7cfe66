// SPDX-License-Identifier: MIT
#include "tool/replay_notices.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "base/text.hpp"
#include "model/names.hpp"

namespace multipass::tool {
namespace {

// Those that hold for a GPU, not for single launches or shapes of it; the time of a window is for the most part that of
// copying its memory.
constexpr std::array kOfGpu{
    DeclineReason::kVirtualMemory,     DeclineReason::kManagedMemory, DeclineReason::kPoolMemory,
    DeclineReason::kFineGrainedMemory, DeclineReason::kPinnedMemory,  DeclineReason::kExportedMemory,
    DeclineReason::kImportedMemory,    DeclineReason::kCollectives,   DeclineReason::kHostMemory,
    DeclineReason::kWindowTime,        DeclineReason::kBudget};

// Whether a replay in spite of it may change what the program computes; else it takes time or memory only.
bool endangers_results(DeclineReason reason) noexcept {
  constexpr std::array kCostly{DeclineReason::kCollectives, DeclineReason::kHostMemory, DeclineReason::kWindowTime,
                               DeclineReason::kBudget};
  return std::find(kCostly.begin(), kCostly.end(), reason) == kCostly.end();
}

std::uint64_t at(const std::array<std::uint64_t, kDeclineReasons>& counts, DeclineReason reason) {
  return counts[static_cast<std::size_t>(reason)];
}

std::string decimal(double value, const char* unit) {
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), value < 10 ? "%.1f %s" : "%.0f %s", value, unit);
  return text.data();
}

std::string seconds(std::uint64_t ns) {
  const double s = static_cast<double>(ns) / 1e9;
  if (s >= 3600) return decimal(s / 3600, "h");
  return s >= 120 ? decimal(s / 60, "min") : decimal(s, "s");
}

std::string bytes(double count) {
  if (count >= 1e9) return decimal(count / 1e9, "GB");
  if (count >= 1e6) return decimal(count / 1e6, "MB");
  if (count >= 1e3) return decimal(count / 1e3, "KB");
  return counted(static_cast<std::uint64_t>(count), "byte", "bytes");
}

}  // namespace

std::string_view sentence_of(DeclineReason reason) noexcept {
  switch (reason) {
    case DeclineReason::kVirtualMemory:
      return "memory mapped by the virtual-memory functions is there";
    case DeclineReason::kManagedMemory:
      return "managed memory is there";
    case DeclineReason::kPoolMemory:
      return "stream-ordered memory (hipMallocAsync, pools) is there";
    case DeclineReason::kFineGrainedMemory:
      return "fine-grained memory is there";
    case DeclineReason::kPinnedMemory:
      return "pinned host memory is there";
    case DeclineReason::kExportedMemory:
      return "memory was made known to another process";
    case DeclineReason::kImportedMemory:
      return "memory of another process is there";
    case DeclineReason::kCopyInFlight:
      return "a copy was under way";
    case DeclineReason::kCollectives:
      return "ranks that may wait for each other are there";
    case DeclineReason::kHostMemory:
      return "the host has no room for the copy of its memory";
    case DeclineReason::kWindowTime:
      return "a replay would take longer than 30 s";
    case DeclineReason::kBudget:
      return "the budget of time is spent";
    default:
      return name_of(reason);
  }
}

ReplayNotices::ReplayNotices(replay::Session& session, KernelName name, std::vector<std::string> titles)
    : session_(session), name_(std::move(name)), titles_(std::move(titles)), agents_(titles_.size()) {}

std::vector<Announcement> ReplayNotices::due() {
  std::vector<Announcement> lines;
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < agents_.size(); ++i) {
    const AgentIndex agent{static_cast<std::uint32_t>(i)};
    for (const replay::TimedWindow& window : session_.admission().take_timed(agent))
      if (++timed_ <= kMostTimed) lines.push_back({LogLevel::kNote, describe(agent, window)});
    if (auto line = change(agent, agents_[i])) lines.push_back(*std::move(line));
  }
  return lines;
}

// A change is one only when all launches since the last look agree on it: of those that are declined one by one, for
// their shape or a copy, nothing is concluded.
std::optional<Announcement> ReplayNotices::change(AgentIndex agent, OfAgent& of) {
  const replay::Admission::Counts now = session_.admission().counts(agent);
  const bool replayed = now.admitted != of.seen.admitted;
  std::optional<DeclineReason> off;
  std::uint64_t most = 0;
  for (const DeclineReason reason : kOfGpu) {
    const std::uint64_t launches = at(now.declined, reason) - at(of.seen.declined, reason);
    if (launches > most) off = reason;
    most = std::max(most, launches);
  }
  of.seen = now;
  if (replayed == off.has_value() || off.has_value() == of.off.has_value()) return std::nullopt;  // none, both, known
  of.off = off;
  if (++of.changes > kMostChanges) return std::nullopt;
  const char* last = of.changes == kMostChanges ? "; further changes are not told of" : "";
  if (!off) return Announcement{LogLevel::kNote, titles_[agent.value] + ": launches are replayed again" + last};
  const std::uint64_t there = at(now.bytes, *off);
  const std::string much = there == 0 ? "" : ", " + bytes(static_cast<double>(there));
  return Announcement{LogLevel::kNote, titles_[agent.value] + ": launches are not replayed from here on: " +
                                           std::string(sentence_of(*off)) + " (" + std::string(name_of(*off)) + much +
                                           "); each reads one group of counters, in turn" + last};
}

std::string ReplayNotices::describe(AgentIndex agent, const replay::TimedWindow& window) const {
  const double moved = static_cast<double>(window.executions) * static_cast<double>(window.footprint);
  std::string text = titles_[agent.value] + ": the first replay of " + name_(window.shape.kernel) + " took " +
                     seconds(window.ns) + " for " + counted(window.executions, "execution", "executions");
  // Without a rate: a window also waits for what was launched before it.
  if (moved > 0) text += ", in which " + bytes(moved) + " were copied";
  const auto left = session_.replays_left(agent, window.shape);
  if (left == std::uint64_t{0}) return text + "; this launch shape is not replayed again";
  if (window.next_ns > replay::Admission::kLongestWindow &&
      !session_.admission().lifted().has(DeclineReason::kWindowTime))
    return text + "; another one would take longer than " + seconds(replay::Admission::kLongestWindow) +
           ", and is not begun";
  if (left)
    text += "; " + counted(*left, "further replay", "further replays") + " of this launch shape " +
            (*left == 1 ? "takes" : "take") + " about " + seconds(*left * window.next_ns);
  else
    text += "; each further one takes about " + seconds(window.next_ns);
  if (session_.admission().has_budget())
    text += ", of " + seconds(session_.admission().budget_left()) + " that are left";
  return text;
}

std::vector<Announcement> ReplayNotices::sum() const {
  replay::Admission::Counts all;
  for (std::size_t i = 0; i < titles_.size(); ++i) {
    const auto counts = session_.admission().counts(AgentIndex{static_cast<std::uint32_t>(i)});
    all.admitted += counts.admitted;
    for (std::size_t reason = 0; reason < kDeclineReasons; ++reason) {
      all.declined[reason] += counts.declined[reason];
      all.despite[reason] += counts.despite[reason];
    }
  }
  std::vector<Announcement> lines;
  for (const DeclineReason reason : kSafetyReasons)
    if (const std::uint64_t launches = at(all.despite, reason); launches != 0)
      lines.push_back(
          {LogLevel::kWarning, counted(launches, "launch was", "launches were") + " replayed although " +
                                   std::string(sentence_of(reason)) + " (unsafe " + std::string(name_of(reason)) + ")" +
                                   (endangers_results(reason) ? ": results of the program may differ" : "")});
  std::vector<std::string> reasons;
  std::uint64_t declined = 0;
  for (std::size_t reason = 0; reason < kDeclineReasons; ++reason) {
    declined += all.declined[reason];
    if (all.declined[reason] != 0)
      reasons.push_back(std::string(name_of(static_cast<DeclineReason>(reason))) + " " +
                        std::to_string(all.declined[reason]));
  }
  if (!reasons.empty())
    lines.push_back({LogLevel::kInfo, counted(declined, "launch was", "launches were") +
                                          " not replayed and read one group of counters each: " + joined(reasons)});
  return lines;
}

}  // namespace multipass::tool
