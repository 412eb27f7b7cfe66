// SPDX-License-Identifier: MIT
#include "sim/sdk/dispatcher.hpp"

#include <cstddef>
#include <shared_mutex>

#include "sim/sdk/clock.hpp"
#include "sim/sdk/diagnostics.hpp"
#include "sim/sdk/replay.hpp"
#include "sim/sdk/sdk.hpp"
#include "sim/sdk/submission.hpp"

namespace multipass_sim {

void Dispatcher::submit(multipass_sim_packet& packet) {
  const Agent* agent = sdk_.agents.gpu(packet.device);
  if (agent == nullptr) fatal("the runtime dispatches to a device that the SDK does not know");
  sdk_.outstanding.enter();  // until this call ends, so that finalisation waits for a whole replay window
  const Launch launch = make_launch(packet, *agent);
  AgentLock& lock = device_of(packet.device).lock;
  const ContextPtr owner = sdk_.contexts.active_replay();
  if (owner && can_replay(launch)) {
    Replay(sdk_, launch, owner, lock).run();
  } else {
    std::shared_lock shared(lock, std::defer_lock);
    if (owner) shared.lock();
    Submission::submit(std::make_unique<Submission>(sdk_, launch), nullptr, nullptr);
  }
  sdk_.outstanding.leave();
}

Launch Dispatcher::make_launch(multipass_sim_packet& packet, const Agent& agent) {
  Launch launch{&packet, &agent, {}, sdk_.correlation.next_internal(), thread_id()};
  rocprofiler_kernel_dispatch_info_t& info = launch.info;
  info.size = offsetof(rocprofiler_kernel_dispatch_info_t, reserved_padding);
  info.agent_id = agent.info.id;
  info.queue_id.handle = packet.queue;
  info.kernel_id = sdk_.code_objects.kernel_id(packet.device, *packet.kernel);
  info.dispatch_id = ++last_dispatch_;
  info.private_segment_size = packet.private_segment_size;
  info.group_segment_size = packet.group_segment_size;
  info.workgroup_size = {packet.workgroup.x, packet.workgroup.y, packet.workgroup.z};
  info.grid_size = {packet.grid.x, packet.grid.y, packet.grid.z};
  return launch;
}

bool Dispatcher::can_replay(const Launch& launch) {
  const multipass_sim_packet& packet = *launch.packet;
  if (sdk_.faults.hits(Fault::kNotOffered, place_of(launch))) return false;
  if (packet.is_graph != 0) {
    if (!warned_graph_.test_and_set()) warn("kernel replay: graph launches are not replayed");
    return false;
  }
  if (packet.packets_in_write != 1 || sdk_.faults.hits(Fault::kSeveralPackets, place_of(launch))) {
    if (!warned_packets_.test_and_set()) warn("kernel replay: several packets in one write are not replayed");
    return false;
  }
  return true;
}

Dispatcher::Device& Dispatcher::device_of(std::size_t device) {
  std::call_once(devices_made_, [this] {
    for (std::size_t i = 0; i < sdk_.agents.gpu_count(); ++i) devices_.push_back(std::make_unique<Device>());
  });
  return *devices_[device];
}

}  // namespace multipass_sim
