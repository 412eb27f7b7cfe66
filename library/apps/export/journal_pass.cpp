// SPDX-License-Identifier: MIT
#include "apps/export/journal_pass.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "base/log.hpp"

namespace multipass::apps {
namespace {

using journal::Frame;

std::string damage_text(const journal::Damage& damage) {
  std::string text = "the capture is damaged from byte " + std::to_string(damage.first_offset) +
                     " on: " + std::to_string(damage.skipped_bytes) + " bytes hold no valid frame";
  if (damage.malformed_frames != 0)
    text += ", " + std::to_string(damage.malformed_frames) + " frames are malformed (" + damage.first_message + ")";
  return text + "; the rest is in the outputs";
}

constexpr std::uint64_t kFramesBetween = 64;  // from one look at the clock to the next

constexpr const char* kHeaderText =
    "the header of the capture is damaged: whether the plugin lost records is known as far as its last checkpoint says";

std::string placeholder_text(const std::set<AgentIndex>& agents) {
  std::string numbers;
  for (const AgentIndex agent : agents) numbers += (numbers.empty() ? "" : ", ") + std::to_string(agent.value);
  const bool one = agents.size() == 1;
  return std::string{"the capture does not describe agent"} + (one ? " " : "s ") + numbers + ": " +
         (one ? "its" : "their") + " dispatches are in the outputs without readings";
}

std::string repeated_text(std::uint64_t count, std::uint64_t first) {
  return "the capture has " + std::to_string(count) + (count == 1 ? " dispatch" : " dispatches") +
         " with an id that was there already (the first: " + std::to_string(first) +
         "): what came first is in the outputs, the rest left out";
}

std::uint32_t first_free(const std::set<std::uint32_t>& taken, std::uint32_t from) {
  while (taken.contains(from)) ++from;
  return from;
}

}  // namespace

std::vector<std::string> JournalPass::run() {
  for (std::uint64_t count = 1; Frame* frame = reader_.next(); ++count) {
    std::visit([this](auto& content) { take(content); }, *frame);
    if (count % kFramesBetween == 0) tell_progress();
  }
  ensure_begun();
  for (std::string& text : to_.progress(reader_.offset(), reader_.offset())) warnings_.push_back(std::move(text));
  // A sink gets warnings after the dispatches, wherever they stand in the file.
  for (const std::string& text : said_) to_.each([&](output::Sink& sink) { return sink.warning(text); });
  if (!reader_.damage().none()) warnings_.push_back(damage_text(reader_.damage()));
  for (std::string& text : journal::losses_of(reader_.damage())) warnings_.push_back(std::move(text));
  if (!placeholders_.empty()) warnings_.push_back(placeholder_text(placeholders_));
  if (repeated_ != 0) warnings_.push_back(repeated_text(repeated_, first_repeated_));
  for (std::string& text : filter_.warnings()) warnings_.push_back(std::move(text));
  if (!reader_.loss()) warnings_.emplace_back(kHeaderText);
  if (std::string text = loss_text(state()); !text.empty()) warnings_.push_back(std::move(text));
  if (!ended_)
    warnings_.push_back(
        "the capture ends early: the process was killed, crashed, left with _exit, or could not write it; dispatches "
        "that were in flight are missing");
  return std::move(warnings_);
}

CaptureState JournalPass::state() const {
  const journal::Damage& damage = reader_.damage();
  CaptureState state;
  state.ended = ended_;
  if (const auto& loss = reader_.loss()) {
    state.records_lost = loss->records;
    state.error = loss->error;
  } else {
    state.damaged_bytes = journal::kFileHeaderSize;
  }
  state.damaged_bytes += damage.skipped_bytes;
  state.damaged_frames = damage.malformed_frames;
  if (checkpoint_) {
    state.records_lost = std::max(state.records_lost, checkpoint_->dropped);
    if (!ended_) state.in_flight = checkpoint_->in_flight;
  }
  return state;
}

// What an output foretells is shown at once: who reads it may end the export, and ask for less.
void JournalPass::tell_progress() {
  if (reader_.offset() >= size_) return;  // it grew meanwhile
  for (const std::string& text : to_.progress(reader_.offset(), size_)) {
    if (progress_ != nullptr) progress_->clear();
    log_warning(text);
  }
  if (progress_ != nullptr) progress_->at(reader_.offset());
}

void JournalPass::begin(const RunMetadata& run) {
  begun_ = true;
  to_.each([&](output::Sink& sink) { return sink.begin(run); });
}

// A damaged file may have lost its first frame; what follows is still worth having.
void JournalPass::ensure_begun() {
  if (begun_) return;
  warnings_.push_back("the capture does not say what ran: its first frame is missing");
  RunMetadata unknown;
  unknown.guid = "00000000-0000-7000-8000-000000000000";
  begin(unknown);
}

// The placeholder gets numbers that no agent has: in the tables they are keys.
bool JournalPass::ensure_agent(AgentIndex index) {
  if (described_.contains(index)) return true;
  if (!placeholders_.insert(index).second) return false;
  AgentInfo agent;
  agent.index = index;
  agent.type = AgentType::kGpu;
  agent.device = first_free(gpu_ordinals_, 0);
  agent.node_id = first_free(node_ids_, index.value);
  agent.name = "agent " + std::to_string(index.value);
  AgentPlan no_passes;
  no_passes.agent = index;
  no_passes.arch = agent.name;
  no_passes.device = agent.device;
  declare(agent, {}, no_passes);
  return false;
}

void JournalPass::declare(const AgentInfo& agent, const std::vector<CounterInfo>& counters, const AgentPlan& plan) {
  node_ids_.insert(agent.node_id);
  if (agent.type == AgentType::kGpu) gpu_ordinals_.insert(agent.device);
  filter_.agent(agent, counters);
  to_.each([&](output::Sink& sink) { return sink.agent(agent, counters, plan); });
}

void JournalPass::take(const RunMetadata& run) {
  if (!begun_) begin(run);
}

void JournalPass::take(const journal::AgentFrame& frame) {
  ensure_begun();
  // A sink takes an agent once: for one with a placeholder this is too late.
  if (placeholders_.contains(frame.agent.index) || !described_.insert(frame.agent.index).second) return;
  declare(frame.agent, frame.counters, frame.plan);
}

void JournalPass::take(const KernelSymbol& kernel) {
  ensure_begun();
  static_cast<void>(ensure_agent(kernel.agent));
  to_.each([&](output::Sink& sink) { return sink.kernel(kernel); });
}

void JournalPass::take(DispatchRecord& dispatch) {
  ensure_begun();
  if (!dispatches_.insert(dispatch.dispatch_id.value)) {
    if (repeated_++ == 0) first_repeated_ = dispatch.dispatch_id.value;
    return;
  }
  if (ensure_agent(dispatch.agent)) {
    filter_.apply(dispatch);
  } else {  // its readings are by position in a list of counters that is lost
    for (PassRecord& pass : dispatch.passes) {
      pass.counters.clear();
      pass.values.clear();
      pass.instances.clear();
    }
  }
  to_.each([&](output::Sink& sink) { return sink.dispatch(dispatch); });
}

}  // namespace multipass::apps
