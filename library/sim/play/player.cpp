// SPDX-License-Identifier: MIT
#include "sim/play/player.hpp"

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>

#include "sim/play/payloads.hpp"
#include "sim/play/worker.hpp"
#include "sim/sdk/diagnostics.hpp"

namespace multipass_sim::play {

Player::Player(Recording recording) : recording_(std::move(recording)) {
  for (const Event& event : recording_.events) {
    if (!workers_.contains(event.thread)) workers_[event.thread] = std::make_unique<Worker>();
  }
}

Player::~Player() = default;

void Player::play(rocprofiler_configure_func_t configure) {
  Worker& first = *workers_.at(recording_.events.front().thread);
  first.do_now([&] { set_up(configure); });
  for (const Event& event : recording_.events) {
    ns_.store(event.ns, std::memory_order_relaxed);
    workers_.at(event.thread)->do_now([&] { make(event); });
  }
  if (finalized_) return;
  warn("the recording has no end: the tool is finalised behind its last call");
  first.do_now([&] { finalize(); });
}

void Player::set_up(rocprofiler_configure_func_t configure) {
  const std::string version = std::to_string(recording_.major) + "." + std::to_string(recording_.minor) + "." +
                              std::to_string(recording_.patch);
  tool_ = configure(10000 * recording_.major + 100 * recording_.minor + recording_.patch, version.c_str(), 0, &client_);
  if (tool_ != nullptr && tool_->initialize != nullptr) {
    tool_->initialize([](rocprofiler_client_id_t) {}, tool_->tool_data);
  }
}

void Player::finalize() {
  finalized_ = true;
  if (tool_ != nullptr && tool_->finalize != nullptr) tool_->finalize(tool_->tool_data);
}

void Player::make(const Event& event) {
  switch (event.call) {
    case Call::kConfigure:  // the tool's own, which have had their answers
    case Call::kStart:
      break;
    case Call::kTracing:
      make_tracing(event);
      break;
    case Call::kPassCount:
      make_pass_count(event);
      break;
    case Call::kContinue:
      make_continue(event);
      break;
    case Call::kCounting:
      make_counting(event);
      break;
    case Call::kRecord:
      make_record(event);
      break;
    case Call::kFinalize:
      finalize();
      break;
  }
}

void Player::make_tracing(const Event& event) {
  const int kind = recording_.kind(event.kind)->number;
  for (const Tracing& to : tracing_) {
    const bool wanted = to.operations.empty() ||
                        std::find(to.operations.begin(), to.operations.end(), event.operation) != to.operations.end();
    if (to.kind == kind && wanted && started_[to.context]) call(event, to);
  }
}

void Player::call(const Event& event, const Tracing& to) {
  Ids ids;
  if (event.dispatch) ids.dispatch = info(*event.dispatch);
  if (event.agent) ids.agent = handle(*event.agent);
  if (event.from) ids.from = handle(*event.from);
  if (event.to) ids.to = handle(*event.to);
  if (event.start) ids.start = kBase + static_cast<std::uint64_t>(*event.start);
  if (event.end) ids.end = kBase + static_cast<std::uint64_t>(*event.end);
  if (const auto found = event.numbers.find("argument"); found != event.numbers.end())
    ids.thread = thread_id(found->second);
  if (const auto found = event.numbers.find("kernel"); found != event.numbers.end()) {
    ids.kernel_name = event.name.empty() ? "kernel" + std::to_string(found->second) : event.name;
  }
  const std::vector<std::string>& operations = recording_.kind(event.kind)->operations;
  if (event.operation >= 0 && static_cast<std::size_t>(event.operation) < operations.size()) {
    ids.operation = operations[static_cast<std::size_t>(event.operation)];
  }
  const bool replay = event.kind == "KERNEL_REPLAY";
  const Slot slot = replay ? Slot::kReplay : Slot::kEnqueue;
  const Payload payload = make_payload(event, ids);
  rocprofiler_callback_tracing_record_t record{};
  record.context_id.handle = to.context;
  record.thread_id = thread_id(event.of_thread);
  record.correlation_id.internal = event.correlation;
  record.kind = static_cast<rocprofiler_callback_tracing_kind_t>(to.kind);
  record.operation = event.operation;
  record.phase = static_cast<rocprofiler_callback_phase_t>(event.phase);
  record.payload = payload.get();
  rocprofiler_user_data_t data{};
  data.value = given(event, slot, event.data_in);
  to.callback(record, &data, to.arg);
  remember(event, slot, data.value);
  if (replay && event.dispatch && event.operation == ROCPROFILER_KERNEL_REPLAY_CONFIG &&
      event.phase == ROCPROFILER_CALLBACK_PHASE_ENTER) {
    using Data = rocprofiler_callback_tracing_kernel_replay_data_t;
    windows_[event.dispatch->id] = {
        payload.at<rocprofiler_kernel_replay_pass_count_cb_t>(offsetof(Data, replay_pass_count), nullptr),
        payload.at<rocprofiler_kernel_replay_continue_cb_t>(offsetof(Data, replay_continue), nullptr)};
  }
}

void Player::make_counting(const Event& event) {
  for (const Counting& to : counting_) {
    if (!started_[to.context]) continue;
    rocprofiler_counter_config_id_t config{};
    rocprofiler_user_data_t data{};
    data.value = given(event, Slot::kCounting, event.data_in);
    to.choose(service_data(event), &config, &data, to.choose_arg);
    remember(event, Slot::kCounting, data.value);
    if (config.handle > configs_.size()) fatal("the tool chose a configuration that it has not made");
    chosen_[{event.dispatch->id, event.data}] = {
        event.config, config.handle == 0 ? std::nullopt : std::optional<std::size_t>(config.handle - 1)};
  }
}

void Player::make_record(const Event& event) {
  for (const Counting& to : counting_) {
    std::vector<rocprofiler_counter_record_t> records = records_for(event);
    rocprofiler_user_data_t data{};
    data.value = given(event, Slot::kCounting, event.data);
    to.record(service_data(event), records.data(), records.size(), data, to.record_arg);
  }
}

// What was recorded of the counters that the tool has asked for now: of this execution where they are the same, else of
// the one of this dispatch that read them.
std::vector<rocprofiler_counter_record_t> Player::records_for(const Event& event) const {
  const Event* from = &event;
  const auto chosen = chosen_.find({event.dispatch->id, event.data});
  if (chosen != chosen_.end() && chosen->second.now && chosen->second.recorded) {
    const Config& wanted = configs_[*chosen->second.now];
    const auto same = [&](std::optional<std::size_t> recorded) {
      return recorded && recording_.configs[*recorded].counters == wanted.counters;
    };
    if (!same(chosen->second.recorded)) {
      for (const Event& other : recording_.events) {
        if (other.call != Call::kCounting || other.dispatch->id != event.dispatch->id || !same(other.config)) continue;
        for (const Event& brought : recording_.events) {
          if (brought.call == Call::kRecord && brought.dispatch->id == other.dispatch->id &&
              brought.data == other.data) {
            from = &brought;
          }
        }
      }
    }
  }
  std::vector<rocprofiler_counter_record_t> out;
  for (const CounterRecord& record : from->records) {
    rocprofiler_counter_record_t& made = out.emplace_back();
    made = {};
    made.id = record.instance;
    made.counter_value = record.value;
    made.dispatch_id = event.dispatch->id + 1;
    if (event.dispatch->agent) made.agent_id = handle(*event.dispatch->agent);
  }
  return out;
}

// Whoever is asked must have set the function: else the SDK would not ask.
void Player::make_pass_count(const Event& event) {
  const auto window = windows_.find(event.dispatch->id);
  if (window == windows_.end() || window->second.pass_count == nullptr) return;
  rocprofiler_user_data_t data{};
  data.value = given(event, Slot::kReplay, event.data);
  (void)window->second.pass_count(info(*event.dispatch), data);
}

void Player::make_continue(const Event& event) {
  const auto window = windows_.find(event.dispatch->id);
  if (window == windows_.end() || window->second.goes_on == nullptr) return;
  rocprofiler_user_data_t data{};
  data.value = given(event, Slot::kReplay, event.data);
  (void)window->second.goes_on(info(*event.dispatch), event.pass, event.passes, data);
}

rocprofiler_kernel_dispatch_info_t Player::info(const Dispatch& dispatch) const noexcept {
  rocprofiler_kernel_dispatch_info_t info{};
  info.size = dispatch.size;
  if (dispatch.agent) info.agent_id = handle(*dispatch.agent);
  info.queue_id.handle = dispatch.queue + 1;
  info.kernel_id = dispatch.kernel + 1;
  info.dispatch_id = dispatch.id + 1;
  info.private_segment_size = dispatch.private_size;
  info.group_segment_size = dispatch.group_size;
  info.workgroup_size = dispatch.workgroup;
  info.grid_size = dispatch.grid;
  return info;
}

rocprofiler_dispatch_counting_service_data_t Player::service_data(const Event& event) const noexcept {
  rocprofiler_dispatch_counting_service_data_t data{};
  data.size = event.size;
  data.correlation_id.internal = event.correlation;
  if (event.start) data.start_timestamp = kBase + static_cast<std::uint64_t>(*event.start);
  if (event.end) data.end_timestamp = kBase + static_cast<std::uint64_t>(*event.end);
  data.dispatch_info = info(*event.dispatch);
  return data;
}

// Of calls that belong to no dispatch, those of one kind share it.
std::pair<std::uint64_t, Player::Slot> Player::key(const Event& event, Slot slot) const {
  if (event.dispatch) return {event.dispatch->id, slot};
  return {static_cast<std::uint64_t>(recording_.kind(event.kind)->number), Slot::kOther};
}

std::uint64_t Player::given(const Event& event, Slot slot, std::uint64_t recorded) const {
  const auto found = written_.find(key(event, slot));
  if (found == written_.end()) return recorded;
  const auto& list = found->second;
  const auto last = std::find_if(list.rbegin(), list.rend(), [&](const Written& w) { return w.recorded == recorded; });
  return last == list.rend() ? recorded : last->now;
}

void Player::remember(const Event& event, Slot slot, std::uint64_t now) {
  if (event.data != event.data_in || now != event.data) written_[key(event, slot)].push_back({event.data, now});
}

std::uint64_t Player::thread_id(std::uint64_t ordinal) const {
  constexpr std::uint64_t kNobody = 0x4000'0000;  // above what Linux gives
  const auto found = workers_.find(ordinal);
  return found == workers_.end() ? kNobody + ordinal : found->second->id();
}

}  // namespace multipass_sim::play
