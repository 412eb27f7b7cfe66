// SPDX-License-Identifier: MIT
//
// Single questions about a device: each is answered from hipGetDeviceProperties.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>

#include "sim/hip/api.hpp"

namespace multipass_sim {
namespace {

struct Attribute {
  hipDeviceAttribute_t attribute;
  int hipDeviceProp_t::* member;
};

constexpr Attribute kAttributes[] = {
    {hipDeviceAttributeEccEnabled, &hipDeviceProp_t::ECCEnabled},
    {hipDeviceAttributeAsyncEngineCount, &hipDeviceProp_t::asyncEngineCount},
    {hipDeviceAttributeCanMapHostMemory, &hipDeviceProp_t::canMapHostMemory},
    {hipDeviceAttributeCanUseHostPointerForRegisteredMem, &hipDeviceProp_t::hostRegisterSupported},
    {hipDeviceAttributeClockRate, &hipDeviceProp_t::clockRate},
    {hipDeviceAttributeComputeMode, &hipDeviceProp_t::computeMode},
    {hipDeviceAttributeConcurrentKernels, &hipDeviceProp_t::concurrentKernels},
    {hipDeviceAttributeConcurrentManagedAccess, &hipDeviceProp_t::concurrentManagedAccess},
    {hipDeviceAttributeCooperativeLaunch, &hipDeviceProp_t::cooperativeLaunch},
    {hipDeviceAttributeCooperativeMultiDeviceLaunch, &hipDeviceProp_t::cooperativeMultiDeviceLaunch},
    {hipDeviceAttributeDirectManagedMemAccessFromHost, &hipDeviceProp_t::directManagedMemAccessFromHost},
    {hipDeviceAttributeIntegrated, &hipDeviceProp_t::integrated},
    {hipDeviceAttributeIsMultiGpuBoard, &hipDeviceProp_t::isMultiGpuBoard},
    {hipDeviceAttributeKernelExecTimeout, &hipDeviceProp_t::kernelExecTimeoutEnabled},
    {hipDeviceAttributeL2CacheSize, &hipDeviceProp_t::l2CacheSize},
    {hipDeviceAttributeComputeCapabilityMajor, &hipDeviceProp_t::major},
    {hipDeviceAttributeComputeCapabilityMinor, &hipDeviceProp_t::minor},
    {hipDeviceAttributeManagedMemory, &hipDeviceProp_t::managedMemory},
    {hipDeviceAttributeMaxThreadsPerBlock, &hipDeviceProp_t::maxThreadsPerBlock},
    {hipDeviceAttributeMaxThreadsPerMultiProcessor, &hipDeviceProp_t::maxThreadsPerMultiProcessor},
    {hipDeviceAttributeMemoryBusWidth, &hipDeviceProp_t::memoryBusWidth},
    {hipDeviceAttributeMemoryClockRate, &hipDeviceProp_t::memoryClockRate},
    {hipDeviceAttributeMultiprocessorCount, &hipDeviceProp_t::multiProcessorCount},
    {hipDeviceAttributePageableMemoryAccess, &hipDeviceProp_t::pageableMemoryAccess},
    {hipDeviceAttributePciBusId, &hipDeviceProp_t::pciBusID},
    {hipDeviceAttributePciDeviceId, &hipDeviceProp_t::pciDeviceID},
    {hipDeviceAttributePciDomainID, &hipDeviceProp_t::pciDomainID},
    {hipDeviceAttributeMaxRegistersPerBlock, &hipDeviceProp_t::regsPerBlock},
    {hipDeviceAttributeMaxRegistersPerMultiprocessor, &hipDeviceProp_t::regsPerMultiprocessor},
    {hipDeviceAttributeStreamPrioritiesSupported, &hipDeviceProp_t::streamPrioritiesSupported},
    {hipDeviceAttributeTccDriver, &hipDeviceProp_t::tccDriver},
    {hipDeviceAttributeUnifiedAddressing, &hipDeviceProp_t::unifiedAddressing},
    {hipDeviceAttributeWarpSize, &hipDeviceProp_t::warpSize},
    {hipDeviceAttributeMemoryPoolsSupported, &hipDeviceProp_t::memoryPoolsSupported},
    {hipDeviceAttributeHostRegisterSupported, &hipDeviceProp_t::hostRegisterSupported},
    {hipDeviceAttributeIsLargeBar, &hipDeviceProp_t::isLargeBar},
};

// Those that are not a plain int member.
std::optional<std::size_t> other_attribute(const hipDeviceProp_t& properties, hipDeviceAttribute_t attribute) {
  switch (attribute) {
    case hipDeviceAttributeMaxBlockDimX:
      return properties.maxThreadsDim[0];
    case hipDeviceAttributeMaxBlockDimY:
      return properties.maxThreadsDim[1];
    case hipDeviceAttributeMaxBlockDimZ:
      return properties.maxThreadsDim[2];
    case hipDeviceAttributeMaxGridDimX:
      return properties.maxGridSize[0];
    case hipDeviceAttributeMaxGridDimY:
      return properties.maxGridSize[1];
    case hipDeviceAttributeMaxGridDimZ:
      return properties.maxGridSize[2];
    case hipDeviceAttributeMaxPitch:
      return properties.memPitch;
    case hipDeviceAttributeMaxSharedMemoryPerBlock:
      return properties.sharedMemPerBlock;
    case hipDeviceAttributeSharedMemPerBlockOptin:
      return properties.sharedMemPerBlockOptin;
    case hipDeviceAttributeMaxSharedMemoryPerMultiprocessor:
      return properties.maxSharedMemoryPerMultiProcessor;
    case hipDeviceAttributeTextureAlignment:
      return properties.textureAlignment;
    case hipDeviceAttributeTotalConstantMemory:
      return properties.totalConstMem;
    default:
      return std::nullopt;
  }
}

template <class Body>
hipError_t with_properties(int device, Body&& body) {
  hipDeviceProp_t properties;
  const hipError_t error = hipGetDeviceProperties(&properties, device);
  return error != hipSuccess ? error : note(body(properties));
}

std::string pci_name(const hipDeviceProp_t& properties) {
  char text[16];
  std::snprintf(text, sizeof(text), "%04x:%02x:%02x.0", static_cast<unsigned>(properties.pciDomainID) & 0xFFFF,
                static_cast<unsigned>(properties.pciBusID) & 0xFF,
                static_cast<unsigned>(properties.pciDeviceID) & 0xFF);
  return text;
}

// With an end, cut off where there is no room.
void write_text(char* to, int length, const std::string& text) {
  const std::size_t count = std::min(text.size(), static_cast<std::size_t>(length) - 1);
  std::memcpy(to, text.data(), count);
  to[count] = '\0';
}

}  // namespace
}  // namespace multipass_sim

