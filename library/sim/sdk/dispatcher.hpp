// SPDX-License-Identifier: MIT
//
// Where every launch arrives: gives it its dispatch id and decides between an ordinary submission and kernel replay.
// Owner: Sdk. submit() on the launching thread; several threads at once.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "sim/sdk/agent_lock.hpp"
#include "sim/sdk/launch.hpp"
#include "sim/sdk/run_gate.hpp"

namespace multipass_sim {

class Sdk;

class Dispatcher final {
 public:
  explicit Dispatcher(Sdk& sdk) : sdk_(sdk) {}

  void submit(multipass_sim_packet& packet);
  [[nodiscard]] AgentLock& agent_lock(std::size_t device) { return device_of(device).lock; }
  [[nodiscard]] RunGate& run_gate(std::size_t device) { return device_of(device).gate; }

 private:
  [[nodiscard]] Launch make_launch(multipass_sim_packet& packet, const Agent& agent);
  // One packet per write, not part of a graph; says once per process what is not replayed.
  [[nodiscard]] bool can_replay(const Launch& launch);

  struct Device {
    AgentLock lock;
    RunGate gate;
  };
  [[nodiscard]] Device& device_of(std::size_t device);

  Sdk& sdk_;
  std::atomic<std::uint64_t> last_dispatch_{0};
  std::atomic_flag warned_graph_, warned_packets_;
  std::once_flag devices_made_;
  std::vector<std::unique_ptr<Device>> devices_;  // one per GPU
};

}  // namespace multipass_sim
