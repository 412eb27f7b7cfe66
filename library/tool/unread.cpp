// SPDX-License-Identifier: MIT
#include "tool/unread.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "model/gpu_title.hpp"
#include "model/names.hpp"

namespace multipass::tool {

std::vector<std::string> unread_passes(const std::vector<PreparedAgent>& agents) {
  std::vector<std::string> texts;
  for (const PreparedAgent& agent : agents) {
    std::set<std::string> unread;
    for (const PassPlan& pass : agent.plan.passes) unread.insert(pass.counters.begin(), pass.counters.end());
    if (!agent.plan.passes.empty())
      for (const std::string& counter : agent.plan.passes[0].counters) unread.erase(counter);
    if (!unread.empty())
      texts.push_back(gpu_title(agent.agent.info) + ": with replay off only the first of " +
                      std::to_string(agent.plan.passes.size()) + " passes is read; not collected: " + joined(unread));
  }
  return texts;
}

std::vector<std::string> unused_devices(const std::vector<PreparedAgent>& agents, const Pipeline& pipeline) {
  std::vector<std::string> used;
  for (const PreparedAgent& agent : agents)
    if (pipeline.launched(agent.agent.info.index) != 0) used.push_back(gpu_title(agent.agent.info));
  std::vector<std::string> texts;
  for (const PreparedAgent& agent : agents) {
    if (agent.named.empty() || pipeline.launched(agent.agent.info.index) != 0) continue;
    std::vector<std::string> tokens;
    for (const std::string& counter : agent.named)
      tokens.push_back(counter + ":device=" + std::to_string(agent.agent.info.device));
    texts.push_back(joined(tokens) + ": no kernel was launched on " + gpu_title(agent.agent.info) +
                    ", kernels ran on " + joined(used) +
                    "; the SDK numbers all GPUs by node id, whatever HIP_VISIBLE_DEVICES hides");
  }
  return texts;
}

std::vector<std::string> unused_replay(const std::vector<PreparedAgent>& agents, const Pipeline& pipeline,
                                       const ReplayExtras& extras, const sdk::ReplayUse& use) {
  std::uint64_t launches = 0;  // on GPUs where one takes several passes
  for (const PreparedAgent& agent : agents)
    if (!agent.configs.empty() && agent.configs.size() + extras.executions() > 1)
      launches += pipeline.launched(agent.agent.info.index);
  if (const std::uint64_t untold = pipeline.untold(); untold != 0)
    return {
        counted(untold, "dispatch", "dispatches") +
        " ran several times, and the SDK did not say in which pass: what was read is left out, for it belongs to no "
        "pass that is known"};
  if (launches == 0 || use.replayed != 0) return {};
  if (use.offered == 0)
    return {"no kernel was replayed: of " + counted(launches, "launch", "launches") +
            " the SDK offered none for replay; it does not offer launches of graphs and several packets in one write, "
            "and none at all under lite trace (ROCPROF_LITE_TRACE)"};
  if (use.wanted != 0 && use.lost == use.wanted)
    return {"no kernel was replayed: the SDK was asked for passes of " + counted(use.wanted, "launch", "launches") +
            " and did not see it; its replay record is laid out in another way than the known one, it seems"};
  if (use.wanted != 0)
    return {"no kernel was replayed: the SDK was asked for passes of " + counted(use.wanted, "launch", "launches") +
            " and ran each once; its log may say why (too little host memory, queues that do not drain)"};
  return {};
}

std::vector<std::string> unused_regions(const RegionConfig& config, const replay::Regions::Use& use,
                                        const std::string& why_no_ranges, const std::string& why_no_control) {
  constexpr const char* kLibrary =
      "; the program must call librocprofiler-sdk-roctx, the older libroctx64 is not traced by the SDK (with "
      "LD_PRELOAD=librocprofiler-sdk-roctx.so.1 the newer one takes its calls)";
  std::vector<std::string> texts;
  if ((config.roctx || !config.roctx_include.empty()) && why_no_ranges.empty() && use.found == 0) {
    if (use.ranges == 0)
      texts.push_back(std::string("no launch was collected: the program opened no roctx range") + kLibrary);
    else
      texts.push_back("no launch was collected: roctx-include '" + config.roctx_include +
                      "' is found in no message of the program's roctx ranges (" + std::to_string(use.ranges) +
                      ", the first is '" + clean_text(use.first) + "')");
  }
  if (config.selected_regions && why_no_control.empty() && use.resumes == 0)
    texts.push_back(std::string("no launch was collected: the program never called roctxProfilerResume, which "
                                "selected-regions waits for") +
                    kLibrary);
  if (use.hard != 0)
    texts.push_back("roctx-include or roctx-exclude takes too many steps for the messages of " +
                    counted(use.hard, "range", "ranges") + " and counts as not found there; simplify the pattern");
  if (use.refused != 0)
    texts.push_back(
        counted(use.refused, "call", "calls") +
        " of roctxProfilerPause or roctxProfilerResume for single threads had no effect: more than 256 threads "
        "had a state of their own");
  return texts;
}

std::vector<std::string> unread_groups(const AgentInfo& gpu, const Pipeline::Gaps& gaps) {
  constexpr std::size_t kMaxKernels = 5;
  const std::size_t kernels = gaps.kernels.size();
  std::vector<std::string> parts{gaps.kernels.begin(),
                                 gaps.kernels.begin() + static_cast<std::ptrdiff_t>(std::min(kernels, kMaxKernels))};
  if (kernels > kMaxKernels) parts.push_back("and " + counted(kernels - kMaxKernels, "more kernel", "more kernels"));
  if (gaps.unfollowed != 0)
    parts.push_back(counted(gaps.unfollowed, "launch of further shapes was", "launches of further shapes were") +
                    " not followed");
  if (parts.empty()) return {};
  return {gpu_title(gpu) + ": not every group of counters was read, what is missing is absent: " + joined(parts, "; ")};
}

std::vector<std::string> uncounted_launches(const Pipeline& pipeline, std::uint64_t pauses) {
  const std::uint64_t uncounted = pipeline.uncounted();
  if (pauses == 0 || uncounted == 0) return {};
  return {counted(uncounted, "launch has", "launches have") +
          " no counters: with this SDK counting is stopped while the program forks (" +
          counted(pauses, "time", "times") + "), for the child would not end otherwise"};
}

std::vector<std::string> lost_readings(const Pipeline& pipeline) {
  std::vector<std::string> texts;
  if (const std::uint64_t strays = pipeline.strays(); strays != 0)
    texts.push_back(counted(strays, "reading", "readings") + " came twice, or for a dispatch that had ended: left out");
  if (const std::uint64_t given_up = pipeline.given_up(); given_up != 0)
    texts.push_back(counted(given_up, "dispatch was", "dispatches were") +
                    " recorded without the readings that had not come when " +
                    std::to_string(assemble::Assembler::kMaxOpen) + " of their GPU waited for some, or " +
                    std::to_string(assemble::Assembler::kMaxRunning) + " were under way");
  return texts;
}

}  // namespace multipass::tool
