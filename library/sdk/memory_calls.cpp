// SPDX-License-Identifier: MIT
//
// The part of MemoryCallbacks for calls of HSA and HIP: what each that has succeeded says of memory.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <span>

#include "sdk/abi/api_calls.hpp"
#include "sdk/memory_callbacks.hpp"

namespace multipass::sdk {
namespace {

// The largest parameter lists of HSA and HIP are below 200 bytes: a payload of another order is none.
constexpr std::uint64_t kApiPayloadAtMost = 4096;

// hipExtMallocWithFlags: hipDeviceMallocFinegrained, hipDeviceMallocUncached (hip/hip_runtime_api.h, HIP 5 and later).
constexpr unsigned kFineGrainedFlag = 1;
constexpr unsigned kUncachedFlag = 3;
// HSA_AMD_SVM_ATTRIB_AGENT_NO_ACCESS (hsa/hsa_ext_amd.h, HSA 1.5 and later).
constexpr std::uint64_t kNoAccess = 0x202;

// Of a call's payload, which is `size`, parameters, result. `parameters`: bytes of those that are read.
struct ApiPayload {
  const std::byte* at = nullptr;
  std::uint64_t size = 0;

  explicit ApiPayload(const void* payload) noexcept : at(static_cast<const std::byte*>(payload)) {
    if (at != nullptr) std::memcpy(&size, at, sizeof(size));
  }
  [[nodiscard]] bool is_plausible(std::uint64_t parameters, std::uint64_t result) const noexcept {
    return at != nullptr && size % alignof(std::uint64_t) == 0 && size <= kApiPayloadAtMost &&
           size >= MULTIPASS_API_ARGS_OFFSET + parameters + result;
  }
  [[nodiscard]] const void* args() const noexcept { return at + MULTIPASS_API_ARGS_OFFSET; }
  // Both have a type of four bytes for it, in which 0 is success.
  [[nodiscard]] bool has_succeeded(std::uint64_t result) const noexcept {
    std::uint32_t status = 0;
    std::memcpy(&status, at + (size - result), sizeof(status));
    return status == 0;
  }
};

template <class Args>
const Args& as(const void* args) noexcept {
  return *static_cast<const Args*>(args);
}

// Of each call, by its number, in `names`: where its followed parameters end (api_calls.hpp).
template <std::size_t N>
constexpr std::array<std::uint64_t, N> ends_of(const std::array<const char*, N>& names) noexcept {
  std::array<std::uint64_t, N> ends{};
  for (std::size_t i = 0; i < N; ++i)
    for (const ApiParameter& parameter : find_api_call(names[i])->parameters)
      ends[i] = std::max(ends[i], end_of(parameter));
  return ends;
}
constexpr auto kHsaEnds = ends_of(kHsaCallNames);
constexpr auto kHipEnds = ends_of(kHipCallNames);

std::uint64_t parameters_of(HsaCall call) noexcept {
  return kHsaEnds[static_cast<std::size_t>(call)];
}
std::uint64_t parameters_of(HipCall call) noexcept {
  return kHipEnds[static_cast<std::size_t>(call)];
}

// The list takes access away and gives none: no GPU gets at the memory by this call. Pairs of attribute and value.
bool gives_no_access(const multipass_hsa_amd_svm_attributes_set_args& args) noexcept {
  if (args.attribute_list == nullptr || args.attribute_count == 0) return false;
  const std::span pairs(static_cast<const std::uint64_t*>(args.attribute_list), 2 * args.attribute_count);
  for (std::size_t i = 0; i < pairs.size(); i += 2)
    if (pairs[i] != kNoAccess) return false;
  return true;
}

std::uint64_t number(const void* address) noexcept {
  return reinterpret_cast<std::uintptr_t>(address);
}

}  // namespace

template <class Kind>
void MemoryCallbacks::on_call(const Kind& kind, std::uint64_t result,
                              const rocprofiler_callback_tracing_record_t& record,
                              rocprofiler_user_data_t* user_data) noexcept {
  if (detached_.load(std::memory_order_relaxed) || user_data == nullptr) return;
  const auto call = kind.call_of(record.operation);
  if (!call) return;
  if (record.phase == ROCPROFILER_CALLBACK_PHASE_ENTER) user_data->value = listener_.memory_call_begins();
  if (record.phase != ROCPROFILER_CALLBACK_PHASE_EXIT) return;
  const ApiPayload payload(record.payload);
  if (!payload.is_plausible(parameters_of(*call), result)) {
    not_understood();
  } else if (payload.has_succeeded(result)) {
    succeeded(*call, payload.args(), user_data->value);
  }
}

void MemoryCallbacks::on_hsa(const rocprofiler_callback_tracing_record_t& record,
                             rocprofiler_user_data_t* user_data) noexcept {
  on_call(hsa_, MULTIPASS_HSA_RETVAL_SIZE, record, user_data);
}

void MemoryCallbacks::on_hip(const rocprofiler_callback_tracing_record_t& record,
                             rocprofiler_user_data_t* user_data) noexcept {
  on_call(hip_, MULTIPASS_HIP_RETVAL_SIZE, record, user_data);
}

// Memory of a host that is mapped is none of a GPU's.
void MemoryCallbacks::mapped(const multipass_hsa_amd_vmem_map_args& args) noexcept {
  const VmemHandles::Memory memory = handles_.of(args.memory_handle);
  if (memory.owner == VmemHandles::Owner::kHost) return;
  const bool known = memory.owner == VmemHandles::Owner::kAgent;
  allocated(MemoryClass::kVirtual, known ? std::optional(memory.agent) : std::nullopt, args.va, args.size);
  if (memory.owner == VmemHandles::Owner::kOther) allocated(MemoryClass::kImported, {}, args.va, args.size);
}

void MemoryCallbacks::succeeded(HsaCall call, const void* args, std::uint64_t mark) noexcept {
  switch (call) {
    case HsaCall::kVmemMap:
      return mapped(as<multipass_hsa_amd_vmem_map_args>(args));
    case HsaCall::kVmemUnmap: {
      const auto& unmap = as<multipass_hsa_amd_vmem_unmap_args>(args);
      return listener_.memory_ended(MemoryEnd::kUnmapped, number(unmap.va), unmap.size, mark);
    }
    case HsaCall::kVmemExport:
      return listener_.memory_exported(as<multipass_hsa_amd_vmem_export_shareable_handle_args>(args).handle);
    case HsaCall::kVmemImport:
      if (const auto* handle = as<multipass_hsa_amd_vmem_import_shareable_handle_args>(args).handle)
        handles_.imported(*handle);
      return;
    case HsaCall::kIpcCreate:
      return listener_.memory_exported(number(as<multipass_hsa_amd_ipc_memory_create_args>(args).ptr));
    case HsaCall::kIpcAttach: {
      const auto& attach = as<multipass_hsa_amd_ipc_memory_attach_args>(args);
      if (attach.mapped_ptr != nullptr) allocated(MemoryClass::kImported, {}, *attach.mapped_ptr, attach.len);
      return;
    }
    case HsaCall::kIpcDetach:
      return listener_.memory_ended(MemoryEnd::kDetached,
                                    number(as<multipass_hsa_amd_ipc_memory_detach_args>(args).mapped_ptr), 0, mark);
    case HsaCall::kInteropMap: {
      const auto& map = as<multipass_hsa_amd_interop_map_buffer_args>(args);
      if (map.ptr != nullptr) allocated(MemoryClass::kImported, {}, *map.ptr, map.size == nullptr ? 1 : *map.size);
      return;
    }
    case HsaCall::kInteropUnmap:
      return listener_.memory_ended(MemoryEnd::kDetached,
                                    number(as<multipass_hsa_amd_interop_unmap_buffer_args>(args).ptr), 0, mark);
    case HsaCall::kSvmAttributes: {
      const auto& set = as<multipass_hsa_amd_svm_attributes_set_args>(args);
      if (!gives_no_access(set)) allocated(MemoryClass::kManaged, {}, set.ptr, set.size);
      return;
    }
    case HsaCall::kExportDmabuf:
    case HsaCall::kExportDmabuf2:
      return listener_.memory_exported(number(as<multipass_hsa_amd_portable_export_dmabuf_args>(args).ptr));
  }
}

void MemoryCallbacks::succeeded(HipCall call, const void* args, std::uint64_t mark) noexcept {
  const auto got = [this](MemoryClass kind, void* const* address, std::size_t bytes) {
    if (address != nullptr) allocated(kind, {}, *address, bytes);
  };
  switch (call) {
    case HipCall::kMallocManaged: {
      const auto& malloc = as<multipass_hip_malloc_with_flags_args>(args);
      return got(MemoryClass::kManaged, malloc.ptr, malloc.size);
    }
    case HipCall::kExtMallocWithFlags: {
      const auto& malloc = as<multipass_hip_malloc_with_flags_args>(args);
      if (malloc.flags == kFineGrainedFlag || malloc.flags == kUncachedFlag)
        got(MemoryClass::kFineGrained, malloc.ptr, malloc.size);
      return;
    }
    case HipCall::kMallocAsync: {
      const auto& malloc = as<multipass_hip_malloc_async_args>(args);
      return got(MemoryClass::kPool, malloc.ptr, malloc.size);
    }
    case HipCall::kMallocFromPoolAsync: {
      const auto& malloc = as<multipass_hip_malloc_from_pool_async_args>(args);
      return got(MemoryClass::kPool, malloc.ptr, malloc.size);
    }
    case HipCall::kHostMalloc:
    case HipCall::kHostAlloc:
    case HipCall::kExtHostAlloc:
    case HipCall::kMallocHost:
    case HipCall::kMemAllocHost: {
      const auto& malloc = as<multipass_hip_malloc_host_args>(args);
      return got(MemoryClass::kPinned, malloc.ptr, malloc.size);
    }
    case HipCall::kHostRegister: {
      const auto& host = as<multipass_hip_host_register_args>(args);
      return allocated(MemoryClass::kPinned, {}, host.ptr, host.size);
    }
    case HipCall::kFree:
    case HipCall::kFreeAsync:
    case HipCall::kHostFree:
    case HipCall::kFreeHost:
    case HipCall::kHostUnregister:
      if (const void* address = as<multipass_hip_free_args>(args).ptr; address != nullptr)
        listener_.memory_ended(MemoryEnd::kReleased, number(address), 0, mark);
      return;
  }
}

}  // namespace multipass::sdk
