// SPDX-License-Identifier: MIT
//
// Of the calls of HSA and HIP that are followed, where their parameters are (memory.h) and what they mean: for what
// writes them down and what makes them again. Plain data.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "sdk/abi/memory.h"

namespace multipass::sdk {

enum class ApiWord : std::uint8_t {
  kAddress,     // or the handle of memory
  kAddressOut,  // a pointer to one
  kSize,
  kSizeOut,
  kFlags,       // 32 bits
  kAttributes,  // a pointer to pairs of numbers, and their count behind it
};

struct ApiParameter {
  const char* name = nullptr;
  std::size_t offset = 0;
  ApiWord word = ApiWord::kAddress;
};

struct ApiCall {
  std::string_view name;
  std::array<ApiParameter, 3> parameters;  // those without a name are none
};

#define MULTIPASS_WORD(args, member, shown, word)                   \
  ApiParameter {                                                    \
    shown, offsetof(multipass_##args##_args, member), ApiWord::word \
  }

inline constexpr std::array<ApiCall, 27> kApiCalls{{
    {"hsa_amd_vmem_map",
     {MULTIPASS_WORD(hsa_amd_vmem_map, va, "memory", kAddress), MULTIPASS_WORD(hsa_amd_vmem_map, size, "bytes", kSize),
      MULTIPASS_WORD(hsa_amd_vmem_map, memory_handle, "handle", kAddress)}},
    {"hsa_amd_vmem_unmap",
     {MULTIPASS_WORD(hsa_amd_vmem_unmap, va, "memory", kAddress),
      MULTIPASS_WORD(hsa_amd_vmem_unmap, size, "bytes", kSize)}},
    {"hsa_amd_vmem_export_shareable_handle",
     {MULTIPASS_WORD(hsa_amd_vmem_export_shareable_handle, handle, "handle", kAddress)}},
    {"hsa_amd_vmem_import_shareable_handle",
     {MULTIPASS_WORD(hsa_amd_vmem_import_shareable_handle, handle, "handle", kAddressOut)}},
    {"hsa_amd_ipc_memory_create",
     {MULTIPASS_WORD(hsa_amd_ipc_memory_create, ptr, "memory", kAddress),
      MULTIPASS_WORD(hsa_amd_ipc_memory_create, len, "bytes", kSize)}},
    {"hsa_amd_ipc_memory_attach",
     {MULTIPASS_WORD(hsa_amd_ipc_memory_attach, mapped_ptr, "memory", kAddressOut),
      MULTIPASS_WORD(hsa_amd_ipc_memory_attach, len, "bytes", kSize)}},
    {"hsa_amd_ipc_memory_detach", {MULTIPASS_WORD(hsa_amd_ipc_memory_detach, mapped_ptr, "memory", kAddress)}},
    {"hsa_amd_interop_map_buffer",
     {MULTIPASS_WORD(hsa_amd_interop_map_buffer, ptr, "memory", kAddressOut),
      MULTIPASS_WORD(hsa_amd_interop_map_buffer, size, "bytes", kSizeOut)}},
    {"hsa_amd_interop_unmap_buffer", {MULTIPASS_WORD(hsa_amd_interop_unmap_buffer, ptr, "memory", kAddress)}},
    {"hsa_amd_svm_attributes_set",
     {MULTIPASS_WORD(hsa_amd_svm_attributes_set, ptr, "memory", kAddress),
      MULTIPASS_WORD(hsa_amd_svm_attributes_set, size, "bytes", kSize),
      MULTIPASS_WORD(hsa_amd_svm_attributes_set, attribute_list, "attributes", kAttributes)}},
    {"hsa_amd_portable_export_dmabuf",
     {MULTIPASS_WORD(hsa_amd_portable_export_dmabuf, ptr, "memory", kAddress),
      MULTIPASS_WORD(hsa_amd_portable_export_dmabuf, size, "bytes", kSize)}},
    {"hsa_amd_portable_export_dmabuf_v2",
     {MULTIPASS_WORD(hsa_amd_portable_export_dmabuf, ptr, "memory", kAddress),
      MULTIPASS_WORD(hsa_amd_portable_export_dmabuf, size, "bytes", kSize)}},
    {"hipMallocManaged",
     {MULTIPASS_WORD(hip_malloc_with_flags, ptr, "memory", kAddressOut),
      MULTIPASS_WORD(hip_malloc_with_flags, size, "bytes", kSize),
      MULTIPASS_WORD(hip_malloc_with_flags, flags, "flags", kFlags)}},
    {"hipExtMallocWithFlags",
     {MULTIPASS_WORD(hip_malloc_with_flags, ptr, "memory", kAddressOut),
      MULTIPASS_WORD(hip_malloc_with_flags, size, "bytes", kSize),
      MULTIPASS_WORD(hip_malloc_with_flags, flags, "flags", kFlags)}},
    {"hipMallocAsync",
     {MULTIPASS_WORD(hip_malloc_async, ptr, "memory", kAddressOut),
      MULTIPASS_WORD(hip_malloc_async, size, "bytes", kSize)}},
    {"hipMallocFromPoolAsync",
     {MULTIPASS_WORD(hip_malloc_from_pool_async, ptr, "memory", kAddressOut),
      MULTIPASS_WORD(hip_malloc_from_pool_async, size, "bytes", kSize)}},
    {"hipFree", {MULTIPASS_WORD(hip_free, ptr, "memory", kAddress)}},
    {"hipFreeAsync", {MULTIPASS_WORD(hip_free, ptr, "memory", kAddress)}},
    {"hipHostMalloc",
     {MULTIPASS_WORD(hip_malloc_with_flags, ptr, "memory", kAddressOut),
      MULTIPASS_WORD(hip_malloc_with_flags, size, "bytes", kSize),
      MULTIPASS_WORD(hip_malloc_with_flags, flags, "flags", kFlags)}},
    {"hipHostAlloc",
     {MULTIPASS_WORD(hip_malloc_with_flags, ptr, "memory", kAddressOut),
      MULTIPASS_WORD(hip_malloc_with_flags, size, "bytes", kSize),
      MULTIPASS_WORD(hip_malloc_with_flags, flags, "flags", kFlags)}},
    {"hipExtHostAlloc",
     {MULTIPASS_WORD(hip_malloc_with_flags, ptr, "memory", kAddressOut),
      MULTIPASS_WORD(hip_malloc_with_flags, size, "bytes", kSize),
      MULTIPASS_WORD(hip_malloc_with_flags, flags, "flags", kFlags)}},
    {"hipMallocHost",
     {MULTIPASS_WORD(hip_malloc_host, ptr, "memory", kAddressOut),
      MULTIPASS_WORD(hip_malloc_host, size, "bytes", kSize)}},
    {"hipMemAllocHost",
     {MULTIPASS_WORD(hip_malloc_host, ptr, "memory", kAddressOut),
      MULTIPASS_WORD(hip_malloc_host, size, "bytes", kSize)}},
    {"hipHostRegister",
     {MULTIPASS_WORD(hip_host_register, ptr, "memory", kAddress),
      MULTIPASS_WORD(hip_host_register, size, "bytes", kSize),
      MULTIPASS_WORD(hip_host_register, flags, "flags", kFlags)}},
    {"hipHostFree", {MULTIPASS_WORD(hip_free, ptr, "memory", kAddress)}},
    {"hipFreeHost", {MULTIPASS_WORD(hip_free, ptr, "memory", kAddress)}},
    {"hipHostUnregister", {MULTIPASS_WORD(hip_free, ptr, "memory", kAddress)}},
}};

#undef MULTIPASS_WORD

// nullptr: it is not followed.
[[nodiscard]] constexpr const ApiCall* find_api_call(std::string_view name) noexcept {
  for (const ApiCall& call : kApiCalls)
    if (call.name == name) return &call;
  return nullptr;
}

// The result stands at the end of a payload, in so many bytes. 0: no kind of API tracing that is followed.
[[nodiscard]] constexpr std::size_t api_result_size(std::string_view kind) noexcept {
  if (kind == "HSA_AMD_EXT_API") return MULTIPASS_HSA_RETVAL_SIZE;
  return kind == "HIP_RUNTIME_API" ? MULTIPASS_HIP_RETVAL_SIZE : 0;
}

// Where it ends in the parameters; 0: there is none.
[[nodiscard]] constexpr std::uint64_t end_of(const ApiParameter& parameter) noexcept {
  const std::size_t words = parameter.word == ApiWord::kAttributes ? 2 : 1;
  return parameter.name == nullptr ? 0 : parameter.offset + words * sizeof(std::uint64_t);
}

// A payload of that size has the parameter, and a result behind it.
[[nodiscard]] constexpr bool holds(std::uint64_t size, const ApiParameter& parameter, std::size_t result) noexcept {
  return parameter.name != nullptr && MULTIPASS_API_ARGS_OFFSET + end_of(parameter) + result <= size;
}

}  // namespace multipass::sdk
