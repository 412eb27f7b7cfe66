// SPDX-License-Identifier: MIT
//
// Projection: how long the replay of a launch will take on ONE agent, from what is known.
//
//   executions x time of the kernel + the time to move (executions x footprint) bytes:
//   the copy before the first pass, and a restore before each further one
//
// Times of a launch shape are those of its own: of the kernel from any execution of it, of moving from its last window.
// A shape without a window has the agent's, of the window that moved most; without any it is kBytesPerNs, upstream's
// planning figure of 4 GB/s (kernel replay performance page, ROCm/rocm-systems @0ff1d0fc). Where little is moved the
// time is that of a window's fixed cost (90 ms there), which does not grow with the bytes: a rate is concluded only
// from windows that moved kRateBytes. What a shape is to move beyond what it has moved is at the agent's rate.
//
// Owned by the Admission, one for each agent. Threads: any; one lock, held for one access of the table. Memory: at most
// kMaxShapes shapes are followed, further ones have the agent's figures. It allocates for a shape that is new. Without
// memory nothing is learnt of it.
#pragma once

#include <cstdint>
#include <mutex>
#include <unordered_map>

#include "base/cache_line.hpp"
#include "model/launch_shape.hpp"

namespace multipass::replay {

class alignas(kCacheLine) Projection final {
 public:
  static constexpr std::size_t kMaxShapes = 4096;
  static constexpr std::uint64_t kBytesPerNs = 4;
  static constexpr std::uint64_t kRateBytes = std::uint64_t{1} << 30U;

  // Nanoseconds; never more than kLongest.
  static constexpr std::uint64_t kLongest = std::uint64_t{1} << 53U;
  struct Projected {
    std::uint64_t ns = 0;
    std::uint64_t one_copy_ns = 0;  // were the footprint moved once only: what has passed when moving was measured
    bool assumed = true;            // no rate was measured on the agent
  };
  [[nodiscard]] Projected window(const LaunchShape& shape, std::uint64_t executions,
                                 std::uint64_t footprint) const noexcept;
  [[nodiscard]] std::uint64_t window_ns(const LaunchShape& shape, std::uint64_t executions,
                                        std::uint64_t footprint) const noexcept {
    return window(shape, executions, footprint).ns;
  }

  // An execution took so long.
  void executed(const LaunchShape& shape, std::uint64_t ns) noexcept;

  struct Window {
    std::uint64_t ns = 0;
    std::uint64_t executions = 0;  // that it got to, at least 1
    std::uint64_t footprint = 0;   // bytes
  };
  // A window has ended. True: it is the first of the shape.
  bool measured(const LaunchShape& shape, const Window& window) noexcept;

 private:
  // What a window took beside its executions.
  struct Moved {
    bool known = false;
    double ns = 0;
    double bytes = 0;
    double executions = 1;
    [[nodiscard]] bool tells_rate() const noexcept { return known && bytes >= static_cast<double>(kRateBytes); }
  };
  struct Entry {
    double kernel_ns = 0;  // 0: not known; the mean of late executions
    Moved moved;
  };
  [[nodiscard]] static double moving(const Moved& known, double ns_per_byte, double bytes, double executions) noexcept;

  mutable std::mutex mutex_;
  std::unordered_map<LaunchShape, Entry> shapes_;  // guarded by mutex_
  Moved most_;                                     // guarded by mutex_
};

}  // namespace multipass::replay
