// SPDX-License-Identifier: MIT
//
// The host side of the HIP subset: types, error codes and functions. Names and numbers as in HIP; see hip_runtime.h for
// what differs. Every function may be called on any thread, but not from a kernel or a host function of a stream.
#pragma once

#include <cstddef>
#include <cstdint>

#include "multipass/sim/export.h"
#include "multipass/sim/vector_types.h"

#define HIP_VERSION_MAJOR 6
#define HIP_VERSION_MINOR 4
#define HIP_VERSION_PATCH 0
#define HIP_VERSION (HIP_VERSION_MAJOR * 10000000 + HIP_VERSION_MINOR * 100000 + HIP_VERSION_PATCH)

enum [[nodiscard]] hipError_t {
  hipSuccess = 0,
  hipErrorInvalidValue = 1,
  hipErrorOutOfMemory = 2,
  hipErrorMemoryAllocation = 2,
  hipErrorNotInitialized = 3,
  hipErrorInitializationError = 3,
  hipErrorDeinitialized = 4,
  hipErrorInvalidConfiguration = 9,
  hipErrorInvalidSymbol = 13,
  hipErrorInvalidDevicePointer = 17,
  hipErrorInvalidMemcpyDirection = 21,
  hipErrorInvalidDeviceFunction = 98,
  hipErrorNoDevice = 100,
  hipErrorInvalidDevice = 101,
  hipErrorInvalidHandle = 400,
  hipErrorInvalidResourceHandle = 400,
  hipErrorNotReady = 600,
  hipErrorLaunchOutOfResources = 701,
  hipErrorLaunchFailure = 719,
  hipErrorNotSupported = 801,
  hipErrorUnknown = 999
};

enum hipMemcpyKind {
  hipMemcpyHostToHost = 0,
  hipMemcpyHostToDevice = 1,
  hipMemcpyDeviceToHost = 2,
  hipMemcpyDeviceToDevice = 3,
  hipMemcpyDefault = 4
};

typedef struct ihipStream_t* hipStream_t;
typedef struct ihipEvent_t* hipEvent_t;
typedef void (*hipHostFn_t)(void* data);

// A stream of the calling thread and its current device, made when first used and completed when the thread ends. The
// default stream waits for it and it for that one. It cannot be destroyed.
#define hipStreamPerThread (reinterpret_cast<hipStream_t>(2))

inline constexpr unsigned hipStreamDefault = 0;
inline constexpr unsigned hipStreamNonBlocking = 1;
inline constexpr unsigned hipEventDefault = 0;
inline constexpr unsigned hipEventBlockingSync = 1;
inline constexpr unsigned hipEventDisableTiming = 2;
inline constexpr unsigned hipHostMallocDefault = 0;
inline constexpr unsigned hipHostMallocPortable = 1;
inline constexpr unsigned hipHostMallocMapped = 2;
inline constexpr unsigned hipMemAttachGlobal = 1;
inline constexpr unsigned hipMemAttachHost = 2;

struct hipDeviceProp_t {
  char name[256];
  std::size_t totalGlobalMem;     // bytes
  std::size_t sharedMemPerBlock;  // bytes
  int regsPerBlock;
  int warpSize;
  int maxThreadsPerBlock;
  int maxThreadsDim[3];
  int maxGridSize[3];
  int clockRate;              // kHz
  std::size_t totalConstMem;  // bytes
  int major, minor;
  int multiProcessorCount;
  int l2CacheSize;  // bytes
  int maxThreadsPerMultiProcessor;
  int concurrentKernels;
  int managedMemory;
  int canMapHostMemory;
  int integrated;
  char gcnArchName[256];
};

extern "C" {

MULTIPASS_SIM_API const char* hipGetErrorName(hipError_t error);
MULTIPASS_SIM_API const char* hipGetErrorString(hipError_t error);
// The last error of this thread; hipGetLastError also forgets it.
MULTIPASS_SIM_API hipError_t hipGetLastError(void);
MULTIPASS_SIM_API hipError_t hipPeekAtLastError(void);

MULTIPASS_SIM_API hipError_t hipInit(unsigned flags);
MULTIPASS_SIM_API hipError_t hipRuntimeGetVersion(int* version);
MULTIPASS_SIM_API hipError_t hipDriverGetVersion(int* version);
MULTIPASS_SIM_API hipError_t hipGetDeviceCount(int* count);
MULTIPASS_SIM_API hipError_t hipSetDevice(int device);
MULTIPASS_SIM_API hipError_t hipGetDevice(int* device);
MULTIPASS_SIM_API hipError_t hipGetDeviceProperties(hipDeviceProp_t* properties, int device);
MULTIPASS_SIM_API hipError_t hipDeviceSynchronize(void);

// Memory starts at a multiple of 4096 and is filled with the byte 0xCD, so that a program that reads what it has not
// written still gives the same result on every run. On failure the pointer is null.
MULTIPASS_SIM_API hipError_t hipMalloc(void** pointer, std::size_t size);
MULTIPASS_SIM_API hipError_t hipHostMalloc(void** pointer, std::size_t size, unsigned flags);
MULTIPASS_SIM_API hipError_t hipMallocManaged(void** pointer, std::size_t size, unsigned flags);
// Both wait for the device first.
MULTIPASS_SIM_API hipError_t hipFree(void* pointer);
MULTIPASS_SIM_API hipError_t hipHostFree(void* pointer);
MULTIPASS_SIM_API hipError_t hipMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes);

