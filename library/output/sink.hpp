// SPDX-License-Identifier: MIT
//
// A sink takes the content of a journal and makes an output file of it.
//
// Life cycle: begin, then agent for every agent, then kernel and dispatch in any order (a kernel precedes its
// first dispatch), then warning, then finish. After a failed call only the destructor may follow.
// A sink writes to a temporary name; finish() completes the file and renames it; the destructor of an unfinished
// sink removes the temporary file. One thread. Runs in the exporter's process, never in the profiled one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status.hpp"
#include "model/agent.hpp"
#include "model/dispatch.hpp"
#include "model/plan.hpp"
#include "model/run.hpp"

namespace multipass::output {

class Sink {
 public:
  Sink() = default;
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  virtual ~Sink() = default;

  virtual Status begin(const RunMetadata& run) = 0;
  // `counters` are the planned counters of the agent; CounterIndex values of its dispatches index this list.
  // `plan` has no passes for agents without planned counters (CPUs too).
  virtual Status agent(const AgentInfo& agent, const std::vector<CounterInfo>& counters, const AgentPlan& plan) = 0;
  virtual Status kernel(const KernelSymbol& kernel) = 0;
  virtual Status dispatch(const DispatchRecord& dispatch) = 0;
  virtual Status warning(const std::string& text) = 0;
  // Told now and then while the input is read, `read` of `total` bytes of it, and a last time with all of it read,
  // before the warnings. A text is a warning of this output, of its size say: the caller shows each at once; that of
  // the last call is certain, and stands in the summary too.
  [[nodiscard]] virtual std::optional<std::string> progress(std::uint64_t /*read*/, std::uint64_t /*total*/) {
    return std::nullopt;
  }
  virtual Status finish() = 0;
};

}  // namespace multipass::output
