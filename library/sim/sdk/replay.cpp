// SPDX-License-Identifier: MIT
#include "sim/sdk/replay.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>
#include <utility>

#include "sim/sdk/clock.hpp"
#include "sim/sdk/diagnostics.hpp"
#include "sim/sdk/kinds.hpp"
#include "sim/sdk/sdk.hpp"
#include "sim/sdk/submission.hpp"

namespace multipass_sim {

namespace {

constexpr std::chrono::seconds kPassBound{60};
constexpr std::uint32_t kDrainBoundMs = 60'000;

// Planned by the documents of kernel replay; behind what library/sdk/abi declares.
constexpr rocprofiler_tracing_operation_t kSnapshotOperation = ROCPROFILER_KERNEL_REPLAY_PASS + 1;
constexpr rocprofiler_tracing_operation_t kRestoreOperation = ROCPROFILER_KERNEL_REPLAY_PASS + 2;

// The loop whose PASS / ENTER callback this thread is in: the two functions of the payload get no other context.
thread_local ReplayToggles* entering = nullptr;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

rocprofiler_status_t start_in_loop(rocprofiler_context_id_t context) {
  return entering == nullptr ? ROCPROFILER_STATUS_ERROR_CONTEXT_ERROR : entering->start(context);
}

rocprofiler_status_t stop_in_loop(rocprofiler_context_id_t context) {
  return entering == nullptr ? ROCPROFILER_STATUS_ERROR_CONTEXT_ERROR : entering->stop(context);
}

}  // namespace

Replay::Replay(Sdk& sdk, const Launch& launch, ContextPtr owner, AgentLock& lock)
    : sdk_(sdk),
      launch_(launch),
      owner_(std::move(owner)),
      lock_(lock),
      layout_(payload_layout(sdk.faults, place_of(launch))) {}

FaultPlace Replay::place(std::optional<std::uint64_t> pass) const {
  FaultPlace place = place_of(launch_);
  place.pass = pass;
  return place;
}

bool Replay::hits(Fault fault, std::optional<std::uint64_t> pass) const {
  return sdk_.faults.hits(fault, place(pass));
}

// `outstanding`: what finalisation waits for of this window. It does not wait for one that never goes on.
void Replay::stall(Fault fault, std::optional<std::uint64_t> pass, unsigned outstanding) {
  const std::optional<std::chrono::seconds> time = sdk_.faults.list().wait(fault, place(pass));
  if (time) return std::this_thread::sleep_for(*time);
  for (unsigned i = 0; i < outstanding; ++i) sdk_.outstanding.remove();
  for (;;) ::pause();
}

void Replay::run() {
  const Request request = ask();
  if (!request.replayed) {
    leave_config();
    const std::shared_lock shared(lock_);
    run_single();
    return;
  }
  const std::unique_lock window(lock_);
  if (!drain() || !snapshot()) {
    leave_config();
    run_single();
    return;
  }
  const bool reversed = hits(Fault::kRecordReversed);
  const bool late = reversed || hits(Fault::kRecordLate);
  if (late || hits(Fault::kRecordAfterPasses)) hold_ = std::make_shared<RecordHold>();
  sdk_.runtime()->open_window(launch_.packet);
  loop(request);
  if (hold_ && !late) sdk_.counting.post(hold_->take());
  leave_config();
  if (hold_) sdk_.counting.post(hold_->take(reversed));
  if (abandoned_) abandoned_->signal();
  sdk_.runtime()->close_window(launch_.packet);  // the application's one completion
}

Replay::Request Replay::ask() {
  config_ = payload();
  raise(ROCPROFILER_KERNEL_REPLAY_CONFIG, ROCPROFILER_CALLBACK_PHASE_ENTER, config_, user_data_);
  Request request;
  if (config_.replay_pass_count == nullptr) return request;
  request.more = config_.replay_continue;
  request.passes = config_.replay_pass_count(launch_.info, user_data_);
  if (request.passes == 0 && request.more == nullptr) {
    warn("kernel replay: an open-ended pass count needs a continue callback; the dispatch runs once");
    return request;
  }
  request.replayed = request.passes != 1;
  return request;
}

bool Replay::drain() {
  const std::string dispatch = "dispatch " + std::to_string(launch_.info.dispatch_id);
  if (hits(Fault::kQueueStuckAborts)) fatal("kernel replay: the queue of " + dispatch + " does not drain");
  if (hits(Fault::kAgentStuckAborts)) fatal("kernel replay: the other queues of the agent do not drain: " + dispatch);
  stall(Fault::kDrainWaits, std::nullopt, 1);
  if (hits(Fault::kCopiesInFlight)) {
    warn("kernel replay: a copy is in flight on the agent (on request); " + dispatch + " runs once");
    return false;
  }
  if (hits(Fault::kQueueStuck) || hits(Fault::kAgentStuck)) {
    warn("kernel replay: the queues of the agent do not drain (on request); " + dispatch + " runs once");
    return false;
  }
  const multipass_sim_runtime& runtime = *sdk_.runtime();
  const std::uint64_t began_ns = boottime_ns();
  if (runtime.drain_queue(launch_.packet, kDrainBoundMs) != 0 &&
      runtime.drain_others(launch_.packet, kDrainBoundMs) != 0) {
    spend(MULTIPASS_SIM_COST_DRAIN, 1, began_ns);
    return true;
  }
  warn("kernel replay: the queues of the agent do not drain; " + dispatch + " runs once");
  return false;
}

bool Replay::snapshot() {
  raise_more(kSnapshotOperation);
  const std::uint64_t began_ns = boottime_ns();
  if (hits(Fault::kSnapshotRefused) || !snapshot_.take(*sdk_.runtime(), launch_.packet->device)) return false;
  spend(MULTIPASS_SIM_COST_COPY, snapshot_.bytes(), began_ns);
  return true;
}

void Replay::spend(int cost, std::uint64_t amount, std::uint64_t since_ns) const {
  if (sdk_.runtime()->spend != nullptr) sdk_.runtime()->spend(cost, amount, since_ns);
}

void Replay::loop(const Request& request) {
  ReplayToggles toggles(sdk_.contexts.active());
  const std::uint64_t passes = request.passes == 0 ? 0 : request.passes + (hits(Fault::kPassAdded) ? 1 : 0);
  for (std::uint64_t pass = 0;; ++pass) {
    rocprofiler_user_data_t user_data = user_data_;  // a fresh copy for every pass
    if (hits(Fault::kInputsChange, pass))
      snapshot_.restore(*sdk_.runtime(), launch_.packet->device, RestoreDamage::kWrong);
    if (!run_pass(pass, request, toggles, user_data)) return;
    end_process_after(pass);
    if (passes != 0 && pass + 1 == passes) return;
    if (request.more != nullptr && request.more(launch_.info, pass, request.passes, user_data) == 0) return;
    restore(pass + 1);
  }
}

void Replay::restore(std::uint64_t next_pass) {
  const std::string what = "kernel replay: the memory of pass " + std::to_string(next_pass) + " of dispatch " +
                           std::to_string(launch_.info.dispatch_id);
  if (hits(Fault::kRestoreAborts, next_pass)) fatal(what + " cannot be restored");
  if (hits(Fault::kRestoreSkipped, next_pass)) {
    warn(what + " cannot be restored: skipped");
    return;
  }
  raise_more(kRestoreOperation);
  RestoreDamage damage = RestoreDamage::kNone;
  if (hits(Fault::kRestorePartial, next_pass)) damage = RestoreDamage::kPartial;
  if (hits(Fault::kRestoreWrong, next_pass)) damage = RestoreDamage::kWrong;
  const std::uint64_t began_ns = boottime_ns();
  snapshot_.restore(*sdk_.runtime(), launch_.packet->device, damage);
  spend(MULTIPASS_SIM_COST_COPY, snapshot_.bytes(), began_ns);
}

void Replay::end_process_after(std::uint64_t pass) {
  constexpr int kExitCode = 70;
  if (hits(Fault::kAbortAfterPass, pass)) std::abort();
  if (hits(Fault::kExitAfterPass, pass)) ::_exit(kExitCode);
  if (hits(Fault::kKillAfterPass, pass)) ::kill(::getpid(), SIGKILL);
}

bool Replay::run_pass(std::uint64_t pass, const Request& request, ReplayToggles& toggles,
                      rocprofiler_user_data_t& user_data) {
  // A tool that stops the owning context inside the loop gets no further PASS; the loop goes on.
  const bool told = sdk_.contexts.is_active(owner_->id) && !hits(Fault::kPassesUntold, pass);
  rocprofiler_callback_tracing_kernel_replay_data_t data = payload();
  data.current_pass = pass;
  data.total_passes = hits(Fault::kTotalHidden) ? 0 : request.passes;
  if (told) {
    rocprofiler_callback_tracing_kernel_replay_data_t enter = data;
    enter.replay_start_context = &start_in_loop;
    enter.replay_stop_context = &stop_in_loop;
    entering = &toggles;
    raise(ROCPROFILER_KERNEL_REPLAY_PASS, ROCPROFILER_CALLBACK_PHASE_ENTER, enter, user_data);
    entering = nullptr;
  }
  const bool stuck = hits(Fault::kPassStuckAborts, pass);
  if (stuck || hits(Fault::kPassAbandoned, pass)) abandoned_ = std::make_shared<Completion>();
  const std::shared_ptr<Completion> waits = hits(Fault::kPassWaits, pass) ? std::make_shared<Completion>() : nullptr;
  // The record of an abandoned pass comes when the window is closed, after those that are held.
  const InLoop here{toggles, pass, abandoned_ ? nullptr : hold_, abandoned_ ? abandoned_ : waits,
                    waits && !sdk_.faults.list().wait(Fault::kPassWaits, place(pass))};
  Completion handled;
  Submission::submit(std::make_unique<Submission>(sdk_, launch_), &here, abandoned_ ? nullptr : &handled);
  if (waits) {
    stall(Fault::kPassWaits, pass, 2);
    waits->signal();
  }
  if (abandoned_ && !stuck) {
    warn("kernel replay: pass " + std::to_string(pass) + " of dispatch " + std::to_string(launch_.info.dispatch_id) +
         " does not finish; no more passes are run");
    return false;
  }
  if (stuck || !handled.wait_for(kPassBound)) {
    fatal("kernel replay: pass " + std::to_string(pass) + " of dispatch " + std::to_string(launch_.info.dispatch_id) +
          " did not finish within 60 seconds");
  }
  if (told) raise(ROCPROFILER_KERNEL_REPLAY_PASS, ROCPROFILER_CALLBACK_PHASE_EXIT, data, user_data);
  return true;
}

void Replay::run_single() {
  Submission::submit(std::make_unique<Submission>(sdk_, launch_), nullptr, nullptr);
}

void Replay::leave_config() {
  rocprofiler_callback_tracing_kernel_replay_data_t data = payload();
  data.replay_pass_count = config_.replay_pass_count;
  data.replay_continue = config_.replay_continue;
  rocprofiler_user_data_t user_data = user_data_;
  raise(ROCPROFILER_KERNEL_REPLAY_CONFIG, ROCPROFILER_CALLBACK_PHASE_EXIT, data, user_data);
}

rocprofiler_callback_tracing_kernel_replay_data_t Replay::payload() const {
  rocprofiler_callback_tracing_kernel_replay_data_t data{};
  data.size = sizeof(data);
  data.dispatch_info = launch_.info;
  return data;
}

void Replay::raise_more(rocprofiler_tracing_operation_t operation) {
  if (!hits(Fault::kMoreOperations)) return;
  for (const auto phase : {ROCPROFILER_CALLBACK_PHASE_ENTER, ROCPROFILER_CALLBACK_PHASE_EXIT}) {
    rocprofiler_callback_tracing_kernel_replay_data_t data = payload();
    rocprofiler_user_data_t user_data = user_data_;
    raise(operation, phase, data, user_data);
  }
}

void Replay::raise(rocprofiler_tracing_operation_t operation, rocprofiler_callback_phase_t phase,
                   rocprofiler_callback_tracing_kernel_replay_data_t& data, rocprofiler_user_data_t& user_data) const {
  // Who traces all operations, traces those that have no name here too.
  const CallbackTracing* service =
      owner_->traces(ROCPROFILER_CALLBACK_TRACING_KERNEL_REPLAY,
                     std::min<rocprofiler_tracing_operation_t>(operation, ROCPROFILER_KERNEL_REPLAY_PASS));
  if (service == nullptr || service->callback == nullptr) return;
  rocprofiler_callback_tracing_record_t record{};
  record.context_id = owner_->id;
  record.thread_id = launch_.thread;
  record.correlation_id.internal = launch_.correlation;
  record.kind = shown_kind(sdk_.faults, ROCPROFILER_CALLBACK_TRACING_KERNEL_REPLAY);
  record.operation = operation;
  record.phase = phase;
  if (layout_ == PayloadLayout::kKnown) {
    record.payload = &data;
    service->callback(record, &user_data, service->args);
    return;
  }
  rocprofiler_callback_tracing_kernel_replay_data_t shown = data;
  if (layout_ == PayloadLayout::kTogglesFirst) {
    shown.replay_start_context = &start_in_loop;
    shown.replay_stop_context = &stop_in_loop;
  }
  PayloadImage image(layout_, shown);
  record.payload = image.address();
  service->callback(record, &user_data, service->args);
  image.read_back(data);
}

}  // namespace multipass_sim
