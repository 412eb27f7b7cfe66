// SPDX-License-Identifier: MIT
#include "bench/callback_clients.hpp"

#include <dlfcn.h>
#include <x86intrin.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "sdk/abi/rocprofiler.h"

namespace multipass::bench {
namespace {

thread_local bool t_counted = false;
thread_local Ticks t_ticks;
thread_local std::uint64_t t_pass = 0;

Client g_client = Client::kEmpty;
Passes g_passes;

// By agent, the configuration of each pass. Sorted in time for the first launch, then read only.
std::unordered_map<std::uint64_t, std::vector<rocprofiler_counter_config_id_t>> g_configs;
std::vector<std::pair<std::uint64_t, rocprofiler_counter_config_id_t*>> g_flat;

std::atomic<std::uint64_t> g_records{0};
std::mutex g_dispatch_mutex;  // plain
std::mutex g_record_mutex;    // plain
std::map<std::uint64_t, double> g_sums;

void check(rocprofiler_status_t status, const char* what) {
  if (status == ROCPROFILER_STATUS_SUCCESS) return;
  std::fprintf(stderr, "%s: status %d\n", what, static_cast<int>(status));
  std::abort();
}

std::uint64_t pass_count(rocprofiler_kernel_dispatch_info_t, rocprofiler_user_data_t) {
  return g_passes.size();
}

void on_replay(rocprofiler_callback_tracing_record_t record, rocprofiler_user_data_t*, void*) {
  auto* payload = static_cast<rocprofiler_callback_tracing_kernel_replay_data_t*>(record.payload);
  if (record.phase != ROCPROFILER_CALLBACK_PHASE_ENTER) return;
  if (record.operation == ROCPROFILER_KERNEL_REPLAY_CONFIG) {
    payload->replay_pass_count = pass_count;
  } else {
    t_pass = payload->current_pass;
  }
}

void on_dispatch(rocprofiler_callback_tracing_record_t, rocprofiler_user_data_t*, void*) {}

void choose_empty(rocprofiler_dispatch_counting_service_data_t data, rocprofiler_counter_config_id_t* config,
                  rocprofiler_user_data_t*, void*) {
  for (const auto& [agent, configs] : g_flat)
    if (agent == data.dispatch_info.agent_id.handle) *config = configs[t_pass];
}

void record_empty(rocprofiler_dispatch_counting_service_data_t, rocprofiler_counter_record_t*, size_t,
                  rocprofiler_user_data_t, void*) {
  g_records.fetch_add(1, std::memory_order_relaxed);
}

void choose_plain(rocprofiler_dispatch_counting_service_data_t data, rocprofiler_counter_config_id_t* config,
                  rocprofiler_user_data_t*, void*) {
  const std::lock_guard lock(g_dispatch_mutex);
  const auto found = g_configs.find(data.dispatch_info.agent_id.handle);
  if (found != g_configs.end()) *config = found->second.at(t_pass);
}

void record_plain(rocprofiler_dispatch_counting_service_data_t, rocprofiler_counter_record_t* records, size_t count,
                  rocprofiler_user_data_t, void*) {
  const std::lock_guard lock(g_record_mutex);
  g_records.fetch_add(1, std::memory_order_relaxed);
  for (size_t i = 0; i < count; ++i) {
    rocprofiler_counter_id_t counter{};
    rocprofiler_query_record_counter_id(records[i].id, &counter);
    g_sums[counter.handle] += records[i].counter_value;
  }
}

std::map<std::string, rocprofiler_counter_id_t> counters_of(rocprofiler_agent_id_t agent) {
  std::map<std::string, rocprofiler_counter_id_t> all;
  rocprofiler_iterate_agent_supported_counters(
      agent,
      [](rocprofiler_agent_id_t, rocprofiler_counter_id_t* ids, size_t count, void* to) {
        for (size_t i = 0; i < count; ++i) {
          rocprofiler_counter_info_v0_t info{};
          rocprofiler_query_counter_info(ids[i], ROCPROFILER_COUNTER_INFO_VERSION_0, &info);
          (*static_cast<std::map<std::string, rocprofiler_counter_id_t>*>(to))[info.name] = ids[i];
        }
        return ROCPROFILER_STATUS_SUCCESS;
      },
      &all);
  return all;
}

void make_configs() {
  std::vector<rocprofiler_agent_id_t> gpus;
  rocprofiler_query_available_agents(
      ROCPROFILER_AGENT_INFO_VERSION_0,
      [](rocprofiler_agent_version_t, const void** list, size_t count, void* to) {
        for (size_t i = 0; i < count; ++i) {
          const auto* agent = static_cast<const rocprofiler_agent_v0_t*>(list[i]);
          if (agent->type == ROCPROFILER_AGENT_TYPE_GPU)
            static_cast<std::vector<rocprofiler_agent_id_t>*>(to)->push_back(agent->id);
        }
        return ROCPROFILER_STATUS_SUCCESS;
      },
      sizeof(rocprofiler_agent_v0_t), &gpus);
  for (const rocprofiler_agent_id_t gpu : gpus) {
    const auto known = counters_of(gpu);
    for (const std::vector<std::string>& pass : g_passes) {
      std::vector<rocprofiler_counter_id_t> ids;
      for (const std::string& name : pass) ids.push_back(known.at(name));
      rocprofiler_counter_config_id_t config{0};
      check(rocprofiler_create_counter_config(gpu, ids.data(), ids.size(), &config), "configuration");
      g_configs[gpu.handle].push_back(config);
    }
  }
  for (auto& [agent, configs] : g_configs) g_flat.emplace_back(agent, configs.data());
}

int initialize(rocprofiler_client_finalize_t, void*) {
  make_configs();
  rocprofiler_context_id_t tracing{}, counting{};
  check(rocprofiler_create_context(&tracing), "context");
  check(rocprofiler_create_context(&counting), "context");
  check(rocprofiler_configure_callback_tracing_service(tracing, ROCPROFILER_CALLBACK_TRACING_KERNEL_DISPATCH, nullptr,
                                                       0, on_dispatch, nullptr),
        "tracing");
  const bool plain = g_client == Client::kPlain;
  check(rocprofiler_configure_callback_dispatch_counting_service(counting, plain ? choose_plain : choose_empty, nullptr,
                                                                 plain ? record_plain : record_empty, nullptr),
        "counting");
  check(rocprofiler_configure_callback_tracing_service(counting, ROCPROFILER_CALLBACK_TRACING_KERNEL_REPLAY, nullptr, 0,
                                                       on_replay, nullptr),
        "replay");
  check(rocprofiler_start_context(tracing), "start");
  check(rocprofiler_start_context(counting), "start");
  return 0;
}

rocprofiler_tool_configure_result_t g_result{sizeof(g_result), &initialize, nullptr, nullptr};

rocprofiler_tool_configure_result_t* configure(std::uint32_t, const char*, std::uint32_t, rocprofiler_client_id_t* id) {
  id->name = "bench client";
  return &g_result;
}

// ---- the wrapper

template <typename Function>
Function* behind(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

class Timed final {
 public:
  explicit Timed(std::uint64_t& sum) noexcept : sum_(sum), begin_(t_counted ? __rdtsc() : 0) {}
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;
  ~Timed() {
    if (t_counted) sum_ += __rdtsc() - begin_;
  }

 private:
  std::uint64_t& sum_;
  const std::uint64_t begin_;
};

struct Tracing {
  rocprofiler_callback_tracing_cb_t callback;
  void* data;
};
void timed_tracing(rocprofiler_callback_tracing_record_t record, rocprofiler_user_data_t* user_data, void* wrapped) {
  const auto* to = static_cast<const Tracing*>(wrapped);
  const bool window =
      record.kind == ROCPROFILER_CALLBACK_TRACING_KERNEL_REPLAY && record.operation == ROCPROFILER_KERNEL_REPLAY_CONFIG;
  const Timed timed(window ? t_ticks.windows : t_ticks.passes);
  to->callback(record, user_data, to->data);
}

struct Counting {
  rocprofiler_dispatch_counting_service_cb_t choose;
  void* data;
};
void timed_choice(rocprofiler_dispatch_counting_service_data_t dispatch, rocprofiler_counter_config_id_t* config,
                  rocprofiler_user_data_t* user_data, void* wrapped) {
  const auto* to = static_cast<const Counting*>(wrapped);
  const Timed timed(t_ticks.passes);
  to->choose(dispatch, config, user_data, to->data);
}

}  // namespace

void register_client(Client client, const Passes& passes) {
  g_client = client;
  g_passes = passes;
  check(rocprofiler_force_configure(&configure), "registration");
}

void count_this_thread() noexcept {
  t_counted = true;
  t_ticks = {};
}

Ticks ticks_in_callbacks() noexcept {
  return t_ticks;
}

std::uint64_t now_ticks() noexcept {
  return __rdtsc();
}

std::uint64_t records() noexcept {
  return g_records.load();
}

}  // namespace multipass::bench

#define BENCH_EXPORT __attribute__((visibility("default")))

extern "C" {

BENCH_EXPORT rocprofiler_status_t rocprofiler_configure_callback_tracing_service(
    rocprofiler_context_id_t context, rocprofiler_callback_tracing_kind_t kind,
    const rocprofiler_tracing_operation_t* operations, size_t count, rocprofiler_callback_tracing_cb_t callback,
    void* data) {
  using namespace multipass::bench;
  auto* wrapped = new Tracing{callback, data};  // for the life of the process
  return behind<decltype(rocprofiler_configure_callback_tracing_service)>(
      "rocprofiler_configure_callback_tracing_service")(context, kind, operations, count, timed_tracing, wrapped);
}

BENCH_EXPORT rocprofiler_status_t rocprofiler_configure_callback_dispatch_counting_service(
    rocprofiler_context_id_t context, rocprofiler_dispatch_counting_service_cb_t choose, void* choose_data,
    rocprofiler_dispatch_counting_record_cb_t record, void* record_data) {
  using namespace multipass::bench;
  auto* wrapped = new Counting{choose, choose_data};  // for the life of the process
  return behind<decltype(rocprofiler_configure_callback_dispatch_counting_service)>(
      "rocprofiler_configure_callback_dispatch_counting_service")(context, timed_choice, wrapped, record, record_data);
}

}  // extern "C"
