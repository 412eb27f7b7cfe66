// SPDX-License-Identifier: MIT
//
// C functions: contexts and dispatch counting services.
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "sim/sdk/diagnostics.hpp"
#include "sim/sdk/gates.hpp"

using multipass_sim::CountingService;
using multipass_sim::Fault;
using multipass_sim::sdk;

namespace {

// Not locked after initialisation, as in 1.0.0; so the context may count from here on although it is active already.
rocprofiler_status_t add_counting(rocprofiler_context_id_t context_id, const CountingService& service) {
  if (multipass_sim::is_lite_trace()) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
  const rocprofiler_status_t status = sdk().contexts.add(context_id, service);
  if (status == ROCPROFILER_STATUS_SUCCESS && sdk().contexts.is_active(context_id)) sdk().counting.start();
  return status;
}

// What faults make of a start that would begin to count.
rocprofiler_status_t refuse_counting() {
  if (sdk().faults.on(Fault::kCountingConflict)) return ROCPROFILER_STATUS_ERROR_CONTEXT_CONFLICT;
  if (sdk().faults.on(Fault::kStartDenied)) return ROCPROFILER_STATUS_ERROR_PERMISSION_DENIED;
  for (std::size_t device = 0; device < sdk().agents.gpu_count(); ++device) {
    if (sdk().faults.on_agent(Fault::kNotLockable, device)) {
      multipass_sim::warn("GPU " + std::to_string(device) +
                          " is not locked for profiling: Operation not permitted (SYS_PERFMON); other users of the GPU "
                          "may change its counters");
    }
  }
  return ROCPROFILER_STATUS_SUCCESS;
}

}  // namespace

rocprofiler_status_t rocprofiler_create_context(rocprofiler_context_id_t* context_id) {
  if (sdk().registration.phase() == multipass_sim::Registration::Phase::kConfiguring) {
    multipass_sim::fatal("a context was created inside rocprofiler_configure: the real library ends the process here");
  }
  if (multipass_sim::is_locked()) return ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED;
  if (context_id->handle != 0) return ROCPROFILER_STATUS_ERROR_CONTEXT_ID_NOT_ZERO;
  *context_id = sdk().contexts.create(sdk().registration.current_client());
  return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t rocprofiler_start_context(rocprofiler_context_id_t context_id) {
  if (multipass_sim::is_finalizing()) return ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED;
  if (sdk().contexts.counts(context_id)) {
    if (const rocprofiler_status_t status = refuse_counting(); status != ROCPROFILER_STATUS_SUCCESS) return status;
    sdk().counting.start();  // before the first dispatch can need it
  }
  return sdk().contexts.start(context_id);
}

rocprofiler_status_t rocprofiler_stop_context(rocprofiler_context_id_t context_id) {
  if (sdk().registration.finalized() == 1) return ROCPROFILER_STATUS_SUCCESS;
  const rocprofiler_status_t status = sdk().contexts.stop(context_id);
  if (status == ROCPROFILER_STATUS_SUCCESS) sdk().counting.drain();
  return status;
}

rocprofiler_status_t rocprofiler_context_is_active(rocprofiler_context_id_t context_id, int* status) {
  *status = sdk().contexts.is_active(context_id) ? 1 : 0;
  return sdk().contexts.contains(context_id) ? ROCPROFILER_STATUS_SUCCESS : ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND;
}

rocprofiler_status_t rocprofiler_context_is_valid(rocprofiler_context_id_t context_id, int* status) {
  const bool valid = sdk().contexts.contains(context_id);
  *status = valid ? 1 : 0;
  return valid ? ROCPROFILER_STATUS_SUCCESS : ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND;
}

rocprofiler_status_t rocprofiler_configure_callback_dispatch_counting_service(
    rocprofiler_context_id_t context_id, rocprofiler_dispatch_counting_service_cb_t dispatch_callback,
    void* dispatch_callback_args, rocprofiler_dispatch_counting_record_cb_t record_callback,
    void* record_callback_args) {
  return add_counting(context_id,
                      {dispatch_callback, dispatch_callback_args, record_callback, record_callback_args, {0}});
}

rocprofiler_status_t rocprofiler_configure_buffer_dispatch_counting_service(
    rocprofiler_context_id_t context_id, rocprofiler_buffer_id_t buffer_id,
    rocprofiler_dispatch_counting_service_cb_t dispatch_callback, void* dispatch_callback_args) {
  if (!sdk().contexts.contains(context_id)) return ROCPROFILER_STATUS_ERROR_CONTEXT_INVALID;
  if (!sdk().buffers.contains(buffer_id)) return ROCPROFILER_STATUS_ERROR_BUFFER_NOT_FOUND;
  return add_counting(context_id, {dispatch_callback, dispatch_callback_args, nullptr, nullptr, buffer_id});
}

namespace {

rocprofiler_status_t set_agents(rocprofiler_context_id_t context_id, const rocprofiler_agent_id_t* agents,
                                size_t num_agents) {
  if (!sdk().contexts.counts(context_id)) return ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND;
  if (agents == nullptr && num_agents != 0) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
  const std::vector<rocprofiler_agent_id_t> wanted(agents, agents + num_agents);
  for (const rocprofiler_agent_id_t agent : wanted) {
    if (sdk().agents.find(agent) == nullptr) return ROCPROFILER_STATUS_ERROR_AGENT_NOT_FOUND;
  }
  return sdk().contexts.set_agents(context_id, wanted);
}

}  // namespace

extern "C" {

// Asked by the dynamic linker when a tool looks for the function: with the fault set_agents_hidden there is none, as in
// libraries that do not have it yet.
__attribute__((used, no_sanitize("address", "undefined", "thread"))) static rocprofiler_status_t (*find_set_agents())(
    rocprofiler_context_id_t, const rocprofiler_agent_id_t*, size_t) {
  const char* faults = std::getenv("ROCPROFSYS_MULTIPASS_SIM_FAULTS");
  return faults != nullptr && std::strstr(faults, "set_agents_hidden") != nullptr ? nullptr : &set_agents;
}

// Newer than what library/sdk/abi declares as a function: tools look it up with dlsym (context.cpp @003ba9fb).
ROCPROFILER_ABI rocprofiler_status_t rocprofiler_dispatch_counting_service_set_agents(
    rocprofiler_context_id_t context_id, const rocprofiler_agent_id_t* agents, size_t num_agents)
    __attribute__((ifunc("find_set_agents")));
}
