// SPDX-License-Identifier: MIT
#include "sim/hip/tell.hpp"

#include <array>

namespace multipass_sim {
namespace {

// hsa_amd_memory_pool_allocate and _free, which the SDK's clients follow by what they do: see sdk/abi/memory.h.
struct PoolAllocateArgs {
  std::uint64_t pool;
  std::size_t size;
  std::uint32_t flags;
  void** address;
};
struct PoolFreeArgs {
  void* address;
};
struct HandleReleaseArgs {
  std::uint64_t handle;
};
struct SvmAttribute {  // hsa_amd_svm_attribute_pair_t
  std::uint64_t attribute;
  std::uint64_t value;
};
constexpr SvmAttribute kGlobalFlagFine{0, 1};  // HSA_AMD_SVM_ATTRIB_GLOBAL_FLAG: fine-grained
constexpr int kMemoryTypePinned = 1;           // hsa_amd_memory_type_t

template <class Args>
multipass_sim_call memory_call(const char* function, const Args& args, multipass_sim_memory_call what,
                               const std::uint64_t& address) {
  multipass_sim_call call{};
  call.domain = MULTIPASS_SIM_DOMAIN_HSA_AMD_EXT;
  call.function = function;
  call.args = &args;
  call.args_size = sizeof(args);
  call.memory = what;
  call.address = &address;
  return call;
}

std::uint64_t number_of(const void* address) noexcept {
  return reinterpret_cast<std::uint64_t>(address);
}

// The handle of the physical memory behind a block of a pool: as in HSA an address of its own, not the mapped one.
std::uint64_t pool_handle(const void* address) noexcept {
  return number_of(address) | 1U;
}

}  // namespace

std::uint64_t hsa_pool(std::int32_t device, bool fine) noexcept {
  constexpr std::uint64_t kFirst = 0x7001;
  return kFirst + 2 * static_cast<std::uint64_t>(device + 1) + (fine ? 1 : 0);
}

std::uint64_t hsa_agent(std::int32_t device) noexcept {
  constexpr std::uint64_t kFirst = 0x5001;
  return kFirst + static_cast<std::uint64_t>(device + 1);
}

void* hsa_allocate(const Runtime& runtime, std::int32_t device, bool fine, std::size_t size,
                   const std::function<void*()>& allocate) {
  void* address = nullptr;
  std::uint64_t number = 0;
  const PoolAllocateArgs args{hsa_pool(device, fine), size, 0, &address};
  multipass_sim_call call =
      memory_call("hsa_amd_memory_pool_allocate", args, MULTIPASS_SIM_MEMORY_CALL_ALLOCATE, number);
  call.device = device;
  call.bytes = size;
  tell(runtime, call, [&] {
    address = allocate();
    number = number_of(address);
    return address == nullptr ? kHsaOutOfResources : kHsaSuccess;
  });
  return address;
}

void hsa_free(const Runtime& runtime, void* address, const std::function<void()>& release) {
  const PoolFreeArgs args{address};
  const std::uint64_t number = number_of(address);
  tell(runtime, memory_call("hsa_amd_memory_pool_free", args, MULTIPASS_SIM_MEMORY_CALL_FREE, number), [&] {
    release();
    return kHsaSuccess;
  });
}

void hsa_set_attributes(const Runtime& runtime, void* address, std::size_t size) {
  std::array attributes = {kGlobalFlagFine};
  const multipass_hsa_amd_svm_attributes_set_args args{address, size, attributes.data(), attributes.size()};
  as_hsa_call(runtime, "hsa_amd_svm_attributes_set", args, [] { return kHsaSuccess; });
}

std::uint64_t hsa_create_handle(const Runtime& runtime, std::int32_t device, std::size_t size,
                                const std::function<std::uint64_t()>& create) {
  std::uint64_t handle = 0;
  const multipass_hsa_amd_vmem_handle_create_args args{hsa_pool(device, false), size, kMemoryTypePinned, 0, &handle};
  multipass_sim_call call =
      memory_call("hsa_amd_vmem_handle_create", args, MULTIPASS_SIM_MEMORY_CALL_VMEM_ALLOCATE, handle);
  call.device = device;
  call.bytes = size;
  tell(runtime, call, [&] {
    handle = create();
    return handle == 0 ? kHsaOutOfResources : kHsaSuccess;
  });
  return handle;
}

void hsa_release_handle(const Runtime& runtime, std::uint64_t handle, const std::function<void()>& release) {
  const HandleReleaseArgs args{handle};
  tell(runtime, memory_call("hsa_amd_vmem_handle_release", args, MULTIPASS_SIM_MEMORY_CALL_VMEM_FREE, handle), [&] {
    release();
    return kHsaSuccess;
  });
}

bool hsa_map(const Runtime& runtime, void* address, std::size_t size, std::uint64_t handle,
             const std::function<bool()>& map) {
  const multipass_hsa_amd_vmem_map_args args{address, size, 0, handle, 0};
  return as_hsa_call(runtime, "hsa_amd_vmem_map", args, [&] { return map() ? kHsaSuccess : kHsaInvalidArgument; }) ==
         kHsaSuccess;
}

void hsa_unmap(const Runtime& runtime, void* address, std::size_t size, const std::function<void()>& unmap) {
  const multipass_hsa_amd_vmem_unmap_args args{address, size};
  as_hsa_call(runtime, "hsa_amd_vmem_unmap", args, [&] {
    unmap();
    return kHsaSuccess;
  });
}

void* allocate_told(Runtime& runtime, std::uint32_t device, std::size_t size, multipass_sim_memory_kind kind,
                    unsigned flags, std::uint64_t pool) {
  const auto on_device = static_cast<std::int32_t>(device);
  const auto allocate = [&] { return runtime.allocations().allocate(device, size, kind, flags, pool); };
  switch (kind) {
    case MULTIPASS_SIM_MEMORY_HOST:
      return hsa_allocate(runtime, MULTIPASS_SIM_HOST, true, size, allocate);
    case MULTIPASS_SIM_MEMORY_MANAGED: {
      void* const address = allocate();
      if (address != nullptr) hsa_set_attributes(runtime, address, size);
      return address;
    }
    case MULTIPASS_SIM_MEMORY_POOL: {
      void* address = nullptr;
      const std::uint64_t handle = hsa_create_handle(runtime, on_device, size, [&] {
        address = allocate();
        return address == nullptr ? 0 : pool_handle(address);
      });
      if (handle != 0) hsa_map(runtime, address, size, handle, [] { return true; });
      return address;
    }
    default:
      return hsa_allocate(runtime, on_device, kind == MULTIPASS_SIM_MEMORY_FINE, size, allocate);
  }
}

bool free_told(Runtime& runtime, const Allocations::Block& block) {
  void* const address = block.allocation.address;
  bool freed = false;
  const auto release = [&] { freed = runtime.allocations().free(address); };
  if (block.allocation.kind == MULTIPASS_SIM_MEMORY_MANAGED) {
    release();
  } else if (block.allocation.kind == MULTIPASS_SIM_MEMORY_POOL) {
    hsa_unmap(runtime, address, block.allocation.size, [] {});
    hsa_release_handle(runtime, pool_handle(address), release);
  } else {
    hsa_free(runtime, address, release);
  }
  return freed;
}

bool free_or_keep(Runtime& runtime, const Allocations::Block& block) {
  if (block.pool != 0 && runtime.pools().keeps(block.pool)) return runtime.allocations().keep(block.allocation.address);
  return free_told(runtime, block);
}

void trim_pool(Runtime& runtime, std::uint64_t pool, std::size_t bytes) {
  for (const Allocations::Block& block : runtime.allocations().kept_by(pool)) {
    if (runtime.allocations().bytes_of_pool(pool) <= bytes) return;
    free_told(runtime, block);
  }
}

void free_all_told(Runtime& runtime, std::uint32_t device) {
  for (const Allocations::Block& block : runtime.allocations().of_device(device)) {
    if (block.owned || block.kept) {
      free_told(runtime, block);
    } else if (block.allocation.kind == MULTIPASS_SIM_MEMORY_HOST) {
      static_cast<void>(runtime.allocations().unregister_host(block.allocation.address));
    }
  }
}

}  // namespace multipass_sim
