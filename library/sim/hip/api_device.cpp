// SPDX-License-Identifier: MIT
#include <algorithm>
#include <iterator>
#include <limits>
#include <string>

#include "sim/hip/api.hpp"
#include "sim/hip/tell.hpp"

namespace multipass_sim {
namespace {

constexpr std::size_t kConstantMemory = 2'147'483'647;
constexpr int kRegistersPerBlock = 65536;
constexpr int kL2Bytes = 4 * 1024 * 1024;
constexpr int kMemoryClockKhz = 1'600'000;
constexpr int kMemoryBusBits = 4096;
constexpr std::size_t kTextureAlignment = 256;
constexpr int kClockOfTimerKhz = 100'000;

__thread std::uint32_t device_of_thread = 0;

template <std::size_t Size>
void copy_text(char (&to)[Size], const std::string& from) {
  to[from.copy(to, Size - 1)] = '\0';
}

void describe_memory(const DeviceInfo& device, hipDeviceProp_t& properties) {
  properties.totalGlobalMem = device.memory_bytes;
  properties.sharedMemPerBlock = device.lds_bytes;
  properties.sharedMemPerBlockOptin = device.lds_bytes;
  properties.sharedMemPerMultiprocessor = device.lds_bytes;
  properties.maxSharedMemoryPerMultiProcessor = device.lds_bytes;
  properties.totalConstMem = kConstantMemory;
  properties.memPitch = kConstantMemory;
  properties.textureAlignment = kTextureAlignment;
  properties.memoryClockRate = kMemoryClockKhz;
  properties.memoryBusWidth = kMemoryBusBits;
  properties.l2CacheSize = kL2Bytes;
  properties.managedMemory = 1;
  properties.concurrentManagedAccess = 1;
  properties.canMapHostMemory = 1;
  properties.unifiedAddressing = 1;
  properties.hostRegisterSupported = 1;
  properties.memoryPoolsSupported = 1;
  properties.isLargeBar = 1;
}

void describe(const DeviceInfo& device, int number, hipDeviceProp_t& properties) {
  constexpr int kMaxInt = std::numeric_limits<int>::max();
  constexpr int kMaxBlock = static_cast<int>(kMaxBlockSize);
  properties = {};
  copy_text(properties.name, device.product_name);
  copy_text(properties.gcnArchName, device.name);
  copy_text(properties.uuid.bytes, "simulated-" + std::to_string(number));
  properties.warpSize = static_cast<int>(device.geometry.wave_size);
  properties.maxThreadsPerBlock = kMaxBlock;
  std::fill(std::begin(properties.maxThreadsDim), std::end(properties.maxThreadsDim), kMaxBlock);
  std::fill(std::begin(properties.maxGridSize), std::end(properties.maxGridSize), kMaxInt);
  properties.regsPerBlock = kRegistersPerBlock;
  properties.regsPerMultiprocessor = kRegistersPerBlock;
  properties.clockRate = static_cast<int>(device.clock_mhz) * 1000;
  properties.clockInstructionRate = kClockOfTimerKhz;
  properties.major = static_cast<int>(device.gfx_target_version / 10000);
  properties.minor = static_cast<int>(device.gfx_target_version / 100 % 100);
  properties.multiProcessorCount = static_cast<int>(device.compute_units);
  properties.maxThreadsPerMultiProcessor = static_cast<int>(device.waves_per_compute_unit) * properties.warpSize;
  properties.concurrentKernels = 1;
  properties.streamPrioritiesSupported = 1;
  properties.asyncEngineCount = 1;
  properties.pciBusID = number + 1;
  describe_memory(device, properties);
}

}  // namespace

std::uint32_t current_device() noexcept {
  return device_of_thread;
}

void set_current_device(std::uint32_t device) noexcept {
  device_of_thread = device;
}

}  // namespace multipass_sim

using multipass_sim::Runtime;
using multipass_sim::with_runtime;

hipError_t hipInit(unsigned flags) {
  return with_runtime([&](Runtime&) { return flags == 0 ? hipSuccess : hipErrorInvalidValue; });
}

hipError_t hipRuntimeGetVersion(int* version) {
  if (version == nullptr) return multipass_sim::note(hipErrorInvalidValue);
  *version = HIP_VERSION;
  return hipSuccess;
}

hipError_t hipDriverGetVersion(int* version) {
  return hipRuntimeGetVersion(version);
}

hipError_t hipGetDeviceCount(int* count) {
  if (count == nullptr) return multipass_sim::note(hipErrorInvalidValue);
  *count = 0;
  return with_runtime([&](Runtime& runtime) {
    *count = static_cast<int>(runtime.devices().size());
    return hipSuccess;
  });
}

hipError_t hipSetDevice(int device) {
  return with_runtime([&](Runtime& runtime) {
    if (!multipass_sim::is_device(runtime, device)) return hipErrorInvalidDevice;
    multipass_sim::set_current_device(static_cast<std::uint32_t>(device));
    return hipSuccess;
  });
}

hipError_t hipGetDevice(int* device) {
  return with_runtime([&](Runtime&) {
    if (device == nullptr) return hipErrorInvalidValue;
    *device = static_cast<int>(multipass_sim::current_device());
    return hipSuccess;
  });
}

hipError_t hipGetDeviceProperties(hipDeviceProp_t* properties, int device) {
  return with_runtime([&](Runtime& runtime) {
    if (properties == nullptr) return hipErrorInvalidValue;
    if (!multipass_sim::is_device(runtime, device)) return hipErrorInvalidDevice;
    multipass_sim::describe(runtime.devices()[static_cast<std::size_t>(device)], device, *properties);
    return hipSuccess;
  });
}

hipError_t hipDeviceSynchronize() {
  return with_runtime([](Runtime& runtime) {
    if (multipass_sim::Queue::on_worker()) return hipErrorNotSupported;
    return runtime.synchronize_device(multipass_sim::current_device());
  });
}

hipError_t hipDeviceReset() {
  return with_runtime([](Runtime& runtime) {
    if (multipass_sim::Queue::on_worker()) return hipErrorNotSupported;
    const std::uint32_t device = multipass_sim::current_device();
    const hipError_t error = runtime.synchronize_device(device);
    for (const auto& stream : runtime.streams().remove_created(device)) {
      runtime.captures().end(runtime.captures().of(stream.get()));
      stream->queue->stop();
    }
    multipass_sim::free_all_told(runtime, device);
    runtime.settings().with(device, [](multipass_sim::DeviceSettings& settings) { settings = {}; });
    return error;
  });
}
