// SPDX-License-Identifier: MIT
//
// Devices: their number, properties, attributes and settings. Properties that the device file does not give are made
// up, the same on every run. Cache, bank and limit settings are accepted and change nothing.
#pragma once

#include <cstddef>
#include <cstdint>

#include "multipass/sim/device_attributes.h"
#include "multipass/sim/errors.h"

typedef int hipDevice_t;

inline constexpr unsigned hipDeviceScheduleAuto = 0;
inline constexpr unsigned hipDeviceScheduleSpin = 1;
inline constexpr unsigned hipDeviceScheduleYield = 2;
inline constexpr unsigned hipDeviceScheduleBlockingSync = 4;
inline constexpr unsigned hipDeviceScheduleMask = 7;
inline constexpr unsigned hipDeviceMapHost = 8;
inline constexpr unsigned hipDeviceLmemResizeToMax = 22;

inline constexpr int hipCpuDeviceId = -1;
inline constexpr int hipInvalidDeviceId = -2;

enum hipComputeMode { hipComputeModeDefault = 0 };

enum hipFuncCache_t {
  hipFuncCachePreferNone = 0,
  hipFuncCachePreferShared = 1,
  hipFuncCachePreferL1 = 2,
  hipFuncCachePreferEqual = 3
};

enum hipSharedMemConfig {
  hipSharedMemBankSizeDefault = 0,
  hipSharedMemBankSizeFourByte = 1,
  hipSharedMemBankSizeEightByte = 2
};

enum hipLimit_t { hipLimitStackSize = 0, hipLimitPrintfFifoSize = 1, hipLimitMallocHeapSize = 2 };

enum hipFuncAttribute {
  hipFuncAttributeMaxDynamicSharedMemorySize = 8,
  hipFuncAttributePreferredSharedMemoryCarveout = 9
};

typedef struct hipUUID_t {
  char bytes[16];
} hipUUID;

struct hipDeviceProp_t {
  char name[256];
  hipUUID uuid;
  std::size_t totalGlobalMem;     // bytes
  std::size_t sharedMemPerBlock;  // bytes
  int regsPerBlock;
  int warpSize;
  std::size_t memPitch;
  int maxThreadsPerBlock;
  int maxThreadsDim[3];
  int maxGridSize[3];
  int clockRate;              // kHz
  std::size_t totalConstMem;  // bytes
  int major, minor;
  std::size_t textureAlignment;
  int multiProcessorCount;
  int kernelExecTimeoutEnabled;
  int integrated;
  int canMapHostMemory;
  int computeMode;
  int concurrentKernels;
  int ECCEnabled;
  int pciBusID, pciDeviceID, pciDomainID;
  int tccDriver;
  int asyncEngineCount;
  int unifiedAddressing;
  int memoryClockRate;  // kHz
  int memoryBusWidth;   // bits
  int l2CacheSize;      // bytes
  int maxThreadsPerMultiProcessor;
  int streamPrioritiesSupported;
  std::size_t sharedMemPerMultiprocessor;        // bytes
  std::size_t maxSharedMemoryPerMultiProcessor;  // bytes
  std::size_t sharedMemPerBlockOptin;            // bytes
  int regsPerMultiprocessor;
  int managedMemory;
  int isMultiGpuBoard;
  int cooperativeLaunch;
  int cooperativeMultiDeviceLaunch;
  int pageableMemoryAccess;
  int concurrentManagedAccess;
  int directManagedMemAccessFromHost;
  int hostRegisterSupported;
  int memoryPoolsSupported;
  int clockInstructionRate;  // kHz
  int isLargeBar;
  char gcnArchName[256];
};

extern "C" {

MULTIPASS_SIM_API hipError_t hipInit(unsigned flags);
MULTIPASS_SIM_API hipError_t hipRuntimeGetVersion(int* version);
MULTIPASS_SIM_API hipError_t hipDriverGetVersion(int* version);
MULTIPASS_SIM_API hipError_t hipGetDeviceCount(int* count);
MULTIPASS_SIM_API hipError_t hipSetDevice(int device);
MULTIPASS_SIM_API hipError_t hipGetDevice(int* device);
MULTIPASS_SIM_API hipError_t hipDeviceGet(hipDevice_t* device, int ordinal);
MULTIPASS_SIM_API hipError_t hipGetDeviceProperties(hipDeviceProp_t* properties, int device);
MULTIPASS_SIM_API hipError_t hipDeviceGetAttribute(int* value, hipDeviceAttribute_t attribute, int device);
MULTIPASS_SIM_API hipError_t hipDeviceComputeCapability(int* major, int* minor, hipDevice_t device);
MULTIPASS_SIM_API hipError_t hipDeviceTotalMem(std::size_t* bytes, hipDevice_t device);
// Cuts the name off at `length` - 1.
MULTIPASS_SIM_API hipError_t hipDeviceGetName(char* name, int length, hipDevice_t device);
MULTIPASS_SIM_API hipError_t hipDeviceGetUuid(hipUUID* uuid, hipDevice_t device);
// "0000:83:00.0"; the bus number is made up of the device's.
MULTIPASS_SIM_API hipError_t hipDeviceGetPCIBusId(char* id, int length, int device);
MULTIPASS_SIM_API hipError_t hipDeviceGetByPCIBusId(int* device, const char* id);

MULTIPASS_SIM_API hipError_t hipDeviceSynchronize(void);
// Completes the device's work, destroys its streams and frees its memory; the program's pointers into it are void.
MULTIPASS_SIM_API hipError_t hipDeviceReset(void);

MULTIPASS_SIM_API hipError_t hipGetDeviceFlags(unsigned* flags);
MULTIPASS_SIM_API hipError_t hipSetDeviceFlags(unsigned flags);
MULTIPASS_SIM_API hipError_t hipDeviceGetLimit(std::size_t* value, hipLimit_t limit);
MULTIPASS_SIM_API hipError_t hipDeviceSetLimit(hipLimit_t limit, std::size_t value);
MULTIPASS_SIM_API hipError_t hipDeviceGetCacheConfig(hipFuncCache_t* config);
MULTIPASS_SIM_API hipError_t hipDeviceSetCacheConfig(hipFuncCache_t config);
MULTIPASS_SIM_API hipError_t hipDeviceGetSharedMemConfig(hipSharedMemConfig* config);
MULTIPASS_SIM_API hipError_t hipDeviceSetSharedMemConfig(hipSharedMemConfig config);
MULTIPASS_SIM_API hipError_t hipFuncSetCacheConfig(const void* function, hipFuncCache_t config);
MULTIPASS_SIM_API hipError_t hipFuncSetSharedMemConfig(const void* function, hipSharedMemConfig config);
MULTIPASS_SIM_API hipError_t hipFuncSetAttribute(const void* function, hipFuncAttribute attribute, int value);

// Every device reaches the memory of every other, enabled or not; the answers are kept as HIP keeps them.
MULTIPASS_SIM_API hipError_t hipDeviceCanAccessPeer(int* can_access, int device, int peer);
MULTIPASS_SIM_API hipError_t hipDeviceEnablePeerAccess(int peer, unsigned flags);
MULTIPASS_SIM_API hipError_t hipDeviceDisablePeerAccess(int peer);

}  // extern "C"
