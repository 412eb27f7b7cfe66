// SPDX-License-Identifier: MIT
#include "sim/hip/virtual_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace multipass_sim {
namespace {

std::uintptr_t number_of(const void* address) noexcept {
  return reinterpret_cast<std::uintptr_t>(address);
}

bool is_access(hipMemAccessFlags flags) {
  return flags == hipMemAccessFlagsProtNone || flags == hipMemAccessFlagsProtRead ||
         flags == hipMemAccessFlagsProtReadWrite;
}

int protection_of(const std::map<int, hipMemAccessFlags>& access) {
  int protection = PROT_NONE;
  for (const auto& [device, flags] : access) {
    if (flags != hipMemAccessFlagsProtNone) protection |= PROT_READ;
    if (flags == hipMemAccessFlagsProtReadWrite) protection |= PROT_WRITE;
  }
  return protection;
}

}  // namespace

void* VirtualMemory::reserve(std::size_t size, std::size_t alignment, void* wanted) {
  void* const address = reserve_addresses(size, std::max(alignment, kGranularity), wanted);
  if (address == nullptr) return nullptr;
  const std::lock_guard lock(mutex_);
  reserved_[number_of(address)] = size;
  return address;
}

hipError_t VirtualMemory::free_addresses(void* address, std::size_t size) {
  const std::lock_guard lock(mutex_);
  const auto found = reserved_.find(number_of(address));
  if (found == reserved_.end() || found->second != size) return hipErrorInvalidValue;
  if (!is_empty(found->first, size)) return hipErrorUnknown;
  reserved_.erase(found);
  unmap_pages(address, size);
  return hipSuccess;
}

VirtualMemory::Handle VirtualMemory::add(Physical physical) {
  const std::lock_guard lock(mutex_);
  last_ += kPage;
  physical_.emplace(last_, std::move(physical));
  return last_;
}

VirtualMemory::Handle VirtualMemory::create(std::size_t size, const hipMemAllocationProp& properties) {
  MemoryFile file = MemoryFile::make(size, true);
  return file.valid() ? add({std::move(file), size, properties}) : 0;
}

VirtualMemory::Handle VirtualMemory::import(int descriptor, std::uint32_t device) {
  MemoryFile file(::fcntl(descriptor, F_DUPFD_CLOEXEC, 0));
  const std::size_t size = file.size();
  if (size == 0 || size % kGranularity != 0) return 0;
  hipMemAllocationProp properties{};
  properties.type = hipMemAllocationTypePinned;
  properties.requestedHandleType = hipMemHandleTypePosixFileDescriptor;
  properties.location = {hipMemLocationTypeDevice, static_cast<int>(device)};
  return add({std::move(file), size, properties});
}

int VirtualMemory::share(Handle handle) const {
  const std::lock_guard lock(mutex_);
  const auto found = physical_.find(handle);
  return found == physical_.end() ? -1 : ::fcntl(found->second.file.descriptor(), F_DUPFD_CLOEXEC, 0);
}

std::optional<hipMemAllocationProp> VirtualMemory::properties(Handle handle) const {
  const std::lock_guard lock(mutex_);
  const auto found = physical_.find(handle);
  return found == physical_.end() ? std::nullopt : std::optional(found->second.properties);
}

std::size_t VirtualMemory::size_of(Handle handle) const {
  const std::lock_guard lock(mutex_);
  const auto found = physical_.find(handle);
  return found == physical_.end() ? 0 : found->second.size;
}

std::size_t VirtualMemory::bytes_of(std::uint32_t device) const {
  const std::lock_guard lock(mutex_);
  std::size_t bytes = 0;
  for (const auto& [handle, physical] : physical_) {
    if (physical.properties.location.id == static_cast<int>(device)) bytes += physical.size;
  }
  return bytes;
}

bool VirtualMemory::retain(Handle handle) {
  const std::lock_guard lock(mutex_);
  const auto found = physical_.find(handle);
  if (found == physical_.end()) return false;
  ++found->second.holders;
  return true;
}

bool VirtualMemory::release(Handle handle) {
  const std::lock_guard lock(mutex_);
  const auto found = physical_.find(handle);
  return found != physical_.end() && --found->second.holders == 0;
}

void VirtualMemory::end(Handle handle) {
  const std::lock_guard lock(mutex_);
  physical_.erase(handle);
}

