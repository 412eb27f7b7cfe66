// SPDX-License-Identifier: MIT
//
// Stands for: librocprof-sys-dl.so and the library behind it, as a client of rocprofiler-sdk. After ROCm/rocm-systems
// projects/rocprofiler-systems @1b1610fc, source/lib/rocprof-sys-dl/dl.cpp and
// source/lib/rocprof-sys/library/rocprofiler-sdk.cpp; for 2026 (STANDIN_AGE, default 2026) later texts of the latter.
//
// - Takes itself out of LD_PRELOAD first (entries with `librocprof-sys`), so programs that the application starts are
//   not traced.
// - Registers as `rocprofsys` by the visible rocprofiler_configure, so it comes after ROCP_TOOL_LIBRARIES: setup()
//   would force the SDK's configuration, but nothing in that text calls it. STANDIN_ORDER=early plays a version that
//   calls it when the program starts, and comes first.
// - Kernel dispatches are traced when ROCPROFSYS_ROCM_DOMAINS has kernel_dispatch: buffered, all executions of a
//   replayed launch as they come.
// - Counters: one configuration an agent for the whole ROCPROFSYS_ROCM_EVENTS. 38 is a warning and handle 0: none of
//   the list is counted there. An unknown name ends the process in 2025 and is a warning in 2026. The counter context
//   exists only when the list is not empty; when another client counts, its start fails with a line (12).
// - COMPLETE puts the times of a dispatch into a map, the first of an id stays; the record callback takes them out and
//   makes a sample only when it found some. So a replayed dispatch may lose samples, as there.
//
// Does not: threads of its own, sampling, scratch and copy records, roctx, polled counters, pause and resume.
#include "client.hpp"

#include <cxxabi.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "records.hpp"

namespace standin {

Client& client() {
  static auto* const one = new Client;
  return *one;
}

std::uint64_t& last_correlation() {
  thread_local std::uint64_t last = 0;
  return last;
}

std::string status_text(rocprofiler_status_t status) {
  const char* text = rocprofiler_get_status_string(status);
  return std::to_string(static_cast<int>(status)) + (text == nullptr ? "" : " (" + std::string(text) + ")");
}

bool checked(const char* call, rocprofiler_status_t status) {
  if (status != ROCPROFILER_STATUS_SUCCESS) say(std::string(call) + " failed with error code " + status_text(status));
  return status == ROCPROFILER_STATUS_SUCCESS;
}

namespace {

constexpr std::size_t kBufferSize = 4096;

bool is_set(const char* name, const char* value) {
  const char* found = std::getenv(name);
  return found != nullptr && std::string_view(found) == value;
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

// Regions of the HIP API and dispatches have one correlation id there.
void on_enqueue(rocprofiler_callback_tracing_record_t record, rocprofiler_user_data_t*, void*) {
  last_correlation() = record.correlation_id.internal;
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

void trace_kernels(Client& own) {
  checked("rocprofiler_create_buffer",
          rocprofiler_create_buffer(own.primary, kBufferSize, kBufferSize / 2, ROCPROFILER_BUFFER_POLICY_LOSSLESS,
                                    on_dispatches, nullptr, &own.buffer));
  checked("rocprofiler_configure_buffer_tracing_service",
          rocprofiler_configure_buffer_tracing_service(own.primary, ROCPROFILER_BUFFER_TRACING_KERNEL_DISPATCH, nullptr,
                                                       0, own.buffer));
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
  constexpr rocprofiler_tracing_operation_t kEnqueue = ROCPROFILER_KERNEL_DISPATCH_ENQUEUE;
  checked("rocprofiler_configure_callback_tracing_service",
          rocprofiler_configure_callback_tracing_service(own.primary, ROCPROFILER_CALLBACK_TRACING_KERNEL_DISPATCH,
                                                         &kEnqueue, 1, on_enqueue, nullptr));
  if (own.settings.has_domain("kernel_dispatch")) trace_kernels(own);
  const std::size_t polled = split(own.settings.text("ROCPROFSYS_GPU_PERF_COUNTERS"), ",;").size();
  if (polled != 0) say("would poll " + std::to_string(polled) + " counters: the stand-in does not");
  const std::vector<Event> events = own.settings.events();
  if (!events.empty()) count_kernels(events);
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

// The process as records know it: at the start, and again in a forked child, which keeps the guid of its parent.
void describe_process() {
  static const pid_t first = getpid();
  records().add("process", {{"pid", std::int64_t{getpid()}},
                            {"ppid", std::int64_t{getppid()}},
                            {"guid_of", std::int64_t{first}},
                            {"time", now()}});
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
  if (is_set("STANDIN_ORDER", "early") && rocprofiler_is_initialized(&status) == ROCPROFILER_STATUS_SUCCESS &&
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
