// SPDX-License-Identifier: MIT
#include "apps/export/counter_kind.hpp"

#include <algorithm>
#include <array>

namespace multipass::apps {
namespace {

constexpr std::array<std::string_view, 11> kTimes{"CYCLES",  "LEVEL",     "WAIT", "TIME",  "BUSY",    "STALL",
                                                  "LATENCY", "OCCUPANCY", "UTIL", "SAVED", "RESTORED"};
constexpr std::array<std::string_view, 3> kInstructions{"SQ_INSTS", "SQ_WAVE32_INSTS", "SQ_WAVE64_INSTS"};
constexpr std::array<std::string_view, 2> kWaves{"SQ_WAVES", "SQ_ITEMS"};
constexpr std::array<std::string_view, 8> kCaches{"TCC_", "TCP_", "TCA_", "GL2C_", "GL2A_", "GL1C_", "GL1A_", "SQC_"};
constexpr std::array<std::string_view, 3> kCacheEvents{"HIT", "MISS", "RDREQ"};
constexpr std::array<std::string_view, 2> kCacheNames{"FETCH_SIZE", "L2CacheHit"};

template <std::size_t N>
bool has_any(std::string_view name, const std::array<std::string_view, N>& parts) noexcept {
  return std::any_of(parts.begin(), parts.end(),
                     [&](std::string_view part) { return name.find(part) != std::string_view::npos; });
}

template <std::size_t N>
bool begins_with_any(std::string_view name, const std::array<std::string_view, N>& starts) noexcept {
  return std::any_of(starts.begin(), starts.end(), [&](std::string_view start) { return name.starts_with(start); });
}

}  // namespace

CounterKind kind_of_counter(std::string_view name) noexcept {
  if (name == "GRBM_GUI_ACTIVE") return CounterKind::kCycles;
  if (has_any(name, kTimes)) return CounterKind::kOther;
  if (begins_with_any(name, kInstructions)) return CounterKind::kInstructions;
  if (begins_with_any(name, kWaves)) return CounterKind::kWaves;
  const bool named = std::find(kCacheNames.begin(), kCacheNames.end(), name) != kCacheNames.end();
  if (named || (begins_with_any(name, kCaches) && has_any(name, kCacheEvents))) return CounterKind::kCache;
  return CounterKind::kOther;
}

}  // namespace multipass::apps
