// SPDX-License-Identifier: MIT
#include <atomic>
#include <memory>
#include <utility>

#include "sim/hip/api.hpp"
#include "sim/hip/clock.hpp"
#include "sim/hip/events.hpp"

namespace multipass_sim {
namespace {

constexpr unsigned kReleaseFlags = hipEventReleaseToDevice | hipEventReleaseToSystem;
constexpr unsigned kKnownFlags =
    hipEventBlockingSync | hipEventDisableTiming | hipEventInterprocess | hipEventDisableSystemFence | kReleaseFlags;

template <class Body>
hipError_t with_event(hipEvent_t handle, Body&& body) noexcept {
  return with_runtime([&](Runtime& runtime) {
    const std::shared_ptr<Event> event = runtime.events().find(handle);
    return event == nullptr ? hipErrorInvalidHandle : body(*event);
  });
}

// The stream waits for an event that was recorded in a capture.
hipError_t join_capture(Runtime& runtime, const Stream& stream, const std::shared_ptr<StreamCapture>& own,
                        const EventMark& mark) {
  if (!runtime.captures().is_active(mark.capture)) return hipErrorCapturedEvent;
  if (own != nullptr && own != mark.capture) return hipErrorStreamCaptureMerge;
  if (own == nullptr && stream.is_default) return hipErrorStreamCaptureUnsupported;
  if (own == nullptr) runtime.captures().join(&stream, mark.capture);
  mark.capture->join(&stream, mark.captured_nodes);
  return hipSuccess;
}

}  // namespace
}  // namespace multipass_sim

using multipass_sim::Event;
using multipass_sim::EventMark;
using multipass_sim::kKnownFlags;
using multipass_sim::kReleaseFlags;
using multipass_sim::Runtime;
using multipass_sim::StreamPtr;
using multipass_sim::with_event;
using multipass_sim::with_runtime;
using multipass_sim::with_stream;

hipError_t hipEventCreate(hipEvent_t* event) {
  return hipEventCreateWithFlags(event, hipEventDefault);
}

hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned flags) {
  return with_runtime([&](Runtime& runtime) {
    const bool shared_but_timed = (flags & hipEventInterprocess) != 0 && (flags & hipEventDisableTiming) == 0;
    const bool both_releases = (flags & kReleaseFlags) == kReleaseFlags;
    if (event == nullptr || (flags & ~kKnownFlags) != 0 || shared_but_timed || both_releases) {
      return hipErrorInvalidValue;
    }
    *event = runtime.events().create((flags & hipEventDisableTiming) == 0);
    return hipSuccess;
  });
}

hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream) {
  return with_stream(stream, [&](Runtime& runtime, const StreamPtr& on) {
    const std::shared_ptr<Event> found = runtime.events().find(event);
    if (found == nullptr) return hipErrorInvalidHandle;
    if (const auto capture = runtime.captures().of(on.get()); capture != nullptr) {
      found->set_mark({nullptr, 0, nullptr, capture, capture->tail(on.get())});
      return hipSuccess;
    }
    const auto time = std::make_shared<std::atomic<std::uint64_t>>(0);
    const std::uint64_t command = runtime.enqueue(*on, [time] { time->store(multipass_sim::boot_time_ns()); });
    found->set_mark({on->queue, command, time, nullptr, {}});
    return hipSuccess;
  });
}

hipError_t hipEventSynchronize(hipEvent_t event) {
  return with_event(event, [](const Event& found) {
    if (multipass_sim::Queue::on_worker()) return hipErrorNotSupported;
    const EventMark mark = found.mark();
    if (mark.capture != nullptr) return hipErrorCapturedEvent;
    if (mark.queue != nullptr) mark.queue->wait(mark.command);
    return hipSuccess;
  });
}

hipError_t hipEventQuery(hipEvent_t event) {
  return with_event(event, [](const Event& found) {
    const EventMark mark = found.mark();
    if (mark.capture != nullptr) return hipErrorCapturedEvent;
    return mark.reached() ? hipSuccess : hipErrorNotReady;
  });
}

hipError_t hipEventElapsedTime(float* milliseconds, hipEvent_t start, hipEvent_t stop) {
  return with_event(start, [&](const Event& first) {
    return with_event(stop, [&](const Event& last) {
      if (milliseconds == nullptr) return hipErrorInvalidValue;
      const EventMark begin = first.mark();
      const EventMark end = last.mark();
      const bool recorded = begin.queue != nullptr && end.queue != nullptr;
      if (!recorded || !first.timed() || !last.timed()) return hipErrorInvalidHandle;
      if (!begin.reached() || !end.reached()) return hipErrorNotReady;
      const auto elapsed_ns = static_cast<std::int64_t>(end.time_ns->load() - begin.time_ns->load());
      *milliseconds = static_cast<float>(static_cast<double>(elapsed_ns) / 1e6);
      return hipSuccess;
    });
  });
}

hipError_t hipEventDestroy(hipEvent_t event) {
  return with_runtime(
      [&](Runtime& runtime) { return runtime.events().remove(event) ? hipSuccess : hipErrorInvalidHandle; });
}

hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned flags) {
  return with_stream(stream, [&](Runtime& runtime, const StreamPtr& on) {
    if (flags != 0) return hipErrorInvalidValue;
    const std::shared_ptr<Event> found = runtime.events().find(event);
    if (found == nullptr) return hipErrorInvalidHandle;
    const EventMark mark = found->mark();
    const auto capture = runtime.captures().of(on.get());
    if (mark.capture != nullptr) return multipass_sim::join_capture(runtime, *on, capture, mark);
    if (capture != nullptr) {
      capture->spoil();
      return hipErrorStreamCaptureIsolation;
    }
    if (mark.queue == nullptr || mark.queue == on->queue) return hipSuccess;
    auto dependencies = runtime.streams().dependencies(*on);
    dependencies.push_back({mark.queue, mark.command});
    on->queue->enqueue({}, std::move(dependencies));
    return hipSuccess;
  });
}
