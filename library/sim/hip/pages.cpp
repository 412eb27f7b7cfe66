// SPDX-License-Identifier: MIT
#include "sim/hip/pages.hpp"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace multipass_sim {
namespace {

void* map_anywhere(void* wanted, std::size_t size, int protection, int flags) noexcept {
  void* const address = ::mmap(wanted, size, protection, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
  return address == MAP_FAILED ? nullptr : address;
}

}  // namespace

void* map_pages(std::size_t size) noexcept {
  if (size > SIZE_MAX - kPage) return nullptr;
  const bool sparse = size >= kSparseFrom;
  void* const address = map_anywhere(nullptr, whole_pages(size), PROT_READ | PROT_WRITE, sparse ? MAP_NORESERVE : 0);
  if (address != nullptr && !sparse) std::memset(address, kFill, size);
  return address;
}

void unmap_pages(void* address, std::size_t size) noexcept {
  ::munmap(address, whole_pages(size));
}

void* reserve_addresses(std::size_t size, std::size_t alignment, void* wanted) noexcept {
  const std::size_t step = alignment < kPage ? kPage : alignment;
  if (size > SIZE_MAX - step) return nullptr;
  const std::size_t all = whole_pages(size) + step - kPage;
  auto* const begin = static_cast<char*>(map_anywhere(wanted, all, PROT_NONE, MAP_NORESERVE));
  if (begin == nullptr) return nullptr;
  const std::size_t before = (step - reinterpret_cast<std::uintptr_t>(begin) % step) % step;
  const std::size_t behind = all - before - whole_pages(size);
  if (before != 0) ::munmap(begin, before);
  if (behind != 0) ::munmap(begin + before + whole_pages(size), behind);
  return begin + before;
}

bool empty_addresses(void* address, std::size_t size) noexcept {
  return map_anywhere(address, size, PROT_NONE, MAP_NORESERVE | MAP_FIXED) != nullptr;
}

MemoryFile::~MemoryFile() {
  if (valid()) ::close(descriptor_);
}

MemoryFile MemoryFile::make(std::size_t size, bool filled) noexcept {
  MemoryFile file(::memfd_create("multipass-sim", MFD_CLOEXEC));
  if (!file.valid() || ::ftruncate(file.descriptor_, static_cast<off_t>(whole_pages(size))) != 0) return {};
  if (filled && size < kSparseFrom) {
    void* const address = file.map(nullptr, size, PROT_READ | PROT_WRITE);
    if (address == nullptr) return {};
    std::memset(address, kFill, size);
    unmap_pages(address, size);
  }
  return file;
}

std::size_t MemoryFile::size() const noexcept {
  struct stat status{};
  return valid() && ::fstat(descriptor_, &status) == 0 ? static_cast<std::size_t>(status.st_size) : 0;
}

bool MemoryFile::fill_from(const void* address, std::size_t size) const noexcept {
  static constexpr std::array<char, kPage> kZeros{};
  const auto* const bytes = static_cast<const char*>(address);
  for (std::size_t at = 0; at < size; at += kPage) {
    const std::size_t length = std::min(kPage, size - at);
    if (std::memcmp(bytes + at, kZeros.data(), length) == 0) continue;
    if (::pwrite(descriptor_, bytes + at, length, static_cast<off_t>(at)) != static_cast<ssize_t>(length)) return false;
  }
  return true;
}

void* MemoryFile::map(void* place, std::size_t size, int protection) const noexcept {
  const int flags = MAP_SHARED | MAP_NORESERVE | (place == nullptr ? 0 : MAP_FIXED);
  void* const address = ::mmap(place, whole_pages(size), protection, flags, descriptor_, 0);
  return address == MAP_FAILED ? nullptr : address;
}

}  // namespace multipass_sim
