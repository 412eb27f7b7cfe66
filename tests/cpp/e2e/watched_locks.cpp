// SPDX-License-Identifier: MIT
//
// Linked into an application, it stands between the plugin and both the C library's mutexes and the SDK, for its
// symbols are found first. It watches three rules: the plugin holds no mutex while it calls the SDK, takes none in the
// callbacks of one agent that it takes in those of another, and none in callbacks of dispatches that it takes where the
// application allocates, frees and copies. When the application ends, a line on stderr:
//   watched-locks: sdk_calls N while_holding N callbacks N locks N shared N memory_locks N met N
// locks: mutexes that were locked inside callbacks of dispatches; shared: of which in those of two agents.
// memory_locks: those that were locked inside callbacks of memory; met: of which inside callbacks of dispatches too.
// WATCHED_LOCKS=pretend has every mutex of the plugin stay held and be the same one: what a plugin that keeps to
// no rule looks like.
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "sdk/abi/rocprofiler.h"

namespace {

std::atomic<unsigned> g_sdk_calls{0};
std::atomic<unsigned> g_while_holding{0};
std::atomic<unsigned> g_callbacks{0};
std::atomic<unsigned> g_shared{0};
std::atomic<std::uintptr_t> g_plugin_begin{0};
std::atomic<std::uintptr_t> g_plugin_end{0};

thread_local int t_held = 0;             // mutexes that the plugin holds on this thread
thread_local std::uint64_t t_agent = 0;  // of the dispatch whose callback this thread is in
thread_local bool t_memory = false;      // it is in a callback of memory

bool pretends() {
  static const bool pretend = [] {
    const char* text = std::getenv("WATCHED_LOCKS");
    return text != nullptr && std::strcmp(text, "pretend") == 0;
  }();
  return pretend;
}

// Whose callbacks locked a mutex. Few mutexes: searched in turn, added without a lock of our own.
struct Locked {
  std::atomic<const void*> mutex{nullptr};
  std::atomic<std::uint64_t> agent{0};
  std::atomic<bool> shared{false};
  std::atomic<bool> of_memory{false};
};
constexpr std::size_t kMost = 1024;
Locked g_locked[kMost];

void note_lock(const void* mutex) {
  if (t_agent == 0 && !t_memory) return;
  if (pretends()) mutex = &g_locked;
  for (Locked& entry : g_locked) {
    const void* known = nullptr;
    if (entry.mutex.compare_exchange_strong(known, mutex) || known == mutex) {
      if (t_memory) entry.of_memory = true;
      std::uint64_t agent = 0;
      if (t_agent != 0 && !entry.agent.compare_exchange_strong(agent, t_agent) && agent != t_agent &&
          !entry.shared.exchange(true))
        ++g_shared;
      return;
    }
  }
}

bool from_plugin(const void* address) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  return at >= g_plugin_begin.load(std::memory_order_relaxed) && at < g_plugin_end.load(std::memory_order_relaxed);
}

void learn_plugin(const void* address) {
  if (g_plugin_end != 0) return;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* wanted) {
        std::uintptr_t begin = UINTPTR_MAX, end = 0;
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          if (info->dlpi_phdr[i].p_type != PT_LOAD) continue;
          const std::uintptr_t from = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
          begin = from < begin ? from : begin;
          end = from + info->dlpi_phdr[i].p_memsz > end ? from + info->dlpi_phdr[i].p_memsz : end;
        }
        const auto at = reinterpret_cast<std::uintptr_t>(wanted);
        if (at < begin || at >= end) return 0;
        g_plugin_begin = begin;
        g_plugin_end = end;
        return 1;
      },
      const_cast<void*>(address));
}

template <typename Function>
Function* next(const char* name) {
  void* const found = dlsym(RTLD_NEXT, name);
  if (found == nullptr) std::abort();
  return reinterpret_cast<Function*>(found);
}

template <typename Function>
Function* of_sdk(const char* name) {
  static void* const sdk = dlopen("librocprofiler-sdk.so.1", RTLD_NOW | RTLD_NOLOAD);
  void* const found = sdk == nullptr ? nullptr : dlsym(sdk, name);
  if (found == nullptr) std::abort();
  return reinterpret_cast<Function*>(found);
}

void sdk_called() {
  ++g_sdk_calls;
  if (t_held > 0) ++g_while_holding;
}

class InMemory final {
 public:
  InMemory() : outer_(t_memory) { t_memory = true; }
  InMemory(const InMemory&) = delete;
  InMemory& operator=(const InMemory&) = delete;
  ~InMemory() { t_memory = outer_; }

 private:
  const bool outer_;
};

class InCallback final {
 public:
  explicit InCallback(rocprofiler_agent_id_t agent) : outer_(t_agent) {
    t_agent = agent.handle;
    ++g_callbacks;
  }
  InCallback(const InCallback&) = delete;
  InCallback& operator=(const InCallback&) = delete;
  ~InCallback() { t_agent = outer_; }

 private:
  const std::uint64_t outer_;
};

rocprofiler_callback_tracing_cb_t g_replay = nullptr;
rocprofiler_callback_tracing_cb_t g_dispatch = nullptr;
rocprofiler_callback_tracing_cb_t g_memory[ROCPROFILER_CALLBACK_TRACING_LAST] = {};  // by kind
rocprofiler_dispatch_counting_service_cb_t g_choose = nullptr;
rocprofiler_dispatch_counting_record_cb_t g_record = nullptr;

