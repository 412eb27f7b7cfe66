// SPDX-License-Identifier: MIT
#include "sim/hip/runtime.hpp"

#include <chrono>
#include <limits>
#include <string>
#include <utility>

#include "sim/hip/table.hpp"

namespace multipass_sim {
namespace {

constexpr std::uint64_t kMaxBlockSize = 1024;  // work-items

std::vector<WaveGeometry> geometries(const std::vector<DeviceInfo>& devices) {
  std::vector<WaveGeometry> found;
  for (const DeviceInfo& device : devices) found.push_back(device.geometry);
  return found;
}

std::uint64_t volume(dim3 size) {
  return std::uint64_t{size.x} * size.y * size.z;
}

bool fits_32_bits(std::uint32_t blocks, std::uint32_t size) {
  return std::uint64_t{blocks} * size <= std::numeric_limits<std::uint32_t>::max();
}

}  // namespace

Runtime::Runtime(std::vector<DeviceInfo> devices)
    : devices_(std::move(devices)), streams_(geometries(devices_)), table_(make_table()) {}

hipError_t Runtime::check_geometry(dim3 grid, dim3 block, std::size_t shared_bytes, const Stream& stream) const {
  const bool empty = volume(grid) == 0 || volume(block) == 0;
  const bool too_large = block.x > kMaxBlockSize || block.y > kMaxBlockSize || block.z > kMaxBlockSize ||
                         volume(block) > kMaxBlockSize || !fits_32_bits(grid.x, block.x) ||
                         !fits_32_bits(grid.y, block.y) || !fits_32_bits(grid.z, block.z);
  if (empty || too_large) return hipErrorInvalidConfiguration;
  return shared_bytes > devices_[stream.device].lds_bytes ? hipErrorInvalidValue : hipSuccess;
}

hipError_t Runtime::launch(const KernelLaunch& launch, dim3 grid, dim3 block, std::size_t shared_bytes,
                           const StreamPtr& stream) {
  std::unique_ptr<void, void (*)(void*)> arguments(launch.arguments, launch.destroy);
  if (const hipError_t error = check_geometry(grid, block, shared_bytes, *stream); error != hipSuccess) return error;
  const auto packet = std::make_shared<Packet>();
  packet->home = stream;
  packet->arguments = std::move(arguments);
  packet->launch = {launch.invoke, launch.arguments, grid, block, shared_bytes};
  packet->device = stream->device;
  packet->queue = stream->queue->handle();
  packet->stream = reinterpret_cast<std::uint64_t>(stream->handle());
  packet->kernel = &kernels_.of(launch);
  packet->grid = {grid.x * block.x, grid.y * block.y, grid.z * block.z};
  packet->workgroup = {block.x, block.y, block.z};
  packet->group_segment_size = packet->kernel->group_segment_size + static_cast<std::uint32_t>(shared_bytes);
  packet->private_segment_size = packet->kernel->private_segment_size;
  packet->packets_in_write = 1;
  const SubmitHook hook = submit_hook_.load(std::memory_order_acquire);
  if (hook != nullptr) {
    hook(packet.get());
  } else {
    execute(*packet, nullptr, nullptr);
  }
  return hipSuccess;
}

std::uint64_t Runtime::enqueue(const Stream& stream, std::function<void()> work) {
  return stream.queue->enqueue(std::move(work), streams_.dependencies(stream));
}

hipError_t Runtime::synchronize(const Stream& stream) {
  stream.queue->wait(stream.queue->last_command());
  return stream.queue->failed() ? hipErrorLaunchFailure : hipSuccess;
}

hipError_t Runtime::synchronize_device(std::uint32_t device) {
  hipError_t result = hipSuccess;
  for (const StreamPtr& stream : streams_.of_device(device)) {
    if (const hipError_t error = synchronize(*stream); error != hipSuccess) result = error;
  }
  return result;
}

void Runtime::execute(Packet& packet, multipass_sim_done done, void* argument) {
  // Without `done` nobody intercepts, and the SDK may be writing its pointers just now.
  const auto start = done == nullptr ? nullptr : table_.on_start;
  packet.home->queue->execute(packet, {start, done, argument, 0}, streams_.dependencies(*packet.home));
}

void Runtime::open_window(Packet& packet) {
  packet.home->queue->open_window(packet, streams_.dependencies(*packet.home));
}

bool Runtime::drain_others(const Packet& packet, std::uint32_t timeout_ms) {
  const auto deadline = Queue::Clock::now() + std::chrono::milliseconds(timeout_ms);
  bool drained = true;
  for (const StreamPtr& stream : streams_.of_device(packet.device)) {
    if (stream->queue != packet.home->queue) drained = stream->queue->drain(deadline) && drained;
  }
  return drained;
}

void Runtime::intercept() {
  kernels_.listen(table_.on_kernel);
  submit_hook_.store(table_.on_submit, std::memory_order_release);
}

}  // namespace multipass_sim
