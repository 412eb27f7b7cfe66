// SPDX-License-Identifier: MIT
#include "sim/hip/runtime.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <limits>
#include <string>
#include <utility>

#include "sim/hip/clock.hpp"
#include "sim/hip/table.hpp"
#include "sim/hip/tell.hpp"

namespace multipass_sim {
namespace {

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
    : devices_(std::move(devices)),
      pools_(devices_.size(), allocations_),
      streams_(geometries(devices_)),
      table_(make_table()) {}

hipError_t Runtime::check_geometry(dim3 grid, dim3 block, std::size_t shared_bytes, std::uint32_t device) const {
  const bool empty = volume(grid) == 0 || volume(block) == 0;
  const bool too_large = block.x > kMaxBlockSize || block.y > kMaxBlockSize || block.z > kMaxBlockSize ||
                         volume(block) > kMaxBlockSize || !fits_32_bits(grid.x, block.x) ||
                         !fits_32_bits(grid.y, block.y) || !fits_32_bits(grid.z, block.z);
  if (empty || too_large) return hipErrorInvalidConfiguration;
  return shared_bytes > devices_[device].lds_bytes ? hipErrorInvalidValue : hipSuccess;
}

hipError_t Runtime::launch(const KernelLaunch& launch, dim3 grid, dim3 block, std::size_t shared_bytes,
                           const StreamPtr& stream) {
  PreparedKernel prepared;
  const hipError_t error = prepare(launch, grid, block, shared_bytes, stream->device, prepared);
  if (error != hipSuccess) return error;
  if (const auto capture = captures_.of(stream.get()); capture != nullptr) {
    GraphNode node;
    node.type = hipGraphNodeTypeKernel;
    node.kernel = std::move(prepared);
    capture->add(stream.get(), std::move(node));
  } else {
    submit(prepared, stream, false);
  }
  return hipSuccess;
}

hipError_t Runtime::prepare(const KernelLaunch& launch, dim3 grid, dim3 block, std::size_t shared_bytes,
                            std::uint32_t device, PreparedKernel& prepared) {
  prepared.arguments = std::shared_ptr<void>(launch.arguments, launch.destroy);
  if (const hipError_t error = check_geometry(grid, block, shared_bytes, device); error != hipSuccess) return error;
  for (const auto& [address, size] : variables_.learn(launch.host_function, device, allocations_))
    hsa_set_attributes(*this, address, size);
  prepared.launch = {launch.invoke, launch.arguments, grid, block, shared_bytes};
  prepared.kernel = &kernels_.of(launch);
  return hipSuccess;
}

void Runtime::submit(const PreparedKernel& prepared, const StreamPtr& stream, bool in_graph) {
  const auto packet = std::make_shared<Packet>();
  const dim3 grid = prepared.launch.blocks;
  const dim3 block = prepared.launch.block;
  packet->home = stream;
  packet->arguments = prepared.arguments;
  packet->launch = prepared.launch;
  packet->device = stream->device;
  packet->queue = stream->queue->handle();
  packet->stream = reinterpret_cast<std::uint64_t>(stream->handle());
  packet->kernel = prepared.kernel;
  packet->grid = {grid.x * block.x, grid.y * block.y, grid.z * block.z};
  packet->workgroup = {block.x, block.y, block.z};
  const auto dynamic_bytes = static_cast<std::uint32_t>(prepared.launch.dynamic_shared_size);
  packet->group_segment_size = packet->kernel->group_segment_size + dynamic_bytes;
  packet->private_segment_size = packet->kernel->private_segment_size;
  packet->packets_in_write = 1;
  packet->is_graph = in_graph ? 1 : 0;
  const SubmitHook hook = submit_hook_.load(std::memory_order_acquire);
  if (hook != nullptr) {
    hook(packet.get());
  } else {
    execute(*packet, nullptr, nullptr);
  }
}

hipError_t Runtime::perform(const StreamPtr& stream, hipGraphNodeType type, std::function<void()> work, bool wait,
                            const std::optional<multipass_sim_copy>& copy) {
  if (wait) {
    if (const hipError_t error = refuse_capture(*stream); error != hipSuccess) return error;
  } else if (const auto capture = captures_.of(stream.get()); capture != nullptr) {
    GraphNode node;
    node.type = type;
    node.work = std::move(work);
    node.copy = copy;
    capture->add(stream.get(), std::move(node));
    return hipSuccess;
  }
  const std::uint64_t command =
      copy ? enqueue_copy(*stream, std::move(work), *copy) : enqueue(*stream, std::move(work));
  if (wait) stream->queue->wait(command);
  return hipSuccess;
}

std::size_t Runtime::free_bytes(std::uint32_t device) const {
  const std::size_t used = allocations_.bytes_in_use(device) + virtual_memory_.bytes_of(device);
  return devices_[device].memory_bytes - std::min(devices_[device].memory_bytes, used);
}

hipError_t Runtime::refuse_capture(const Stream& stream) {
  const auto capture = captures_.of(&stream);
  if (capture == nullptr) return hipSuccess;
  capture->spoil();
  return hipErrorStreamCaptureUnsupported;
}

std::uint64_t Runtime::enqueue(const Stream& stream, std::function<void()> work) {
  return stream.queue->enqueue(std::move(work), streams_.dependencies(stream));
}

std::uint64_t Runtime::enqueue_copy(const Stream& stream, std::function<void()> work, const multipass_sim_copy& copy) {
  const CopyHook hook = copy_hook_.load(std::memory_order_acquire);
  if (hook == nullptr) return enqueue(stream, std::move(work));
  struct Start {
    Runtime& runtime;
    const Stream& stream;
    std::function<void()> work;
    std::uint64_t command = 0;
    std::exception_ptr failure;

    // Behind the copy, on the thread of the queue: its end is told.
    void run(void* token) {
      if (token == nullptr) {
        command = runtime.enqueue(stream, std::move(work));
        return;
      }
      command = runtime.enqueue(stream, [copies = std::move(work), done = runtime.table_.on_copy_done, token] {
        const std::uint64_t begin = boot_time_ns();
        copies();
        done(token, begin, std::max(boot_time_ns(), begin + 1));
      });
    }
  } start{*this, stream, std::move(work), 0, nullptr};
  hook(
      &copy,
      [](void* arg, void* token) noexcept {
        Start& own = *static_cast<Start*>(arg);
        try {
          own.run(token);
        } catch (...) {
          own.failure = std::current_exception();
        }
      },
      &start);
  if (start.failure) std::rethrow_exception(start.failure);
  return start.command;
}

std::uint64_t Runtime::told_call(const multipass_sim_call& call, multipass_sim_call_body body, void* arg) const {
  const CallHook hook = call_hook_.load(std::memory_order_acquire);
  return hook == nullptr ? body(arg) : hook(&call, body, arg);
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
  call_hook_.store(table_.on_call, std::memory_order_release);
  copy_hook_.store(table_.on_copy, std::memory_order_release);
  submit_hook_.store(table_.on_submit, std::memory_order_release);
}

}  // namespace multipass_sim
