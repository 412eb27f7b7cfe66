// SPDX-License-Identifier: MIT
//
// Graphs: recorded from streams or put together by hand, and launched as a whole. The nodes of a launch run one after
// the other on its stream, in an order that the dependencies allow. Kernel replay does not take part in graph launches,
// as on hardware. Event nodes, child graphs, memory nodes and updates of executable graphs are not there.
#pragma once

#include <cstddef>

#include "multipass/sim/errors.h"
#include "multipass/sim/handles.h"
#include "multipass/sim/memory_api.h"
#include "multipass/sim/vector_types.h"

enum hipStreamCaptureMode {
  hipStreamCaptureModeGlobal = 0,
  hipStreamCaptureModeThreadLocal = 1,
  hipStreamCaptureModeRelaxed = 2
};

enum hipStreamCaptureStatus {
  hipStreamCaptureStatusNone = 0,
  hipStreamCaptureStatusActive = 1,
  hipStreamCaptureStatusInvalidated = 2
};

enum hipGraphNodeType {  // numbers of HIP 6
  hipGraphNodeTypeKernel = 0,
  hipGraphNodeTypeMemcpy = 1,
  hipGraphNodeTypeMemset = 2,
  hipGraphNodeTypeHost = 3,
  hipGraphNodeTypeEmpty = 5
};

struct hipKernelNodeParams {
  dim3 blockDim;
  void** extra;  // must be null
  void* func;
  dim3 gridDim;
  void** kernelParams;
  unsigned int sharedMemBytes;
};

struct hipMemsetParams {
  void* dst;
  unsigned int elementSize;  // 1, 2 or 4 bytes
  std::size_t height;
  std::size_t pitch;  // bytes, used when height > 1
  unsigned int value;
  std::size_t width;  // elements
};

struct hipHostNodeParams {
  hipHostFn_t fn;
  void* userData;
};

extern "C" {

// Between these two the stream records what it is given and runs nothing; streams that wait for an event recorded there
// join in. All modes are as hipStreamCaptureModeRelaxed, but waiting for a recording stream spoils the recording.
MULTIPASS_SIM_API hipError_t hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode mode);
MULTIPASS_SIM_API hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t* graph);
MULTIPASS_SIM_API hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus* status);

MULTIPASS_SIM_API hipError_t hipGraphCreate(hipGraph_t* graph, unsigned flags);
MULTIPASS_SIM_API hipError_t hipGraphDestroy(hipGraph_t graph);
// The arguments are copied now. A kernel with parameters of class type cannot be given by its address.
MULTIPASS_SIM_API hipError_t hipGraphAddKernelNode(hipGraphNode_t* node, hipGraph_t graph,
                                                   const hipGraphNode_t* dependencies, std::size_t dependency_count,
                                                   const hipKernelNodeParams* parameters);
MULTIPASS_SIM_API hipError_t hipGraphAddMemcpyNode1D(hipGraphNode_t* node, hipGraph_t graph,
                                                     const hipGraphNode_t* dependencies, std::size_t dependency_count,
                                                     void* destination, const void* source, std::size_t size,
                                                     hipMemcpyKind kind);
MULTIPASS_SIM_API hipError_t hipGraphAddMemsetNode(hipGraphNode_t* node, hipGraph_t graph,
                                                   const hipGraphNode_t* dependencies, std::size_t dependency_count,
                                                   const hipMemsetParams* parameters);
MULTIPASS_SIM_API hipError_t hipGraphAddHostNode(hipGraphNode_t* node, hipGraph_t graph,
                                                 const hipGraphNode_t* dependencies, std::size_t dependency_count,
                                                 const hipHostNodeParams* parameters);
MULTIPASS_SIM_API hipError_t hipGraphAddEmptyNode(hipGraphNode_t* node, hipGraph_t graph,
                                                  const hipGraphNode_t* dependencies, std::size_t dependency_count);
MULTIPASS_SIM_API hipError_t hipGraphAddDependencies(hipGraph_t graph, const hipGraphNode_t* from,
                                                     const hipGraphNode_t* to, std::size_t count);
// Null `nodes`: the number only.
MULTIPASS_SIM_API hipError_t hipGraphGetNodes(hipGraph_t graph, hipGraphNode_t* nodes, std::size_t* count);
MULTIPASS_SIM_API hipError_t hipGraphGetRootNodes(hipGraph_t graph, hipGraphNode_t* nodes, std::size_t* count);
MULTIPASS_SIM_API hipError_t hipGraphNodeGetType(hipGraphNode_t node, hipGraphNodeType* type);

// hipErrorInvalidValue for dependencies in a circle.
MULTIPASS_SIM_API hipError_t hipGraphInstantiate(hipGraphExec_t* executable, hipGraph_t graph,
                                                 hipGraphNode_t* error_node, char* log, std::size_t log_size);
MULTIPASS_SIM_API hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t* executable, hipGraph_t graph,
                                                          unsigned long long flags);
MULTIPASS_SIM_API hipError_t hipGraphLaunch(hipGraphExec_t executable, hipStream_t stream);
MULTIPASS_SIM_API hipError_t hipGraphExecDestroy(hipGraphExec_t executable);

}  // extern "C"
