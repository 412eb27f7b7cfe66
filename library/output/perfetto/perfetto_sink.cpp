// SPDX-License-Identifier: MIT
#include "output/perfetto/perfetto_sink.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "output/perfetto/agent_tracks.hpp"
#include "output/perfetto/annotations.hpp"
#include "output/perfetto/dispatch_view.hpp"
#include "output/perfetto/hash.hpp"
#include "output/perfetto/packet_writer.hpp"
#include "output/perfetto/reorder_window.hpp"
#include "output/perfetto/size_warning.hpp"
#include "output/perfetto/trace_file.hpp"

namespace multipass::output {
namespace perfetto {
namespace {

// More are counted, not kept: warnings come once per cause, so this many are a defect of their source.
constexpr std::size_t kMostWarnings = 256;

// Behind every GPU.
constexpr std::int32_t kRunRank = 1 << 30;

std::uint64_t seed_of(const RunMetadata& run) {
  return hash_of(0, {"rocprofsys-multipass", run.guid, std::to_string(run.pid), run.hostname});
}

// High, so that producers that count from 1 do not meet it, and different in each process of a merged job.
std::uint32_t sequence_id_of(std::uint64_t seed) noexcept {
  return 0xF0000000U | static_cast<std::uint32_t>(seed & 0x0FFFFFFFU);
}

std::string process_name_of(const RunMetadata& run) {
  if (run.command.empty()) return {};
  return std::filesystem::path(run.command.front()).filename().string();
}

class PerfettoSink final : public Sink {
 public:
  PerfettoSink(std::filesystem::path target, const PerfettoOptions& options)
      : options_(options), file_(std::move(target)), size_warning_(file_.target(), options.size_limit) {}

  Status begin(const RunMetadata& run) override;
  Status agent(const AgentInfo& agent, const std::vector<CounterInfo>& counters, const AgentPlan& plan) override;
  Status kernel(const KernelSymbol& kernel) override;
  Status dispatch(const DispatchRecord& dispatch) override;
  Status warning(const std::string& text) override;
  std::optional<std::string> progress(std::uint64_t read, std::uint64_t total) override;
  Status finish() override;

 private:
  Status draw(PacketWriter& writer, const DispatchRecord& dispatch);
  Status draw_held(PacketWriter& writer);
  Status draw_run(PacketWriter& writer);
  [[nodiscard]] std::uint64_t run_time() const noexcept;
  [[nodiscard]] std::string kernel_name(KernelId id) const;

