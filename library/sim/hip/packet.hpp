// SPDX-License-Identifier: MIT
//
// One dispatch packet: the public part that the SDK sees, and what its queue needs to run it.
// Shared by the launching thread (until on_submit has returned) and by the queue (until the packet is complete). The
// members below the arguments are the queue's, under its lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>

#include "sim/hip/engine.hpp"
#include "sim/interface/runtime_table.h"

namespace multipass_sim {

struct Stream;

struct PendingExecution {
  void (*start)(void* argument) = nullptr;
  multipass_sim_done done = nullptr;
  void* argument = nullptr;
  std::uint64_t ticket = 0;
};

struct Packet : multipass_sim_packet, std::enable_shared_from_this<Packet> {
  Packet() : multipass_sim_packet{} {}

  std::shared_ptr<const Stream> home;
  GridLaunch launch;
  std::shared_ptr<void> arguments;  // also the graph node's, in a graph launch

  std::deque<PendingExecution> pending;
  bool queued = false;  // a command of the queue stands for this packet
  bool window_open = false;

  static Packet& of(multipass_sim_packet* packet) noexcept { return *static_cast<Packet*>(packet); }
};

}  // namespace multipass_sim
