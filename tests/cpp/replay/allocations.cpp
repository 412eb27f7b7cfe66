// SPDX-License-Identifier: MIT
//
// A file of its own: where the compiler sees malloc behind a call of new, it takes the delete for a mistake.
#include "allocations.hpp"

#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

thread_local std::uint64_t t_allocations = 0;

}  // namespace

// NOLINTBEGIN(misc-new-delete-overloads): the other forms call these
void* operator new(std::size_t size) {
  ++t_allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  ++t_allocations;
  if (void* memory = std::aligned_alloc(static_cast<std::size_t>(alignment), size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
// NOLINTEND(misc-new-delete-overloads)

namespace multipass::replay {

std::uint64_t allocations_of_this_thread() noexcept {
  return t_allocations;
}

}  // namespace multipass::replay
