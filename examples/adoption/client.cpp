// SPDX-License-Identifier: MIT
//
// A counting client of rocprofiler-sdk in the shape of that of rocprofiler-systems, with the core of
// rocprofsys-multipass behind its callbacks. ROCPROFSYS_ROCM_EVENTS is the list, ADOPTION_OUTPUT the folder of the
// files.
//
// Owner: the SDK's tool_data, from rocprofiler_configure to tool_fini. Threads: those of the SDK; what launches share
// belongs to one agent. Every callback is noexcept, waits for no lock of another agent and ends nothing: without
// counters the program runs on.
#include <cxxabi.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>

#include "assemble/assembler.hpp"
#include "profiles.hpp"
#include "replay/session.hpp"
#include "sdk/abi/rocprofiler.h"  // a host includes <rocprofiler-sdk/rocprofiler.h>: the names are the same
#include "storage.hpp"

namespace adoption {
namespace {

using multipass::DispatchInfo;
using multipass::assemble::Assembler;
using ReplayPayload = rocprofiler_callback_tracing_kernel_replay_data_t;

void say(std::string_view text) noexcept {
  std::fprintf(stderr, "adoption: %.*s\n", static_cast<int>(text.size()), text.data());
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : value;
}

// What one GPU has of its own: no callback of one waits for another.
struct Gpu {
  std::uint64_t handle = 0;
  const AgentProfiles* agent = nullptr;
  std::unique_ptr<Assembler> assembler;
};

struct Client {
  pid_t pid = ::getpid();
  std::string folder;
  multipass::RunMetadata run;
  rocprofiler_context_id_t counter_ctx{};
  std::vector<AgentProfiles> agents;               // immutable once counting starts, as is what follows
  std::vector<std::unique_ptr<Storage>> storages;  // by AgentIndex
  std::vector<Gpu> gpus;                           // those that something is counted on
  std::unique_ptr<multipass::replay::Session> session;
  std::mutex kernels_mutex;  // taken when code is loaded, never by a launch
  std::vector<multipass::KernelSymbol> kernels;
};

// All that outlives tool_fini: callbacks that are under way, and whether more are welcome. The SDK may still be inside
// one on another thread when it finalises its tools.
constinit std::atomic<unsigned> g_inside{0};
constinit std::atomic<bool> g_open{false};

class InCallback final {
 public:
  InCallback() noexcept { g_inside.fetch_add(1); }
  InCallback(const InCallback&) = delete;
  InCallback& operator=(const InCallback&) = delete;
  ~InCallback() { g_inside.fetch_sub(1); }
  explicit operator bool() const noexcept { return g_open.load(); }
};

// A callback about a dispatch. Without a GPU: nothing is counted there, or not any more.
struct Call {
  InCallback open;
  Client* client = nullptr;
  const Gpu* gpu = nullptr;
  DispatchInfo info;

