// SPDX-License-Identifier: MIT
//
// What the application does with memory that GPUs see, as far as it matters to replay: what a snapshot does not cover,
// what others can write to, how much there is. Plain data.
#pragma once

#include <cstdint>
#include <optional>

#include "model/ids.hpp"

namespace multipass {

enum class MemoryClass : std::uint8_t {
  kDevice,       // coarse-grained memory of an agent: the only one that replay restores
  kFineGrained,  // fine-grained or uncached memory of an agent
  kVirtual,      // mapped by the virtual-memory functions
  kPool,         // stream-ordered: hipMallocAsync, hipMallocFromPoolAsync
  kManaged,      // moves between host and agents
  kPinned,       // of the host, which agents reach: hipHostMalloc, hipHostRegister
  kImported,     // of another process
};

// Memory at an address came into being. The same address may be told of by several layers (a pool's memory is also
// mapped virtual memory): each class is kept of its own.
struct MemoryAllocated {
  MemoryClass kind = MemoryClass::kDevice;
  std::optional<AgentIndex> agent;  // empty: not known, or all of them
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
};

// What of memory at an address has ended.
enum class MemoryEnd : std::uint8_t {
  kFreed,     // hsa free: device, fine-grained and pinned memory
  kReleased,  // hipFree, hipFreeAsync, hipHostFree, hipHostUnregister: all that HIP tells the class of
  kUnmapped,  // virtual memory, from the address on for so many bytes
  kDetached,  // imported memory
};

}  // namespace multipass
