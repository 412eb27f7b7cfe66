// SPDX-License-Identifier: MIT
//
// Memory in stream order, and memory pools. Memory is had at the call and given back when the stream comes to the free;
// while a pool holds no more than its release threshold (0 at first) it keeps what is freed, mapped as it is, for
// allocations of the same size. The reuse attributes are kept and change nothing. A kernel's replay does not restore
// pool memory: rocprofiler-sdk 1.4.1 does not track it.
#pragma once

#include <cstddef>

#include "multipass/sim/errors.h"
#include "multipass/sim/handles.h"

enum hipMemPoolAttr {
  hipMemPoolReuseFollowEventDependencies = 1,    // int
  hipMemPoolReuseAllowOpportunistic = 2,         // int
  hipMemPoolReuseAllowInternalDependencies = 3,  // int
  hipMemPoolAttrReleaseThreshold = 4,            // uint64_t, bytes, as are those that follow
  hipMemPoolAttrReservedMemCurrent = 5,
  hipMemPoolAttrReservedMemHigh = 6,
  hipMemPoolAttrUsedMemCurrent = 7,
  hipMemPoolAttrUsedMemHigh = 8
};

enum hipMemAllocationType { hipMemAllocationTypeInvalid = 0, hipMemAllocationTypePinned = 1 };
enum hipMemAllocationHandleType {
  hipMemHandleTypeNone = 0,
  hipMemHandleTypePosixFileDescriptor = 1,
  hipMemHandleTypeWin32 = 2,
  hipMemHandleTypeWin32Kmt = 4
};
enum hipMemLocationType { hipMemLocationTypeInvalid = 0, hipMemLocationTypeDevice = 1 };

struct hipMemLocation {
  hipMemLocationType type;
  int id;
};

struct hipMemPoolProps {
  hipMemAllocationType allocType;
  hipMemAllocationHandleType handleTypes;
  hipMemLocation location;
  void* win32SecurityAttributes;
  unsigned char reserved[64];
};

extern "C" {

MULTIPASS_SIM_API hipError_t hipMallocAsync(void** pointer, std::size_t size, hipStream_t stream);
MULTIPASS_SIM_API hipError_t hipMallocFromPoolAsync(void** pointer, std::size_t size, hipMemPool_t pool,
                                                    hipStream_t stream);
// Pool memory, and as in HIP any that hipFree takes.
MULTIPASS_SIM_API hipError_t hipFreeAsync(void* pointer, hipStream_t stream);

MULTIPASS_SIM_API hipError_t hipDeviceGetDefaultMemPool(hipMemPool_t* pool, int device);
MULTIPASS_SIM_API hipError_t hipDeviceGetMemPool(hipMemPool_t* pool, int device);
MULTIPASS_SIM_API hipError_t hipDeviceSetMemPool(int device, hipMemPool_t pool);
MULTIPASS_SIM_API hipError_t hipMemPoolCreate(hipMemPool_t* pool, const hipMemPoolProps* properties);
// What was allocated from it stays until it is freed.
MULTIPASS_SIM_API hipError_t hipMemPoolDestroy(hipMemPool_t pool);
MULTIPASS_SIM_API hipError_t hipMemPoolTrimTo(hipMemPool_t pool, std::size_t bytes_to_keep);
MULTIPASS_SIM_API hipError_t hipMemPoolGetAttribute(hipMemPool_t pool, hipMemPoolAttr attribute, void* value);
// The "high" attributes may be set to 0 only, which makes them start again at the current value.
MULTIPASS_SIM_API hipError_t hipMemPoolSetAttribute(hipMemPool_t pool, hipMemPoolAttr attribute, void* value);

}  // extern "C"

template <class T>
hipError_t hipMallocAsync(T** pointer, std::size_t size, hipStream_t stream) {
  void* address = nullptr;
  const hipError_t error = hipMallocAsync(pointer == nullptr ? nullptr : &address, size, stream);
  if (pointer != nullptr) *pointer = static_cast<T*>(address);
  return error;
}

template <class T>
hipError_t hipMallocAsync(T** pointer, std::size_t size, hipMemPool_t pool, hipStream_t stream) {
  void* address = nullptr;
  const hipError_t error = hipMallocFromPoolAsync(pointer == nullptr ? nullptr : &address, size, pool, stream);
  if (pointer != nullptr) *pointer = static_cast<T*>(address);
  return error;
}

template <class T>
hipError_t hipMallocFromPoolAsync(T** pointer, std::size_t size, hipMemPool_t pool, hipStream_t stream) {
  return hipMallocAsync(pointer, size, pool, stream);
}
