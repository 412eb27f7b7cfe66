// SPDX-License-Identifier: MIT
#include <iterator>
#include <utility>

#include "sim/hip/api.hpp"

namespace multipass_sim {
namespace {

__thread hipError_t last_error = hipSuccess;

struct ErrorText {
  hipError_t error;
  const char* name;
  const char* text;
};

constexpr ErrorText kErrors[] = {
    {hipSuccess, "hipSuccess", "no error"},
    {hipErrorInvalidValue, "hipErrorInvalidValue", "invalid argument"},
    {hipErrorOutOfMemory, "hipErrorOutOfMemory", "out of memory"},
    {hipErrorNotInitialized, "hipErrorNotInitialized", "initialization error"},
    {hipErrorDeinitialized, "hipErrorDeinitialized", "the runtime is shutting down"},
    {hipErrorInvalidConfiguration, "hipErrorInvalidConfiguration", "invalid configuration argument"},
    {hipErrorInvalidPitchValue, "hipErrorInvalidPitchValue", "pitch smaller than the row"},
    {hipErrorInvalidSymbol, "hipErrorInvalidSymbol", "invalid device symbol"},
    {hipErrorInvalidDevicePointer, "hipErrorInvalidDevicePointer", "invalid device pointer"},
    {hipErrorInvalidMemcpyDirection, "hipErrorInvalidMemcpyDirection", "invalid copy direction"},
    {hipErrorInvalidDeviceFunction, "hipErrorInvalidDeviceFunction", "invalid device function"},
    {hipErrorNoDevice, "hipErrorNoDevice", "no simulated device"},
    {hipErrorInvalidDevice, "hipErrorInvalidDevice", "invalid device number"},
    {hipErrorInvalidContext, "hipErrorInvalidContext", "not in the process that this is of"},
    {hipErrorPeerAccessUnsupported, "hipErrorPeerAccessUnsupported", "peer access is not supported"},
    {hipErrorInvalidHandle, "hipErrorInvalidHandle", "invalid stream or event"},
    {hipErrorIllegalState, "hipErrorIllegalState", "not allowed in this state"},
    {hipErrorNotFound, "hipErrorNotFound", "not found"},
    {hipErrorNotReady, "hipErrorNotReady", "not ready"},
    {hipErrorIllegalAddress, "hipErrorIllegalAddress", "illegal memory access"},
    {hipErrorLaunchOutOfResources, "hipErrorLaunchOutOfResources", "out of resources for launch"},
    {hipErrorPeerAccessAlreadyEnabled, "hipErrorPeerAccessAlreadyEnabled", "peer access is enabled already"},
    {hipErrorPeerAccessNotEnabled, "hipErrorPeerAccessNotEnabled", "peer access is not enabled"},
    {hipErrorHostMemoryAlreadyRegistered, "hipErrorHostMemoryAlreadyRegistered", "host memory is registered already"},
    {hipErrorHostMemoryNotRegistered, "hipErrorHostMemoryNotRegistered", "host memory is not registered"},
    {hipErrorLaunchFailure, "hipErrorLaunchFailure", "a kernel could not be run to its end"},
    {hipErrorNotSupported, "hipErrorNotSupported", "not supported by the simulator"},
    {hipErrorStreamCaptureUnsupported, "hipErrorStreamCaptureUnsupported", "not allowed while a stream is captured"},
    {hipErrorStreamCaptureInvalidated, "hipErrorStreamCaptureInvalidated", "the capture was spoilt by an earlier call"},
    {hipErrorStreamCaptureMerge, "hipErrorStreamCaptureMerge", "two captures cannot be joined"},
    {hipErrorStreamCaptureUnmatched, "hipErrorStreamCaptureUnmatched", "the capture did not begin on this stream"},
    {hipErrorStreamCaptureUnjoined, "hipErrorStreamCaptureUnjoined", "a captured stream was not joined to the first"},
    {hipErrorStreamCaptureIsolation, "hipErrorStreamCaptureIsolation", "captured work waits for work outside"},
    {hipErrorCapturedEvent, "hipErrorCapturedEvent", "the event was recorded in a capture"},
    {hipErrorUnknown, "hipErrorUnknown", "unknown error"},
};

const ErrorText& text_of(hipError_t error) noexcept {
  for (const ErrorText& known : kErrors) {
    if (known.error == error) return known;
  }
  return kErrors[std::size(kErrors) - 1];
}

}  // namespace

hipError_t note(hipError_t error) noexcept {
  // "Not ready" is an answer, not a failure.
  if (error != hipSuccess && error != hipErrorNotReady) last_error = error;
  return error;
}

}  // namespace multipass_sim

const char* hipGetErrorName(hipError_t error) {
  return multipass_sim::text_of(error).name;
}

const char* hipGetErrorString(hipError_t error) {
  return multipass_sim::text_of(error).text;
}

hipError_t hipGetLastError() {
  return std::exchange(multipass_sim::last_error, hipSuccess);
}

hipError_t hipPeekAtLastError() {
  return multipass_sim::last_error;
}
