// SPDX-License-Identifier: MIT
//
// Allocation, and what is asked about pointers.
#include "sim/hip/api.hpp"
#include "sim/hip/memory_checks.hpp"
#include "sim/hip/tell.hpp"

namespace multipass_sim {
namespace {

constexpr std::size_t kPitchStep = 256;  // bytes
constexpr unsigned kHostMallocFlags = hipHostMallocPortable | hipHostMallocMapped | hipHostMallocWriteCombined |
                                      hipHostMallocNumaUser | hipHostMallocCoherent | hipHostMallocNonCoherent;
constexpr unsigned kHostRegisterFlags = hipHostRegisterPortable | hipHostRegisterMapped | hipHostRegisterIoMemory;

hipError_t allocate(void** pointer, std::size_t size, multipass_sim_memory_kind kind, unsigned flags) {
  return with_runtime([&](Runtime& runtime) {
    if (pointer == nullptr) return hipErrorInvalidValue;
    *pointer = nullptr;
    if (size == 0) return hipSuccess;
    const std::uint32_t device = current_device();
    const bool on_device = kind == MULTIPASS_SIM_MEMORY_DEVICE || kind == MULTIPASS_SIM_MEMORY_FINE;
    if (on_device && size > runtime.free_bytes(device)) return hipErrorOutOfMemory;
    *pointer = allocate_told(runtime, device, size, kind, flags);
    return *pointer == nullptr ? hipErrorOutOfMemory : hipSuccess;
  });
}

hipError_t allocate_host(void** pointer, std::size_t size, unsigned flags) {
  if ((flags & ~kHostMallocFlags) != 0) return note(hipErrorInvalidValue);
  return allocate(pointer, size, MULTIPASS_SIM_MEMORY_HOST, flags);
}

hipError_t told_host_allocation(const char* function, void** pointer, std::size_t size, unsigned flags) {
  return as_told_call(function, multipass_hip_malloc_with_flags_args{pointer, size, flags},
                      [&] { return allocate_host(pointer, size, flags); });
}

hipError_t told_host_allocation(const char* function, void** pointer, std::size_t size) {
  return as_told_call(function, multipass_hip_malloc_host_args{pointer, size},
                      [&] { return allocate_host(pointer, size, hipHostMallocDefault); });
}

// Frees memory had from the runtime, host memory or other, after all work of its device.
hipError_t release(void* pointer, bool host) {
  return with_runtime([&](Runtime& runtime) {
    if (pointer == nullptr) return hipSuccess;
    if (Queue::on_worker()) return hipErrorNotSupported;
    const auto block = runtime.allocations().find(pointer);
    if (!block || block->allocation.address != pointer || !block->owned) return hipErrorInvalidValue;
    if ((block->allocation.kind == MULTIPASS_SIM_MEMORY_HOST) != host) return hipErrorInvalidValue;
    static_cast<void>(runtime.synchronize_device(block->device));
    return free_or_keep(runtime, *block) ? hipSuccess : hipErrorInvalidValue;
  });
}

hipError_t told_host_release(const char* function, void* pointer) {
  return as_told_call(function, multipass_hip_free_args{pointer}, [&] { return release(pointer, true); });
}

// Runs `body` with the block that holds the pointer; answers `otherwise` when none does.
template <class Body>
hipError_t with_block(const void* pointer, hipError_t otherwise, Body&& body) {
  return with_runtime([&](Runtime& runtime) {
    const auto block = runtime.allocations().find(pointer);
    return block ? body(*block) : otherwise;
  });
}

hipMemoryType type_of(int kind) {
  switch (kind) {
    case MULTIPASS_SIM_MEMORY_HOST:
      return hipMemoryTypeHost;
    case MULTIPASS_SIM_MEMORY_MANAGED:
      return hipMemoryTypeManaged;
    default:
      return hipMemoryTypeDevice;
  }
}

// Managed memory and a device, or the CPU, for the two functions that advise.
hipError_t check_advice(const Runtime& runtime, const Allocations& allocations, const void* pointer, std::size_t size,
                        int device) {
  if (pointer == nullptr || size == 0) return hipErrorInvalidValue;
  if (device != hipCpuDeviceId && !is_device(runtime, device)) return hipErrorInvalidDevice;
  const auto block = allocations.find(pointer);
  const bool managed = block && block->allocation.kind == MULTIPASS_SIM_MEMORY_MANAGED;
  return managed && place_of(allocations, pointer, size) == Place::kOurs ? hipSuccess : hipErrorInvalidValue;
}

}  // namespace

hipError_t register_variable(void* address, std::size_t size) noexcept {
  return with_runtime([&](Runtime& runtime) {
    runtime.allocations().add_variable(current_device(), address, size);
    return hipSuccess;
  });
}

}  // namespace multipass_sim

