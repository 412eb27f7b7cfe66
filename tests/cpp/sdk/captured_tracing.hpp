// SPDX-License-Identifier: MIT
// Callbacks of tracing services that are handed to the test in place of the SDK, which may not have their kinds.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "sdk/abi/rocprofiler.h"

namespace multipass::sdk_test {

struct CapturedService {
  std::vector<std::int32_t> operations;  // as asked for; empty: all
  rocprofiler_callback_tracing_cb_t callback = nullptr;
  void* argument = nullptr;

  void call(std::int32_t operation, rocprofiler_callback_phase_t phase, void* payload,
            rocprofiler_user_data_t* user_data) const {
    rocprofiler_callback_tracing_record_t record{};
    record.operation = operation;
    record.phase = phase;
    record.payload = payload;
    callback(record, user_data, argument);
  }
};

// While it lives, services are configured here, by kind.
class CapturedTracing final {
 public:
  CapturedTracing();
  CapturedTracing(const CapturedTracing&) = delete;
  CapturedTracing& operator=(const CapturedTracing&) = delete;
  ~CapturedTracing();

  std::map<int, CapturedService> services;
  std::map<int, rocprofiler_status_t> refused;  // what the SDK answers instead
};

}  // namespace multipass::sdk_test
