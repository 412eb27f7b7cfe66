// SPDX-License-Identifier: MIT
//
// Stands for: librocprof-sys-dl.so and the library behind it, as a client of rocprofiler-sdk. After ROCm/rocm-systems
// projects/rocprofiler-systems @1b1610fc, source/lib/rocprof-sys-dl/dl.cpp and
// source/lib/rocprof-sys/library/rocprofiler-sdk.cpp; what 2026 changed by the CHANGELOG and issues named below.
//
// - Takes itself out of LD_PRELOAD first (entries with `librocprof-sys`), so programs that the application starts are
//   not traced.
// - Registers as `rocprofsys`. Like rocprof-sys it forces the SDK's configuration when the program starts, so it comes
//   before ROCP_TOOL_LIBRARIES; STANDIN_ORDER=late leaves it to the visible rocprofiler_configure, which comes after.
// - Kernel dispatches are traced (buffered, all executions of a replayed launch as they come) when
// ROCPROFSYS_ROCM_DOMAINS
//   has kernel_dispatch.
// - Counters: one configuration an agent for the whole ROCPROFSYS_ROCM_EVENTS. 38 is a warning and handle 0: none of
// the
//   list is counted there. An unknown name ends the process in 2025 (STANDIN_AGE) and is a warning in 2026. The counter
//   context exists only when the list is not empty; when another client counts, its start fails with a line (12).
// - COMPLETE puts the times of a dispatch into a map, the first of an id stays; the record callback takes them out and
//   makes a sample only when it found some. So a replayed dispatch may lose samples, as there.
//
// Does not: anything of its own threads, sampling, scratch and copy records, roctx, polled counters, pause and resume.
#include <cxxabi.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>

#include "records.hpp"
#include "sdk/abi/rocprofiler.h"
#include "settings.hpp"

namespace standin {

namespace {

constexpr std::size_t kBufferSize = 4096;

struct Agent {
  const rocprofiler_agent_v0_t* info;
  unsigned long ordinal;  // among GPUs by node id
};

struct Times {
  std::uint64_t start;
  std::uint64_t end;
};

// All of the client. Set up in configure and initialize, before any callback; then only `times` and `names` change.
struct Client {
  Settings settings;
  bool of_2025 = false;
  bool configured = false;
  std::map<std::uint64_t, Agent> agents;                             // GPUs, by handle
  std::map<std::uint64_t, rocprofiler_counter_config_id_t> configs;  // by agent; 0: nothing fits
  std::map<std::uint64_t, std::map<std::uint64_t, std::string>> counters;
  rocprofiler_context_id_t primary{0}, counter{0};
  rocprofiler_buffer_id_t buffer{0};
  std::mutex mutex;
  std::unordered_map<std::uint64_t, Times> times;  // by dispatch
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::string> names;
};

Client& client() {
  static auto* const one = new Client;
  return *one;
}

bool is_set(const char* name, const char* value) {
  const char* found = std::getenv(name);
  return found != nullptr && std::string_view(found) == value;
}

std::string status_text(rocprofiler_status_t status) {
  const char* text = rocprofiler_get_status_string(status);
  return std::to_string(static_cast<int>(status)) + (text == nullptr ? "" : " (" + std::string(text) + ")");
}

// rocprof-sys logs a call that failed and goes on.
bool checked(const char* call, rocprofiler_status_t status) {
  if (status != ROCPROFILER_STATUS_SUCCESS) say(std::string(call) + " failed with error code " + status_text(status));
  return status == ROCPROFILER_STATUS_SUCCESS;
}

std::string demangled(std::string name) {
  if (name.ends_with(".kd")) name.resize(name.size() - 3);
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                    &std::free);
  return text ? text.get() : name;
}

void on_code_object(rocprofiler_callback_tracing_record_t record, rocprofiler_user_data_t*, void*) {
  if (record.operation != ROCPROFILER_CODE_OBJECT_DEVICE_KERNEL_SYMBOL_REGISTER ||
      record.phase != ROCPROFILER_CALLBACK_PHASE_LOAD)
    return;
  const auto* data =
      static_cast<const rocprofiler_callback_tracing_code_object_kernel_symbol_register_data_t*>(record.payload);
  records().add("kernel", {{"id", data->kernel_id},
                           {"symbol", data->kernel_name},
                           {"name", demangled(data->kernel_name)},
                           {"code_object", data->code_object_id}});
}

void on_dispatches(rocprofiler_context_id_t, rocprofiler_buffer_id_t, rocprofiler_record_header_t** headers,
                   std::size_t count, void*, std::uint64_t) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto* record = static_cast<const rocprofiler_buffer_tracing_kernel_dispatch_record_t*>(headers[i]->payload);
    const rocprofiler_kernel_dispatch_info_t& info = record->dispatch_info;
    records().add("dispatch", {{"id", info.dispatch_id},
                               {"correlation", record->correlation_id.internal},
                               {"kernel", info.kernel_id},
                               {"gpu", std::uint64_t{client().agents.at(info.agent_id.handle).ordinal}},
                               {"queue", info.queue_id.handle},
                               {"tid", record->thread_id},
                               {"start", record->start_timestamp},
                               {"end", record->end_timestamp},
                               {"private", info.private_segment_size},
                               {"group", info.group_segment_size},
                               {"workgroup_x", info.workgroup_size.x},
                               {"workgroup_y", info.workgroup_size.y},
                               {"workgroup_z", info.workgroup_size.z},
                               {"grid_x", info.grid_size.x},
                               {"grid_y", info.grid_size.y},
                               {"grid_z", info.grid_size.z}});
  }
}