  Call(void* data, const rocprofiler_kernel_dispatch_info_t& from, std::uint64_t correlation) noexcept {
    if (!open) return;
    client = static_cast<Client*>(data);
    for (const Gpu& one : client->gpus)
      if (one.handle == from.agent_id.handle) gpu = &one;
    if (gpu == nullptr) return;
    info.dispatch_id = multipass::DispatchId{from.dispatch_id};
    info.agent = gpu->agent->info.index;
    info.kernel = multipass::KernelId{from.kernel_id};
    info.queue_id = from.queue_id.handle;
    info.correlation_id = correlation;
    info.grid = {from.grid_size.x, from.grid_size.y, from.grid_size.z};
    info.workgroup = {from.workgroup_size.x, from.workgroup_size.y, from.workgroup_size.z};
    info.private_segment_size = from.private_segment_size;
    info.group_segment_size = from.group_segment_size;
  }
};

std::uint64_t pass_count(rocprofiler_kernel_dispatch_info_t, rocprofiler_user_data_t user_data) noexcept {
  return user_data.value;
}

// New: how often is this dispatch to run, and which pass of it begins? On the launching thread.
void replay_callback(rocprofiler_callback_tracing_record_t record, rocprofiler_user_data_t* user_data,
                     void* data) noexcept {
  auto* payload = static_cast<ReplayPayload*>(record.payload);
  // What is used of the record; a later one may be longer, or end behind it.
  if (payload == nullptr || user_data == nullptr || payload->size < offsetof(ReplayPayload, replay_start_context))
    return;
  const Call call(data, payload->dispatch_info, record.correlation_id.internal);
  const auto& [open, client, gpu, info] = call;
  if (gpu == nullptr) return;
  const bool enter = record.phase == ROCPROFILER_CALLBACK_PHASE_ENTER;
  if (record.operation == ROCPROFILER_KERNEL_REPLAY_CONFIG && enter) {
    gpu->assembler->offered(info);
    user_data->value = client->session->config_enter(info).passes;
    if (user_data->value > 1) payload->replay_pass_count = pass_count;
  } else if (record.operation == ROCPROFILER_KERNEL_REPLAY_CONFIG) {
    client->session->config_exit(info);
    gpu->assembler->window_closed(info);
  } else if (record.operation == ROCPROFILER_KERNEL_REPLAY_PASS && enter) {
    client->session->pass_enter(info, multipass::PassIndex{static_cast<std::uint32_t>(payload->current_pass)});
    gpu->assembler->pass_begun(info);
  } else if (record.operation == ROCPROFILER_KERNEL_REPLAY_PASS) {
    client->session->pass_exit(info);
  }
}

// As today, but the configuration is that of the pass, and the execution travels to the record. On the launching
// thread.
void dispatch_callback(rocprofiler_dispatch_counting_service_data_t dispatch, rocprofiler_counter_config_id_t* config,
                       rocprofiler_user_data_t* user_data, void* data) noexcept {
  Call call(data, dispatch.dispatch_info, dispatch.correlation_id.internal);
  auto& [open, client, gpu, info] = call;
  if (gpu == nullptr || config == nullptr || user_data == nullptr) return;
  info.thread_id = static_cast<std::uint64_t>(::gettid());
  const multipass::replay::Selection chosen = client->session->choose(info);
  gpu->assembler->enqueued(info, chosen.execution);
  gpu->assembler->counters_chosen(info, chosen.execution, chosen.config != 0, chosen.decision.declined);
  user_data->value = chosen.execution.pack();  // never 0 in a pass
  config->handle = chosen.config;
}

// As today: instances are summed. The times are those of the record, which belong to the pass. On a thread of the SDK.
void record_callback(rocprofiler_dispatch_counting_service_data_t dispatch, rocprofiler_counter_record_t* records,
                     size_t count, rocprofiler_user_data_t user_data, void* data) noexcept try {
  const Call call(data, dispatch.dispatch_info, dispatch.correlation_id.internal);
  const auto& [open, client, gpu, info] = call;
  if (gpu == nullptr) return;
  std::map<multipass::CounterIndex, double> sums;
  for (size_t i = 0; i < count; ++i) {
    rocprofiler_counter_id_t id{};
    if (rocprofiler_query_record_counter_id(records[i].id, &id) != ROCPROFILER_STATUS_SUCCESS) continue;
    if (const auto counter = gpu->agent->counter_of.find(id.handle); counter != gpu->agent->counter_of.end())
      sums[counter->second] += records[i].counter_value;  // double as it is
  }
  multipass::Readings readings;
  for (const auto& [counter, sum] : sums) {
    readings.counters.push_back(counter);
    readings.values.push_back(sum);
  }
  gpu->assembler->recorded(info, multipass::Execution::unpack(user_data.value),
                           {dispatch.start_timestamp, dispatch.end_timestamp}, std::move(readings));
} catch (...) {  // no memory: the dispatch will lack these readings, and say so
}

// As today: names of kernels. When code is loaded.
void code_object_callback(rocprofiler_callback_tracing_record_t record, rocprofiler_user_data_t*, void* data) noexcept
    try {
  const InCallback open;
  if (!open || record.payload == nullptr || record.phase != ROCPROFILER_CALLBACK_PHASE_LOAD ||
      record.operation != ROCPROFILER_CODE_OBJECT_DEVICE_KERNEL_SYMBOL_REGISTER)
    return;
  using Payload = rocprofiler_callback_tracing_code_object_kernel_symbol_register_data_t;
  const auto& from = *static_cast<const Payload*>(record.payload);
  multipass::KernelSymbol kernel;
  kernel.id = multipass::KernelId{from.kernel_id};
  kernel.name = from.kernel_name == nullptr ? "" : from.kernel_name;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(kernel.name.substr(0, kernel.name.rfind(".kd")).c_str(), nullptr, nullptr, &status),
      &std::free);
  if (text) kernel.demangled = text.get();
  auto& client = *static_cast<Client*>(data);
  const std::lock_guard lock(client.kernels_mutex);
  client.kernels.push_back(std::move(kernel));
} catch (...) {  // no memory: the kernel is shown by its number
}

// The kind by its name: an SDK that lacks it may abort when it is configured, and one revision had another there.
bool has_kernel_replay() noexcept {
  const char* name = nullptr;
  return rocprofiler_query_callback_tracing_kind_name(ROCPROFILER_CALLBACK_TRACING_KERNEL_REPLAY, &name, nullptr) ==
             ROCPROFILER_STATUS_SUCCESS &&
         name != nullptr && std::strcmp(name, "KERNEL_REPLAY") == 0;
}

// Why no dispatch will be replayed; nothing: they will. Then each launch reads group 0, and its record says why.
std::optional<multipass::DeclineReason> configure_replay(Client& client) {
  if (!has_kernel_replay()) return multipass::DeclineReason::kNoKernelReplay;
  const rocprofiler_status_t status = rocprofiler_configure_callback_tracing_service(
      client.counter_ctx, ROCPROFILER_CALLBACK_TRACING_KERNEL_REPLAY, nullptr, 0, replay_callback, &client);
  if (status == ROCPROFILER_STATUS_SUCCESS) return std::nullopt;
  say(status == ROCPROFILER_STATUS_ERROR_SERVICE_ALREADY_CONFIGURED  // 15
          ? "another tool of this process owns kernel replay: only the counters of pass 0 are collected"
          : "the SDK refuses kernel replay: only the counters of pass 0 are collected");
  return multipass::DeclineReason::kReplayRefused;
}

multipass::RunMetadata run_of(const std::string& events, bool replays) {
  multipass::RunMetadata run;
  run.tool_version = "adoption";
  std::ifstream uuid("/proc/sys/kernel/random/uuid");
  std::getline(uuid, run.guid);
  run.pid = static_cast<std::uint64_t>(::getpid());
  (void)rocprofiler_get_timestamp(&run.start_ns);
  run.kernel_replay = replays;
  run.events = events;
  return run;
}

bool collect(Client& client) {
  const std::string events = variable("ROCPROFSYS_ROCM_EVENTS");
  client.folder = variable("ADOPTION_OUTPUT");
  std::vector<std::string> warnings;
  client.agents = make_profiles(events, warnings);
  for (const std::string& warning : warnings) say(warning);
  if (rocprofiler_create_context(&client.counter_ctx) != ROCPROFILER_STATUS_SUCCESS ||
      rocprofiler_configure_callback_tracing_service(client.counter_ctx, ROCPROFILER_CALLBACK_TRACING_CODE_OBJECT,
                                                     nullptr, 0, code_object_callback,
                                                     &client) != ROCPROFILER_STATUS_SUCCESS ||
      rocprofiler_configure_callback_dispatch_counting_service(client.counter_ctx, dispatch_callback, &client,
                                                               record_callback, &client) != ROCPROFILER_STATUS_SUCCESS)
    return false;
  const std::optional<multipass::DeclineReason> no_replay = configure_replay(client);
  client.run = run_of(events, !no_replay);

  std::vector<multipass::replay::AgentConfigs> configs;
  for (const AgentProfiles& agent : client.agents) {
    configs.push_back({agent.configs});
    Storage& storage = *client.storages.emplace_back(std::make_unique<Storage>());
    if (agent.configs.empty()) continue;
    multipass::assemble::AgentExpectation expected;
    expected.groups = agent.groups;
    client.gpus.push_back({agent.handle, &agent,
                           std::make_unique<Assembler>(std::move(expected), no_replay,
                                                       [&storage](const auto& dispatch) { storage.add(dispatch); })});
  }
  client.session = std::make_unique<multipass::replay::Session>(std::move(configs), false);
  if (client.gpus.empty()) {
    say("nothing of the list can be counted");
    return false;
  }
  g_open.store(true);
  const rocprofiler_status_t status = rocprofiler_start_context(client.counter_ctx);
  if (status != ROCPROFILER_STATUS_SUCCESS)
    say("no counters are collected: the SDK answers " + std::to_string(status) + " to the start of counting");
  return status == ROCPROFILER_STATUS_SUCCESS;
}

int tool_init(rocprofiler_client_finalize_t, void* data) noexcept {
  try {
    if (collect(*static_cast<Client*>(data))) return 0;
  } catch (...) {  // no memory
  }
  g_open.store(false);
  return -1;
}

// False: a callback is still under way. It may be this very thread's, which a signal handler took to the end.
bool wait_for_callbacks() noexcept {
  for (int i = 0; i < 2000 && g_inside.load() != 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return g_inside.load() == 0;
}

// The SDK has stopped the context. Everything is written and freed here. Not so in a forked child, whose locks nobody
// may ever open, and while a callback does not end, which may hold one.
void tool_fini(void* data) noexcept {
  auto* const client = static_cast<Client*>(data);
  const bool collected = g_open.exchange(false);
  if (client->pid != ::getpid() || !wait_for_callbacks()) return;
  const std::unique_ptr<Client> owner(client);
  if (!collected) return;
  try {
    for (const Gpu& gpu : client->gpus) gpu.assembler->flush();
    const multipass::Status status =
        write_outputs(client->folder, client->run, client->agents, client->storages, client->kernels);
    if (!status) say(status.message());
  } catch (...) {
    say("nothing is written: out of memory");
  }
}

rocprofiler_tool_configure_result_t* configure(rocprofiler_client_id_t& id) noexcept try {
  if (variable("ROCPROFSYS_ROCM_EVENTS").empty() || variable("ADOPTION_OUTPUT").empty()) return nullptr;
  id.name = "adoption";
  static rocprofiler_tool_configure_result_t result{};
  result = {sizeof(result), tool_init, tool_fini, new Client};
  return &result;
} catch (...) {  // no memory
  return nullptr;
}

}  // namespace
}  // namespace adoption

extern "C" rocprofiler_tool_configure_result_t* rocprofiler_configure(uint32_t, const char*, uint32_t,
                                                                      rocprofiler_client_id_t* id) {
  return adoption::configure(*id);
}
