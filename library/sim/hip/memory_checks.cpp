// SPDX-License-Identifier: MIT
#include "sim/hip/memory_checks.hpp"

namespace multipass_sim {

Place place_of(const Allocations& allocations, const void* address, std::size_t size) {
  // Several mappings of virtual memory side by side are one range.
  for (const char* at = static_cast<const char*>(address);;) {
    const auto block = allocations.find(at);
    if (!block) return at == address ? Place::kHost : Place::kOverrun;
    const std::size_t room =
        block->allocation.size - static_cast<std::size_t>(at - static_cast<const char*>(block->allocation.address));
    if (size <= room) return Place::kOurs;
    if (block->allocation.kind != MULTIPASS_SIM_MEMORY_VIRTUAL) return Place::kOverrun;
    size -= room;
    at += room;
  }
}

namespace {

std::int32_t device_of(const Allocations& allocations, const void* address) {
  const auto block = allocations.find(address);
  if (!block || block->allocation.kind == MULTIPASS_SIM_MEMORY_HOST) return MULTIPASS_SIM_HOST;
  return static_cast<std::int32_t>(block->device);
}

}  // namespace

std::optional<multipass_sim_copy> engine_copy(const Allocations& allocations, const CopyEnds& ends,
                                              std::uint64_t bytes) {
  const std::int32_t to = device_of(allocations, ends.to);
  const std::int32_t from = device_of(allocations, ends.from);
  if (to == from) return std::nullopt;
  return multipass_sim_copy{to, from, bytes, ends.to, ends.from};
}

hipError_t check_copy(const Allocations& allocations, const CopyEnds& ends, hipMemcpyKind kind) {
  if (kind < hipMemcpyHostToHost || kind > hipMemcpyDefault) return hipErrorInvalidMemcpyDirection;
  if (ends.to == nullptr || ends.from == nullptr) return hipErrorInvalidValue;
  const Place destination = place_of(allocations, ends.to, ends.to_span);
  const Place source = place_of(allocations, ends.from, ends.from_span);
  if (destination == Place::kOverrun || source == Place::kOverrun) return hipErrorInvalidValue;
  const bool to_device = kind == hipMemcpyHostToDevice || kind == hipMemcpyDeviceToDevice;
  const bool from_device = kind == hipMemcpyDeviceToHost || kind == hipMemcpyDeviceToDevice;
  const bool wrong_side = (to_device && destination == Place::kHost) || (from_device && source == Place::kHost);
  return wrong_side ? hipErrorInvalidValue : hipSuccess;
}

}  // namespace multipass_sim
