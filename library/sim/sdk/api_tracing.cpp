// SPDX-License-Identifier: MIT
//
// C functions: callback and buffer tracing, their kinds and operations.
#include <cstring>
#include <optional>
#include <string>

#include "sim/sdk/diagnostics.hpp"
#include "sim/sdk/gates.hpp"
#include "sim/sdk/kinds.hpp"

using multipass_sim::OperationSet;
using multipass_sim::sdk;

namespace {

constexpr int first_unknown(rocprofiler_callback_tracing_kind_t) {
  return multipass_sim::kCallbackKinds100;
}
constexpr int first_unknown(rocprofiler_buffer_tracing_kind_t) {
  return multipass_sim::kBufferKinds100;
}

// A name that the library which is played has; nullptr otherwise.
template <typename Kind>
const char* known_kind(Kind kind) {
  if (kind >= first_unknown(kind) && sdk().faults.on(multipass_sim::Fault::kSdk100)) return nullptr;
  return multipass_sim::kind_name(multipass_sim::shown_kind(sdk().faults, kind));
}

template <typename Kind>
const char* known_operation(Kind kind, rocprofiler_tracing_operation_t operation) {
  if (known_kind(kind) == nullptr) return nullptr;
  return multipass_sim::operation_name(multipass_sim::shown_kind(sdk().faults, kind), operation);
}

rocprofiler_status_t give_name(const char* found, rocprofiler_status_t if_unknown, const char** name,
                               uint64_t* length) {
  if (name != nullptr) *name = found;
  if (length != nullptr) *length = found == nullptr ? 0 : std::strlen(found);
  return found == nullptr ? if_unknown : ROCPROFILER_STATUS_SUCCESS;
}

template <typename Kind>
rocprofiler_status_t give_kind_name(Kind kind, const char** name, uint64_t* length) {
  return give_name(known_kind(kind), ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND, name, length);
}

template <typename Kind>
rocprofiler_status_t give_operation_name(Kind kind, rocprofiler_tracing_operation_t operation, const char** name,
                                         uint64_t* length) {
  rocprofiler_status_t if_unknown = ROCPROFILER_STATUS_ERROR_OPERATION_NOT_FOUND;
  if (kind == 0) if_unknown = ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
  if (known_kind(kind) == nullptr) if_unknown = ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND;
  const char* found = kind == 0 ? nullptr : known_operation(kind, operation);
  return give_name(found, if_unknown, name, length);
}

template <typename Kind, typename Callback>
rocprofiler_status_t iterate_kinds(Callback callback, void* data) {
  for (int kind = 0; known_kind(static_cast<Kind>(kind)) != nullptr; ++kind) {
    if (callback(static_cast<Kind>(kind), data) != 0) break;
  }
  return ROCPROFILER_STATUS_SUCCESS;
}

template <typename Kind, typename Callback>
rocprofiler_status_t iterate_operations(Kind kind, Callback callback, void* data) {
  if (kind == 0) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
  for (int operation = 0; known_operation(kind, operation) != nullptr; ++operation) {
    if (callback(kind, operation, data) != 0) break;
  }
  return ROCPROFILER_STATUS_SUCCESS;
}

// No list means all operations. Empty: one of them does not exist.
template <typename Kind>
std::optional<OperationSet> operation_set(Kind kind, const rocprofiler_tracing_operation_t* list, std::size_t count) {
  if (list == nullptr || count == 0) return OperationSet::all();
  OperationSet result;
  for (std::size_t i = 0; i < count; ++i) {
    if (known_operation(kind, list[i]) == nullptr) return std::nullopt;
    result.add(list[i]);
  }
  return result;
}

}  // namespace