bool VirtualMemory::is_reserved(std::uintptr_t begin, std::size_t size) const {
  const auto after = reserved_.upper_bound(begin);
  if (after == reserved_.begin()) return false;
  const auto& [start, length] = *std::prev(after);
  return begin - start < length && size <= length - (begin - start);
}

bool VirtualMemory::is_empty(std::uintptr_t begin, std::size_t size) const {
  const auto after = mappings_.lower_bound(begin + size);
  if (after == mappings_.begin()) return true;
  const auto& [start, mapping] = *std::prev(after);
  return start + mapping.size <= begin;
}

VirtualMemory::Mappings::const_iterator VirtualMemory::mapping_at(std::uintptr_t address) const {
  const auto after = mappings_.upper_bound(address);
  if (after == mappings_.begin()) return mappings_.end();
  const auto found = std::prev(after);
  return address - found->first < found->second.size ? found : mappings_.end();
}

bool VirtualMemory::map(void* address, std::size_t size, Handle handle) {
  const std::uintptr_t begin = number_of(address);
  const std::lock_guard lock(mutex_);
  const auto found = physical_.find(handle);
  if (found == physical_.end() || size > found->second.size || begin % kGranularity != 0 || size % kGranularity != 0) {
    return false;
  }
  if (!is_reserved(begin, size) || !is_empty(begin, size)) return false;
  if (found->second.file.map(address, size, PROT_NONE) == nullptr) return false;
  ++found->second.holders;
  mappings_[begin] = {size, handle, {}};
  const auto device = static_cast<std::uint32_t>(found->second.properties.location.id);
  allocations_.add_variable(device, address, size, MULTIPASS_SIM_MEMORY_VIRTUAL);
  return true;
}

std::vector<std::pair<void*, std::size_t>> VirtualMemory::mappings(void* address, std::size_t size) const {
  std::vector<std::pair<void*, std::size_t>> found;
  const std::lock_guard lock(mutex_);
  std::uintptr_t next = number_of(address);
  const std::uintptr_t end = next + size;
  while (next < end) {
    const auto mapping = mappings_.find(next);
    if (mapping == mappings_.end()) return {};
    found.emplace_back(static_cast<char*>(address) + (next - number_of(address)), mapping->second.size);
    next += mapping->second.size;
  }
  return next == end ? found : decltype(found){};
}

VirtualMemory::Handle VirtualMemory::unmap(void* address) {
  const std::lock_guard lock(mutex_);
  const auto found = mappings_.find(number_of(address));
  if (found == mappings_.end()) return 0;
  const auto [size, handle, access] = std::move(found->second);
  mappings_.erase(found);
  allocations_.remove(address);
  static_cast<void>(empty_addresses(address, size));
  return handle;
}

VirtualMemory::Handle VirtualMemory::handle_at(const void* address) const {
  const std::lock_guard lock(mutex_);
  const auto found = mapping_at(number_of(address));
  return found == mappings_.end() ? 0 : found->second.handle;
}

hipError_t VirtualMemory::set_access(void* address, std::size_t size, const hipMemAccessDesc* descriptions,
                                     std::size_t count) {
  const auto range = mappings(address, size);
  if (range.empty()) return hipErrorInvalidValue;
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_access(descriptions[i].flags)) return hipErrorInvalidValue;
  }
  const std::lock_guard lock(mutex_);
  for (const auto& [begin, length] : range) {
    const auto found = mappings_.find(number_of(begin));
    if (found == mappings_.end()) return hipErrorInvalidValue;  // unmapped meanwhile
    for (std::size_t i = 0; i < count; ++i) {
      found->second.access[descriptions[i].location.id] = descriptions[i].flags;
    }
    if (::mprotect(begin, length, protection_of(found->second.access)) != 0) return hipErrorInvalidValue;
  }
  return hipSuccess;
}

std::optional<hipMemAccessFlags> VirtualMemory::access(const void* address, int device) const {
  const std::lock_guard lock(mutex_);
  const auto found = mapping_at(number_of(address));
  if (found == mappings_.end()) return std::nullopt;
  const auto flags = found->second.access.find(device);
  return flags == found->second.access.end() ? hipMemAccessFlagsProtNone : flags->second;
}

}  // namespace multipass_sim