MULTIPASS_SIM_API hipError_t hipMemcpy(void* destination, const void* source, std::size_t size, hipMemcpyKind kind);
MULTIPASS_SIM_API hipError_t hipMemcpyAsync(void* destination, const void* source, std::size_t size, hipMemcpyKind kind,
                                            hipStream_t stream = nullptr);
MULTIPASS_SIM_API hipError_t hipMemset(void* destination, int value, std::size_t size);
MULTIPASS_SIM_API hipError_t hipMemsetAsync(void* destination, int value, std::size_t size,
                                            hipStream_t stream = nullptr);

MULTIPASS_SIM_API hipError_t hipStreamCreate(hipStream_t* stream);
MULTIPASS_SIM_API hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned flags);
MULTIPASS_SIM_API hipError_t hipStreamDestroy(hipStream_t stream);
MULTIPASS_SIM_API hipError_t hipStreamSynchronize(hipStream_t stream);
MULTIPASS_SIM_API hipError_t hipStreamQuery(hipStream_t stream);
MULTIPASS_SIM_API hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned flags = 0);
MULTIPASS_SIM_API hipError_t hipLaunchHostFunc(hipStream_t stream, hipHostFn_t function, void* data);

MULTIPASS_SIM_API hipError_t hipEventCreate(hipEvent_t* event);
MULTIPASS_SIM_API hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned flags);
MULTIPASS_SIM_API hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream = nullptr);
MULTIPASS_SIM_API hipError_t hipEventSynchronize(hipEvent_t event);
MULTIPASS_SIM_API hipError_t hipEventQuery(hipEvent_t event);
MULTIPASS_SIM_API hipError_t hipEventElapsedTime(float* milliseconds, hipEvent_t start, hipEvent_t stop);
MULTIPASS_SIM_API hipError_t hipEventDestroy(hipEvent_t event);

}  // extern "C"

namespace multipass_sim {
// Makes a `__device__` variable known to the runtime.
MULTIPASS_SIM_API hipError_t register_variable(void* address, std::size_t size) noexcept;
MULTIPASS_SIM_API hipError_t copy_symbol(void* symbol, std::size_t symbol_size, void* host, std::size_t size,
                                         std::size_t offset, bool to_symbol) noexcept;
}  // namespace multipass_sim

#define HIP_SYMBOL(variable) variable

template <class T>
hipError_t hipMalloc(T** pointer, std::size_t size) {
  void* address = nullptr;
  const hipError_t error = hipMalloc(pointer == nullptr ? nullptr : &address, size);
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

template <class T>
hipError_t hipGetSymbolAddress(void** address, T& symbol) {
  if (address == nullptr) return hipErrorInvalidValue;
  *address = &symbol;
  return multipass_sim::register_variable(&symbol, sizeof(T));
}

template <class T>
hipError_t hipGetSymbolSize(std::size_t* size, T& symbol) {
  if (size == nullptr) return hipErrorInvalidValue;
  *size = sizeof(T);
  return multipass_sim::register_variable(&symbol, sizeof(T));
}

template <class T>
hipError_t hipMemcpyToSymbol(T& symbol, const void* source, std::size_t size, std::size_t offset = 0,
                             hipMemcpyKind = hipMemcpyHostToDevice) {
  return multipass_sim::copy_symbol(&symbol, sizeof(T), const_cast<void*>(source), size, offset, true);
}

template <class T>
hipError_t hipMemcpyFromSymbol(void* destination, T& symbol, std::size_t size, std::size_t offset = 0,
                               hipMemcpyKind = hipMemcpyDeviceToHost) {
  return multipass_sim::copy_symbol(&symbol, sizeof(T), destination, size, offset, false);
}
