// SPDX-License-Identifier: MIT
//
// Memory: allocation of every kind but from pools, copies, fills, and what is asked about pointers. Addresses are the
// same on the host and on every device. Memory starts at a multiple of 4096 and is filled with the byte 0xCD, so that a
// program that reads what it has not written still gives the same result on every run; from 1 GiB on it is zero instead
// and costs what is written. On failure the pointer is null.
// What kernel replay restores: hipMalloc and hipMallocPitch memory. Not managed, host and pool memory (as documented
// for rocprofiler-sdk 1.4.1).
#pragma once

#include <cstddef>
#include <cstdint>

#include "multipass/sim/errors.h"
#include "multipass/sim/handles.h"

typedef void* hipDeviceptr_t;

enum hipMemcpyKind {
  hipMemcpyHostToHost = 0,
  hipMemcpyHostToDevice = 1,
  hipMemcpyDeviceToHost = 2,
  hipMemcpyDeviceToDevice = 3,
  hipMemcpyDefault = 4
};

inline constexpr unsigned hipDeviceMallocDefault = 0;
inline constexpr unsigned hipDeviceMallocFinegrained = 1;
inline constexpr unsigned hipHostMallocDefault = 0;
inline constexpr unsigned hipHostMallocPortable = 1;
inline constexpr unsigned hipHostMallocMapped = 2;
inline constexpr unsigned hipHostMallocWriteCombined = 4;
inline constexpr unsigned hipHostMallocNumaUser = 0x20000000;
inline constexpr unsigned hipHostMallocCoherent = 0x40000000;
inline constexpr unsigned hipHostMallocNonCoherent = 0x80000000;
inline constexpr unsigned hipHostRegisterDefault = 0;
inline constexpr unsigned hipHostRegisterPortable = 1;
inline constexpr unsigned hipHostRegisterMapped = 2;
inline constexpr unsigned hipHostRegisterIoMemory = 4;
inline constexpr unsigned hipMemAttachGlobal = 1;
inline constexpr unsigned hipMemAttachHost = 2;
inline constexpr unsigned hipMemAttachSingle = 4;

enum hipMemoryType {  // numbers of HIP 6
  hipMemoryTypeUnregistered = 0,
  hipMemoryTypeHost = 1,
  hipMemoryTypeDevice = 2,
  hipMemoryTypeManaged = 3
};

struct hipPointerAttribute_t {
  hipMemoryType type;
  int device;
  void* devicePointer;
  void* hostPointer;  // null for device memory
  int isManaged;
  unsigned allocationFlags;
};

enum hipMemoryAdvise {
  hipMemAdviseSetReadMostly = 1,
  hipMemAdviseUnsetReadMostly = 2,
  hipMemAdviseSetPreferredLocation = 3,
  hipMemAdviseUnsetPreferredLocation = 4,
  hipMemAdviseSetAccessedBy = 5,
  hipMemAdviseUnsetAccessedBy = 6,
  hipMemAdviseSetCoarseGrain = 100,
  hipMemAdviseUnsetCoarseGrain = 101
};

extern "C" {

MULTIPASS_SIM_API hipError_t hipMalloc(void** pointer, std::size_t size);
// Rows of `width` bytes, `*pitch` bytes apart: a multiple of 256.
MULTIPASS_SIM_API hipError_t hipMallocPitch(void** pointer, std::size_t* pitch, std::size_t width, std::size_t height);
// hipDeviceMallocDefault: as hipMalloc; hipDeviceMallocFinegrained: memory that replay does not restore. No others.
MULTIPASS_SIM_API hipError_t hipExtMallocWithFlags(void** pointer, std::size_t size, unsigned flags);
MULTIPASS_SIM_API hipError_t hipHostMalloc(void** pointer, std::size_t size, unsigned flags);
// Older names of hipHostMalloc, and of hipHostFree.
MULTIPASS_SIM_API hipError_t hipHostAlloc(void** pointer, std::size_t size, unsigned flags);
MULTIPASS_SIM_API hipError_t hipMallocHost(void** pointer, std::size_t size);
MULTIPASS_SIM_API hipError_t hipMemAllocHost(void** pointer, std::size_t size);
MULTIPASS_SIM_API hipError_t hipFreeHost(void* pointer);
MULTIPASS_SIM_API hipError_t hipMallocManaged(void** pointer, std::size_t size, unsigned flags);
// Both wait for the device first. hipFree takes device, managed and pool memory.
MULTIPASS_SIM_API hipError_t hipFree(void* pointer);
MULTIPASS_SIM_API hipError_t hipHostFree(void* pointer);

// Makes memory of the application known as pinned host memory. A range that overlaps known memory is refused.
MULTIPASS_SIM_API hipError_t hipHostRegister(void* pointer, std::size_t size, unsigned flags);
MULTIPASS_SIM_API hipError_t hipHostUnregister(void* pointer);
MULTIPASS_SIM_API hipError_t hipHostGetDevicePointer(void** device, void* host, unsigned flags);
MULTIPASS_SIM_API hipError_t hipHostGetFlags(unsigned* flags, void* host);

MULTIPASS_SIM_API hipError_t hipMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes);
// hipErrorInvalidValue for memory that the runtime does not know, as HIP 6 has it.
MULTIPASS_SIM_API hipError_t hipPointerGetAttributes(hipPointerAttribute_t* attributes, const void* pointer);
MULTIPASS_SIM_API hipError_t hipMemGetAddressRange(hipDeviceptr_t* base, std::size_t* size, hipDeviceptr_t pointer);

