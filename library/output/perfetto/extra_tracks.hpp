// SPDX-License-Identifier: MIT
//
// The lanes of one GPU for executions that read no counters: `Replay warm-up` and `Replay timing`.
// Owner: AgentTracks. One thread. Errors: those of the writer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status.hpp"
#include "model/dispatch.hpp"
#include "output/perfetto/annotations.hpp"
#include "output/perfetto/dispatch_view.hpp"
#include "output/perfetto/lanes.hpp"
#include "output/perfetto/packet_writer.hpp"

namespace multipass::output::perfetto {

class ExtraTracks final {
 public:
  // `seed`: of the GPU.
  explicit ExtraTracks(std::uint64_t seed) noexcept : seed_(seed) {}

  // The arrow from the dispatch to its timing pass, where the dispatch does not begin later.
  [[nodiscard]] std::optional<std::uint64_t> flow(const DispatchRecord& dispatch,
                                                  const std::optional<Span>& logical) const noexcept;

  // `gpu_uuid`: the track of the GPU, which is declared. `logical`: of the dispatch; empty: it has no times.
  Status draw(PacketWriter& writer, std::uint64_t gpu_uuid, const DispatchRecord& dispatch,
              const std::optional<Span>& logical, const std::string& kernel, Tally& tally);

 private:
  struct Kind {
    Lanes lanes;
    std::vector<std::uint64_t> slices;  // tracks, by lane; 0: not declared
  };

  Result<std::uint64_t> track(PacketWriter& writer, std::uint64_t gpu_uuid, ExecutionKind kind, const Span& span);
  Status draw_one(PacketWriter& writer, std::uint64_t gpu_uuid, ExecutionKind kind, const DispatchRecord& dispatch,
                  const std::optional<Span>& logical, const std::string& kernel, Tally& tally);

  std::uint64_t seed_;
  Kind warm_up_;
  Kind timing_;
};

}  // namespace multipass::output::perfetto