using multipass_sim::as_told_call;
using multipass_sim::Runtime;
using multipass_sim::StreamPtr;
using multipass_sim::with_block;
using multipass_sim::with_runtime;

hipError_t hipMalloc(void** pointer, std::size_t size) {
  return multipass_sim::allocate(pointer, size, MULTIPASS_SIM_MEMORY_DEVICE, 0);
}

hipError_t hipMallocPitch(void** pointer, std::size_t* pitch, std::size_t width, std::size_t height) {
  constexpr std::size_t kStep = multipass_sim::kPitchStep;
  if (pointer == nullptr || pitch == nullptr) return multipass_sim::note(hipErrorInvalidValue);
  *pointer = nullptr;
  if (width > SIZE_MAX - kStep) return multipass_sim::note(hipErrorInvalidValue);
  *pitch = (width + kStep - 1) / kStep * kStep;
  if (height != 0 && *pitch > SIZE_MAX / height) return multipass_sim::note(hipErrorOutOfMemory);
  return hipMalloc(pointer, *pitch * height);
}

hipError_t hipExtMallocWithFlags(void** pointer, std::size_t size, unsigned flags) {
  return as_told_call("hipExtMallocWithFlags", multipass_hip_malloc_with_flags_args{pointer, size, flags}, [&] {
    if (flags == hipDeviceMallocDefault) return hipMalloc(pointer, size);
    if (flags != hipDeviceMallocFinegrained) return multipass_sim::note(hipErrorInvalidValue);
    return multipass_sim::allocate(pointer, size, MULTIPASS_SIM_MEMORY_FINE, flags);
  });
}

hipError_t hipHostMalloc(void** pointer, std::size_t size, unsigned flags) {
  return multipass_sim::told_host_allocation("hipHostMalloc", pointer, size, flags);
}

hipError_t hipHostAlloc(void** pointer, std::size_t size, unsigned flags) {
  return multipass_sim::told_host_allocation("hipHostAlloc", pointer, size, flags);
}

hipError_t hipMallocHost(void** pointer, std::size_t size) {
  return multipass_sim::told_host_allocation("hipMallocHost", pointer, size);
}

hipError_t hipMemAllocHost(void** pointer, std::size_t size) {
  return multipass_sim::told_host_allocation("hipMemAllocHost", pointer, size);
}

hipError_t hipMallocManaged(void** pointer, std::size_t size, unsigned flags) {
  return as_told_call("hipMallocManaged", multipass_hip_malloc_with_flags_args{pointer, size, flags}, [&] {
    if (flags != hipMemAttachGlobal && flags != hipMemAttachHost) return multipass_sim::note(hipErrorInvalidValue);
    return multipass_sim::allocate(pointer, size, MULTIPASS_SIM_MEMORY_MANAGED, flags);
  });
}

hipError_t hipFree(void* pointer) {
  return as_told_call("hipFree", multipass_hip_free_args{pointer},
                      [&] { return multipass_sim::release(pointer, false); });
}

hipError_t hipHostFree(void* pointer) {
  return multipass_sim::told_host_release("hipHostFree", pointer);
}

hipError_t hipFreeHost(void* pointer) {
  return multipass_sim::told_host_release("hipFreeHost", pointer);
}

