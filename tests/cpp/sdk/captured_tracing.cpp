// SPDX-License-Identifier: MIT
#include "sdk/captured_tracing.hpp"

#include <dlfcn.h>

namespace multipass::sdk_test {
namespace {

CapturedTracing* capturing = nullptr;

}  // namespace

CapturedTracing::CapturedTracing() {
  capturing = this;
}
CapturedTracing::~CapturedTracing() {
  capturing = nullptr;
}

namespace {

rocprofiler_status_t capture(int kind, const rocprofiler_tracing_operation_t* operations, std::size_t count,
                             rocprofiler_callback_tracing_cb_t callback, void* argument) {
  if (const auto refusal = capturing->refused.find(kind); refusal != capturing->refused.end()) return refusal->second;
  CapturedService& service = capturing->services[kind];
  service.operations.assign(operations, operations + count);
  service.callback = callback;
  service.argument = argument;
  return ROCPROFILER_STATUS_SUCCESS;
}

}  // namespace
}  // namespace multipass::sdk_test

rocprofiler_status_t rocprofiler_configure_callback_tracing_service(rocprofiler_context_id_t context,
                                                                    rocprofiler_callback_tracing_kind_t kind,
                                                                    const rocprofiler_tracing_operation_t* operations,
                                                                    size_t count,
                                                                    rocprofiler_callback_tracing_cb_t callback,
                                                                    void* argument) {
  using multipass::sdk_test::capture;
  if (multipass::sdk_test::capturing != nullptr) return capture(kind, operations, count, callback, argument);
  static auto* const behind_it = reinterpret_cast<decltype(rocprofiler_configure_callback_tracing_service)*>(
      dlsym(RTLD_NEXT, "rocprofiler_configure_callback_tracing_service"));
  return behind_it(context, kind, operations, count, callback, argument);
}
