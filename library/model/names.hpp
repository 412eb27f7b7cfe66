// SPDX-License-Identifier: MIT
//
// The names that users see of the model's enumerations. One place, so that journal, database, trace and
// summary cannot disagree.
#pragma once

#include <optional>
#include <string_view>

#include "model/dispatch.hpp"
#include "model/plan.hpp"
#include "model/run.hpp"

namespace multipass {

[[nodiscard]] constexpr std::string_view name_of(Outcome outcome) noexcept {
  switch (outcome) {
    case Outcome::kReplayed:
      return "replayed";
    case Outcome::kSinglePass:
      return "single_pass";
    case Outcome::kDeclined:
      return "declined";
    case Outcome::kFiltered:
      return "filtered";
    case Outcome::kIncomplete:
      return "incomplete";
  }
  return "incomplete";
}

// The option that says so; paused: the program itself.
[[nodiscard]] constexpr std::string_view name_of(FilterReason reason) noexcept {
  switch (reason) {
    case FilterReason::kOtherGpu:
      return "gpus";
    case FilterReason::kNotIncluded:
      return "kernel_include";
    case FilterReason::kExcluded:
      return "kernel_exclude";
    case FilterReason::kOutOfRange:
      return "range";
    case FilterReason::kOutsideRegion:
      return "roctx";
    case FilterReason::kPaused:
      return "paused";
  }
  return "kernel_include";
}

[[nodiscard]] constexpr std::string_view name_of(DeclineReason reason) noexcept {
  switch (reason) {
    case DeclineReason::kRotateMode:
      return "rotate_mode";
    case DeclineReason::kNoKernelReplay:
      return "no_kernel_replay";
    case DeclineReason::kReplayRefused:
      return "replay_refused";
    case DeclineReason::kReplayUnusable:
      return "replay_unusable";
    case DeclineReason::kNoReplayList:
      return "no_replay_list";
    case DeclineReason::kMaxReplays:
      return "max_replays";
    case DeclineReason::kNotOffered:
      return "not_offered";
    case DeclineReason::kUnknown:
      return "unknown";
    case DeclineReason::kVirtualMemory:
      return "virtual_memory";
    case DeclineReason::kManagedMemory:
      return "managed_memory";
    case DeclineReason::kPoolMemory:
      return "pool_memory";
    case DeclineReason::kFineGrainedMemory:
      return "fine_grained_memory";
    case DeclineReason::kPinnedMemory:
      return "pinned_memory";
    case DeclineReason::kExportedMemory:
      return "exported_memory";
    case DeclineReason::kImportedMemory:
      return "imported_memory";
    case DeclineReason::kCopyInFlight:
      return "copy_in_flight";
    case DeclineReason::kCollectives:
      return "collectives";
    case DeclineReason::kHostMemory:
      return "host_memory";
    case DeclineReason::kWindowTime:
      return "window_time";
    case DeclineReason::kBudget:
      return "budget";
  }
  return "unknown";
}

[[nodiscard]] constexpr std::optional<DeclineReason> safety_reason_of(std::string_view name) noexcept {
  for (const DeclineReason reason : kSafetyReasons)
    if (name_of(reason) == name) return reason;
  return std::nullopt;
}

[[nodiscard]] constexpr std::string_view name_of(BoundKind kind) noexcept {
  switch (kind) {
    case BoundKind::kSlots:
      return "slots";
    case BoundKind::kClique:
      return "clique";
    case BoundKind::kBlockSearch:
      return "block_search";
  }
  return "slots";
}

[[nodiscard]] constexpr std::string_view name_of(Proof proof) noexcept {
  switch (proof) {
    case Proof::kNone:
      return "none";
    case Proof::kBound:
      return "bound";
    case Proof::kSearch:
      return "search";
  }
  return "none";
}

[[nodiscard]] constexpr std::string_view name_of(ReplayMode mode) noexcept {
  switch (mode) {
    case ReplayMode::kAuto:
      return "auto";
    case ReplayMode::kKernel:
      return "kernel";
    case ReplayMode::kRotate:
      return "rotate";
    case ReplayMode::kOff:
      return "off";
  }
  return "auto";
}

// An execution that reads no counters, in files; in front of " pass" in sentences.
[[nodiscard]] constexpr std::string_view name_of(ExecutionKind kind) noexcept {
  switch (kind) {
    case ExecutionKind::kCounters:
      return "counters";
    case ExecutionKind::kWarmUp:
      return "warm-up";
    case ExecutionKind::kTiming:
      return "timing";
  }
  return "counters";
}

[[nodiscard]] constexpr std::optional<ReplayMode> replay_mode_of(std::string_view name) noexcept {
  for (const ReplayMode mode : {ReplayMode::kAuto, ReplayMode::kKernel, ReplayMode::kRotate, ReplayMode::kOff})
    if (name_of(mode) == name) return mode;
  return std::nullopt;
}

}  // namespace multipass
