// SPDX-License-Identifier: MIT
//
// C functions: buffers, callback threads, thread notifiers, external correlation ids.
#include <unistd.h>

#include <cstring>

#include "sim/sdk/gates.hpp"
#include "sim/sdk/kinds.hpp"

using multipass_sim::sdk;

namespace {

rocprofiler_status_t check_stack(rocprofiler_context_id_t context_id, rocprofiler_thread_id_t tid) {
  if (!sdk().contexts.contains(context_id)) return ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND;
  if (tid < static_cast<rocprofiler_thread_id_t>(getpid())) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
  return ROCPROFILER_STATUS_SUCCESS;
}

}  // namespace

rocprofiler_status_t rocprofiler_create_buffer(rocprofiler_context_id_t context_id, size_t size, size_t watermark,
                                               rocprofiler_buffer_policy_t policy,
                                               rocprofiler_buffer_tracing_cb_t callback, void* callback_data,
                                               rocprofiler_buffer_id_t* buffer_id) {
  if (multipass_sim::is_locked()) return ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED;
  if (buffer_id->handle != 0) return ROCPROFILER_STATUS_ERROR_SERVICE_ALREADY_CONFIGURED;
  *buffer_id = sdk().buffers.create({context_id, size, watermark, policy, callback, callback_data});
  return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t rocprofiler_destroy_buffer(rocprofiler_buffer_id_t buffer_id) {
  return sdk().buffers.destroy(buffer_id);
}

rocprofiler_status_t rocprofiler_flush_buffer(rocprofiler_buffer_id_t buffer_id) {
  if (sdk().registration.finalized() == 1) return ROCPROFILER_STATUS_ERROR_FINALIZED;
  return sdk().buffers.flush(buffer_id);
}

rocprofiler_status_t rocprofiler_create_callback_thread(rocprofiler_callback_thread_t* thread_id) {
  if (multipass_sim::is_locked()) return ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED;
  *thread_id = sdk().buffers.create_thread();
  return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t rocprofiler_assign_callback_thread(rocprofiler_buffer_id_t buffer_id,
                                                        rocprofiler_callback_thread_t thread_id) {
  if (multipass_sim::is_locked()) return ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED;
  return sdk().buffers.assign(buffer_id, thread_id);
}

rocprofiler_status_t rocprofiler_at_internal_thread_create(rocprofiler_internal_thread_library_cb_t precreate,
                                                           rocprofiler_internal_thread_library_cb_t postcreate,
                                                           int libs, void* data) {
  sdk().notifiers.add(precreate, postcreate, libs, data);
  return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t rocprofiler_configure_external_correlation_id_request_service(
    rocprofiler_context_id_t context_id, const rocprofiler_external_correlation_id_request_kind_t* kinds,
    size_t kinds_count, rocprofiler_external_correlation_id_request_cb_t callback, void* callback_args) {
  // Not locked after initialisation, as in 1.0.0. No list means all kinds.
  multipass_sim::CorrelationRequest request{kinds == nullptr || kinds_count == 0, callback, callback_args};
  for (size_t i = 0; kinds != nullptr && i < kinds_count; ++i) {
    if (kinds[i] == ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_KERNEL_DISPATCH) request.kernel_dispatch = true;
  }
  return sdk().contexts.add(context_id, request);
}

rocprofiler_status_t rocprofiler_query_external_correlation_id_request_kind_name(
    rocprofiler_external_correlation_id_request_kind_t kind, const char** name, uint64_t* name_len) {
  const char* found = multipass_sim::request_name(kind);
  if (name != nullptr) *name = found;
  if (name_len != nullptr) *name_len = found == nullptr ? 0 : std::strlen(found);
  return found == nullptr ? ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND : ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t rocprofiler_push_external_correlation_id(rocprofiler_context_id_t context_id,
                                                              rocprofiler_thread_id_t tid,
                                                              rocprofiler_user_data_t value) {
  const rocprofiler_status_t status = check_stack(context_id, tid);
  if (status == ROCPROFILER_STATUS_SUCCESS) sdk().correlation.push(context_id, tid, value);
  return status;
}

rocprofiler_status_t rocprofiler_pop_external_correlation_id(rocprofiler_context_id_t context_id,
                                                             rocprofiler_thread_id_t tid,
                                                             rocprofiler_user_data_t* value) {
  const rocprofiler_status_t status = check_stack(context_id, tid);
  if (status != ROCPROFILER_STATUS_SUCCESS) return status;
  const rocprofiler_user_data_t top = sdk().correlation.pop(context_id, tid);
  if (value != nullptr) *value = top;
  return status;
}
