// SPDX-License-Identifier: MIT
//
// Device memory that several processes use. The handle is plain data that the application carries to the other process,
// which must run for the same user. What hipMalloc gave becomes shared when its handle is first asked for; nothing may
// write to it from other threads meanwhile. The memory lives until its owner and all who opened it have let go.
#pragma once

#include "multipass/sim/errors.h"

struct hipIpcMemHandle_t {
  char reserved[64];
};

inline constexpr unsigned hipIpcMemLazyEnablePeerAccess = 1;

extern "C" {

// Of hipMalloc memory, from any address in it on. Others: hipErrorInvalidDevicePointer.
MULTIPASS_SIM_API hipError_t hipIpcGetMemHandle(hipIpcMemHandle_t* handle, void* pointer);
// In the process that the memory is of: hipErrorInvalidContext. When that has freed it or has ended:
// hipErrorInvalidDevicePointer. `flags` is hipIpcMemLazyEnablePeerAccess.
MULTIPASS_SIM_API hipError_t hipIpcOpenMemHandle(void** pointer, hipIpcMemHandle_t handle, unsigned flags);
// Waits for the device.
MULTIPASS_SIM_API hipError_t hipIpcCloseMemHandle(void* pointer);

}  // extern "C"