// Checked and answered; there is nothing to move.
MULTIPASS_SIM_API hipError_t hipMemPrefetchAsync(const void* pointer, std::size_t size, int device,
                                                 hipStream_t stream = nullptr);
MULTIPASS_SIM_API hipError_t hipMemAdvise(const void* pointer, std::size_t size, hipMemoryAdvise advice, int device);

MULTIPASS_SIM_API hipError_t hipMemcpy(void* destination, const void* source, std::size_t size, hipMemcpyKind kind);
MULTIPASS_SIM_API hipError_t hipMemcpyAsync(void* destination, const void* source, std::size_t size, hipMemcpyKind kind,
                                            hipStream_t stream = nullptr);
MULTIPASS_SIM_API hipError_t hipMemcpyWithStream(void* destination, const void* source, std::size_t size,
                                                 hipMemcpyKind kind, hipStream_t stream);
MULTIPASS_SIM_API hipError_t hipMemcpyHtoD(hipDeviceptr_t destination, const void* source, std::size_t size);
MULTIPASS_SIM_API hipError_t hipMemcpyDtoH(void* destination, hipDeviceptr_t source, std::size_t size);
MULTIPASS_SIM_API hipError_t hipMemcpyDtoD(hipDeviceptr_t destination, hipDeviceptr_t source, std::size_t size);
MULTIPASS_SIM_API hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t destination, const void* source, std::size_t size,
                                                hipStream_t stream);
MULTIPASS_SIM_API hipError_t hipMemcpyDtoHAsync(void* destination, hipDeviceptr_t source, std::size_t size,
                                                hipStream_t stream);
MULTIPASS_SIM_API hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t destination, hipDeviceptr_t source, std::size_t size,
                                                hipStream_t stream);
MULTIPASS_SIM_API hipError_t hipMemcpyPeer(void* destination, int destination_device, const void* source,
                                           int source_device, std::size_t size);
MULTIPASS_SIM_API hipError_t hipMemcpyPeerAsync(void* destination, int destination_device, const void* source,
                                                int source_device, std::size_t size, hipStream_t stream = nullptr);
// `height` rows of `width` bytes; a pitch smaller than the width is hipErrorInvalidPitchValue.
MULTIPASS_SIM_API hipError_t hipMemcpy2D(void* destination, std::size_t destination_pitch, const void* source,
                                         std::size_t source_pitch, std::size_t width, std::size_t height,
                                         hipMemcpyKind kind);
MULTIPASS_SIM_API hipError_t hipMemcpy2DAsync(void* destination, std::size_t destination_pitch, const void* source,
                                              std::size_t source_pitch, std::size_t width, std::size_t height,
                                              hipMemcpyKind kind, hipStream_t stream = nullptr);

MULTIPASS_SIM_API hipError_t hipMemset(void* destination, int value, std::size_t size);
MULTIPASS_SIM_API hipError_t hipMemsetAsync(void* destination, int value, std::size_t size,
                                            hipStream_t stream = nullptr);
MULTIPASS_SIM_API hipError_t hipMemset2D(void* destination, std::size_t pitch, int value, std::size_t width,
                                         std::size_t height);
MULTIPASS_SIM_API hipError_t hipMemset2DAsync(void* destination, std::size_t pitch, int value, std::size_t width,
                                              std::size_t height, hipStream_t stream = nullptr);
// `count` elements of 1, 2 or 4 bytes.
MULTIPASS_SIM_API hipError_t hipMemsetD8(hipDeviceptr_t destination, unsigned char value, std::size_t count);
MULTIPASS_SIM_API hipError_t hipMemsetD16(hipDeviceptr_t destination, unsigned short value, std::size_t count);
MULTIPASS_SIM_API hipError_t hipMemsetD32(hipDeviceptr_t destination, int value, std::size_t count);
MULTIPASS_SIM_API hipError_t hipMemsetD8Async(hipDeviceptr_t destination, unsigned char value, std::size_t count,
                                              hipStream_t stream = nullptr);
MULTIPASS_SIM_API hipError_t hipMemsetD16Async(hipDeviceptr_t destination, unsigned short value, std::size_t count,
                                               hipStream_t stream = nullptr);
MULTIPASS_SIM_API hipError_t hipMemsetD32Async(hipDeviceptr_t destination, int value, std::size_t count,
                                               hipStream_t stream = nullptr);

}  // extern "C"

template <class T>
hipError_t hipMalloc(T** pointer, std::size_t size) {
  void* address = nullptr;
  const hipError_t error = hipMalloc(pointer == nullptr ? nullptr : &address, size);
  if (pointer != nullptr) *pointer = static_cast<T*>(address);
  return error;
}

template <class T>
hipError_t hipMallocPitch(T** pointer, std::size_t* pitch, std::size_t width, std::size_t height) {
  void* address = nullptr;
  const hipError_t error = hipMallocPitch(pointer == nullptr ? nullptr : &address, pitch, width, height);
  if (pointer != nullptr) *pointer = static_cast<T*>(address);
  return error;
}

template <class T>
hipError_t hipHostMalloc(T** pointer, std::size_t size, unsigned flags = hipHostMallocDefault) {
  void* address = nullptr;
  const hipError_t error = hipHostMalloc(pointer == nullptr ? nullptr : &address, size, flags);
  if (pointer != nullptr) *pointer = static_cast<T*>(address);
  return error;
}

template <class T>
hipError_t hipMallocManaged(T** pointer, std::size_t size, unsigned flags = hipMemAttachGlobal) {
  void* address = nullptr;
  const hipError_t error = hipMallocManaged(pointer == nullptr ? nullptr : &address, size, flags);
  if (pointer != nullptr) *pointer = static_cast<T*>(address);
  return error;
}
