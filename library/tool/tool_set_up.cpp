// SPDX-License-Identifier: MIT
//
// The part of the Tool that sets everything up while the SDK initialises it, in this order: recording, SDK, counters
// and plans, capture, services.
#include <chrono>

#include "base/environment.hpp"
#include "base/log.hpp"
#include "base/mapped_libraries.hpp"
#include "journal/encode.hpp"
#include "model/gpu_title.hpp"
#include "tool/announcements.hpp"
#include "tool/capture.hpp"
#include "tool/instances.hpp"
#include "tool/polled.hpp"
#include "tool/process_info.hpp"
#include "tool/recording.hpp"
#include "tool/tool.hpp"
#include "tool/unread.hpp"
#include "tool/wishes.hpp"

namespace multipass::tool {
namespace {

constexpr std::chrono::seconds kPreambleTimeout{2};
constexpr std::chrono::seconds kWatchInterval{1};

}  // namespace

Status Tool::set_up() {
  if (const Status status = start_recording(config_); !status) warn(status.message());
  const std::string maps = own_maps();  // long in some processes: read once
  warn_of_copies(maps);
  const sdk::SdkIdentity identity = sdk::identify();
  const bool replays =
      identity.replay_kind.has_value() && config_.replay != ReplayMode::kRotate && config_.replay != ReplayMode::kOff;
  neighbour_ = find_neighbour(maps);
  if (neighbour_.streams) return Status::error(streaming_text());
  if (config_.shares_polled && !neighbour_.there) config_.polled.clear();  // nobody polls them
  Result<Preparation> preparation = prepare(config_, replays, cost_);
  if (!preparation) return preparation.status();
  preparation_ = *std::move(preparation);
  Stopwatch watch;
  for (const std::string& text : preparation_.warnings) warn(text);
  preparation_.warnings.clear();
  for (const std::string& text : preparation_.notes) log_note(text);
  left_to_neighbour_ = leaves_to(neighbour_, config_, preparation_.agents);
  if (left_to_neighbour_) {
    log_note(leaving_text());
    preparation_.drop_configs();
    return Status::ok();
  }
  if (config_.keeps_instances) warn_all(find_instances(preparation_.agents));
  if (Status status = open_journal(identity); !status) return status;
  cost_.journal = watch.lap();
  if (!preparation_.plans_anything()) {
    // The capture still says what was asked for and why there is nothing.
    const char* then = config_.records_for_it ? "launches are recorded without" : "the program runs unprofiled";
    warn(std::string("none of the counters asked for can be collected here; ") + then);
  }
  if (preparation_.plans_anything() || config_.records_for_it) {
    if (Status status = start_services(identity); !status) return status;
  }
  cost_.services = watch.lap();
  if (config_.verbose) log_info(sentence(cost_));
  return Status::ok();
}

Status Tool::open_journal(const sdk::SdkIdentity& identity) {
  auto made = create_capture(config_);
  if (!made) return made.status();
  journal_ = *std::move(made);
  write_preamble(metadata_of(config_, identity, preparation_));
  return Status::ok();
}

void Tool::write_preamble(const RunMetadata& run) {
  journal_->append(journal::encode(run));
  for (const PreparedAgent& agent : preparation_.agents)
    journal_->append(journal::encode(agent.agent.info, agent.counters, agent.plan));
  for (const std::string& text : warnings_) journal_->append(journal::encode_warning(text));
  warnings_.clear();
  // On disk before the first kernel: a program that dies early leaves a capture that says what it was.
  (void)journal_->flush(kPreambleTimeout);
}

Status Tool::start_services(const sdk::SdkIdentity& identity) {
  // On an SDK that does not have replay it is never asked for.
  const std::optional<DeclineReason> no_replay = why_no_replay(config_, identity);
  const bool want_replay = preparation_.plans_replay(config_.extras) && config_.replay != ReplayMode::kOff;
  const bool ask_replay = want_replay && !no_replay;
  std::vector<sdk::AgentBinding> bindings;
  for (const PreparedAgent& agent : preparation_.agents)
    bindings.push_back({agent.agent.handle, agent.agent.info.index, agent.counter_ids,
                        agent.agent.info.type == AgentType::kGpu, agent.instances});

  auto wishes = wishes_of(config_, preparation_.agents.size(), no_replay, ask_replay);
  if (!wishes) return wishes.status();
  regions_ = wishes->regions;
  pipeline_ = std::make_unique<Pipeline>(preparation_.agents, *std::move(wishes), *journal_);
  journal_->keep_checkpoints([this] { return pipeline_->seen(); });
  // Pauses are always heeded; ranges cost a callback each and are followed only when asked for.
  sdk::MarkerKinds markers = identity.markers;
  if (!regions_->by_range()) markers.ranges.reset();
  auto services = sdk::create_services(*pipeline_, bindings, ask_replay ? identity.replay_kind : std::nullopt, markers,
                                       identity.memory);
  if (!services) return services.status();
  services_ = *std::move(services);
  if (ask_replay && !services_->replays()) pipeline_->replay_refused();
  const Way way{config_, identity, *services_, ask_replay};
  const bool in_passes = want_replay && preparation_.plans_replay();
  const std::optional<Announcement> told = in_passes ? std::optional(which_way(way)) : std::nullopt;
  if (told && told->level == LogLevel::kWarning) tell({*told});
  tell(unused_extras(way));
  tell(unfollowed_regions(way, regions_->by_range()));
  tell(unseen_memory(way));
  if (config_.replay == ReplayMode::kOff) warn_all(unread_passes(preparation_.agents));
  if (services_->replays()) watch_windows();
  if (Status status = services_->start_tracing(); !status) return status;
  if (preparation_.plans_anything()) start_counting();
  if (counts_) {  // else nothing of this holds
    if (told && told->level != LogLevel::kWarning) tell({*told});
    tell(plans(way, preparation_.agents));
  }
  // Which release does not need it any more is not known: every one without kernel replay is treated as 1.0.0.
  if (counts_ && !identity.replay_kind) fork_pause_.emplace(*services_);
  return Status::ok();
}

void Tool::start_counting() {
  const Status counting = services_->start_counting();
  counts_ = static_cast<bool>(counting);
  std::string text = counts_ ? counting_text(neighbour_, config_, preparation_.agents) : counting.message();
  if (services_->counting_is_taken())
    text +=
        refused_text(neighbour_, config_, preparation_.agents, environment::get("ROCP_TOOL_LIBRARIES").value_or(""));
  if (!text.empty()) warn(text);
  if (counts_ && !config_.polled.empty()) warn(interference_text(services_->replays()));
}

// On the journal's thread, which has nothing else to wait for: it takes no lock of the launching threads but for the
// name of a kernel that is told of.
void Tool::watch_windows() {
  std::string refused;
  const std::chrono::seconds first = Watchdog::first_given(refused);
  if (!refused.empty()) warn(refused);
  std::vector<std::string> titles;
  for (const PreparedAgent& agent : preparation_.agents) titles.push_back(gpu_title(agent.agent.info));
  const auto name = [this](KernelId kernel) { return pipeline_->kernel_name(kernel); };
  notices_.emplace(pipeline_->session(), name, titles);
  if (first.count() != 0) watchdog_.emplace(pipeline_->windows(), name, std::move(titles), config_.extras, first);
  journal_->call_every(kWatchInterval, [this] {
    if (watchdog_) warn_all(watchdog_->due(Watchdog::Clock::now()));
    pipeline_->look_for_collectives();
    tell(notices_->due());
  });
}

}  // namespace multipass::tool
