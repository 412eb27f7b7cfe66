// SPDX-License-Identifier: MIT
#include "output/perfetto/extra_tracks.hpp"

#include <string_view>

#include "model/names.hpp"
#include "output/perfetto/hash.hpp"
#include "output/perfetto/track_layout.hpp"

namespace multipass::output::perfetto {
namespace {

constexpr std::string_view kCategory = "rocm_kernel_replay_extra";

}  // namespace

std::optional<std::uint64_t> ExtraTracks::flow(const DispatchRecord& dispatch,
                                               const std::optional<Span>& logical) const noexcept {
  const std::optional<Span> timing = dispatch.timing ? span_of(*dispatch.timing) : std::nullopt;
  if (!logical || !timing || timing->start_ns < logical->start_ns) return std::nullopt;
  return hash_of(seed_, dispatch.dispatch_id.value, UINT64_MAX);  // no pass has this number: one takes 30 bits
}

Result<std::uint64_t> ExtraTracks::track(PacketWriter& writer, std::uint64_t gpu_uuid, ExecutionKind kind,
                                         const Span& span) {
  const bool is_warm_up = kind == ExecutionKind::kWarmUp;
  Kind& of_kind = is_warm_up ? warm_up_ : timing_;
  const std::size_t lane = of_kind.lanes.place(span.start_ns, span.end_ns);
  std::uint64_t& track = slot(of_kind.slices, lane);
  if (track != 0) return track;
  const std::string name = "Replay " + std::string(name_of(kind));
  track = hash_of(seed_, {"extra", name, std::to_string(lane)});
  Status status = writer.track(
      {.uuid = track,
       .parent_uuid = gpu_uuid,
       .name = lane_name(name, lane),
       .description = is_warm_up ? "The first execution of every replayed dispatch, of which nothing is measured: "
                                   "those that follow find caches and clocks warm."
                                 : "An execution of every replayed dispatch without counters. Its times are "
                                   "those of the dispatch.",
       .rank = lane_rank(is_warm_up ? kWarmUpRank : kTimingRank, 0, lane)});
  if (!status) return status;
  return track;
}

Status ExtraTracks::draw(PacketWriter& writer, std::uint64_t gpu_uuid, const DispatchRecord& dispatch,
                         const std::optional<Span>& logical, const std::string& kernel, Tally& tally) {
  if (Status status = draw_one(writer, gpu_uuid, ExecutionKind::kWarmUp, dispatch, logical, kernel, tally); !status)
    return status;
  return draw_one(writer, gpu_uuid, ExecutionKind::kTiming, dispatch, logical, kernel, tally);
}

Status ExtraTracks::draw_one(PacketWriter& writer, std::uint64_t gpu_uuid, ExecutionKind kind,
                             const DispatchRecord& dispatch, const std::optional<Span>& logical,
                             const std::string& kernel, Tally& tally) {
  const std::optional<Interval>& interval = kind == ExecutionKind::kWarmUp ? dispatch.warm_up : dispatch.timing;
  if (!interval) return Status::ok();
  const std::optional<Span> span = span_of(*interval);
  if (!span) {
    ++tally.passes_without_times;
    return Status::ok();
  }
  if (span->swapped) ++tally.swapped_times;
  const Result<std::uint64_t> track_uuid = track(writer, gpu_uuid, kind, *span);
  if (!track_uuid) return track_uuid.status();
  std::vector<Annotation> annotations = extra_annotations(dispatch, kind);
  if (span->swapped) annotations.emplace_back("times_swapped", true);
  Event event{.track_uuid = *track_uuid,
              .category = kCategory,
              .name = kernel,
              .annotations = &annotations,
              .colour_by_digits = true};
  // The warm-up precedes what stands for the dispatch, and an arrow cannot point back in time.
  if (kind == ExecutionKind::kTiming) event.flow_in = flow(dispatch, logical).value_or(0);
  return writer.slice(event, span->start_ns, span->end_ns);
}

}  // namespace multipass::output::perfetto
