// SPDX-License-Identifier: MIT
#include "sim/sdk/copies.hpp"

#include <algorithm>
#include <memory>
#include <shared_mutex>

#include "sim/sdk/sdk.hpp"
#include "sim/sdk/traced_event.hpp"

namespace multipass_sim {

namespace {

struct TracedCopy {
  TracedEvent event;
  rocprofiler_callback_tracing_memory_copy_data_t data{};
};

rocprofiler_memory_copy_operation_t direction_of(const multipass_sim_copy& copy) {
  const bool to_host = copy.to_device == MULTIPASS_SIM_HOST;
  if (copy.from_device == MULTIPASS_SIM_HOST) {
    return to_host ? ROCPROFILER_MEMORY_COPY_HOST_TO_HOST : ROCPROFILER_MEMORY_COPY_HOST_TO_DEVICE;
  }
  return to_host ? ROCPROFILER_MEMORY_COPY_DEVICE_TO_HOST : ROCPROFILER_MEMORY_COPY_DEVICE_TO_DEVICE;
}

std::unique_ptr<TracedCopy> traced(Sdk& sdk, const multipass_sim_copy& copy) {
  TracedEvent event(sdk, ROCPROFILER_CALLBACK_TRACING_MEMORY_COPY, direction_of(copy));
  if (event.empty()) return nullptr;
  auto made = std::make_unique<TracedCopy>();
  made->event = std::move(event);
  made->data.size = sizeof(made->data);
  made->data.dst_agent_id = sdk.agents.of_device(copy.to_device).info.id;
  made->data.src_agent_id = sdk.agents.of_device(copy.from_device).info.id;
  made->data.bytes = copy.bytes;
  made->data.dst_address.ptr = copy.to;
  made->data.src_address.ptr = copy.from;
  return made;
}

// Shared by copies as by ordinary submissions: from here until the copy is queued no window opens on these GPUs, and
// the window that opens then waits for the queue.
class CopyFence final {
 public:
  CopyFence(Sdk& sdk, const multipass_sim_copy& copy) {
    if (!sdk.contexts.active_replay()) return;
    // In the order of devices, so that two copies never wait for each other.
    const auto [first, second] = std::minmax(copy.to_device, copy.from_device);
    first_ = share(sdk, first);
    if (second != first) second_ = share(sdk, second);
  }

 private:
  static std::shared_lock<AgentLock> share(Sdk& sdk, std::int32_t device) {
    if (device == MULTIPASS_SIM_HOST) return {};
    const std::size_t index = static_cast<std::size_t>(device);
    if (sdk.faults.on_agent(Fault::kCopiesUnfenced, index)) return {};
    return std::shared_lock(sdk.dispatcher.agent_lock(index));
  }

  std::shared_lock<AgentLock> first_, second_;
};

}  // namespace

void begin_copy(Sdk& sdk, const multipass_sim_copy& copy, multipass_sim_copy_start start, void* arg) {
  const CopyFence fence(sdk, copy);
  std::unique_ptr<TracedCopy> made = traced(sdk, copy);
  if (made == nullptr) return start(arg, nullptr);
  made->event.enter(sdk, &made->data);
  sdk.outstanding.add();
  start(arg, made.release());  // end_copy takes it back
}

void end_copy(Sdk& sdk, void* token, std::uint64_t start_ns, std::uint64_t end_ns) {
  const std::unique_ptr<TracedCopy> made(static_cast<TracedCopy*>(token));
  made->data.start_timestamp = start_ns;
  made->data.end_timestamp = end_ns;
  made->event.exit(sdk, &made->data);
  sdk.outstanding.remove();
}

}  // namespace multipass_sim
