// SPDX-License-Identifier: MIT
//
// What is set of a device and changes nothing, and access to peers.
#include "sim/hip/api.hpp"

namespace multipass_sim {
namespace {

// Runs `body` with the settings of the current device.
template <class Body>
hipError_t with_settings(Body&& body) {
  return with_runtime([&](Runtime& runtime) { return runtime.settings().with(current_device(), body); });
}

bool is_limit(hipLimit_t limit) {
  return limit >= hipLimitStackSize && limit <= hipLimitMallocHeapSize;
}

bool is_cache(hipFuncCache_t config) {
  return config >= hipFuncCachePreferNone && config <= hipFuncCachePreferEqual;
}

bool is_banks(hipSharedMemConfig config) {
  return config >= hipSharedMemBankSizeDefault && config <= hipSharedMemBankSizeEightByte;
}

hipError_t check_function(const void* function, bool config_is_known) {
  if (function == nullptr) return note(hipErrorInvalidDeviceFunction);
  return note(config_is_known ? hipSuccess : hipErrorInvalidValue);
}

}  // namespace
}  // namespace multipass_sim

using multipass_sim::DeviceSettings;
using multipass_sim::note;
using multipass_sim::Runtime;
using multipass_sim::with_runtime;
using multipass_sim::with_settings;

hipError_t hipGetDeviceFlags(unsigned* flags) {
  return with_settings([&](const DeviceSettings& settings) {
    if (flags == nullptr) return hipErrorInvalidValue;
    *flags = settings.flags;
    return hipSuccess;
  });
}

hipError_t hipSetDeviceFlags(unsigned flags) {
  // The number of hipDeviceLmemResizeToMax, 22, has bits of the schedule in it: only its own bit is looked at.
  constexpr unsigned kResizeBit = hipDeviceLmemResizeToMax & ~hipDeviceScheduleMask;
  constexpr unsigned kKnown = hipDeviceScheduleMask | hipDeviceMapHost | kResizeBit;
  return with_settings([&](DeviceSettings& settings) {
    const unsigned schedule = flags & hipDeviceScheduleMask;
    const bool several = (schedule & (schedule - 1)) != 0 && (flags & kResizeBit) == 0;
    if ((flags & ~kKnown) != 0 || several) return hipErrorInvalidValue;
    settings.flags = flags;
    return hipSuccess;
  });
}

hipError_t hipDeviceGetLimit(std::size_t* value, hipLimit_t limit) {
  return with_settings([&](const DeviceSettings& settings) {
    if (value == nullptr || !multipass_sim::is_limit(limit)) return hipErrorInvalidValue;
    *value = settings.limits[limit];
    return hipSuccess;
  });
}

hipError_t hipDeviceSetLimit(hipLimit_t limit, std::size_t value) {
  return with_settings([&](DeviceSettings& settings) {
    if (!multipass_sim::is_limit(limit)) return hipErrorInvalidValue;
    settings.limits[limit] = value;
    return hipSuccess;
  });
}

hipError_t hipDeviceGetCacheConfig(hipFuncCache_t* config) {
  return with_settings([&](const DeviceSettings& settings) {
    if (config == nullptr) return hipErrorInvalidValue;
    *config = settings.cache;
    return hipSuccess;
  });
}

hipError_t hipDeviceSetCacheConfig(hipFuncCache_t config) {
  return with_settings([&](DeviceSettings& settings) {
    if (!multipass_sim::is_cache(config)) return hipErrorInvalidValue;
    settings.cache = config;
    return hipSuccess;
  });
}

hipError_t hipDeviceGetSharedMemConfig(hipSharedMemConfig* config) {
  return with_settings([&](const DeviceSettings& settings) {
    if (config == nullptr) return hipErrorInvalidValue;
    *config = settings.banks;
    return hipSuccess;
  });
}

hipError_t hipDeviceSetSharedMemConfig(hipSharedMemConfig config) {
  return with_settings([&](DeviceSettings& settings) {
    if (!multipass_sim::is_banks(config)) return hipErrorInvalidValue;
    settings.banks = config;
    return hipSuccess;
  });
}

hipError_t hipFuncSetCacheConfig(const void* function, hipFuncCache_t config) {
  return multipass_sim::check_function(function, multipass_sim::is_cache(config));
}

hipError_t hipFuncSetSharedMemConfig(const void* function, hipSharedMemConfig config) {
  return multipass_sim::check_function(function, multipass_sim::is_banks(config));
}

hipError_t hipFuncSetAttribute(const void* function, hipFuncAttribute attribute, int value) {
  const bool known = attribute == hipFuncAttributeMaxDynamicSharedMemorySize ||
                     attribute == hipFuncAttributePreferredSharedMemoryCarveout;
  return multipass_sim::check_function(function, known && value >= -1);
}

hipError_t hipDeviceCanAccessPeer(int* can_access, int device, int peer) {
  return with_runtime([&](Runtime& runtime) {
    if (can_access == nullptr) return hipErrorInvalidValue;
    if (!multipass_sim::is_device(runtime, device) || !multipass_sim::is_device(runtime, peer)) {
      return hipErrorInvalidDevice;
    }
    *can_access = device == peer ? 0 : 1;
    return hipSuccess;
  });
}

hipError_t hipDeviceEnablePeerAccess(int peer, unsigned flags) {
  return with_runtime([&](Runtime& runtime) {
    if (flags != 0) return hipErrorInvalidValue;
    const std::uint32_t own = multipass_sim::current_device();
    if (!multipass_sim::is_device(runtime, peer) || peer == static_cast<int>(own)) return hipErrorInvalidDevice;
    return runtime.settings().with(own, [&](DeviceSettings& settings) {
      return settings.peers.insert(peer).second ? hipSuccess : hipErrorPeerAccessAlreadyEnabled;
    });
  });
}

hipError_t hipDeviceDisablePeerAccess(int peer) {
  return with_runtime([&](Runtime& runtime) {
    const std::uint32_t own = multipass_sim::current_device();
    if (!multipass_sim::is_device(runtime, peer) || peer == static_cast<int>(own)) return hipErrorInvalidDevice;
    return runtime.settings().with(own, [&](DeviceSettings& settings) {
      return settings.peers.erase(peer) == 1 ? hipSuccess : hipErrorPeerAccessNotEnabled;
    });
  });
}
