// SPDX-License-Identifier: MIT
//
// Memory in stream order, and memory pools.
#include "sim/hip/api.hpp"
#include "sim/hip/tell.hpp"

namespace multipass_sim {
namespace {

struct FreeAsyncArgs {
  multipass_hip_free_args memory;
  hipStream_t stream;
};

hipError_t allocate_from(void** pointer, std::size_t size, hipMemPool_t pool, hipStream_t stream) {
  return with_stream(stream, [&](Runtime& runtime, const StreamPtr& on) {
    if (pointer == nullptr) return hipErrorInvalidValue;
    *pointer = nullptr;
    if (const hipError_t error = runtime.refuse_capture(*on); error != hipSuccess) return error;
    const hipMemPool_t from = pool == nullptr ? runtime.pools().current_of(on->device) : pool;
    const auto device = runtime.pools().device_of(from);
    if (!device) return hipErrorInvalidValue;
    if (size == 0) return hipSuccess;
    const auto number = reinterpret_cast<std::uint64_t>(from);
    *pointer = runtime.allocations().take_kept(number, size);
    if (*pointer == nullptr) {
      if (size > runtime.free_bytes(*device)) return hipErrorOutOfMemory;
      *pointer = allocate_told(runtime, *device, size, MULTIPASS_SIM_MEMORY_POOL, 0, number);
    }
    runtime.pools().note_use(from);
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

using multipass_sim::as_told_call;
using multipass_sim::Runtime;
using multipass_sim::StreamPtr;
using multipass_sim::with_device;
using multipass_sim::with_runtime;

hipError_t hipMallocAsync(void** pointer, std::size_t size, hipStream_t stream) {
  return as_told_call("hipMallocAsync", multipass_hip_malloc_async_args{pointer, size, stream},
                      [&] { return multipass_sim::allocate_from(pointer, size, nullptr, stream); });
}

hipError_t hipMallocFromPoolAsync(void** pointer, std::size_t size, hipMemPool_t pool, hipStream_t stream) {
  const multipass_hip_malloc_from_pool_async_args args{pointer, size, pool, stream};
  return as_told_call("hipMallocFromPoolAsync", args, [&] {
    if (pool == nullptr) return multipass_sim::note(hipErrorInvalidValue);
    return multipass_sim::allocate_from(pointer, size, pool, stream);
  });
}

hipError_t hipFreeAsync(void* pointer, hipStream_t stream) {
  return as_told_call("hipFreeAsync", multipass_sim::FreeAsyncArgs{{pointer}, stream}, [&] {
    return multipass_sim::with_stream(stream, [&](Runtime& runtime, const StreamPtr& on) {
      if (pointer == nullptr) return hipErrorInvalidValue;
      if (const hipError_t error = runtime.refuse_capture(*on); error != hipSuccess) return error;
      const auto block = runtime.allocations().find(pointer);
      if (!block || block->allocation.address != pointer || !block->owned ||
          block->allocation.kind == MULTIPASS_SIM_MEMORY_HOST) {
        return hipErrorInvalidValue;
      }
      runtime.enqueue(*on,
                      [&runtime, block = *block] { static_cast<void>(multipass_sim::free_or_keep(runtime, block)); });
      return hipSuccess;
    });
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
  return with_runtime([&](Runtime& runtime) {
    if (!runtime.pools().destroy(pool)) return hipErrorInvalidValue;
    multipass_sim::trim_pool(runtime, reinterpret_cast<std::uint64_t>(pool), 0);
    return hipSuccess;
  });
}

hipError_t hipMemPoolTrimTo(hipMemPool_t pool, std::size_t bytes_to_keep) {
  return with_runtime([&](Runtime& runtime) {
    if (!runtime.pools().is_known(pool)) return hipErrorInvalidValue;
    multipass_sim::trim_pool(runtime, reinterpret_cast<std::uint64_t>(pool), bytes_to_keep);
    return hipSuccess;
  });
}

hipError_t hipMemPoolGetAttribute(hipMemPool_t pool, hipMemPoolAttr attribute, void* value) {
  return with_runtime([&](Runtime& runtime) { return runtime.pools().get(pool, attribute, value); });
}

hipError_t hipMemPoolSetAttribute(hipMemPool_t pool, hipMemPoolAttr attribute, void* value) {
  return with_runtime([&](Runtime& runtime) { return runtime.pools().set(pool, attribute, value); });
}
