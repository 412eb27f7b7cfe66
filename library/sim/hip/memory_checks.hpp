// SPDX-License-Identifier: MIT
//
// Whether a copy or a fill stays inside the memory that the runtime knows. Any thread; answers in HIP's codes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "hip/hip_runtime_api.h"
#include "sim/hip/allocations.hpp"

namespace multipass_sim {

// Rows of `width` bytes, `pitch` bytes apart.
struct Rows {
  std::size_t width = 0;
  std::size_t height = 1;
  std::size_t pitch = 0;

  // From the first byte to behind the last; 0 for no rows or empty ones, SIZE_MAX when no memory is as large.
  [[nodiscard]] std::size_t span() const noexcept {
    if (width == 0 || height == 0) return 0;
    std::size_t bytes = 0;
    const bool too_large =
        __builtin_mul_overflow(height - 1, pitch, &bytes) || __builtin_add_overflow(bytes, width, &bytes);
    return too_large ? SIZE_MAX : bytes;
  }
};

// Where `size` bytes from an address are: in none of our blocks, inside one, or beyond the end of one.
enum class Place { kHost, kOurs, kOverrun };
[[nodiscard]] Place place_of(const Allocations& allocations, const void* address, std::size_t size);

struct CopyEnds {
  void* to = nullptr;
  const void* from = nullptr;
  std::size_t to_span = 0;
  std::size_t from_span = 0;
};
// The copy as the SDK is told of it, or nothing: copies between addresses of the CPU are not made by a copy engine, and
// those within one GPU by a kernel of HIP's own.
[[nodiscard]] std::optional<multipass_sim_copy> engine_copy(const Allocations& allocations, const CopyEnds& ends,
                                                            std::uint64_t bytes);

hipError_t check_copy(const Allocations& allocations, const CopyEnds& ends, hipMemcpyKind kind);

}  // namespace multipass_sim
