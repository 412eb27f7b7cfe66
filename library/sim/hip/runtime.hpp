// SPDX-License-Identifier: MIT
//
// The HIP stand-in's runtime: devices, memory, kernels and streams, and the table through which an SDK intercepts them.
// Made by the first HIP call, lives until the process ends; at exit its workers complete what is queued and end.
// Any thread. Functions return HIP's codes and may throw std::bad_alloc, which the API functions turn into a code.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "hip/hip_runtime_api.h"
#include "multipass/sim/launch.h"
#include "sim/hip/address_kernels.hpp"
#include "sim/hip/allocations.hpp"
#include "sim/hip/captures.hpp"
#include "sim/hip/device_info.hpp"
#include "sim/hip/device_settings.hpp"
#include "sim/hip/device_variables.hpp"
#include "sim/hip/events.hpp"
#include "sim/hip/graphs.hpp"
#include "sim/hip/kernels.hpp"
#include "sim/hip/packet.hpp"
#include "sim/hip/pools.hpp"
#include "sim/hip/streams.hpp"
#include "sim/hip/virtual_memory.hpp"
#include "sim/interface/runtime_table.h"

namespace multipass_sim {

class Runtime final {
 public:
  explicit Runtime(std::vector<DeviceInfo> devices);

  [[nodiscard]] const std::vector<DeviceInfo>& devices() const noexcept { return devices_; }
  [[nodiscard]] Allocations& allocations() noexcept { return allocations_; }
  [[nodiscard]] AddressKernels& address_kernels() noexcept { return address_kernels_; }
  [[nodiscard]] Pools& pools() noexcept { return pools_; }
  [[nodiscard]] VirtualMemory& virtual_memory() noexcept { return virtual_memory_; }
  [[nodiscard]] Graphs& graphs() noexcept { return graphs_; }
  [[nodiscard]] Captures& captures() noexcept { return captures_; }
  [[nodiscard]] Settings& settings() noexcept { return settings_; }
  [[nodiscard]] Streams& streams() noexcept { return streams_; }
  [[nodiscard]] Events& events() noexcept { return events_; }
  [[nodiscard]] multipass_sim_runtime& table() noexcept { return table_; }

  // Queues a kernel, or records it. `arguments` of the launch belongs to the runtime, whatever is returned.
  hipError_t launch(const KernelLaunch& launch, dim3 grid, dim3 block, std::size_t shared_bytes,
                    const StreamPtr& stream);
  // Checks a launch on a device and makes it ready. Takes `arguments` as launch() does.
  hipError_t prepare(const KernelLaunch& launch, dim3 grid, dim3 block, std::size_t shared_bytes, std::uint32_t device,
                     PreparedKernel& prepared);
  // Hands a kernel to the SDK, or without one to its queue.
  void submit(const PreparedKernel& prepared, const StreamPtr& stream, bool in_graph);

  // Queues host work on the stream, in order with its other work; returns the number of the command.
  std::uint64_t enqueue(const Stream& stream, std::function<void()> work);

  // The same, and waits for it if asked to. A stream that is being captured records the work instead, and refuses to
  // wait: hipErrorStreamCaptureUnsupported.
  // `copy`: of a copy that a copy engine does.
  hipError_t perform(const StreamPtr& stream, hipGraphNodeType type, std::function<void()> work, bool wait,
                     const std::optional<multipass_sim_copy>& copy = std::nullopt);

  [[nodiscard]] std::size_t free_bytes(std::uint32_t device) const;  // what the device has left

  // hipErrorStreamCaptureUnsupported, and a spoilt capture, for a stream that is being captured.
  hipError_t refuse_capture(const Stream& stream);

  // Waits for one stream, or for all of a device. hipErrorLaunchFailure when a kernel there could not be run.
  static hipError_t synchronize(const Stream& stream);
  hipError_t synchronize_device(std::uint32_t device);

  // What tell.hpp hands to the SDK, or does itself without one.
  std::uint64_t told_call(const multipass_sim_call& call, multipass_sim_call_body body, void* arg) const;
  // Queues a copy in order with the stream's other work; `copy`: as the SDK is told of it. Returns the command's
  // number.
  std::uint64_t enqueue_copy(const Stream& stream, std::function<void()> work, const multipass_sim_copy& copy);

  // The table's functions.
  void execute(Packet& packet, multipass_sim_done done, void* argument);
  void open_window(Packet& packet);
  bool drain_others(const Packet& packet, std::uint32_t timeout_ms);
  void intercept();

  void stop() { streams_.stop(); }

 private:
  using SubmitHook = void (*)(multipass_sim_packet* packet);
  using CallHook = decltype(multipass_sim_runtime::on_call);
  using CopyHook = decltype(multipass_sim_runtime::on_copy);

  [[nodiscard]] hipError_t check_geometry(dim3 grid, dim3 block, std::size_t shared_bytes, std::uint32_t device) const;

  const std::vector<DeviceInfo> devices_;
  Allocations allocations_;
  Pools pools_;
  VirtualMemory virtual_memory_{allocations_};
  DeviceVariables variables_;
  Kernels kernels_;
  AddressKernels address_kernels_;
  Streams streams_;
  Captures captures_;
  Graphs graphs_;
  Settings settings_;
  Events events_;
  std::atomic<SubmitHook> submit_hook_{nullptr};
  std::atomic<CallHook> call_hook_{nullptr};
  std::atomic<CopyHook> copy_hook_{nullptr};
  multipass_sim_runtime table_;
};

// The runtime, made when first asked for. Null in a forked child (its workers are gone), and when there is no memory.
[[nodiscard]] Runtime* runtime() noexcept;

// For its scope the thread is in a HIP function: a signal handler that calls exit() there must not wait for the queues,
// whose locks the function may hold.
class InCall final {
 public:
  InCall() noexcept;
  InCall(const InCall&) = delete;
  InCall& operator=(const InCall&) = delete;
  ~InCall();
};

// The runtime if there is one, in a forked child too: for the table's functions, which only a made runtime hands out.
[[nodiscard]] Runtime* started_runtime() noexcept;

}  // namespace multipass_sim
