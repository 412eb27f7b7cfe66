// SPDX-License-Identifier: MIT
#include "sim/hip/table.hpp"

#include <chrono>

#include "sim/hip/clock.hpp"
#include "sim/hip/costs.hpp"
#include "sim/hip/runtime.hpp"

namespace multipass_sim {
namespace {

std::size_t device_count() noexcept {
  return started_runtime()->devices().size();
}

const char* device_name(std::size_t device) noexcept {
  const auto& devices = started_runtime()->devices();
  return device < devices.size() ? devices[device].name.c_str() : nullptr;
}

void execute(multipass_sim_packet* packet, multipass_sim_done done, void* argument) noexcept {
  started_runtime()->execute(Packet::of(packet), done, argument);
}

void open_window(multipass_sim_packet* packet) noexcept {
  started_runtime()->open_window(Packet::of(packet));
}

void close_window(multipass_sim_packet* packet) noexcept {
  Packet::of(packet).home->queue->close_window(Packet::of(packet));
}

int drain_queue(multipass_sim_packet* packet, std::uint32_t timeout_ms) noexcept {
  const auto deadline = Queue::Clock::now() + std::chrono::milliseconds(timeout_ms);
  return Packet::of(packet).home->queue->drain(deadline) ? 1 : 0;
}

int drain_others(multipass_sim_packet* packet, std::uint32_t timeout_ms) noexcept {
  return started_runtime()->drain_others(Packet::of(packet), timeout_ms) ? 1 : 0;
}

void allocations(std::size_t device, void (*visit)(void* argument, const multipass_sim_allocation* allocation),
                 void* argument) noexcept {
  started_runtime()->allocations().visit(
      static_cast<std::uint32_t>(device),
      [&](const multipass_sim_allocation& allocation) { visit(argument, &allocation); });
}

void spend(int cost, std::uint64_t amount, std::uint64_t since_ns) noexcept {
  const std::uint64_t time = cost == MULTIPASS_SIM_COST_COPY ? costs().copy_ns(amount) : amount * costs().drain_ns();
  let_time_pass_until(since_ns + time);
}

void intercept() noexcept {
  started_runtime()->intercept();
}

}  // namespace

multipass_sim_runtime make_table() noexcept {
  multipass_sim_runtime table{};
  table.size = sizeof(table);
  table.device_count = &device_count;
  table.device_name = &device_name;
  table.execute = &execute;
  table.open_window = &open_window;
  table.close_window = &close_window;
  table.drain_queue = &drain_queue;
  table.drain_others = &drain_others;
  table.allocations = &allocations;
  table.now_ns = &boot_time_ns;
  table.spend = &spend;
  table.intercept = &intercept;
  return table;
}

multipass_sim_runtime* runtime_table() noexcept {
  Runtime* const started = runtime();
  return started == nullptr ? nullptr : &started->table();
}

}  // namespace multipass_sim