void on_complete(rocprofiler_callback_tracing_record_t record, rocprofiler_user_data_t*, void*) {
  const auto* data = static_cast<const rocprofiler_callback_tracing_kernel_dispatch_data_t*>(record.payload);
  const std::lock_guard lock(client().mutex);
  client().times.try_emplace(data->dispatch_info.dispatch_id, Times{data->start_timestamp, data->end_timestamp});
}

void choose(rocprofiler_dispatch_counting_service_data_t data, rocprofiler_counter_config_id_t* config,
            rocprofiler_user_data_t*, void*) {
  const auto found = client().configs.find(data.dispatch_info.agent_id.handle);
  if (found != client().configs.end()) *config = found->second;
}

void on_record(rocprofiler_dispatch_counting_service_data_t data, rocprofiler_counter_record_t* values,
               std::size_t count, rocprofiler_user_data_t, void*) {
  Client& own = client();
  const std::lock_guard lock(own.mutex);
  const std::uint64_t agent = data.dispatch_info.agent_id.handle;
  std::map<std::uint64_t, double> sums;
  for (std::size_t i = 0; i < count; ++i) {
    rocprofiler_counter_id_t counter{0};
    rocprofiler_query_record_counter_id(values[i].id, &counter);
    sums[counter.handle] += values[i].counter_value;
  }
  Times times{0, 0};
  if (const auto found = own.times.find(data.dispatch_info.dispatch_id); found != own.times.end()) {
    times = found->second;
    own.times.erase(found);
  }
  if (times.start == 0 || times.end <= times.start) return;
  for (const auto& [counter, sum] : sums)
    records().add("counter", {{"dispatch", data.dispatch_info.dispatch_id},
                              {"gpu", std::uint64_t{own.agents.at(agent).ordinal}},
                              {"name", own.counters[agent][counter]},
                              {"value", sum},
                              {"start", times.start},
                              {"end", times.end}});
}

