// SPDX-License-Identifier: MIT
#include "tool/recording.hpp"

#include <cmath>
#include <string>

#include "base/environment.hpp"
#include "model/names.hpp"
#include "sdk/recording.hpp"

namespace multipass::tool {
namespace {

std::string text_of(const ReplayBudget& budget) {
  constexpr std::uint64_t kNsPerMs = 1'000'000;
  constexpr std::uint64_t kNsPerSecond = 1'000'000'000;
  std::string text;
  if (budget.ns != 0)
    text = budget.ns % kNsPerSecond == 0 ? std::to_string(budget.ns / kNsPerSecond) + "s"
                                         : std::to_string(budget.ns / kNsPerMs) + "ms";
  if (budget.share > 0) {
    constexpr long kThousandths = 1000;
    const long parts = std::lround(budget.share * 100 * kThousandths);
    std::string behind = std::to_string(kThousandths + parts % kThousandths);  // "1025"
    behind[0] = '.';
    text += (text.empty() ? "" : ",") + std::to_string(parts / kThousandths) + behind + "%";
  }
  return text.empty() ? "none" : text;
}

// Those that have a say in what the plugin answers, as their variables take them; none that holds a text of the user's.
sdk::RecordedOptions options_of(const RunConfig& config) {
  sdk::RecordedOptions options{{"REPLAY", std::string(name_of(config.replay))}};
  const ReplayLimitsConfig& limits = config.limits;
  if (limits.max_replays)
    options["MAX_REPLAYS"] = *limits.max_replays == 0 ? "none" : std::to_string(*limits.max_replays);
  if (limits.budget) options["REPLAY_BUDGET"] = text_of(*limits.budget);
  std::string unsafe;
  for (const DeclineReason reason : kSafetyReasons)
    if (limits.unsafe.has(reason)) unsafe += (unsafe.empty() ? "" : ",") + std::string(name_of(reason));
  if (!unsafe.empty()) options["UNSAFE"] = unsafe;
  if (limits.everything) options["REPLAY_EVERYTHING"] = "on";
  if (config.extras.warm_up) options["WARM_UP_PASS"] = "on";
  if (config.extras.timing) options["TIMING_PASS"] = "on";
  if (config.extras.permute) options["PERMUTE_GROUPS"] = "on";
  return options;
}

}  // namespace

Status start_recording(const RunConfig& config) {
  const std::string file = environment::get_own("RECORD").value_or("");
  return file.empty() ? Status::ok() : sdk::start_recording(file, options_of(config));
}

}  // namespace multipass::tool