  PerfettoOptions options_;
  TraceFile file_;
  SizeWarning size_warning_;
  std::optional<PacketWriter> writer_;
  RunMetadata run_;
  std::uint64_t seed_ = 0;
  std::uint64_t process_uuid_ = 0;
  std::map<AgentIndex, AgentTracks> agents_;
  std::unordered_map<KernelId, std::string> kernels_;
  ReorderWindow window_;
  Status drawn_ = Status::ok();  // of the dispatches that progress() drew
  Tally tally_;
  std::uint64_t first_start_ns_ = 0;   // of all dispatches with times; 0: none yet
  std::uint64_t latest_start_ns_ = 0;  // of the dispatch with times that was reported last
};

Status PerfettoSink::begin(const RunMetadata& run) {
  if (writer_) return Status::error("internal: begin() was called twice");
  if (Status status = file_.open(); !status) return status;
  run_ = run;
  seed_ = seed_of(run);
  process_uuid_ = hash_of(seed_, {"process"});
  writer_.emplace(file_, sequence_id_of(seed_));
  if (Status status = writer_->start(run); !status) return status;
  return writer_->process_track(process_uuid_, process_name_of(run), run);
}

Status PerfettoSink::agent(const AgentInfo& agent, const std::vector<CounterInfo>& counters, const AgentPlan& plan) {
  const auto [entry, is_new] =
      agents_.try_emplace(agent.index, agent, counters, plan, seed_, process_uuid_,
                          AgentTracks::Shown{.permuted = run_.extras.permute, .counters = options_.counters});
  if (is_new) return Status::ok();
  return Status::error("internal: agent " + std::to_string(agent.index.value) + " was declared twice");
}

Status PerfettoSink::kernel(const KernelSymbol& kernel) {
  kernels_.insert_or_assign(kernel.id, kernel.demangled.empty() ? kernel.name : kernel.demangled);
  return Status::ok();
}

Status PerfettoSink::dispatch(const DispatchRecord& dispatch) {
  if (!writer_) return Status::error("internal: dispatch() was called before begin()");
  const auto agent = agents_.find(dispatch.agent);
  if (agent == agents_.end())
    return Status::error("dispatch " + std::to_string(dispatch.dispatch_id.value) + " names agent " +
                         std::to_string(dispatch.agent.value) + ", which was not declared");
  if (Status status = agent->second.check(dispatch); !status) return status;
  ++tally_.dispatches;
  const std::optional<Span> span = span_of(dispatch);
  if (!span) {
    ++tally_.without_times;
    const std::uint64_t at_ns = latest_start_ns_ != 0 ? latest_start_ns_ : run_time();
    return agent->second.draw_without_times(*writer_, dispatch, kernel_name(dispatch.kernel), at_ns, tally_);
  }
  latest_start_ns_ = span->start_ns;
  first_start_ns_ = first_start_ns_ == 0 ? span->start_ns : std::min(first_start_ns_, span->start_ns);
  const std::optional<DispatchRecord> earliest = window_.push(dispatch, span->start_ns, span->end_ns);
  return earliest ? draw(*writer_, *earliest) : Status::ok();
}

Status PerfettoSink::draw(PacketWriter& writer, const DispatchRecord& dispatch) {
  return agents_.at(dispatch.agent).draw(writer, dispatch, kernel_name(dispatch.kernel), tally_);
}

Status PerfettoSink::warning(const std::string& text) {
  if (tally_.warnings.size() < kMostWarnings)
    tally_.warnings.push_back(text);
  else
    ++tally_.warnings_dropped;
  return Status::ok();
}

Status PerfettoSink::draw_held(PacketWriter& writer) {
  while (const std::optional<DispatchRecord> earliest = window_.pop())
    if (Status status = draw(writer, *earliest); !status) return status;
  return Status::ok();
}

// Dispatches that are held back count as much as those that were drawn; at the end none is, and the size is certain.
std::optional<std::string> PerfettoSink::progress(std::uint64_t read, std::uint64_t total) {
  if (read >= total && writer_ && drawn_) drawn_ = draw_held(*writer_);
  const std::uint64_t drawn = tally_.dispatches - window_.size();
  const double share = drawn == 0 ? 1 : static_cast<double>(tally_.dispatches) / static_cast<double>(drawn);
  const auto written = static_cast<std::uint64_t>(static_cast<double>(file_.size()) * share);
  return size_warning_.progress(read, total, written);
}

Status PerfettoSink::finish() {
  if (!writer_) return Status::error("internal: finish() was called before begin()");
  if (!drawn_) return drawn_;
  if (Status status = draw_held(*writer_); !status) return status;
  if (Status status = draw_run(*writer_); !status) return status;
  return file_.commit();
}

// One instant that tells what made the trace and what is wrong with it. It stands at the first dispatch, not at the
// start of the tool, so that a long start-up does not squeeze the kernels into a corner of the first view.
Status PerfettoSink::draw_run(PacketWriter& writer) {
  const std::uint64_t track = hash_of(seed_, {"run"});
  if (Status status = writer.track({.uuid = track,
                                    .parent_uuid = process_uuid_,
                                    .name = "Run information",
                                    .description = "What made this trace, what was planned, and warnings: select "
                                                   "the mark on this track.",
                                    .rank = kRunRank,
                                    .keep_separate = true});
      !status)
    return status;
  std::vector<AgentPlan> gpus;
  std::vector<std::string> properties;
  for (const auto& [index, agent] : agents_) {
    if (!agent.is_gpu()) continue;
    gpus.push_back(agent.plan());
    properties.push_back(properties_line(agent.info()));
  }
  std::vector<Annotation> annotations = run_annotations(run_, gpus, properties, tally_);
  if (!options_.counters) annotations.emplace_back("trace_counters", std::string("none"));
  std::string name = "rocprofsys-multipass";
  if (const std::uint64_t count = tally_.warnings.size() + tally_.warnings_dropped; count != 0)
    name += " (" + std::to_string(count) + (count == 1 ? " warning)" : " warnings)");
  return writer.instant(
      {.track_uuid = track, .category = "rocm_multipass_run", .name = name, .annotations = &annotations},
      first_start_ns_ != 0 ? first_start_ns_ : run_time());
}

std::uint64_t PerfettoSink::run_time() const noexcept {
  return run_.start_ns != 0 ? run_.start_ns : run_.boottime_ns;
}

std::string PerfettoSink::kernel_name(KernelId id) const {
  const auto found = kernels_.find(id);
  // A torn capture file may have lost the kernel's name; the dispatch still happened.
  if (found == kernels_.end() || found->second.empty()) return "(unknown kernel " + std::to_string(id.value) + ")";
  return found->second;
}

}  // namespace
}  // namespace perfetto

std::unique_ptr<Sink> make_perfetto_sink(std::filesystem::path target) {
  return make_perfetto_sink(std::move(target), {});
}

std::unique_ptr<Sink> make_perfetto_sink(std::filesystem::path target, const PerfettoOptions& options) {
  return std::make_unique<perfetto::PerfettoSink>(std::move(target), options);
}

}  // namespace multipass::output
