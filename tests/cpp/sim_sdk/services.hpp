// SPDX-License-Identifier: MIT
//
// The SDK's callbacks as std::function, so that a test states what its tool does where it is needed.
// The object is the callback argument: it must outlive the process's finalisation or be kept in a static.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "sdk/abi/rocprofiler.h"

namespace sim_sdk_test {

using ReplayData = rocprofiler_callback_tracing_kernel_replay_data_t;
using CountingData = rocprofiler_dispatch_counting_service_data_t;

struct Services {
  std::function<void(const rocprofiler_callback_tracing_record_t&, ReplayData&, rocprofiler_user_data_t&)> replay;
  std::function<void(const rocprofiler_callback_tracing_record_t&, rocprofiler_user_data_t&)> tracing;
  std::function<void(const CountingData&, rocprofiler_counter_config_id_t&, rocprofiler_user_data_t&)> dispatch;
  std::function<void(const CountingData&, rocprofiler_counter_record_t*, std::size_t, rocprofiler_user_data_t)> record;

  rocprofiler_status_t add_replay(rocprofiler_context_id_t context,
                                  std::vector<rocprofiler_tracing_operation_t> ops = {});
  rocprofiler_status_t add_tracing(rocprofiler_context_id_t context, rocprofiler_callback_tracing_kind_t kind);
  rocprofiler_status_t add_counting(rocprofiler_context_id_t context);
};

inline rocprofiler_status_t Services::add_replay(rocprofiler_context_id_t context,
                                                 std::vector<rocprofiler_tracing_operation_t> ops) {
  return rocprofiler_configure_callback_tracing_service(
      context, ROCPROFILER_CALLBACK_TRACING_KERNEL_REPLAY, ops.empty() ? nullptr : ops.data(), ops.size(),
      [](rocprofiler_callback_tracing_record_t what, rocprofiler_user_data_t* user_data, void* self) {
        auto& services = *static_cast<Services*>(self);
        if (services.replay) services.replay(what, *static_cast<ReplayData*>(what.payload), *user_data);
      },
      this);
}

inline rocprofiler_status_t Services::add_tracing(rocprofiler_context_id_t context,
                                                  rocprofiler_callback_tracing_kind_t kind) {
  return rocprofiler_configure_callback_tracing_service(
      context, kind, nullptr, 0,
      [](rocprofiler_callback_tracing_record_t what, rocprofiler_user_data_t* user_data, void* self) {
        auto& services = *static_cast<Services*>(self);
        if (services.tracing) services.tracing(what, *user_data);
      },
      this);
}

inline rocprofiler_status_t Services::add_counting(rocprofiler_context_id_t context) {
  return rocprofiler_configure_callback_dispatch_counting_service(
      context,
      [](CountingData data, rocprofiler_counter_config_id_t* config, rocprofiler_user_data_t* user_data, void* self) {
        auto& services = *static_cast<Services*>(self);
        if (services.dispatch) services.dispatch(data, *config, *user_data);
      },
      this,
      [](CountingData data, rocprofiler_counter_record_t* records, std::size_t count, rocprofiler_user_data_t user_data,
         void* self) {
        auto& services = *static_cast<Services*>(self);
        if (services.record) services.record(data, records, count, user_data);
      },
      this);
}

}  // namespace sim_sdk_test