rocprofiler_status_t rocprofiler_configure_callback_tracing_service(rocprofiler_context_id_t context_id,
                                                                    rocprofiler_callback_tracing_kind_t kind,
                                                                    const rocprofiler_tracing_operation_t* operations,
                                                                    size_t operations_count,
                                                                    rocprofiler_callback_tracing_cb_t callback,
                                                                    void* callback_args) {
  if (multipass_sim::is_locked()) return ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED;
  if (!sdk().contexts.contains(context_id)) return ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND;
  if (kind == ROCPROFILER_CALLBACK_TRACING_NONE) return ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND;
  if (known_kind(kind) == nullptr) {
    multipass_sim::fatal("callback tracing kind " + std::to_string(static_cast<int>(kind)) +
                         " does not exist: the real library throws through C here");
  }
  const auto set = operation_set(kind, operations, operations_count);
  if (!set) return ROCPROFILER_STATUS_ERROR_OPERATION_NOT_FOUND;
  kind = multipass_sim::shown_kind(sdk().faults, kind);  // from the number that tools see to that of the enumeration
  if (kind != ROCPROFILER_CALLBACK_TRACING_CODE_OBJECT && multipass_sim::is_lite_trace()) {
    return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
  }
  if (kind == ROCPROFILER_CALLBACK_TRACING_KERNEL_REPLAY && sdk().faults.on(multipass_sim::Fault::kReplayOwned)) {
    return ROCPROFILER_STATUS_ERROR_SERVICE_ALREADY_CONFIGURED;
  }
  return sdk().contexts.add(context_id, multipass_sim::CallbackTracing{kind, *set, callback, callback_args});
}

rocprofiler_status_t rocprofiler_configure_buffer_tracing_service(rocprofiler_context_id_t context_id,
                                                                  rocprofiler_buffer_tracing_kind_t kind,
                                                                  const rocprofiler_tracing_operation_t* operations,
                                                                  size_t operations_count,
                                                                  rocprofiler_buffer_id_t buffer_id) {
  if (multipass_sim::is_locked()) return ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED;
  if (!sdk().contexts.contains(context_id)) return ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND;
  if (kind == ROCPROFILER_BUFFER_TRACING_NONE || known_kind(kind) == nullptr) {
    return ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND;
  }
  if (!sdk().buffers.contains(buffer_id)) return ROCPROFILER_STATUS_ERROR_BUFFER_NOT_FOUND;
  const auto set = operation_set(kind, operations, operations_count);
  if (!set) return ROCPROFILER_STATUS_ERROR_OPERATION_NOT_FOUND;
  if (kind != ROCPROFILER_BUFFER_TRACING_KERNEL_DISPATCH && multipass_sim::is_lite_trace()) {
    return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
  }
  return sdk().contexts.add(context_id, multipass_sim::BufferTracing{kind, *set, buffer_id});
}

rocprofiler_status_t rocprofiler_query_callback_tracing_kind_name(rocprofiler_callback_tracing_kind_t kind,
                                                                  const char** name, uint64_t* name_len) {
  return give_kind_name(kind, name, name_len);
}

rocprofiler_status_t rocprofiler_query_callback_tracing_kind_operation_name(rocprofiler_callback_tracing_kind_t kind,
                                                                            rocprofiler_tracing_operation_t operation,
                                                                            const char** name, uint64_t* name_len) {
  return give_operation_name(kind, operation, name, name_len);
}

rocprofiler_status_t rocprofiler_iterate_callback_tracing_kinds(rocprofiler_callback_tracing_kind_cb_t callback,
                                                                void* data) {
  return iterate_kinds<rocprofiler_callback_tracing_kind_t>(callback, data);
}

rocprofiler_status_t rocprofiler_iterate_callback_tracing_kind_operations(
    rocprofiler_callback_tracing_kind_t kind, rocprofiler_callback_tracing_kind_operation_cb_t callback, void* data) {
  return iterate_operations(kind, callback, data);
}

rocprofiler_status_t rocprofiler_query_buffer_tracing_kind_name(rocprofiler_buffer_tracing_kind_t kind,
                                                                const char** name, uint64_t* name_len) {
  return give_kind_name(kind, name, name_len);
}

rocprofiler_status_t rocprofiler_query_buffer_tracing_kind_operation_name(rocprofiler_buffer_tracing_kind_t kind,
                                                                          rocprofiler_tracing_operation_t operation,
                                                                          const char** name, uint64_t* name_len) {
  return give_operation_name(kind, operation, name, name_len);
}

rocprofiler_status_t rocprofiler_iterate_buffer_tracing_kinds(rocprofiler_buffer_tracing_kind_cb_t callback,
                                                              void* data) {
  return iterate_kinds<rocprofiler_buffer_tracing_kind_t>(callback, data);
}

rocprofiler_status_t rocprofiler_iterate_buffer_tracing_kind_operations(
    rocprofiler_buffer_tracing_kind_t kind, rocprofiler_buffer_tracing_kind_operation_cb_t callback, void* data) {
  return iterate_operations(kind, callback, data);
}