using multipass_sim::note;
using multipass_sim::Runtime;
using multipass_sim::with_properties;
using multipass_sim::with_runtime;

hipError_t hipDeviceGet(hipDevice_t* device, int ordinal) {
  return with_runtime([&](Runtime& runtime) {
    if (device == nullptr) return hipErrorInvalidValue;
    if (!multipass_sim::is_device(runtime, ordinal)) return hipErrorInvalidDevice;
    *device = ordinal;
    return hipSuccess;
  });
}

hipError_t hipDeviceGetAttribute(int* value, hipDeviceAttribute_t attribute, int device) {
  return with_properties(device, [&](const hipDeviceProp_t& properties) {
    if (value == nullptr) return hipErrorInvalidValue;
    for (const multipass_sim::Attribute& known : multipass_sim::kAttributes) {
      if (known.attribute != attribute) continue;
      *value = properties.*known.member;
      return hipSuccess;
    }
    const auto other = multipass_sim::other_attribute(properties, attribute);
    if (!other) return hipErrorInvalidValue;
    *value = static_cast<int>(*other);
    return hipSuccess;
  });
}

hipError_t hipDeviceComputeCapability(int* major, int* minor, hipDevice_t device) {
  return with_properties(device, [&](const hipDeviceProp_t& properties) {
    if (major == nullptr || minor == nullptr) return hipErrorInvalidValue;
    *major = properties.major;
    *minor = properties.minor;
    return hipSuccess;
  });
}

hipError_t hipDeviceTotalMem(std::size_t* bytes, hipDevice_t device) {
  return with_properties(device, [&](const hipDeviceProp_t& properties) {
    if (bytes == nullptr) return hipErrorInvalidValue;
    *bytes = properties.totalGlobalMem;
    return hipSuccess;
  });
}

hipError_t hipDeviceGetName(char* name, int length, hipDevice_t device) {
  return with_properties(device, [&](const hipDeviceProp_t& properties) {
    if (name == nullptr || length <= 0) return hipErrorInvalidValue;
    multipass_sim::write_text(name, length, properties.name);
    return hipSuccess;
  });
}

hipError_t hipDeviceGetUuid(hipUUID* uuid, hipDevice_t device) {
  return with_properties(device, [&](const hipDeviceProp_t& properties) {
    if (uuid == nullptr) return hipErrorInvalidValue;
    *uuid = properties.uuid;
    return hipSuccess;
  });
}

hipError_t hipDeviceGetPCIBusId(char* id, int length, int device) {
  return with_properties(device, [&](const hipDeviceProp_t& properties) {
    const std::string text = multipass_sim::pci_name(properties);
    if (id == nullptr || length <= static_cast<int>(text.size())) return hipErrorInvalidValue;
    multipass_sim::write_text(id, length, text);
    return hipSuccess;
  });
}

hipError_t hipDeviceGetByPCIBusId(int* device, const char* id) {
  return with_runtime([&](Runtime& runtime) {
    if (device == nullptr || id == nullptr) return hipErrorInvalidValue;
    for (int number = 0; multipass_sim::is_device(runtime, number); ++number) {
      hipDeviceProp_t properties;
      if (hipGetDeviceProperties(&properties, number) != hipSuccess) continue;
      if (multipass_sim::pci_name(properties) != id) continue;
      *device = number;
      return hipSuccess;
    }
    return hipErrorInvalidDevice;
  });
}
