// SPDX-License-Identifier: MIT
//
// Virtual memory. Checks and answers are those of clr (hip_vm.cpp of ROCm 7): what it does not check is not refused
// here, but for ranges that were not reserved, and mappings that would overlap.
#include "sim/hip/api.hpp"
#include "sim/hip/tell.hpp"

namespace multipass_sim {
namespace {

using Handle = VirtualMemory::Handle;

Handle number_of(hipMemGenericAllocationHandle_t handle) {
  return reinterpret_cast<Handle>(handle);
}

hipMemGenericAllocationHandle_t memory_handle(Handle number) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): a number in a handle
  return reinterpret_cast<hipMemGenericAllocationHandle_t>(number);
}

bool is_on_device(const hipMemAllocationProp* properties) {
  return properties != nullptr && properties->type == hipMemAllocationTypePinned &&
         properties->location.type == hipMemLocationTypeDevice;
}

hipError_t check_create(Runtime& runtime, std::size_t size, const hipMemAllocationProp* properties) {
  if (size == 0 || !is_on_device(properties)) return hipErrorInvalidValue;
  if (!is_device(runtime, properties->location.id)) return hipErrorInvalidDevice;
  if (properties->requestedHandleType != hipMemHandleTypeNone &&
      properties->requestedHandleType != hipMemHandleTypePosixFileDescriptor) {
    return hipErrorNotSupported;
  }
  if (size > runtime.free_bytes(static_cast<std::uint32_t>(properties->location.id))) return hipErrorOutOfMemory;
  return size % VirtualMemory::kGranularity == 0 ? hipSuccess : hipErrorInvalidValue;
}

// One holder less; with the last the memory goes.
void let_go(Runtime& runtime, Handle handle) {
  if (!runtime.virtual_memory().release(handle)) return;
  hsa_release_handle(runtime, handle, [&] { runtime.virtual_memory().end(handle); });
}

hipError_t unmap(Runtime& runtime, void* address, std::size_t size) {
  const auto range = runtime.virtual_memory().mappings(address, size);
  if (range.empty()) return hipErrorInvalidValue;
  if (Queue::on_worker()) return hipErrorNotSupported;
  if (const auto block = runtime.allocations().find(address)) {
    static_cast<void>(runtime.synchronize_device(block->device));
  }
  for (const auto& [begin, length] : range) {
    Handle handle = 0;
    hsa_unmap(runtime, begin, length, [&, begin = begin] { handle = runtime.virtual_memory().unmap(begin); });
    let_go(runtime, handle);
  }
  return hipSuccess;
}

hipError_t check_locations(const Runtime& runtime, const hipMemAccessDesc* descriptions, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const hipMemLocation& location = descriptions[i].location;
    if (location.type != hipMemLocationTypeDevice || !is_device(runtime, location.id)) return hipErrorInvalidValue;
  }
  return hipSuccess;
}

}  // namespace
}  // namespace multipass_sim

using multipass_sim::as_hsa_call;
using multipass_sim::kHsaInvalidArgument;
using multipass_sim::kHsaSuccess;
using multipass_sim::memory_handle;
using multipass_sim::number_of;
using multipass_sim::Runtime;
using multipass_sim::VirtualMemory;
using multipass_sim::with_runtime;

hipError_t hipMemGetAllocationGranularity(std::size_t* granularity, const hipMemAllocationProp* properties,
                                          hipMemAllocationGranularity_flags option) {
  return with_runtime([&](const Runtime& runtime) {
    const bool known = option == hipMemAllocationGranularityMinimum || option == hipMemAllocationGranularityRecommended;
    if (granularity == nullptr || !known || !multipass_sim::is_on_device(properties) ||
        !multipass_sim::is_device(runtime, properties->location.id)) {
      return hipErrorInvalidValue;
    }
    *granularity = VirtualMemory::kGranularity;
    return hipSuccess;
  });
}

hipError_t hipMemAddressReserve(void** address, std::size_t size, std::size_t alignment, void* wanted,
                                unsigned long long flags) {
  return with_runtime([&](Runtime& runtime) {
    if (address == nullptr || flags != 0) return hipErrorInvalidValue;
    if (size == 0 || size % VirtualMemory::kGranularity != 0 || (alignment & (alignment - 1)) != 0) {
      return hipErrorInvalidValue;
    }
    *address = runtime.virtual_memory().reserve(size, alignment, wanted);
    return *address == nullptr ? hipErrorOutOfMemory : hipSuccess;
  });
}

hipError_t hipMemAddressFree(void* address, std::size_t size) {
  return with_runtime([&](Runtime& runtime) {
    if (address == nullptr || size == 0) return hipErrorInvalidValue;
    return runtime.virtual_memory().free_addresses(address, size);
  });
}

hipError_t hipMemCreate(hipMemGenericAllocationHandle_t* handle, std::size_t size,
                        const hipMemAllocationProp* properties, unsigned long long flags) {
  return with_runtime([&](Runtime& runtime) {
    if (handle == nullptr || flags != 0) return hipErrorInvalidValue;
    const hipError_t error = multipass_sim::check_create(runtime, size, properties);
    if (error != hipSuccess) return error;
    const auto made = multipass_sim::hsa_create_handle(
        runtime, properties->location.id, size, [&] { return runtime.virtual_memory().create(size, *properties); });
    if (made == 0) return hipErrorOutOfMemory;
    *handle = memory_handle(made);
    return hipSuccess;
  });
}

