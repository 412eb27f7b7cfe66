// SPDX-License-Identifier: MIT
//
// Streams, events and host functions. A stream is a queue with a worker thread; the default stream of a device and its
// blocking streams wait for one another. Priorities are kept and change nothing.
#pragma once

#include "multipass/sim/errors.h"
#include "multipass/sim/handles.h"

// A stream of the calling thread and its current device, made when first used and completed when the thread ends. The
// default stream waits for it and it for that one. It cannot be destroyed.
#define hipStreamPerThread (reinterpret_cast<hipStream_t>(2))

#define hipStreamDefault 0x00  // a literal: it stands for the null stream in launches, too
inline constexpr unsigned hipStreamNonBlocking = 1;
inline constexpr unsigned hipEventDefault = 0;
inline constexpr unsigned hipEventBlockingSync = 1;
inline constexpr unsigned hipEventDisableTiming = 2;
inline constexpr unsigned hipEventInterprocess = 4;  // accepted with hipEventDisableTiming; not to be had elsewhere
inline constexpr unsigned hipEventDisableSystemFence = 0x20000000;
inline constexpr unsigned hipEventReleaseToDevice = 0x40000000;
inline constexpr unsigned hipEventReleaseToSystem = 0x80000000;

extern "C" {

MULTIPASS_SIM_API hipError_t hipStreamCreate(hipStream_t* stream);
MULTIPASS_SIM_API hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned flags);
// A priority beyond the range is taken as the nearest in it.
MULTIPASS_SIM_API hipError_t hipStreamCreateWithPriority(hipStream_t* stream, unsigned flags, int priority);
// 1 (least) to -1 (greatest).
MULTIPASS_SIM_API hipError_t hipDeviceGetStreamPriorityRange(int* least, int* greatest);
MULTIPASS_SIM_API hipError_t hipStreamDestroy(hipStream_t stream);
MULTIPASS_SIM_API hipError_t hipStreamSynchronize(hipStream_t stream);
MULTIPASS_SIM_API hipError_t hipStreamQuery(hipStream_t stream);
MULTIPASS_SIM_API hipError_t hipStreamGetFlags(hipStream_t stream, unsigned* flags);
MULTIPASS_SIM_API hipError_t hipStreamGetPriority(hipStream_t stream, int* priority);
MULTIPASS_SIM_API hipError_t hipStreamGetDevice(hipStream_t stream, int* device);
MULTIPASS_SIM_API hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned flags = 0);
MULTIPASS_SIM_API hipError_t hipLaunchHostFunc(hipStream_t stream, hipHostFn_t function, void* data);
// The status that the callback gets tells of a kernel of the stream that could not be run.
MULTIPASS_SIM_API hipError_t hipStreamAddCallback(hipStream_t stream, hipStreamCallback_t callback, void* data,
                                                  unsigned flags);

MULTIPASS_SIM_API hipError_t hipEventCreate(hipEvent_t* event);
MULTIPASS_SIM_API hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned flags);
MULTIPASS_SIM_API hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream = nullptr);
MULTIPASS_SIM_API hipError_t hipEventSynchronize(hipEvent_t event);
MULTIPASS_SIM_API hipError_t hipEventQuery(hipEvent_t event);
MULTIPASS_SIM_API hipError_t hipEventElapsedTime(float* milliseconds, hipEvent_t start, hipEvent_t stop);
MULTIPASS_SIM_API hipError_t hipEventDestroy(hipEvent_t event);

}  // extern "C"
