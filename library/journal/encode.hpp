// SPDX-License-Identifier: MIT
//
// Model -> bytes of one Frame message (journal.proto), without the frame header around it.
// Pure; any thread. Throws std::bad_alloc only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "journal/checkpoint.hpp"
#include "model/agent.hpp"
#include "model/dispatch.hpp"
#include "model/plan.hpp"
#include "model/run.hpp"

namespace multipass::journal {

[[nodiscard]] std::string encode(const RunMetadata& run);
[[nodiscard]] std::string encode(const AgentInfo& agent, const std::vector<CounterInfo>& counters,
                                 const AgentPlan& plan);
[[nodiscard]] std::string encode(const KernelSymbol& kernel);
[[nodiscard]] std::string encode(const DispatchRecord& dispatch);
// The values of single instances, which are most of a frame that has them.
enum class Instances : std::uint8_t { kWritten, kLeftOut };
// The same, behind what `to` holds: nothing is allocated when it has room for most_bytes() more.
void encode_to(const DispatchRecord& dispatch, std::string& to, Instances which = Instances::kWritten);
[[nodiscard]] std::size_t most_bytes(const DispatchRecord& dispatch, Instances which = Instances::kWritten) noexcept;
[[nodiscard]] std::string encode_warning(const std::string& text);
[[nodiscard]] std::string encode(const CheckpointFrame& checkpoint);
[[nodiscard]] std::string encode_end(std::uint64_t dispatches, std::uint64_t end_ns);

}  // namespace multipass::journal