hipError_t hipHostRegister(void* pointer, std::size_t size, unsigned flags) {
  return as_told_call("hipHostRegister", multipass_hip_host_register_args{pointer, size, flags}, [&] {
    return with_runtime([&](Runtime& runtime) {
      if (pointer == nullptr || size == 0 || (flags & ~multipass_sim::kHostRegisterFlags) != 0) {
        return hipErrorInvalidValue;
      }
      const bool fresh = runtime.allocations().register_host(multipass_sim::current_device(), pointer, size, flags);
      return fresh ? hipSuccess : hipErrorHostMemoryAlreadyRegistered;
    });
  });
}

hipError_t hipHostUnregister(void* pointer) {
  return as_told_call("hipHostUnregister", multipass_hip_free_args{pointer}, [&] {
    return with_runtime([&](Runtime& runtime) {
      if (pointer == nullptr) return hipErrorInvalidValue;
      return runtime.allocations().unregister_host(pointer) ? hipSuccess : hipErrorHostMemoryNotRegistered;
    });
  });
}

hipError_t hipHostGetDevicePointer(void** device, void* host, unsigned flags) {
  if (device == nullptr || flags != 0) return multipass_sim::note(hipErrorInvalidValue);
  *device = nullptr;
  return with_block(host, hipErrorInvalidValue, [&](const auto& block) {
    if (block.allocation.kind != MULTIPASS_SIM_MEMORY_HOST) return hipErrorInvalidValue;
    *device = host;
    return hipSuccess;
  });
}

hipError_t hipHostGetFlags(unsigned* flags, void* host) {
  if (flags == nullptr) return multipass_sim::note(hipErrorInvalidValue);
  return with_block(host, hipErrorInvalidValue, [&](const auto& block) {
    if (block.allocation.kind != MULTIPASS_SIM_MEMORY_HOST) return hipErrorInvalidValue;
    *flags = block.flags;
    return hipSuccess;
  });
}

hipError_t hipMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes) {
  return with_runtime([&](Runtime& runtime) {
    if (free_bytes == nullptr || total_bytes == nullptr) return hipErrorInvalidValue;
    const std::uint32_t device = multipass_sim::current_device();
    *total_bytes = runtime.devices()[device].memory_bytes;
    *free_bytes = runtime.free_bytes(device);
    return hipSuccess;
  });
}

hipError_t hipPointerGetAttributes(hipPointerAttribute_t* attributes, const void* pointer) {
  if (attributes == nullptr) return multipass_sim::note(hipErrorInvalidValue);
  *attributes = {};
  return with_block(pointer, hipErrorInvalidValue, [&](const auto& block) {
    void* const address = const_cast<void*>(pointer);
    attributes->type = multipass_sim::type_of(block.allocation.kind);
    attributes->device = static_cast<int>(block.device);
    attributes->devicePointer = address;
    attributes->hostPointer = attributes->type == hipMemoryTypeDevice ? nullptr : address;
    attributes->isManaged = attributes->type == hipMemoryTypeManaged ? 1 : 0;
    attributes->allocationFlags = block.flags;
    return hipSuccess;
  });
}

hipError_t hipMemGetAddressRange(hipDeviceptr_t* base, std::size_t* size, hipDeviceptr_t pointer) {
  return with_block(pointer, hipErrorInvalidDevicePointer, [&](const auto& block) {
    if (base != nullptr) *base = block.allocation.address;
    if (size != nullptr) *size = block.allocation.size;
    return hipSuccess;
  });
}

hipError_t hipMemPrefetchAsync(const void* pointer, std::size_t size, int device, hipStream_t stream) {
  return multipass_sim::with_stream(stream, [&](Runtime& runtime, const StreamPtr&) {
    return multipass_sim::check_advice(runtime, runtime.allocations(), pointer, size, device);
  });
}

hipError_t hipMemAdvise(const void* pointer, std::size_t size, hipMemoryAdvise advice, int device) {
  return with_runtime([&](Runtime& runtime) {
    const bool known = (advice >= hipMemAdviseSetReadMostly && advice <= hipMemAdviseUnsetAccessedBy) ||
                       advice == hipMemAdviseSetCoarseGrain || advice == hipMemAdviseUnsetCoarseGrain;
    if (!known) return hipErrorInvalidValue;
    return multipass_sim::check_advice(runtime, runtime.allocations(), pointer, size, device);
  });
}
