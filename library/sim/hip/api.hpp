// SPDX-License-Identifier: MIT
//
// What the HIP functions share: the thread's last error and current device, and the way into the runtime.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <new>
#include <system_error>

#include "hip/hip_runtime_api.h"
#include "sim/hip/memory_checks.hpp"
#include "sim/hip/runtime.hpp"

namespace multipass_sim {

// Remembers a failure as this thread's last error; returns `error`.
hipError_t note(hipError_t error) noexcept;

[[nodiscard]] std::uint32_t current_device() noexcept;
void set_current_device(std::uint32_t device) noexcept;

[[nodiscard]] inline bool is_device(const Runtime& runtime, int device) noexcept {
  return device >= 0 && static_cast<std::size_t>(device) < runtime.devices().size();
}

// What a fill does: elements of `unit` bytes, of which the low ones of `value` are taken. `rows` is in bytes.
[[nodiscard]] std::function<void()> fill_work(void* to, unsigned value, std::size_t unit, const Rows& rows);

// Runs `body` with the runtime, on a machine that has a device. No exception passes.
template <class Body>
hipError_t with_runtime(Body&& body) noexcept {
  const InCall here;
  Runtime* const started = runtime();
  if (started == nullptr) return note(hipErrorNotInitialized);
  if (started->devices().empty()) return note(hipErrorNoDevice);
  try {
    return note(body(*started));
  } catch (const std::bad_alloc&) {
    return note(hipErrorOutOfMemory);
  } catch (const std::system_error&) {  // no thread for a queue
    return note(hipErrorLaunchOutOfResources);
  }
}

// The same with a stream of the application. Work of a stream itself must not come here: it would wait for itself.
template <class Body>
hipError_t with_stream(hipStream_t handle, Body&& body) noexcept {
  return with_runtime([&](Runtime& started) {
    if (Queue::on_worker()) return hipErrorNotSupported;
    const StreamPtr stream = started.streams().find(handle, current_device());
    if (stream == nullptr) return handle == nullptr ? hipErrorDeinitialized : hipErrorInvalidHandle;
    return body(started, stream);
  });
}

}  // namespace multipass_sim