rocprofiler_status_t add_agents(rocprofiler_agent_version_t, const void** agents, std::size_t count, void*) {
  std::vector<const rocprofiler_agent_v0_t*> gpus;
  for (std::size_t i = 0; i < count; ++i) {
    const auto* agent = static_cast<const rocprofiler_agent_v0_t*>(agents[i]);
    if (agent->type == ROCPROFILER_AGENT_TYPE_GPU) gpus.push_back(agent);
    records().add("agent", {{"node", agent->node_id},
                            {"gpu", agent->type == ROCPROFILER_AGENT_TYPE_GPU ? 1 : 0},
                            {"name", agent->name},
                            {"model", agent->model_name},
                            {"vendor", agent->vendor_name},
                            {"product", agent->product_name}});
  }
  std::sort(gpus.begin(), gpus.end(), [](const auto* a, const auto* b) { return a->node_id < b->node_id; });
  for (std::size_t i = 0; i < gpus.size(); ++i) client().agents[gpus[i]->id.handle] = {gpus[i], i};
  return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t name_counters(rocprofiler_agent_id_t agent, rocprofiler_counter_id_t* counters, std::size_t count,
                                   void*) {
  for (std::size_t i = 0; i < count; ++i) {
    rocprofiler_counter_info_v0_t info{};
    const rocprofiler_status_t status =
        rocprofiler_query_counter_info(counters[i], ROCPROFILER_COUNTER_INFO_VERSION_0, &info);
    // Constants are not in the list of counters that names are looked up in.
    if (status == ROCPROFILER_STATUS_SUCCESS && info.is_constant == 0)
      client().counters[agent.handle][counters[i].handle] = info.name;
  }
  return ROCPROFILER_STATUS_SUCCESS;
}

// What ends the application today and is a line in 2026.
void reject(const std::string& what) {
  say(what);
  if (client().of_2025) std::abort();
}

std::vector<rocprofiler_counter_id_t> wanted_of(const Agent& agent, const std::vector<Event>& events) {
  std::vector<rocprofiler_counter_id_t> found;
  std::string missing;
  for (const Event& event : events) {
    if (!event.good) {
      say("invalid device qualifier in '" + event.token + "'");
      std::abort();  // in both ages
    }
    const auto& names = client().counters[agent.info->id.handle];
    const auto at = std::find_if(names.begin(), names.end(), [&](const auto& one) { return one.second == event.name; });
    if (event.device && *event.device != agent.ordinal) {
      if (!client().of_2025) missing += " " + event.token;  // also lists what is meant for other devices
      continue;
    }
    if (at == names.end())
      missing += " " + event.token;
    else
      found.push_back({at->first});
  }
  if (!missing.empty())
    reject("Unable to find all counters for agent " + std::to_string(agent.info->node_id) + " (gpu-" +
           std::to_string(agent.ordinal) + ", " + agent.info->name + "). Missing:" + missing);
  return found;
}

void make_configs(const std::vector<Event>& events) {
  for (const auto& [handle, agent] : client().agents) {
    const rocprofiler_status_t listed =
        rocprofiler_iterate_agent_supported_counters(agent.info->id, name_counters, nullptr);
    if (listed != ROCPROFILER_STATUS_SUCCESS) {
      reject("no counters on agent " + std::to_string(agent.info->node_id) + ": " + status_text(listed));
      continue;
    }
    std::vector<rocprofiler_counter_id_t> counters = wanted_of(agent, events);
    if (counters.empty()) continue;
    rocprofiler_counter_config_id_t config{0};
    checked("rocprofiler_create_counter_config",
            rocprofiler_create_counter_config(agent.info->id, counters.data(), counters.size(), &config));
    client().configs[handle] = config;
  }
}

void trace_kernels(Client& own) {
  checked("rocprofiler_create_buffer",
          rocprofiler_create_buffer(own.primary, kBufferSize, kBufferSize / 2, ROCPROFILER_BUFFER_POLICY_LOSSLESS,
                                    on_dispatches, nullptr, &own.buffer));
  checked("rocprofiler_configure_buffer_tracing_service",
          rocprofiler_configure_buffer_tracing_service(own.primary, ROCPROFILER_BUFFER_TRACING_KERNEL_DISPATCH, nullptr,
                                                       0, own.buffer));
}

void count_kernels(Client& own, const std::vector<Event>& events) {
  make_configs(events);
  rocprofiler_create_context(&own.counter);
  constexpr rocprofiler_tracing_operation_t kComplete = ROCPROFILER_KERNEL_DISPATCH_COMPLETE;
  checked("rocprofiler_configure_callback_tracing_service",
          rocprofiler_configure_callback_tracing_service(own.counter, ROCPROFILER_CALLBACK_TRACING_KERNEL_DISPATCH,
                                                         &kComplete, 1, on_complete, nullptr));
  checked("rocprofiler_configure_callback_dispatch_counting_service",
          rocprofiler_configure_callback_dispatch_counting_service(own.counter, choose, nullptr, on_record, nullptr));
}

int initialize(rocprofiler_client_finalize_t, void*) {
  Client& own = client();
  checked("rocprofiler_query_available_agents",
          rocprofiler_query_available_agents(ROCPROFILER_AGENT_INFO_VERSION_0, add_agents,
                                             sizeof(rocprofiler_agent_v0_t), nullptr));
  rocprofiler_create_context(&own.primary);
  checked("rocprofiler_configure_callback_tracing_service",
          rocprofiler_configure_callback_tracing_service(own.primary, ROCPROFILER_CALLBACK_TRACING_CODE_OBJECT, nullptr,
                                                         0, on_code_object, nullptr));
  if (own.settings.has_domain("kernel_dispatch")) trace_kernels(own);
  const std::vector<Event> events = own.settings.events();
  if (!events.empty()) count_kernels(own, events);
  checked("rocprofiler_start_context (tracing)", rocprofiler_start_context(own.primary));
  if (own.counter.handle != 0) checked("rocprofiler_start_context (counters)", rocprofiler_start_context(own.counter));
  return 0;
}

void finish() {
  static pid_t written = 0;
  if (written == getpid()) return;
  written = getpid();
  records().add("memory", {{"time", now()}});
  records().add("end", {{"time", now()}});
  records().write_outputs();
}

void finalize(void*) {
  if (client().buffer.handle != 0) rocprofiler_flush_buffer(client().buffer);
  finish();
}

rocprofiler_tool_configure_result_t result{sizeof(result), &initialize, &finalize, nullptr};

// The process as records know it: at the start, and again in a forked child.
void describe_process() {
  records().add("process", {{"pid", std::int64_t{getpid()}}, {"ppid", std::int64_t{getppid()}}, {"time", now()}});
  for (const auto& [name, value] : client().settings.of_files())
    records().add("setting", {{"name", name}, {"value", value}});
  records().add("memory", {{"time", now()}});
}

void leave_preload() {
  const char* value = std::getenv("LD_PRELOAD");
  if (value == nullptr) return;
  std::string kept;
  for (const std::string& one : split(value, ":"))
    if (one.find("librocprof-sys") == std::string::npos) kept += (kept.empty() ? "" : ":") + one;
  setenv("LD_PRELOAD", kept.c_str(), 1);
}

bool is_wanted() {
  const Settings& settings = client().settings;
  return settings.is_on("ROCPROFSYS_INIT_TOOLING", true) && settings.is_on("ROCPROFSYS_USE_ROCM", true);
}

// Before main, as soon as the library is loaded.
[[gnu::constructor]] void start() {
  leave_preload();
  client().settings.read();
  client().of_2025 = is_set("STANDIN_AGE", "2025");
  if (!client().settings.is_on("ROCPROFSYS_INIT_TOOLING", true)) return;
  describe_process();
  pthread_atfork(nullptr, nullptr, [] {
    records().clear();
    describe_process();
  });
  std::atexit([] {
    if (!client().configured) finish();  // nobody finalises it
  });
  int status = 0;
  if (!is_set("STANDIN_ORDER", "late") && rocprofiler_is_initialized(&status) == ROCPROFILER_STATUS_SUCCESS &&
      status == 0)
    checked("rocprofiler_force_configure", rocprofiler_force_configure(&rocprofiler_configure));
}

}  // namespace

}  // namespace standin

extern "C" rocprofiler_tool_configure_result_t* rocprofiler_configure(std::uint32_t version, const char* runtime,
                                                                      std::uint32_t priority,
                                                                      rocprofiler_client_id_t* id) {
  standin::Client& own = standin::client();
  if (own.configured || !standin::is_wanted()) return nullptr;
  own.configured = true;
  id->name = "rocprofsys";
  standin::say("rocprofsys is using rocprofiler-sdk v" + std::to_string(version / 10000) + "." +
               std::to_string(version % 10000 / 100) + "." + std::to_string(version % 100) + " (" + runtime +
               "), priority " + std::to_string(priority));
  return &standin::result;
}
