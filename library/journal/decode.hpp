// SPDX-License-Identifier: MIT
//
// Bytes of one Frame message -> model. The bytes come from a file and are not trusted: whatever is malformed, out of
// range or inconsistent (counters without values) is an error, never a crash. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/status.hpp"
#include "journal/checkpoint.hpp"
#include "model/agent.hpp"
#include "model/dispatch.hpp"
#include "model/plan.hpp"
#include "model/run.hpp"

namespace multipass::journal {

struct AgentFrame {
  AgentInfo agent;
  std::vector<CounterInfo> counters;
  AgentPlan plan;
};
struct WarningFrame {
  std::string text;
};
struct EndFrame {
  std::uint64_t dispatches = 0;
  std::uint64_t end_ns = 0;
};
// A frame of a later version of the format, with a member that this version does not know.
struct UnknownFrame {};

using Frame = std::variant<UnknownFrame, RunMetadata, AgentFrame, KernelSymbol, DispatchRecord, WarningFrame, EndFrame,
                           CheckpointFrame>;

[[nodiscard]] Result<Frame> decode(std::string_view bytes);
// The same, in place of what `to` holds, whose memory is used again: dispatches, which are nearly all of a file, need
// no more of it than the largest of them. After an error `to` holds some frame.
[[nodiscard]] Status decode_to(std::string_view bytes, Frame& to);

}  // namespace multipass::journal
