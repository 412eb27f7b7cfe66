// SPDX-License-Identifier: MIT
//
// Everything that a trace shows of one GPU: its queue lanes with the logical dispatches, the tracks of each replay
// pass, the counter tracks. A track is declared when it is first written to, and placed by its rank.
// Owner: the Perfetto sink. One thread. Errors are those of the file, and a record that does not fit the agent.
// Memory: queues, passes, counters and lanes; nothing per dispatch.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/status.hpp"
#include "model/agent.hpp"
#include "model/dispatch.hpp"
#include "model/plan.hpp"
#include "output/perfetto/annotations.hpp"
#include "output/perfetto/dispatch_view.hpp"
#include "output/perfetto/extra_tracks.hpp"
#include "output/perfetto/lanes.hpp"
#include "output/perfetto/packet_writer.hpp"

namespace multipass::output::perfetto {

class AgentTracks final {
 public:
  struct Shown {
    bool permuted = false;  // the groups take turns over the passes, so that a pass has no counters of its own
    bool counters = true;   // false: times only
  };

  // `seed` makes ids of this run differ from those of every other; `process_uuid` is the parent of the GPU's track.
  AgentTracks(AgentInfo agent, std::vector<CounterInfo> counters, AgentPlan plan, std::uint64_t seed,
              std::uint64_t process_uuid, Shown shown);

  [[nodiscard]] const AgentPlan& plan() const noexcept { return plan_; }
  [[nodiscard]] const AgentInfo& info() const noexcept { return agent_; }
  [[nodiscard]] bool is_gpu() const noexcept { return agent_.type == AgentType::kGpu; }

  // Whether readings and counter positions of `dispatch` fit this agent. Everything below requires it.
  [[nodiscard]] Status check(const DispatchRecord& dispatch) const;

  // A dispatch with times: slices and counter values. Called in order of start as far as possible.
  Status draw(PacketWriter& writer, const DispatchRecord& dispatch, const std::string& kernel, Tally& tally);

  // A dispatch without times, as an instant at `at_ns` on a track that says so. What of it has times is drawn.
  Status draw_without_times(PacketWriter& writer, const DispatchRecord& dispatch, const std::string& kernel,
                            std::uint64_t at_ns, Tally& tally);

 private:
  // Where readings of one kind go: those of a replay pass, of a group read alone, or of the only pass.
  struct Scope {
    std::uint64_t parent_uuid = 0;
    std::string suffix;           // of the counter track names
    std::int32_t first_rank = 0;  // of the counter tracks
    Lanes lanes;
    std::vector<std::uint64_t> kernels;              // by lane; 0: not declared
    std::vector<std::vector<CounterLine>> counters;  // by lane and counter; track 0: not declared
  };
  struct Queue {
    std::uint32_t ordinal = 0;  // in order of appearance
    Lanes lanes;
    std::vector<std::uint64_t> slices;  // by lane
  };

  [[nodiscard]] bool has_passes() const noexcept { return plan_.passes.size() > 1; }
  [[nodiscard]] std::vector<Annotation> annotations_of(const DispatchRecord& dispatch);
  std::uint64_t uuid(std::initializer_list<std::string_view> path) const noexcept;
  std::uint64_t flow(const DispatchRecord& dispatch, const PassRecord& pass) const noexcept;

  Status gpu_track(PacketWriter& writer);
  Result<std::uint64_t> queue_track(PacketWriter& writer, std::uint64_t handle, const Span& span);
  // Of its readings, or of its slice: they differ where the plan has one pass, whose counters are shown on the GPU.
  enum class ScopeOf : std::uint8_t { kReadings, kSlice };
  Result<Scope*> scope_of(PacketWriter& writer, const PassRecord& pass, ScopeOf what);
  Result<std::uint64_t> kernels_track(PacketWriter& writer, Scope& scope, std::size_t lane);
  Result<CounterLine*> counter_track(PacketWriter& writer, Scope& scope, std::size_t lane, CounterIndex counter);

  Status draw_logical(PacketWriter& writer, const DispatchRecord& dispatch, const Span& span,
                      const std::string& kernel);
  Status draw_pass(PacketWriter& writer, const DispatchRecord& dispatch, const PassRecord& pass, const Span& span,
                   const Span& logical, const std::string& kernel);
  Status draw_counters(PacketWriter& writer, const PassRecord& pass, const Span& span, Scope& scope, std::size_t lane);

  AgentInfo agent_;
  std::vector<CounterInfo> counters_;
  AgentPlan plan_;
  CounterRoles roles_;
  std::vector<AnnotationKey> keys_;  // the names of counters_
  std::uint64_t seed_;
  std::uint64_t process_uuid_;
  Shown shown_;
  std::uint64_t gpu_uuid_ = 0;                       // 0: not declared
  std::uint64_t untimed_uuid_ = 0;                   // 0: not declared
  std::unordered_map<std::uint64_t, Queue> queues_;  // by SDK handle
  std::map<std::int64_t, Scope> scopes_;             // by scope key, see scope_of
  ExtraTracks extras_;
};

}  // namespace multipass::output::perfetto
