// SPDX-License-Identifier: MIT
//
// What a run leaves unread, in sentences for the user and the capture: counters in passes that are not read, GPUs that
// ran nothing, replay or regions that were not made use of, kernels with too few launches, readings that were lost.
// Pure. Threads: any. Errors: none but std::bad_alloc.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/agent.hpp"
#include "sdk/services.hpp"
#include "tool/pipeline.hpp"
#include "tool/preparation.hpp"

namespace multipass::tool {

// With replay off: the counters of each GPU that are in no pass but later ones.
[[nodiscard]] std::vector<std::string> unread_passes(const std::vector<PreparedAgent>& agents);

// GPUs that a token names and that ran no kernel. Of those only: nobody expects the counters of every GPU of a machine
// from a program that uses one.
[[nodiscard]] std::vector<std::string> unused_devices(const std::vector<PreparedAgent>& agents,
                                                      const Pipeline& pipeline);

// Launches that were replayed without it being said. Else nothing when a kernel was replayed or none took several
// passes. A run in which the SDK replays nothing looks like any other, but for the counters that it lacks.
[[nodiscard]] std::vector<std::string> unused_replay(const std::vector<PreparedAgent>& agents, const Pipeline& pipeline,
                                                     const ReplayExtras& extras, const sdk::ReplayUse& use);

// When the program never marked what would have been collected, and what of its roctx calls could not be followed.
[[nodiscard]] std::vector<std::string> unused_regions(const RegionConfig& config, const replay::Regions::Use& use,
                                                      const std::string& why_no_ranges,
                                                      const std::string& why_no_control);

// Where too few launches were there for the groups to take turns: nothing stands for what was not read.
[[nodiscard]] std::vector<std::string> unread_groups(const AgentInfo& gpu, const Pipeline::Gaps& gaps);

// Launches that lack counters since counting was stopped for forks, `pauses` times.
[[nodiscard]] std::vector<std::string> uncounted_launches(const Pipeline& pipeline, std::uint64_t pauses);

// Readings that belong to no dispatch any more, and dispatches that were not kept open for theirs.
[[nodiscard]] std::vector<std::string> lost_readings(const Pipeline& pipeline);

}  // namespace multipass::tool
