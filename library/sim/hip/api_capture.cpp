// SPDX-License-Identifier: MIT
#include <memory>

#include "sim/hip/api.hpp"

using multipass_sim::Runtime;
using multipass_sim::StreamPtr;
using multipass_sim::with_stream;

hipError_t hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode mode) {
  return with_stream(stream, [&](Runtime& runtime, const StreamPtr& found) {
    if (mode < hipStreamCaptureModeGlobal || mode > hipStreamCaptureModeRelaxed) return hipErrorInvalidValue;
    if (found->is_default) return hipErrorStreamCaptureUnsupported;
    return runtime.captures().begin(found.get()) ? hipSuccess : hipErrorIllegalState;
  });
}

hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t* graph) {
  return with_stream(stream, [&](Runtime& runtime, const StreamPtr& found) {
    if (graph == nullptr) return hipErrorInvalidValue;
    *graph = nullptr;
    const auto capture = runtime.captures().of(found.get());
    if (capture == nullptr) return hipErrorIllegalState;
    if (capture->origin() != found.get()) return hipErrorStreamCaptureUnmatched;
    runtime.captures().end(capture);
    if (capture->spoilt()) return hipErrorStreamCaptureInvalidated;
    if (!capture->all_joined()) return hipErrorStreamCaptureUnjoined;
    *graph = runtime.graphs().add(capture->graph());
    return hipSuccess;
  });
}

hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus* status) {
  return with_stream(stream, [&](Runtime& runtime, const StreamPtr& found) {
    if (status == nullptr) return hipErrorInvalidValue;
    const auto capture = runtime.captures().of(found.get());
    const bool spoilt = capture != nullptr && capture->spoilt();
    *status = capture == nullptr ? hipStreamCaptureStatusNone
              : spoilt           ? hipStreamCaptureStatusInvalidated
                                 : hipStreamCaptureStatusActive;
    return hipSuccess;
  });
}
