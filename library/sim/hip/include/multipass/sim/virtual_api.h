// SPDX-License-Identifier: MIT
//
// Virtual memory: addresses that are reserved, physical memory that is mapped there, and who may use it. A size and an
// address are multiples of the granularity, 2 MiB. Mapped memory can be used by copies and kernels once a device was
// given access; before that a kernel that touches it ends the process, as on a GPU. A kernel's replay does not restore
// it: rocprofiler-sdk 1.4.1 does not track it. Handles go to other processes as file descriptors.
#pragma once

#include <cstddef>

#include "multipass/sim/errors.h"
#include "multipass/sim/handles.h"
#include "multipass/sim/pool_api.h"

typedef struct ihipMemGenericAllocationHandle* hipMemGenericAllocationHandle_t;

struct hipMemAllocationProp {
  hipMemAllocationType type;  // hipMemAllocationTypePinned
  union {                     // none, or what it can be exported as; HIP 7 has it under both names
    hipMemAllocationHandleType requestedHandleType;
    hipMemAllocationHandleType requestedHandleTypes;
  };
  hipMemLocation location;
  void* win32HandleMetaData;
  struct {
    unsigned char compressionType;
    unsigned char gpuDirectRDMACapable;
    unsigned short usage;
  } allocFlags;
};

enum hipMemAllocationGranularity_flags {
  hipMemAllocationGranularityMinimum = 0,
  hipMemAllocationGranularityRecommended = 1
};

enum hipMemAccessFlags {
  hipMemAccessFlagsProtNone = 0,
  hipMemAccessFlagsProtRead = 1,
  hipMemAccessFlagsProtReadWrite = 3
};

struct hipMemAccessDesc {
  hipMemLocation location;
  hipMemAccessFlags flags;
};

extern "C" {

MULTIPASS_SIM_API hipError_t hipMemGetAllocationGranularity(std::size_t* granularity,
                                                            const hipMemAllocationProp* properties,
                                                            hipMemAllocationGranularity_flags option);
// `wanted` is taken if it is free; `alignment` is a power of two or 0.
MULTIPASS_SIM_API hipError_t hipMemAddressReserve(void** address, std::size_t size, std::size_t alignment, void* wanted,
                                                  unsigned long long flags);
// hipErrorUnknown while something is mapped there.
MULTIPASS_SIM_API hipError_t hipMemAddressFree(void* address, std::size_t size);

MULTIPASS_SIM_API hipError_t hipMemCreate(hipMemGenericAllocationHandle_t* handle, std::size_t size,
                                          const hipMemAllocationProp* properties, unsigned long long flags);
// The memory lives on while it is mapped.
MULTIPASS_SIM_API hipError_t hipMemRelease(hipMemGenericAllocationHandle_t handle);
MULTIPASS_SIM_API hipError_t hipMemRetainAllocationHandle(hipMemGenericAllocationHandle_t* handle, void* address);
MULTIPASS_SIM_API hipError_t hipMemGetAllocationPropertiesFromHandle(hipMemAllocationProp* properties,
                                                                     hipMemGenericAllocationHandle_t handle);

// `offset` is 0, as HIP wants it.
MULTIPASS_SIM_API hipError_t hipMemMap(void* address, std::size_t size, std::size_t offset,
                                       hipMemGenericAllocationHandle_t handle, unsigned long long flags);
// One mapping, or several that lie side by side. Waits for the device.
MULTIPASS_SIM_API hipError_t hipMemUnmap(void* address, std::size_t size);
MULTIPASS_SIM_API hipError_t hipMemSetAccess(void* address, std::size_t size, const hipMemAccessDesc* descriptions,
                                             std::size_t count);
MULTIPASS_SIM_API hipError_t hipMemGetAccess(unsigned long long* flags, const hipMemLocation* location, void* address);

// `shareable` points to an int: a file descriptor, which the caller closes.
MULTIPASS_SIM_API hipError_t hipMemExportToShareableHandle(void* shareable, hipMemGenericAllocationHandle_t handle,
                                                           hipMemAllocationHandleType type, unsigned long long flags);
// `shareable` is the descriptor itself, cast to a pointer, as clr has it; it stays the caller's.
MULTIPASS_SIM_API hipError_t hipMemImportFromShareableHandle(hipMemGenericAllocationHandle_t* handle, void* shareable,
                                                             hipMemAllocationHandleType type);

}  // extern "C"
