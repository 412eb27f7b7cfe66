// SPDX-License-Identifier: MIT
#include "sim/hip/api.hpp"

using multipass_sim::Runtime;
using multipass_sim::StreamPtr;
using multipass_sim::with_runtime;
using multipass_sim::with_stream;

namespace multipass_sim {

hipError_t launch(const KernelLaunch& launch, dim3 grid, dim3 block, std::size_t shared_bytes,
                  hipStream_t handle) noexcept {
  bool taken = false;
  const hipError_t error = with_stream(handle, [&](Runtime& runtime, const StreamPtr& stream) {
    taken = true;
    return runtime.launch(launch, grid, block, shared_bytes, stream);
  });
  if (!taken) launch.destroy(launch.arguments);
  return error;
}

}  // namespace multipass_sim

hipError_t hipStreamCreate(hipStream_t* stream) {
  return hipStreamCreateWithFlags(stream, hipStreamDefault);
}

hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned flags) {
  return with_runtime([&](Runtime& runtime) {
    if (stream == nullptr || flags > hipStreamNonBlocking) return hipErrorInvalidValue;
    const StreamPtr made = runtime.streams().create(multipass_sim::current_device(), flags != hipStreamNonBlocking);
    if (made == nullptr) return hipErrorDeinitialized;
    *stream = made->handle();
    return hipSuccess;
  });
}

hipError_t hipStreamDestroy(hipStream_t stream) {
  return with_runtime([&](Runtime& runtime) {
    if (multipass_sim::Queue::on_worker()) return hipErrorNotSupported;
    const StreamPtr removed = runtime.streams().remove(stream);
    if (removed == nullptr) return hipErrorInvalidHandle;
    static_cast<void>(Runtime::synchronize(*removed));
    removed->queue->stop();
    return hipSuccess;
  });
}

hipError_t hipStreamSynchronize(hipStream_t stream) {
  return with_stream(stream, [](Runtime&, const StreamPtr& found) { return Runtime::synchronize(*found); });
}

hipError_t hipStreamQuery(hipStream_t stream) {
  return with_stream(stream, [](Runtime&, const StreamPtr& found) {
    return found->queue->completed(found->queue->last_command()) ? hipSuccess : hipErrorNotReady;
  });
}

hipError_t hipLaunchHostFunc(hipStream_t stream, hipHostFn_t function, void* data) {
  return with_stream(stream, [&](Runtime& runtime, const StreamPtr& found) {
    if (function == nullptr) return hipErrorInvalidValue;
    runtime.enqueue(*found, [=] { function(data); });
    return hipSuccess;
  });
}
