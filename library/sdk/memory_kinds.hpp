// SPDX-License-Identifier: MIT
//
// The kinds of tracing that tell of the application's memory, and the calls of HSA and HIP that are followed, with the
// numbers that this SDK has for them. Plain data; find_memory_kinds() is called while the tool initialises.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace multipass::sdk {

enum class HsaCall : std::uint8_t {
  kVmemMap,
  kVmemUnmap,
  kVmemExport,
  kVmemImport,
  kIpcCreate,
  kIpcAttach,
  kIpcDetach,
  kInteropMap,
  kInteropUnmap,
  kSvmAttributes,
  kExportDmabuf,
  kExportDmabuf2,
};
inline constexpr std::array<const char*, 12> kHsaCallNames{
    "hsa_amd_vmem_map",
    "hsa_amd_vmem_unmap",
    "hsa_amd_vmem_export_shareable_handle",
    "hsa_amd_vmem_import_shareable_handle",
    "hsa_amd_ipc_memory_create",
    "hsa_amd_ipc_memory_attach",
    "hsa_amd_ipc_memory_detach",
    "hsa_amd_interop_map_buffer",
    "hsa_amd_interop_unmap_buffer",
    "hsa_amd_svm_attributes_set",
    "hsa_amd_portable_export_dmabuf",
    "hsa_amd_portable_export_dmabuf_v2",
};

enum class HipCall : std::uint8_t {
  kMallocManaged,
  kExtMallocWithFlags,
  kMallocAsync,
  kMallocFromPoolAsync,
  kFree,
  kFreeAsync,
  kHostMalloc,
  kHostAlloc,
  kExtHostAlloc,
  kMallocHost,
  kMemAllocHost,
  kHostRegister,
  kHostFree,
  kFreeHost,
  kHostUnregister,
};
inline constexpr std::array<const char*, 15> kHipCallNames{
    "hipMallocManaged", "hipExtMallocWithFlags", "hipMallocAsync",    "hipMallocFromPoolAsync",
    "hipFree",          "hipFreeAsync",          "hipHostMalloc",     "hipHostAlloc",
    "hipExtHostAlloc",  "hipMallocHost",         "hipMemAllocHost",   "hipHostRegister",
    "hipHostFree",      "hipFreeHost",           "hipHostUnregister",
};

// A kind of API tracing and its operations, by call.
template <class Call, std::size_t N>
struct ApiKind {
  static constexpr std::int32_t kMissing = -1;  // which the SDK uses for no operation too
  int kind = 0;
  std::array<std::int32_t, N> operations{};

  [[nodiscard]] std::optional<Call> call_of(std::int32_t operation) const noexcept {
    if (operation == kMissing) return std::nullopt;
    for (std::size_t i = 0; i < N; ++i)
      if (operations[i] == operation) return static_cast<Call>(i);
    return std::nullopt;
  }
};
using HsaKind = ApiKind<HsaCall, kHsaCallNames.size()>;
using HipKind = ApiKind<HipCall, kHipCallNames.size()>;

// Those that this SDK has.
struct MemoryKinds {
  std::optional<int> allocations;  // MEMORY_ALLOCATION
  std::optional<int> copies;       // MEMORY_COPY
  std::optional<HsaKind> hsa;      // HSA_AMD_EXT_API
  std::optional<HipKind> hip;      // HIP_RUNTIME_API
};

[[nodiscard]] MemoryKinds find_memory_kinds() noexcept;

}  // namespace multipass::sdk
