// SPDX-License-Identifier: MIT
//
// The host side of the HIP subset: types, error codes and functions. Names and numbers as in HIP; see hip_runtime.h for
// what differs. Every function may be called on any thread, but not from a kernel or a host function of a stream.
#pragma once

#define HIP_VERSION_MAJOR 6
#define HIP_VERSION_MINOR 4
#define HIP_VERSION_PATCH 0
#define HIP_VERSION (HIP_VERSION_MAJOR * 10000000 + HIP_VERSION_MINOR * 100000 + HIP_VERSION_PATCH)

#include "multipass/sim/device_api.h"
#include "multipass/sim/errors.h"
#include "multipass/sim/graph_api.h"
#include "multipass/sim/handles.h"
#include "multipass/sim/ipc_api.h"
#include "multipass/sim/memory_api.h"
#include "multipass/sim/pool_api.h"
#include "multipass/sim/stream_api.h"
#include "multipass/sim/symbol_api.h"
#include "multipass/sim/vector_types.h"
#include "multipass/sim/virtual_api.h"
