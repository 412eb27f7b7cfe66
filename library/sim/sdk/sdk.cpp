// SPDX-License-Identifier: MIT
#include "sim/sdk/sdk.hpp"

#include <memory>

#include "sim/sdk/calls.hpp"
#include "sim/sdk/clock.hpp"
#include "sim/sdk/copies.hpp"
#include "sim/sdk/submission.hpp"

namespace multipass_sim {

namespace {

// The one mutable global of the library. Released from its owner on purpose: see the header.
Sdk& global = *std::make_unique<Sdk>().release();  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

}  // namespace

Sdk& sdk() noexcept {
  return global;
}

void Sdk::offer(multipass_sim_runtime* runtime) noexcept {
  use_clock(runtime->now_ns);
  offered_.store(runtime);
}

void Sdk::attach() {
  multipass_sim_runtime* runtime = offered_.load();
  if (runtime == nullptr || registration.initialized() != 1 || !registration.has_clients()) return;
  multipass_sim_runtime* none = nullptr;
  if (!runtime_.compare_exchange_strong(none, runtime)) return;
  runtime->on_submit = [](multipass_sim_packet* packet) { sdk().dispatcher.submit(*packet); };
  runtime->on_kernel = [](const multipass_sim_kernel* kernel) { sdk().code_objects.add_kernel(*kernel); };
  runtime->on_start = &Submission::on_start;
  runtime->on_call = [](const multipass_sim_call* call, multipass_sim_call_body body, void* arg) {
    return told_call(sdk(), *call, body, arg);
  };
  runtime->on_copy = [](const multipass_sim_copy* copy, multipass_sim_copy_start start, void* arg) {
    begin_copy(sdk(), *copy, start, arg);
  };
  runtime->on_copy_done = [](void* token, std::uint64_t start_ns, std::uint64_t end_ns) {
    end_copy(sdk(), token, start_ns, end_ns);
  };
  runtime->intercept();
}

void Sdk::before_fork() {
  registration.mutex().lock();
  contexts.mutex().lock();
  configs.mutex().lock();
  infos.mutex().lock();
  correlation.mutex().lock();
  code_objects.mutex().lock();
  outstanding.mutex().lock();
  markers.mutex().lock();
  notifiers.mutex().lock();
  counting.before_fork();
  buffers.before_fork();
}

void Sdk::after_fork_in_parent() {
  buffers.after_fork_in_parent();
  counting.after_fork_in_parent();
  unlock_tables();
}

void Sdk::after_fork_in_child() {
  outstanding.forget_in_child();
  unlock_tables();
  buffers.after_fork_in_child();
  // 1.0.0: the child waits for ever for the thread of its parent that delivers counters.
  counting.restart_in_child(faults.on(Fault::kSdk100) && contexts.counting_anywhere());
}

void Sdk::unlock_tables() {
  notifiers.mutex().unlock();
  markers.mutex().unlock();
  outstanding.mutex().unlock();
  code_objects.mutex().unlock();
  correlation.mutex().unlock();
  infos.mutex().unlock();
  configs.mutex().unlock();
  contexts.mutex().unlock();
  registration.mutex().unlock();
}

}  // namespace multipass_sim
