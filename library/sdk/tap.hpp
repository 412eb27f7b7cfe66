// SPDX-License-Identifier: MIT
//
// Taps: one stands at the top of each function that the SDK calls, and tells the recorder of the call when it returns.
// Without a recorder a tap is one load and one branch. All noexcept; any thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sdk/abi/rocprofiler.h"
#include "sdk/recorder.hpp"

namespace multipass::sdk {

// Of a tracing callback, whatever its kind.
class TracingTap final {
 public:
  TracingTap(const rocprofiler_callback_tracing_record_t& record, const rocprofiler_user_data_t* data) noexcept
      : recorder_(recorder()), record_(record), data_(data) {
    if (recorder_ != nullptr) [[unlikely]]
      enter();
  }
  TracingTap(const TracingTap&) = delete;
  TracingTap& operator=(const TracingTap&) = delete;
  ~TracingTap() {
    if (recorder_ != nullptr) [[unlikely]]
      leave();
  }

 private:
  void enter() noexcept;
  void leave() noexcept;

  Recorder* recorder_;
  const rocprofiler_callback_tracing_record_t& record_;
  const rocprofiler_user_data_t* data_;
  Moment moment_;
  Recorder::Before before_;
};

// Of the callback that asks for a configuration.
class CountingTap final {
 public:
  CountingTap(const rocprofiler_dispatch_counting_service_data_t& service,
              const rocprofiler_counter_config_id_t* config, const rocprofiler_user_data_t* data) noexcept
      : recorder_(recorder()), service_(service), config_(config), data_(data) {
    if (recorder_ != nullptr) [[unlikely]]
      enter();
  }
  CountingTap(const CountingTap&) = delete;
  CountingTap& operator=(const CountingTap&) = delete;
  ~CountingTap() {
    if (recorder_ != nullptr) [[unlikely]]
      leave();
  }

 private:
  void enter() noexcept;
  void leave() noexcept;

  Recorder* recorder_;
  const rocprofiler_dispatch_counting_service_data_t& service_;
  const rocprofiler_counter_config_id_t* config_;
  const rocprofiler_user_data_t* data_;
  Moment moment_;
  std::uint64_t before_ = 0;
};

// Of the callback that brings counter records.
class RecordTap final {
 public:
  RecordTap(const rocprofiler_dispatch_counting_service_data_t& service, const rocprofiler_counter_record_t* records,
            std::size_t count, rocprofiler_user_data_t data) noexcept
      : recorder_(recorder()), service_(service), records_(records), count_(count), data_(data) {
    if (recorder_ != nullptr) [[unlikely]]
      moment_ = recorder_->enter(&service.dispatch_info);
  }
  RecordTap(const RecordTap&) = delete;
  RecordTap& operator=(const RecordTap&) = delete;
  ~RecordTap() {
    if (recorder_ != nullptr && recorder_ == recorder()) [[unlikely]]
      recorder_->records(moment_, service_, records_, count_, data_.value);
  }

 private:
  Recorder* recorder_;
  const rocprofiler_dispatch_counting_service_data_t& service_;
  const rocprofiler_counter_record_t* records_;
  std::size_t count_;
  rocprofiler_user_data_t data_;
  Moment moment_;
};

}  // namespace multipass::sdk
