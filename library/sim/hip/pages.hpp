// SPDX-License-Identifier: MIT
//
// Memory in whole pages from the kernel, and memory files, of which pages are mapped by several processes or at several
// addresses. Sizes are rounded up to pages. Any thread. Failures: null, or an empty file.
#pragma once

#include <cstddef>
#include <utility>

namespace multipass_sim {

inline constexpr std::size_t kPage = 4096;
inline constexpr int kFill = 0xCD;  // of fresh memory
// From this size on memory is not reserved and not filled: pages that nobody has written are zero and cost nothing.
inline constexpr std::size_t kSparseFrom = std::size_t{1} << 30U;

[[nodiscard]] constexpr std::size_t whole_pages(std::size_t size) noexcept {
  return (size + kPage - 1) / kPage * kPage;
}

// Pages of this process, filled. `size` > 0.
[[nodiscard]] void* map_pages(std::size_t size) noexcept;
void unmap_pages(void* address, std::size_t size) noexcept;

// Addresses without memory, from `wanted` on if that is free; a multiple of `alignment`, a power of two or 0.
[[nodiscard]] void* reserve_addresses(std::size_t size, std::size_t alignment, void* wanted) noexcept;
// Takes memory away from addresses that stay reserved.
bool empty_addresses(void* address, std::size_t size) noexcept;

// A file of memory (memfd); closed by its owner.
class MemoryFile final {
 public:
  MemoryFile() = default;
  explicit MemoryFile(int descriptor) noexcept : descriptor_(descriptor) {}
  MemoryFile(MemoryFile&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  MemoryFile& operator=(MemoryFile&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~MemoryFile();

  // Of this size; filled if it is not sparse.
  [[nodiscard]] static MemoryFile make(std::size_t size, bool filled) noexcept;

  [[nodiscard]] bool valid() const noexcept { return descriptor_ >= 0; }
  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
  [[nodiscard]] std::size_t size() const noexcept;  // 0: none

  // Takes the bytes over; pages of zeros stay unwritten. False: there is no memory.
  [[nodiscard]] bool fill_from(const void* address, std::size_t size) const noexcept;

  // Maps it shared, at `place` in place of what is mapped there, or anywhere when that is null. Null: it cannot be.
  [[nodiscard]] void* map(void* place, std::size_t size, int protection) const noexcept;

 private:
  int descriptor_ = -1;
};

}  // namespace multipass_sim
