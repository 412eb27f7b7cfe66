// SPDX-License-Identifier: MIT
//
// What the application sets of a device and asks back; nothing follows from any of it. Owned by the runtime; any
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>

#include "hip/hip_runtime_api.h"

namespace multipass_sim {

struct DeviceSettings {
  unsigned flags = hipDeviceScheduleAuto;
  hipFuncCache_t cache = hipFuncCachePreferNone;
  hipSharedMemConfig banks = hipSharedMemBankSizeFourByte;
  std::size_t limits[3] = {1024, 1024 * 1024, 8 * 1024 * 1024};  // by hipLimit_t: stack, printf buffer, heap
  std::set<int> peers;                                           // whose memory access was enabled
};

class Settings final {
 public:
  // Runs `body` with the settings of a device, under a lock; returns what it returns.
  template <class Body>
  auto with(std::uint32_t device, Body&& body) {
    const std::lock_guard lock(mutex_);
    return body(settings_[device]);
  }

 private:
  std::mutex mutex_;
  std::map<std::uint32_t, DeviceSettings> settings_;
};

}  // namespace multipass_sim
