// SPDX-License-Identifier: MIT
//
// Markers: the roctx calls of the application, delivered to the tools that trace them. Owner: Sdk.
//
// As marker.cpp and range_marker.cpp of upstream do it (@1b1610fc): the functions of a roctx library's tables are
// replaced once, when it registers; a call raises ENTER and EXIT of MARKER_CORE_API, MARKER_CONTROL_API or
// MARKER_NAME_API, and a range also those of MARKER_CORE_RANGE_API, with EXIT where the range ends. user_data lives
// from ENTER to EXIT. Threads: any. Tools are called with no lock held.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>

#include "sim/interface/roctx_table.h"
#include "sim/sdk/context.hpp"
#include "sim/sdk/traced_event.hpp"

namespace multipass_sim {

class Sdk;

// One call or range that somebody traces: what the callbacks of ENTER and EXIT share.
class TracedMarker final {
 public:
  TracedMarker() = default;
  TracedMarker(Sdk& sdk, rocprofiler_callback_tracing_kind_t kind, rocprofiler_tracing_operation_t operation)
      : event_(sdk, kind, operation) {
    data_.size = sizeof(data_);
  }

  [[nodiscard]] bool empty() const noexcept { return event_.empty(); }
  [[nodiscard]] rocprofiler_callback_tracing_marker_api_data_t& data() noexcept { return data_; }
  void enter(Sdk& sdk) { event_.enter(sdk, &data_); }
  void exit(Sdk& sdk) { event_.exit(sdk, &data_); }  // on the thread that ends it

 private:
  TracedEvent event_;
  rocprofiler_callback_tracing_marker_api_data_t data_{};
};

class Markers final {
 public:
  explicit Markers(Sdk& sdk) : sdk_(sdk) {}

  // core, control, name. Of several roctx libraries of the process all are intercepted; the functions behind are those
  // of the first.
  void intercept(void** tables) noexcept;

  [[nodiscard]] const multipass_sim_roctx_core& core() const noexcept { return core_; }
  [[nodiscard]] const multipass_sim_roctx_control& control() const noexcept { return control_; }
  [[nodiscard]] const multipass_sim_roctx_name& name() const noexcept { return name_; }

  void keep(std::uint64_t range, TracedMarker&& marker);  // of roctxRangeStartA
  [[nodiscard]] TracedMarker take(std::uint64_t range);   // empty: unknown, or nobody traced it

  [[nodiscard]] std::mutex& mutex() const noexcept { return mutex_; }  // for the fork handlers

 private:
  Sdk& sdk_;
  std::once_flag first_;
  // The functions of the application's library; written once, before the table holds ours.
  multipass_sim_roctx_core core_{};
  multipass_sim_roctx_control control_{};
  multipass_sim_roctx_name name_{};
  mutable std::mutex mutex_;
  std::map<std::uint64_t, TracedMarker> process_ranges_;  // guarded by mutex_
};

}  // namespace multipass_sim
