// SPDX-License-Identifier: MIT
//
// Device memory that several processes use. A handle names the memory file of its owner: process and descriptor, opened
// through /proc, and the file itself, so that a descriptor that means something else by now is not taken for it.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "sim/hip/api.hpp"
#include "sim/hip/tell.hpp"

namespace multipass_sim {
namespace {

constexpr std::uint64_t kMagic = 0x3169'706d'6973'706dU;

// What the application carries to the other process.
struct IpcHandle {
  std::uint64_t magic;
  std::uint64_t file;    // inode
  std::uint64_t size;    // of the whole allocation, bytes
  std::uint64_t offset;  // of the address that was asked for
  std::int32_t process;
  std::int32_t descriptor;
};
static_assert(sizeof(IpcHandle) <= sizeof(hipIpcMemHandle_t));

std::uint64_t inode_of(int descriptor) noexcept {
  struct stat status{};
  return ::fstat(descriptor, &status) == 0 ? status.st_ino : 0;
}

// The owner's memory file; empty when it is not there any more.
MemoryFile open_file(const IpcHandle& handle) {
  const std::string path = "/proc/" + std::to_string(handle.process) + "/fd/" + std::to_string(handle.descriptor);
  MemoryFile file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  const bool same = file.valid() && inode_of(file.descriptor()) == handle.file && file.size() >= handle.size;
  return same ? std::move(file) : MemoryFile{};
}

hipError_t get(Runtime& runtime, hipIpcMemHandle_t& out, void* pointer) {
  const auto block = runtime.allocations().find(pointer);
  if (!block || block->allocation.kind != MULTIPASS_SIM_MEMORY_DEVICE) return hipErrorInvalidDevicePointer;
  static_cast<void>(runtime.synchronize_device(block->device));
  IpcHandle handle{};
  handle.magic = kMagic;
  const multipass_hsa_amd_ipc_memory_create_args args{block->allocation.address, block->allocation.size, &out};
  const auto status = as_hsa_call(runtime, "hsa_amd_ipc_memory_create", args, [&] {
    handle.descriptor = runtime.allocations().share(block->allocation.address);
    return handle.descriptor < 0 ? kHsaOutOfResources : kHsaSuccess;
  });
  if (status != kHsaSuccess) return hipErrorInvalidDevicePointer;
  handle.file = inode_of(handle.descriptor);
  handle.size = block->allocation.size;
  handle.offset =
      static_cast<std::uint64_t>(static_cast<char*>(pointer) - static_cast<char*>(block->allocation.address));
  handle.process = ::getpid();
  out = {};
  std::memcpy(&out, &handle, sizeof(handle));
  return hipSuccess;
}

hipError_t open(Runtime& runtime, void*& pointer, const IpcHandle& handle) {
  if (handle.magic != kMagic || handle.size == 0 || handle.offset >= handle.size) return hipErrorInvalidValue;
  if (handle.process == ::getpid()) return hipErrorInvalidContext;
  const auto device = current_device();
  const std::uint64_t agent = hsa_agent(static_cast<std::int32_t>(device));
  void* base = nullptr;
  const multipass_hsa_amd_ipc_memory_attach_args args{&handle, handle.size, 1, &agent, &base};
  as_hsa_call(runtime, "hsa_amd_ipc_memory_attach", args, [&] {
    base = open_file(handle).map(nullptr, handle.size, PROT_READ | PROT_WRITE);
    return base == nullptr ? kHsaInvalidArgument : kHsaSuccess;
  });
  if (base == nullptr) return hipErrorInvalidDevicePointer;
  runtime.allocations().add_variable(device, base, handle.size, MULTIPASS_SIM_MEMORY_IMPORTED);
  pointer = static_cast<char*>(base) + handle.offset;
  return hipSuccess;
}

hipError_t close(Runtime& runtime, void* pointer) {
  const auto block = runtime.allocations().find(pointer);
  if (!block || block->allocation.kind != MULTIPASS_SIM_MEMORY_IMPORTED) return hipErrorInvalidValue;
  if (Queue::on_worker()) return hipErrorNotSupported;
  static_cast<void>(runtime.synchronize_device(block->device));
  void* const base = block->allocation.address;
  const multipass_hsa_amd_ipc_memory_detach_args args{base};
  as_hsa_call(runtime, "hsa_amd_ipc_memory_detach", args, [&] {
    runtime.allocations().remove(base);
    unmap_pages(base, block->allocation.size);
    return kHsaSuccess;
  });
  return hipSuccess;
}

}  // namespace
}  // namespace multipass_sim

using multipass_sim::Runtime;
using multipass_sim::with_runtime;

hipError_t hipIpcGetMemHandle(hipIpcMemHandle_t* handle, void* pointer) {
  return with_runtime([&](Runtime& runtime) {
    if (handle == nullptr || pointer == nullptr) return hipErrorInvalidValue;
    if (multipass_sim::Queue::on_worker()) return hipErrorNotSupported;
    return multipass_sim::get(runtime, *handle, pointer);
  });
}

hipError_t hipIpcOpenMemHandle(void** pointer, hipIpcMemHandle_t handle, unsigned flags) {
  return with_runtime([&](Runtime& runtime) {
    if (pointer == nullptr || flags != hipIpcMemLazyEnablePeerAccess) return hipErrorInvalidValue;
    multipass_sim::IpcHandle found{};
    std::memcpy(&found, &handle, sizeof(found));
    return multipass_sim::open(runtime, *pointer, found);
  });
}

hipError_t hipIpcCloseMemHandle(void* pointer) {
  return multipass_sim::as_told_call("hipIpcCloseMemHandle", multipass_hip_free_args{pointer}, [&] {
    return with_runtime([&](Runtime& runtime) {
      return pointer == nullptr ? hipErrorInvalidValue : multipass_sim::close(runtime, pointer);
    });
  });
}
