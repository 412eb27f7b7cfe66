// SPDX-License-Identifier: MIT
//
// The handles that the application holds, and the functions that it hands over.
#pragma once

#include "multipass/sim/errors.h"

typedef struct ihipStream_t* hipStream_t;
typedef struct ihipEvent_t* hipEvent_t;
typedef struct ihipGraph* hipGraph_t;
typedef struct hipGraphNode* hipGraphNode_t;
typedef struct hipGraphExec* hipGraphExec_t;
typedef struct ihipMemPoolHandle_t* hipMemPool_t;

typedef void (*hipHostFn_t)(void* data);
typedef void (*hipStreamCallback_t)(hipStream_t stream, hipError_t status, void* data);
