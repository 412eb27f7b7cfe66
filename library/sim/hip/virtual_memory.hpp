// SPDX-License-Identifier: MIT
//
// Virtual memory: ranges of addresses that the application reserved, physical memory that it made, and where that is
// mapped. Physical memory is a memory file, so that it can be mapped twice and go to another process; it lives until
// nobody holds its handle and it is mapped nowhere. Mapped memory is among the allocations too, so that copies and
// kernels find it. Owned by the runtime; any thread. Answers in HIP's codes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "hip/hip_runtime_api.h"
#include "sim/hip/allocations.hpp"
#include "sim/hip/pages.hpp"

namespace multipass_sim {

class VirtualMemory final {
 public:
  static constexpr std::size_t kGranularity = std::size_t{2} << 20U;  // bytes; least and recommended
  using Handle = std::uint64_t;                                       // 0: none

  explicit VirtualMemory(Allocations& allocations) : allocations_(allocations) {}

  [[nodiscard]] void* reserve(std::size_t size, std::size_t alignment, void* wanted);
  // hipErrorUnknown while something is mapped there.
  hipError_t free_addresses(void* address, std::size_t size);

  [[nodiscard]] Handle create(std::size_t size, const hipMemAllocationProp& properties);
  [[nodiscard]] Handle import(int descriptor, std::uint32_t device);
  // A descriptor of the application's own, or -1.
  [[nodiscard]] int share(Handle handle) const;
  [[nodiscard]] std::optional<hipMemAllocationProp> properties(Handle handle) const;
  [[nodiscard]] std::size_t size_of(Handle handle) const;  // 0: unknown
  [[nodiscard]] std::size_t bytes_of(std::uint32_t device) const;

  // One holder more. False: unknown.
  bool retain(Handle handle);
  // One holder less. True: it was the last, and the memory is forgotten by end().
  [[nodiscard]] bool release(Handle handle);
  void end(Handle handle);

  // Maps a handle's first `size` bytes. The range must be reserved and empty. A mapping holds its handle.
  [[nodiscard]] bool map(void* address, std::size_t size, Handle handle);
  // The handles of the mappings that make up exactly this range, in order; empty: there are none such.
  [[nodiscard]] std::vector<std::pair<void*, std::size_t>> mappings(void* address, std::size_t size) const;
  // The handle that was mapped there.
  Handle unmap(void* address);
  [[nodiscard]] Handle handle_at(const void* address) const;  // wherever in a mapping; 0: none

  // What a device may do with a range that is mapped; the simulator lets all devices do what the most favoured may.
  hipError_t set_access(void* address, std::size_t size, const hipMemAccessDesc* descriptions, std::size_t count);
  [[nodiscard]] std::optional<hipMemAccessFlags> access(const void* address, int device) const;

 private:
  struct Physical {
    MemoryFile file;
    std::size_t size = 0;
    hipMemAllocationProp properties{};
    std::uint64_t holders = 1;  // handles of the application and mappings
  };
  struct Mapping {
    std::size_t size = 0;
    Handle handle = 0;
    std::map<int, hipMemAccessFlags> access;  // by device
  };
  using Mappings = std::map<std::uintptr_t, Mapping>;

  [[nodiscard]] Handle add(Physical physical);
  [[nodiscard]] bool is_reserved(std::uintptr_t begin, std::size_t size) const;
  [[nodiscard]] bool is_empty(std::uintptr_t begin, std::size_t size) const;
  [[nodiscard]] Mappings::const_iterator mapping_at(std::uintptr_t address) const;

  Allocations& allocations_;
  mutable std::mutex mutex_;
  std::map<std::uintptr_t, std::size_t> reserved_;
  std::map<Handle, Physical> physical_;
  Mappings mappings_;
  Handle last_ = 0x7600'0000'0000;  // as in HSA, where it is an address: not a small number
};

}  // namespace multipass_sim