void watch_replay(rocprofiler_callback_tracing_record_t record, rocprofiler_user_data_t* user_data, void* data) {
  const InCallback inside(
      static_cast<rocprofiler_callback_tracing_kernel_replay_data_t*>(record.payload)->dispatch_info.agent_id);
  g_replay(record, user_data, data);
}
void watch_dispatch(rocprofiler_callback_tracing_record_t record, rocprofiler_user_data_t* user_data, void* data) {
  const InCallback inside(
      static_cast<rocprofiler_callback_tracing_kernel_dispatch_data_t*>(record.payload)->dispatch_info.agent_id);
  g_dispatch(record, user_data, data);
}
void watch_memory(rocprofiler_callback_tracing_record_t record, rocprofiler_user_data_t* user_data, void* data) {
  const InMemory inside;
  g_memory[record.kind](record, user_data, data);
}
bool is_of_memory(rocprofiler_callback_tracing_kind_t kind) {
  return kind == ROCPROFILER_CALLBACK_TRACING_MEMORY_ALLOCATION || kind == ROCPROFILER_CALLBACK_TRACING_MEMORY_COPY ||
         kind == ROCPROFILER_CALLBACK_TRACING_HSA_AMD_EXT_API || kind == ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API;
}
void watch_choose(rocprofiler_dispatch_counting_service_data_t dispatch, rocprofiler_counter_config_id_t* config,
                  rocprofiler_user_data_t* user_data, void* data) {
  const InCallback inside(dispatch.dispatch_info.agent_id);
  g_choose(dispatch, config, user_data, data);
}
void watch_record(rocprofiler_dispatch_counting_service_data_t dispatch, rocprofiler_counter_record_t* records,
                  size_t count, rocprofiler_user_data_t user_data, void* data) {
  const InCallback inside(dispatch.dispatch_info.agent_id);
  g_record(dispatch, records, count, user_data, data);
}

struct Report {
  ~Report() {
    unsigned locks = 0, memory_locks = 0, met = 0;
    for (const Locked& entry : g_locked) {
      locks += entry.agent != 0 ? 1 : 0;
      memory_locks += entry.of_memory ? 1 : 0;
      met += entry.agent != 0 && entry.of_memory ? 1 : 0;
    }
    std::fprintf(
        stderr, "watched-locks: sdk_calls %u while_holding %u callbacks %u locks %u shared %u memory_locks %u met %u\n",
        g_sdk_calls.load(), g_while_holding.load(), g_callbacks.load(), locks, g_shared.load(), memory_locks, met);
  }
} g_report;

}  // namespace

#define WATCHED __attribute__((visibility("default")))

extern "C" {

WATCHED int pthread_mutex_lock(pthread_mutex_t* mutex) {
  static auto* const forward = next<decltype(pthread_mutex_lock)>("pthread_mutex_lock");
  const int result = forward(mutex);
  if (from_plugin(__builtin_return_address(0))) {
    note_lock(mutex);
    ++t_held;
  }
  return result;
}

WATCHED int pthread_mutex_unlock(pthread_mutex_t* mutex) {
  static auto* const forward = next<decltype(pthread_mutex_unlock)>("pthread_mutex_unlock");
  if (from_plugin(__builtin_return_address(0)) && !pretends()) --t_held;
  return forward(mutex);
}

WATCHED rocprofiler_status_t rocprofiler_configure_callback_tracing_service(
    rocprofiler_context_id_t context, rocprofiler_callback_tracing_kind_t kind,
    const rocprofiler_tracing_operation_t* operations, size_t count, rocprofiler_callback_tracing_cb_t callback,
    void* data) {
  learn_plugin(__builtin_return_address(0));
  sdk_called();
  if (kind == ROCPROFILER_CALLBACK_TRACING_KERNEL_REPLAY) {
    g_replay = callback;
    callback = watch_replay;
  } else if (kind == ROCPROFILER_CALLBACK_TRACING_KERNEL_DISPATCH) {
    g_dispatch = callback;
    callback = watch_dispatch;
  } else if (is_of_memory(kind)) {
    g_memory[kind] = callback;
    callback = watch_memory;
  }
  return of_sdk<decltype(rocprofiler_configure_callback_tracing_service)>(
      "rocprofiler_configure_callback_tracing_service")(context, kind, operations, count, callback, data);
}

WATCHED rocprofiler_status_t rocprofiler_configure_callback_dispatch_counting_service(
    rocprofiler_context_id_t context, rocprofiler_dispatch_counting_service_cb_t choose, void* choose_data,
    rocprofiler_dispatch_counting_record_cb_t record, void* record_data) {
  sdk_called();
  g_choose = choose;
  g_record = record;
  return of_sdk<decltype(rocprofiler_configure_callback_dispatch_counting_service)>(
      "rocprofiler_configure_callback_dispatch_counting_service")(context, watch_choose, choose_data, watch_record,
                                                                  record_data);
}

WATCHED rocprofiler_status_t rocprofiler_query_record_counter_id(rocprofiler_counter_instance_id_t instance,
                                                                 rocprofiler_counter_id_t* counter) {
  sdk_called();
  return of_sdk<decltype(rocprofiler_query_record_counter_id)>("rocprofiler_query_record_counter_id")(instance,
                                                                                                      counter);
}

WATCHED rocprofiler_status_t rocprofiler_start_context(rocprofiler_context_id_t context) {
  sdk_called();
  return of_sdk<decltype(rocprofiler_start_context)>("rocprofiler_start_context")(context);
}

WATCHED rocprofiler_status_t rocprofiler_stop_context(rocprofiler_context_id_t context) {
  sdk_called();
  return of_sdk<decltype(rocprofiler_stop_context)>("rocprofiler_stop_context")(context);
}

}  // extern "C"
