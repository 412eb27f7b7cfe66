// SPDX-License-Identifier: MIT
#include "sim/sdk/registration.hpp"

#include <pthread.h>

#include <chrono>
#include <cstdlib>

#include "sim/sdk/clock.hpp"
#include "sim/sdk/diagnostics.hpp"
#include "sim/sdk/sdk.hpp"
#include "sim/sdk/tool_search.hpp"
#include "sim/sdk/version.hpp"

namespace multipass_sim {

namespace {

constexpr std::chrono::seconds kDrainBound{30};

// The fork handlers come before those that a tool installs while it initialises, so the tool's prepare handler runs
// first and may still stop its contexts.
void install_process_hooks() {
  pthread_atfork([] { sdk().before_fork(); }, [] { sdk().after_fork_in_parent(); },
                 [] { sdk().after_fork_in_child(); });
  if (std::atexit([] { sdk().registration.finalize(); }) != 0) warn("atexit failed: tools will not be finalised");
}

}  // namespace

void Registration::run(rocprofiler_configure_func_t forced) {
  {
    std::unique_lock lock(mutex_);
    if (phase() != Phase::kIdle) {
      // A tool that loads a runtime while it initialises comes back here on the same thread.
      if (runner_ != thread_id()) changed_.wait(lock, [this] { return phase() >= Phase::kRunning; });
      return;
    }
    static_cast<void>(sdk_.faults.list());  // a fault that does not exist is told before any tool runs
    phase_ = Phase::kConfiguring;
    runner_ = thread_id();
  }
  install_process_hooks();
  configure_all(find_tools(forced));
  // Reading device files takes longer than all that a tool does in its initialize; the real SDK has its agents by then.
  if (!clients().empty()) static_cast<void>(sdk_.agents.all());
  phase_ = Phase::kInitializing;
  initialize_all();
  {
    const std::lock_guard lock(mutex_);
    phase_ = Phase::kRunning;
    changed_.notify_all();
  }
  sdk_.attach();  // a runtime that a tool brought in while it initialised
}

rocprofiler_status_t Registration::force(rocprofiler_configure_func_t configure) {
  if (configure == nullptr) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
  if (phase() != Phase::kIdle) return ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED;
  run(configure);
  return ROCPROFILER_STATUS_SUCCESS;
}

void Registration::configure_all(const std::vector<rocprofiler_configure_func_t>& tools) {
  const std::uint32_t base = random_u32() & 0x7FFF'FFFFU;
  const Version& played = version(sdk_.faults);
  for (std::size_t priority = 0; priority < tools.size(); ++priority) {
    auto client = std::make_unique<Client>(base + static_cast<std::uint32_t>(priority));
    client->index = priority;
    client->result = tools[priority](played.number(), played.text, static_cast<std::uint32_t>(priority), &client->id);
    const std::lock_guard lock(mutex_);
    if (client->result != nullptr) clients_.push_back(std::move(client));
  }
}

void Registration::initialize_all() {
  const rocprofiler_client_finalize_t finalize_me = [](rocprofiler_client_id_t id) {
    sdk().registration.finalize_on_request(id.handle);
  };
  for (Client* client : clients()) {
    current_ = client->index;
    // What it returns is ignored: a tool that wants to withdraw stops its own contexts.
    if (client->result->initialize != nullptr) client->result->initialize(finalize_me, client->result->tool_data);
  }
}

void Registration::finalize() {
  Phase expected = Phase::kRunning;
  if (!phase_.compare_exchange_strong(expected, Phase::kFinalizing)) return;
  if (!sdk_.outstanding.wait_for_none(kDrainBound)) warn("finalising although kernels have not finished");
  sdk_.code_objects.unload_all();
  for (Client* client : clients()) finalize_client(*client);
  phase_ = Phase::kFinalized;
  sdk_.counting.stop();
  sdk_.buffers.stop();
}

void Registration::finalize_on_request(std::uint32_t handle) {
  const std::vector<Client*> all = clients();
  if (all.size() == 1 && all.front()->id.handle == handle && phase() == Phase::kRunning) {
    finalize();
    return;
  }
  for (Client* client : all) {
    if (client->id.handle == handle) finalize_client(*client);
  }
}

void Registration::finalize_client(Client& client) {
  if (client.finalized.test_and_set()) return;
  for (const rocprofiler_context_id_t context : sdk_.contexts.of_client(client.index)) {
    static_cast<void>(sdk_.contexts.stop(context));  // those that are not active answer so
  }
  sdk_.counting.drain();
  if (client.result->finalize != nullptr) client.result->finalize(client.result->tool_data);
  sdk_.contexts.remove_client(client.index);
}

int Registration::initialized() const noexcept {
  if (phase() == Phase::kIdle) return 0;
  return phase() < Phase::kRunning ? -1 : 1;
}

int Registration::finalized() const noexcept {
  if (phase() < Phase::kFinalizing) return 0;
  return phase() == Phase::kFinalizing ? -1 : 1;
}

bool Registration::has_clients() const {
  return !clients().empty();
}

std::vector<Registration::Client*> Registration::clients() const {
  const std::lock_guard lock(mutex_);
  std::vector<Client*> result;
  result.reserve(clients_.size());
  for (const auto& client : clients_) result.push_back(client.get());
  return result;
}

}  // namespace multipass_sim
