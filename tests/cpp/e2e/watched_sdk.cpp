// SPDX-License-Identifier: MIT
//
// Linked into an application, it stands between the plugin and the SDK, for its symbols are found first: it counts the
// calls that cost something, and can make the SDK one of another kind. WATCHED_SDK holds words with commas between:
//   no_replay     the kind KERNEL_REPLAY has another name: an SDK from before it
//   owned         another tool owns kernel replay: configuring it answers 15
//   lite_trace    tracing of dispatches and counting are refused with 19
//   never_offers  replay is configured and never asks
//   odd_payload   the first CONFIG has another layout
// When the application ends, a line on stderr:
//   watched-sdk: replay_configured N offers N replayed N counted N
// offers: CONFIG callbacks; replayed: those answered with a pass count; counted: executions given a configuration.
#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "sdk/abi/rocprofiler.h"

namespace {

std::atomic<unsigned> g_configured{0};
std::atomic<unsigned> g_offers{0};
std::atomic<unsigned> g_replayed{0};
std::atomic<unsigned> g_counted{0};

bool has_word(const char* word) {
  const char* text = std::getenv("WATCHED_SDK");
  return text != nullptr && std::strstr(text, word) != nullptr;
}

template <typename Function>
Function* real(const char* name) {
  static void* const sdk = dlopen("librocprofiler-sdk.so.1", RTLD_NOW | RTLD_NOLOAD);
  void* const found = sdk == nullptr ? nullptr : dlsym(sdk, name);
  if (found == nullptr) std::abort();
  return reinterpret_cast<Function*>(found);
}

bool is_replay(rocprofiler_callback_tracing_kind_t kind) {
  const char* name = nullptr;
  return real<decltype(rocprofiler_query_callback_tracing_kind_name)>("rocprofiler_query_callback_tracing_kind_name")(
             kind, &name, nullptr) == ROCPROFILER_STATUS_SUCCESS &&
         name != nullptr && std::strcmp(name, "KERNEL_REPLAY") == 0;
}

rocprofiler_callback_tracing_cb_t g_replay = nullptr;
rocprofiler_dispatch_counting_service_cb_t g_choose = nullptr;

void watch_replay(rocprofiler_callback_tracing_record_t record, rocprofiler_user_data_t* user_data, void* data) {
  auto* payload = static_cast<rocprofiler_callback_tracing_kernel_replay_data_t*>(record.payload);
  const bool config = record.operation == ROCPROFILER_KERNEL_REPLAY_CONFIG;
  const bool asks = config && record.phase == ROCPROFILER_CALLBACK_PHASE_ENTER;
  const bool odd = asks && g_offers == 0 && has_word("odd_payload");
  if (odd) payload->current_pass = 184;
  g_replay(record, user_data, data);
  if (odd) payload->current_pass = 0;
  if (!asks) return;
  ++g_offers;
  if (payload->replay_pass_count != nullptr) ++g_replayed;
}

void watch_choose(rocprofiler_dispatch_counting_service_data_t dispatch, rocprofiler_counter_config_id_t* config,
                  rocprofiler_user_data_t* user_data, void* data) {
  g_choose(dispatch, config, user_data, data);
  if (config->handle != 0) ++g_counted;
}

struct Report {
  ~Report() {
    std::fprintf(stderr, "watched-sdk: replay_configured %u offers %u replayed %u counted %u\n", g_configured.load(),
                 g_offers.load(), g_replayed.load(), g_counted.load());
  }
} g_report;

}  // namespace

#define WATCHED __attribute__((visibility("default")))

extern "C" {

WATCHED rocprofiler_status_t rocprofiler_query_callback_tracing_kind_name(rocprofiler_callback_tracing_kind_t kind,
                                                                          const char** name, uint64_t* length) {
  const rocprofiler_status_t status = real<decltype(rocprofiler_query_callback_tracing_kind_name)>(
      "rocprofiler_query_callback_tracing_kind_name")(kind, name, length);
  if (has_word("no_replay") && is_replay(kind)) *name = "SOMETHING_ELSE";
  return status;
}

WATCHED rocprofiler_status_t rocprofiler_configure_callback_tracing_service(
    rocprofiler_context_id_t context, rocprofiler_callback_tracing_kind_t kind,
    const rocprofiler_tracing_operation_t* operations, size_t count, rocprofiler_callback_tracing_cb_t callback,
    void* data) {
  auto* const forward =
      real<decltype(rocprofiler_configure_callback_tracing_service)>("rocprofiler_configure_callback_tracing_service");
  if (has_word("lite_trace") && kind != ROCPROFILER_CALLBACK_TRACING_CODE_OBJECT)
    return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
  if (!is_replay(kind)) return forward(context, kind, operations, count, callback, data);
  ++g_configured;
  if (has_word("owned")) return ROCPROFILER_STATUS_ERROR_SERVICE_ALREADY_CONFIGURED;
  if (has_word("never_offers")) return ROCPROFILER_STATUS_SUCCESS;
  g_replay = callback;
  return forward(context, kind, operations, count, watch_replay, data);
}

WATCHED rocprofiler_status_t rocprofiler_configure_callback_dispatch_counting_service(
    rocprofiler_context_id_t context, rocprofiler_dispatch_counting_service_cb_t choose, void* choose_data,
    rocprofiler_dispatch_counting_record_cb_t record, void* record_data) {
  if (has_word("lite_trace")) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
  g_choose = choose;
  return real<decltype(rocprofiler_configure_callback_dispatch_counting_service)>(
      "rocprofiler_configure_callback_dispatch_counting_service")(context, watch_choose, choose_data, record,
                                                                  record_data);
}

}  // extern "C"
