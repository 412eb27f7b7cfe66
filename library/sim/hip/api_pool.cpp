// SPDX-License-Identifier: MIT
//
// Memory in stream order, and memory pools.
#include "sim/hip/api.hpp"

namespace multipass_sim {
namespace {

hipError_t allocate_from(void** pointer, std::size_t size, hipMemPool_t pool, hipStream_t stream) {
  return with_stream(stream, [&](Runtime& runtime, const StreamPtr& on) {
    if (pointer == nullptr) return hipErrorInvalidValue;
    *pointer = nullptr;
    if (const hipError_t error = runtime.refuse_capture(*on); error != hipSuccess) return error;
    const hipMemPool_t from = pool == nullptr ? runtime.pools().current_of(on->device) : pool;
    if (!runtime.pools().is_known(from)) return hipErrorInvalidValue;
    if (size == 0) return hipSuccess;
    *pointer = runtime.pools().allocate(from, size, runtime.devices()[on->device].memory_bytes);
    return *pointer == nullptr ? hipErrorOutOfMemory : hipSuccess;
  });
}

template <class Body>
hipError_t with_device(int device, Body&& body) {
  return with_runtime([&](Runtime& runtime) {
    return is_device(runtime, device) ? body(runtime, static_cast<std::uint32_t>(device)) : hipErrorInvalidDevice;
  });
}

}  // namespace
}  // namespace multipass_sim

using multipass_sim::Runtime;
using multipass_sim::StreamPtr;
using multipass_sim::with_device;
using multipass_sim::with_runtime;

hipError_t hipMallocAsync(void** pointer, std::size_t size, hipStream_t stream) {
  return multipass_sim::allocate_from(pointer, size, nullptr, stream);
}

hipError_t hipMallocFromPoolAsync(void** pointer, std::size_t size, hipMemPool_t pool, hipStream_t stream) {
  if (pool == nullptr) return multipass_sim::note(hipErrorInvalidValue);
  return multipass_sim::allocate_from(pointer, size, pool, stream);
}

hipError_t hipFreeAsync(void* pointer, hipStream_t stream) {
  return multipass_sim::with_stream(stream, [&](Runtime& runtime, const StreamPtr& on) {
    if (pointer == nullptr) return hipErrorInvalidValue;
    if (const hipError_t error = runtime.refuse_capture(*on); error != hipSuccess) return error;
    const auto block = runtime.allocations().find(pointer);
    if (!block || block->allocation.address != pointer || !block->owned ||
        block->allocation.kind == MULTIPASS_SIM_MEMORY_HOST) {
      return hipErrorInvalidValue;
    }
    runtime.enqueue(*on, [&runtime, pointer] { static_cast<void>(runtime.allocations().free(pointer)); });
    return hipSuccess;
  });
}

hipError_t hipDeviceGetDefaultMemPool(hipMemPool_t* pool, int device) {
  return with_device(device, [&](Runtime& runtime, std::uint32_t found) {
    if (pool == nullptr) return hipErrorInvalidValue;
    *pool = runtime.pools().default_of(found);
    return hipSuccess;
  });
}

hipError_t hipDeviceGetMemPool(hipMemPool_t* pool, int device) {
  return with_device(device, [&](Runtime& runtime, std::uint32_t found) {
    if (pool == nullptr) return hipErrorInvalidValue;
    *pool = runtime.pools().current_of(found);
    return hipSuccess;
  });
}

hipError_t hipDeviceSetMemPool(int device, hipMemPool_t pool) {
  return with_device(device, [&](Runtime& runtime, std::uint32_t found) {
    return runtime.pools().set_current(found, pool) ? hipSuccess : hipErrorInvalidValue;
  });
}

hipError_t hipMemPoolCreate(hipMemPool_t* pool, const hipMemPoolProps* properties) {
  return with_runtime([&](Runtime& runtime) {
    if (pool == nullptr || properties == nullptr || properties->allocType != hipMemAllocationTypePinned ||
        properties->handleTypes != hipMemHandleTypeNone || properties->location.type != hipMemLocationTypeDevice ||
        !multipass_sim::is_device(runtime, properties->location.id)) {
      return hipErrorInvalidValue;
    }
    *pool = runtime.pools().create(static_cast<std::uint32_t>(properties->location.id));
    return hipSuccess;
  });
}

hipError_t hipMemPoolDestroy(hipMemPool_t pool) {
  return with_runtime(
      [&](Runtime& runtime) { return runtime.pools().destroy(pool) ? hipSuccess : hipErrorInvalidValue; });
}

hipError_t hipMemPoolTrimTo(hipMemPool_t pool, std::size_t /*bytes_to_keep*/) {
  return with_runtime(
      [&](Runtime& runtime) { return runtime.pools().is_known(pool) ? hipSuccess : hipErrorInvalidValue; });
}

hipError_t hipMemPoolGetAttribute(hipMemPool_t pool, hipMemPoolAttr attribute, void* value) {
  return with_runtime([&](Runtime& runtime) { return runtime.pools().get(pool, attribute, value); });
}

hipError_t hipMemPoolSetAttribute(hipMemPool_t pool, hipMemPoolAttr attribute, void* value) {
  return with_runtime([&](Runtime& runtime) { return runtime.pools().set(pool, attribute, value); });
}