hipError_t hipMemRelease(hipMemGenericAllocationHandle_t handle) {
  return with_runtime([&](Runtime& runtime) {
    if (runtime.virtual_memory().size_of(number_of(handle)) == 0) return hipErrorInvalidValue;
    multipass_sim::let_go(runtime, number_of(handle));
    return hipSuccess;
  });
}

hipError_t hipMemRetainAllocationHandle(hipMemGenericAllocationHandle_t* handle, void* address) {
  return with_runtime([&](Runtime& runtime) {
    if (handle == nullptr || address == nullptr) return hipErrorInvalidValue;
    const auto found = runtime.virtual_memory().handle_at(address);
    if (!runtime.virtual_memory().retain(found)) return hipErrorInvalidValue;
    *handle = memory_handle(found);
    return hipSuccess;
  });
}

hipError_t hipMemGetAllocationPropertiesFromHandle(hipMemAllocationProp* properties,
                                                   hipMemGenericAllocationHandle_t handle) {
  return with_runtime([&](Runtime& runtime) {
    const auto found = runtime.virtual_memory().properties(number_of(handle));
    if (properties == nullptr || !found) return hipErrorInvalidValue;
    *properties = *found;
    return hipSuccess;
  });
}

hipError_t hipMemMap(void* address, std::size_t size, std::size_t offset, hipMemGenericAllocationHandle_t handle,
                     unsigned long long flags) {
  return with_runtime([&](Runtime& runtime) {
    if (address == nullptr || handle == nullptr || size == 0 || offset != 0 || flags != 0) return hipErrorInvalidValue;
    const auto number = number_of(handle);
    const bool mapped = multipass_sim::hsa_map(runtime, address, size, number,
                                               [&] { return runtime.virtual_memory().map(address, size, number); });
    return mapped ? hipSuccess : hipErrorInvalidValue;
  });
}

hipError_t hipMemUnmap(void* address, std::size_t size) {
  return with_runtime([&](Runtime& runtime) {
    if (address == nullptr || size == 0) return hipErrorInvalidValue;
    return multipass_sim::unmap(runtime, address, size);
  });
}

hipError_t hipMemSetAccess(void* address, std::size_t size, const hipMemAccessDesc* descriptions, std::size_t count) {
  return with_runtime([&](Runtime& runtime) {
    if (address == nullptr || size == 0 || descriptions == nullptr || count == 0) return hipErrorInvalidValue;
    const hipError_t error = multipass_sim::check_locations(runtime, descriptions, count);
    return error != hipSuccess ? error : runtime.virtual_memory().set_access(address, size, descriptions, count);
  });
}

hipError_t hipMemGetAccess(unsigned long long* flags, const hipMemLocation* location, void* address) {
  return with_runtime([&](Runtime& runtime) {
    if (flags == nullptr || location == nullptr || address == nullptr || location->type != hipMemLocationTypeDevice ||
        !multipass_sim::is_device(runtime, location->id)) {
      return hipErrorInvalidValue;
    }
    const auto found = runtime.virtual_memory().access(address, location->id);
    if (!found) return hipErrorInvalidValue;
    *flags = static_cast<unsigned long long>(*found);
    return hipSuccess;
  });
}

hipError_t hipMemExportToShareableHandle(void* shareable, hipMemGenericAllocationHandle_t handle,
                                         hipMemAllocationHandleType type, unsigned long long flags) {
  return with_runtime([&](Runtime& runtime) {
    if (flags != 0 || handle == nullptr || shareable == nullptr) return hipErrorInvalidValue;
    const auto properties = runtime.virtual_memory().properties(number_of(handle));
    if (!properties || type == hipMemHandleTypeNone || properties->requestedHandleType != type) {
      return hipErrorInvalidValue;
    }
    int descriptor = -1;
    const multipass_hsa_amd_vmem_export_shareable_handle_args args{&descriptor, number_of(handle), 0};
    const auto status = as_hsa_call(runtime, "hsa_amd_vmem_export_shareable_handle", args, [&] {
      descriptor = runtime.virtual_memory().share(number_of(handle));
      return descriptor < 0 ? kHsaInvalidArgument : kHsaSuccess;
    });
    if (status != kHsaSuccess) return hipErrorInvalidValue;
    *static_cast<int*>(shareable) = descriptor;
    return hipSuccess;
  });
}

hipError_t hipMemImportFromShareableHandle(hipMemGenericAllocationHandle_t* handle, void* shareable,
                                           hipMemAllocationHandleType type) {
  return with_runtime([&](Runtime& runtime) {
    if (handle == nullptr || shareable == nullptr || type != hipMemHandleTypePosixFileDescriptor) {
      return hipErrorInvalidValue;
    }
    const int descriptor = static_cast<int>(reinterpret_cast<std::intptr_t>(shareable));
    std::uint64_t made = 0;
    const multipass_hsa_amd_vmem_import_shareable_handle_args args{descriptor, &made};
    as_hsa_call(runtime, "hsa_amd_vmem_import_shareable_handle", args, [&] {
      made = runtime.virtual_memory().import(descriptor, multipass_sim::current_device());
      return made == 0 ? kHsaInvalidArgument : kHsaSuccess;
    });
    if (made == 0) return hipErrorInvalidValue;
    *handle = memory_handle(made);
    return hipSuccess;
  });
}
