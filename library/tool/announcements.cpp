// SPDX-License-Identifier: MIT
#include "tool/announcements.hpp"

#include <algorithm>
#include <iterator>
#include <set>

#include "base/text.hpp"
#include "model/gpu_title.hpp"
#include "model/names.hpp"

namespace multipass::tool {
namespace {

std::string no_kernel_replay(const sdk::SdkIdentity& identity) {
  return "SDK " + identity.version + " has no kernel replay" +
         (identity.before_replay ? " (1.4.1 and later have it)" : "");
}

// " + warm-up + timing": what a launch runs beside the passes of its plan.
std::string more_executions(const ReplayExtras& extras) {
  return std::string(extras.warm_up ? " + warm-up" : "") + (extras.timing ? " + timing" : "");
}

}  // namespace

Announcement which_way(const Way& way) {
  const std::string in_turn = "each launch reads one group of counters, in turn";
  if (way.config.replay == ReplayMode::kRotate)
    return {LogLevel::kInfo, "kernels run once (replay rotate): " + in_turn};
  if (way.services.replays())
    return {LogLevel::kInfo, "kernels are replayed once per pass: SDK " + way.identity.version + " has kernel replay"};
  if (way.identity.replay_kind)
    return {LogLevel::kWarning, "kernels are not replayed: " + way.services.why_no_replay() + "; " + in_turn};
  const std::string why = no_kernel_replay(way.identity);
  // A warning with auto too: it says why what was not read is absent, and a capture holds no lesser lines.
  return {LogLevel::kWarning, way.config.replay == ReplayMode::kKernel
                                  ? "kernels are not replayed, as 'replay kernel' wants: " + why + "; " + in_turn
                                  : "kernels run once, for " + why + ": " + in_turn};
}

std::vector<Announcement> unused_extras(const Way& way) {
  const ReplayExtras& extras = way.config.extras;
  if (way.replay_asked && way.services.replays()) return {};
  std::vector<std::string> options;
  if (extras.warm_up) options.emplace_back("warm-up-pass");
  if (extras.timing) options.emplace_back("timing-pass");
  if (extras.permute) options.emplace_back("permute-groups");
  if (options.empty()) return {};
  std::string reason;
  if (way.config.replay == ReplayMode::kRotate || way.config.replay == ReplayMode::kOff) {
    reason = " with replay " + std::string(name_of(way.config.replay));
  } else if (!way.identity.replay_kind) {
    reason = ": " + no_kernel_replay(way.identity);
  } else if (!way.services.why_no_replay().empty()) {
    reason = ": " + way.services.why_no_replay();
  }
  return {{LogLevel::kWarning, joined(options) + (options.size() == 1 ? " has" : " have") +
                                   " no effect: kernels are not replayed" + reason}};
}

std::vector<Announcement> unfollowed_regions(const Way& way, bool by_range) {
  std::vector<Announcement> lines;
  if (const std::string& why = way.services.why_no_ranges(); by_range && !why.empty())
    lines.push_back(
        {LogLevel::kWarning,
         "the roctx ranges of the program are not followed, so every launch counts as outside of them: " + why});
  if (const std::string& why = way.services.why_no_control(); !why.empty()) {
    const std::string text = "roctxProfilerPause and roctxProfilerResume are not followed: " + why;
    if (way.config.regions.selected_regions)
      lines.push_back({LogLevel::kWarning, text + "; with selected-regions, no launch is collected"});
    else
      lines.push_back({LogLevel::kInfo, text});
  }
  return lines;
}

std::vector<Announcement> unseen_memory(const Way& way) {
  const std::string& why = way.services.why_no_memory();
  if (!way.services.replays() || why.empty()) return {};
  return {{LogLevel::kWarning,
           "not all that the program does with memory is seen, and kernels are replayed in spite of what is not: " +
               why + "; replay rotate is safe"}};
}

std::vector<Announcement> plans(const Way& way, const std::vector<PreparedAgent>& agents) {
  const std::string more = way.services.replays() ? more_executions(way.config.extras) : std::string();
  std::vector<Announcement> lines;
  for (const PreparedAgent& agent : agents) {
    if (agent.configs.empty()) continue;
    std::set<std::string> requested;
    std::set<std::string> sentinels;
    for (const PassPlan& pass : agent.plan.passes) {
      sentinels.insert(pass.sentinels.begin(), pass.sentinels.end());
      std::set_difference(pass.counters.begin(), pass.counters.end(), pass.sentinels.begin(), pass.sentinels.end(),
                          std::inserter(requested, requested.end()));
    }
    const std::string name = gpu_title(agent.agent.info) + ": ";
    lines.push_back({LogLevel::kInfo, name + counted(requested.size(), "counter", "counters") + " in " +
                                          counted(agent.configs.size(), "pass", "passes") + more + " (lower bound " +
                                          std::to_string(agent.plan.lower_bound) + ")" +
                                          (sentinels.empty() ? "" : ", compared by " + joined(sentinels))});
    if (!way.config.verbose) continue;
    for (const PartnersPlacement& partners : agent.plan.partners)
      if (!partners.pass)
        lines.push_back({LogLevel::kInfo, name + partners.name + " are in different passes: " +
                                              joined(partners.counters) + "; a group keeps them together"});
  }
  return lines;
}

}  // namespace multipass::tool
