// SPDX-License-Identifier: MIT
//
// The streams of all devices, each with its queue, and how they wait for one another: work on the default stream of a
// device waits for what the device's other streams hold, and they for it, but for streams created non-blocking.
// Owned by the runtime; any thread. Failures: a null pointer.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "hip/hip_runtime_api.h"
#include "sim/hip/queue.hpp"

namespace multipass_sim {

struct Stream {
  std::shared_ptr<Queue> queue;
  std::uint32_t device = 0;
  bool is_default = false;
  bool blocking = true;  // ordered with the default stream
  int priority = 0;      // as the application gave it

  // As the application knows it: null for a default stream.
  [[nodiscard]] hipStream_t handle() const noexcept;
};
using StreamPtr = std::shared_ptr<const Stream>;

class Streams final {
 public:
  explicit Streams(std::vector<WaveGeometry> devices) : devices_(std::move(devices)) {}

  // Null after stop(), and for an unknown handle; a null handle is the default stream of `device`, hipStreamPerThread
  // the calling thread's own there.
  [[nodiscard]] StreamPtr find(hipStream_t handle, std::uint32_t device);
  [[nodiscard]] StreamPtr create(std::uint32_t device, bool blocking, int priority);
  // Forgets the stream; the caller stops its queue.
  [[nodiscard]] StreamPtr remove(hipStream_t handle);
  // The same for all that the application created on a device.
  [[nodiscard]] std::vector<StreamPtr> remove_created(std::uint32_t device);

  [[nodiscard]] std::vector<StreamPtr> of_device(std::uint32_t device) const;

  // What the next command of the stream has to wait for on other streams.
  [[nodiscard]] Dependencies dependencies(const Stream& stream) const;

  // Completes the calling thread's own streams and forgets them.
  void end_thread();

  // Completes everything and ends all workers; from then on there are no streams.
  void stop();

 private:
  StreamPtr make(std::uint32_t device, bool is_default, bool blocking, int priority = 0);
  StreamPtr of_thread(std::uint32_t device);
  [[nodiscard]] std::vector<StreamPtr> all() const;

  const std::vector<WaveGeometry> devices_;
  mutable std::mutex mutex_;
  std::map<hipStream_t, StreamPtr> streams_;
  std::map<std::uint32_t, StreamPtr> defaults_;  // made when first used
  std::map<std::pair<std::thread::id, std::uint32_t>, StreamPtr> per_thread_;
  std::uint64_t last_handle_ = 0;
  bool stopped_ = false;
};

}  // namespace multipass_sim
