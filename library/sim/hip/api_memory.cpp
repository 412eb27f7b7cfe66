// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstring>

#include "sim/hip/api.hpp"

namespace multipass_sim {
namespace {

// Where `size` bytes from an address are: in none of our blocks, inside one, or beyond the end of one.
enum class Place { kHost, kOurs, kOverrun };

Place place_of(Runtime& runtime, const void* address, std::size_t size) {
  const auto block = runtime.allocations().find(address);
  if (!block) return Place::kHost;
  const auto begin = reinterpret_cast<std::uintptr_t>(block->allocation.address);
  const std::size_t offset = reinterpret_cast<std::uintptr_t>(address) - begin;
  return size <= block->allocation.size - offset ? Place::kOurs : Place::kOverrun;
}

hipError_t check_copy(Runtime& runtime, const void* to, const void* from, std::size_t size, hipMemcpyKind kind) {
  if (kind < hipMemcpyHostToHost || kind > hipMemcpyDefault) return hipErrorInvalidMemcpyDirection;
  if (to == nullptr || from == nullptr) return hipErrorInvalidValue;
  const Place destination = place_of(runtime, to, size);
  const Place source = place_of(runtime, from, size);
  if (destination == Place::kOverrun || source == Place::kOverrun) return hipErrorInvalidValue;
  const bool to_device = kind == hipMemcpyHostToDevice || kind == hipMemcpyDeviceToDevice;
  const bool from_device = kind == hipMemcpyDeviceToHost || kind == hipMemcpyDeviceToDevice;
  const bool wrong_side = (to_device && destination == Place::kHost) || (from_device && source == Place::kHost);
  return wrong_side ? hipErrorInvalidValue : hipSuccess;
}

hipError_t copy(void* to, const void* from, std::size_t size, hipMemcpyKind kind, hipStream_t stream, bool wait) {
  return with_stream(stream, [&](Runtime& runtime, const StreamPtr& on) {
    if (size == 0) return hipSuccess;
    if (const hipError_t error = check_copy(runtime, to, from, size, kind); error != hipSuccess) return error;
    const std::uint64_t command = runtime.enqueue(*on, [=] { std::memmove(to, from, size); });
    if (wait) on->queue->wait(command);
    return hipSuccess;
  });
}

hipError_t fill(void* to, int value, std::size_t size, hipStream_t stream, bool wait) {
  return with_stream(stream, [&](Runtime& runtime, const StreamPtr& on) {
    if (size == 0) return hipSuccess;
    if (place_of(runtime, to, size) != Place::kOurs) return hipErrorInvalidValue;
    const std::uint64_t command = runtime.enqueue(*on, [=] { std::memset(to, value, size); });
    if (wait) on->queue->wait(command);
    return hipSuccess;
  });
}

hipError_t allocate(void** pointer, std::size_t size, multipass_sim_memory_kind kind) {
  return with_runtime([&](Runtime& runtime) {
    if (pointer == nullptr) return hipErrorInvalidValue;
    *pointer = nullptr;
    if (size == 0) return hipSuccess;
    const std::uint32_t device = current_device();
    const bool on_device = kind == MULTIPASS_SIM_MEMORY_DEVICE;
    if (on_device && size > runtime.devices()[device].memory_bytes) return hipErrorOutOfMemory;
    *pointer = runtime.allocations().allocate(device, size, kind);
    return *pointer == nullptr ? hipErrorOutOfMemory : hipSuccess;
  });
}

// Frees memory of the kinds for which `accepts` is true, after all work of its device.
template <class Accepts>
hipError_t release(void* pointer, Accepts accepts) {
  return with_runtime([&](Runtime& runtime) {
    if (pointer == nullptr) return hipSuccess;
    if (Queue::on_worker()) return hipErrorNotSupported;
    const auto block = runtime.allocations().find(pointer);
    if (!block || block->allocation.address != pointer || !accepts(block->allocation.kind)) return hipErrorInvalidValue;
    static_cast<void>(runtime.synchronize_device(block->device));
    return runtime.allocations().free(pointer) ? hipSuccess : hipErrorInvalidValue;
  });
}

}  // namespace

hipError_t register_variable(void* address, std::size_t size) noexcept {
  return with_runtime([&](Runtime& runtime) {
    runtime.allocations().add_variable(current_device(), address, size);
    return hipSuccess;
  });
}

hipError_t copy_symbol(void* symbol, std::size_t symbol_size, void* host, std::size_t size, std::size_t offset,
                       bool to_symbol) noexcept {
  if (const hipError_t error = register_variable(symbol, symbol_size); error != hipSuccess) return error;
  if (offset > symbol_size || size > symbol_size - offset) return note(hipErrorInvalidValue);
  char* const device = static_cast<char*>(symbol) + offset;
  return to_symbol ? copy(device, host, size, hipMemcpyHostToDevice, nullptr, true)
                   : copy(host, device, size, hipMemcpyDeviceToHost, nullptr, true);
}

}  // namespace multipass_sim

hipError_t hipMalloc(void** pointer, std::size_t size) {
  return multipass_sim::allocate(pointer, size, MULTIPASS_SIM_MEMORY_DEVICE);
}

hipError_t hipHostMalloc(void** pointer, std::size_t size, unsigned /*flags*/) {
  return multipass_sim::allocate(pointer, size, MULTIPASS_SIM_MEMORY_HOST);
}

hipError_t hipMallocManaged(void** pointer, std::size_t size, unsigned flags) {
  if (flags != hipMemAttachGlobal && flags != hipMemAttachHost) return multipass_sim::note(hipErrorInvalidValue);
  return multipass_sim::allocate(pointer, size, MULTIPASS_SIM_MEMORY_MANAGED);
}

hipError_t hipFree(void* pointer) {
  return multipass_sim::release(
      pointer, [](int kind) { return kind == MULTIPASS_SIM_MEMORY_DEVICE || kind == MULTIPASS_SIM_MEMORY_MANAGED; });
}

hipError_t hipHostFree(void* pointer) {
  return multipass_sim::release(pointer, [](int kind) { return kind == MULTIPASS_SIM_MEMORY_HOST; });
}

hipError_t hipMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes) {
  return multipass_sim::with_runtime([&](multipass_sim::Runtime& runtime) {
    if (free_bytes == nullptr || total_bytes == nullptr) return hipErrorInvalidValue;
    const std::uint32_t device = multipass_sim::current_device();
    *total_bytes = runtime.devices()[device].memory_bytes;
    *free_bytes = *total_bytes - std::min(*total_bytes, runtime.allocations().bytes_in_use(device));
    return hipSuccess;
  });
}

hipError_t hipMemcpy(void* destination, const void* source, std::size_t size, hipMemcpyKind kind) {
  return multipass_sim::copy(destination, source, size, kind, nullptr, true);
}

hipError_t hipMemcpyAsync(void* destination, const void* source, std::size_t size, hipMemcpyKind kind,
                          hipStream_t stream) {
  return multipass_sim::copy(destination, source, size, kind, stream, false);
}

hipError_t hipMemset(void* destination, int value, std::size_t size) {
  return multipass_sim::fill(destination, value, size, nullptr, true);
}

hipError_t hipMemsetAsync(void* destination, int value, std::size_t size, hipStream_t stream) {
  return multipass_sim::fill(destination, value, size, stream, false);
}
