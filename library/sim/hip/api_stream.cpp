// SPDX-License-Identifier: MIT
#include <algorithm>

#include "sim/hip/api.hpp"

using multipass_sim::Runtime;
using multipass_sim::StreamPtr;
using multipass_sim::with_runtime;
using multipass_sim::with_stream;

namespace {

constexpr int kLeastPriority = 1;
constexpr int kGreatestPriority = -1;

}  // namespace

hipError_t hipStreamCreate(hipStream_t* stream) {
  return hipStreamCreateWithFlags(stream, hipStreamDefault);
}

hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned flags) {
  return hipStreamCreateWithPriority(stream, flags, 0);
}

hipError_t hipStreamCreateWithPriority(hipStream_t* stream, unsigned flags, int priority) {
  return with_runtime([&](Runtime& runtime) {
    if (stream == nullptr || flags > hipStreamNonBlocking) return hipErrorInvalidValue;
    const int taken = std::clamp(priority, kGreatestPriority, kLeastPriority);
    const StreamPtr made =
        runtime.streams().create(multipass_sim::current_device(), flags != hipStreamNonBlocking, taken);
    if (made == nullptr) return hipErrorDeinitialized;
    *stream = made->handle();
    return hipSuccess;
  });
}

hipError_t hipDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return with_runtime([&](Runtime&) {
    if (least != nullptr) *least = kLeastPriority;
    if (greatest != nullptr) *greatest = kGreatestPriority;
    return hipSuccess;
  });
}

hipError_t hipStreamDestroy(hipStream_t stream) {
  return with_runtime([&](Runtime& runtime) {
    if (multipass_sim::Queue::on_worker()) return hipErrorNotSupported;
    const StreamPtr removed = runtime.streams().remove(stream);
    if (removed == nullptr) return hipErrorInvalidHandle;
    runtime.captures().end(runtime.captures().of(removed.get()));
    static_cast<void>(Runtime::synchronize(*removed));
    removed->queue->stop();
    return hipSuccess;
  });
}

hipError_t hipStreamSynchronize(hipStream_t stream) {
  return with_stream(stream, [](Runtime& runtime, const StreamPtr& found) {
    if (const hipError_t error = runtime.refuse_capture(*found); error != hipSuccess) return error;
    return Runtime::synchronize(*found);
  });
}

hipError_t hipStreamQuery(hipStream_t stream) {
  return with_stream(stream, [](Runtime& runtime, const StreamPtr& found) {
    if (const hipError_t error = runtime.refuse_capture(*found); error != hipSuccess) return error;
    return found->queue->completed(found->queue->last_command()) ? hipSuccess : hipErrorNotReady;
  });
}

hipError_t hipStreamGetFlags(hipStream_t stream, unsigned* flags) {
  return with_stream(stream, [&](Runtime&, const StreamPtr& found) {
    if (flags == nullptr) return hipErrorInvalidValue;
    *flags = found->blocking ? hipStreamDefault : hipStreamNonBlocking;
    return hipSuccess;
  });
}

hipError_t hipStreamGetPriority(hipStream_t stream, int* priority) {
  return with_stream(stream, [&](Runtime&, const StreamPtr& found) {
    if (priority == nullptr) return hipErrorInvalidValue;
    *priority = found->priority;
    return hipSuccess;
  });
}

hipError_t hipStreamGetDevice(hipStream_t stream, int* device) {
  return with_stream(stream, [&](Runtime&, const StreamPtr& found) {
    if (device == nullptr) return hipErrorInvalidValue;
    *device = static_cast<int>(found->device);
    return hipSuccess;
  });
}

hipError_t hipLaunchHostFunc(hipStream_t stream, hipHostFn_t function, void* data) {
  return with_stream(stream, [&](Runtime& runtime, const StreamPtr& found) {
    if (function == nullptr) return hipErrorInvalidValue;
    return runtime.perform(found, hipGraphNodeTypeHost, [=] { function(data); }, false);
  });
}

hipError_t hipStreamAddCallback(hipStream_t stream, hipStreamCallback_t callback, void* data, unsigned flags) {
  return with_stream(stream, [&](Runtime& runtime, const StreamPtr& found) {
    if (callback == nullptr || flags != 0) return hipErrorInvalidValue;
    if (const hipError_t error = runtime.refuse_capture(*found); error != hipSuccess) return error;
    const auto work = [callback, stream, data, queue = found->queue] {
      callback(stream, queue->failed() ? hipErrorLaunchFailure : hipSuccess, data);
    };
    return runtime.perform(found, hipGraphNodeTypeHost, work, false);
  });
}
