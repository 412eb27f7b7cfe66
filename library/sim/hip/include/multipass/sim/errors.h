// SPDX-License-Identifier: MIT
//
// Error codes, with HIP's names and numbers (ROCm/HIP hip_runtime_api.h, 5.2), and the last error of a thread. A call
// that fails sets the last error; one that succeeds, or answers "not ready", leaves it.
#pragma once

#include "multipass/sim/export.h"

enum [[nodiscard]] hipError_t {
  hipSuccess = 0,
  hipErrorInvalidValue = 1,
  hipErrorOutOfMemory = 2,
  hipErrorMemoryAllocation = 2,
  hipErrorNotInitialized = 3,
  hipErrorInitializationError = 3,
  hipErrorDeinitialized = 4,
  hipErrorInvalidConfiguration = 9,
  hipErrorInvalidPitchValue = 12,
  hipErrorInvalidSymbol = 13,
  hipErrorInvalidDevicePointer = 17,
  hipErrorInvalidMemcpyDirection = 21,
  hipErrorInvalidDeviceFunction = 98,
  hipErrorNoDevice = 100,
  hipErrorInvalidDevice = 101,
  hipErrorInvalidContext = 201,
  hipErrorPeerAccessUnsupported = 217,
  hipErrorInvalidHandle = 400,
  hipErrorInvalidResourceHandle = 400,
  hipErrorIllegalState = 401,
  hipErrorNotFound = 500,
  hipErrorNotReady = 600,
  hipErrorIllegalAddress = 700,
  hipErrorLaunchOutOfResources = 701,
  hipErrorPeerAccessAlreadyEnabled = 704,
  hipErrorPeerAccessNotEnabled = 705,
  hipErrorHostMemoryAlreadyRegistered = 712,
  hipErrorHostMemoryNotRegistered = 713,
  hipErrorLaunchFailure = 719,
  hipErrorNotSupported = 801,
  hipErrorStreamCaptureUnsupported = 900,
  hipErrorStreamCaptureInvalidated = 901,
  hipErrorStreamCaptureMerge = 902,
  hipErrorStreamCaptureUnmatched = 903,
  hipErrorStreamCaptureUnjoined = 904,
  hipErrorStreamCaptureIsolation = 905,
  hipErrorCapturedEvent = 907,
  hipErrorUnknown = 999
};

extern "C" {

MULTIPASS_SIM_API const char* hipGetErrorName(hipError_t error);
MULTIPASS_SIM_API const char* hipGetErrorString(hipError_t error);
// The last error of this thread; hipGetLastError also forgets it.
MULTIPASS_SIM_API hipError_t hipGetLastError(void);
MULTIPASS_SIM_API hipError_t hipPeekAtLastError(void);

}  // extern "C"
