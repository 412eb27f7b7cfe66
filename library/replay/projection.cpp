// SPDX-License-Identifier: MIT
#include "replay/projection.hpp"

#include <algorithm>

namespace multipass::replay {
namespace {

std::uint64_t whole(double ns) noexcept {
  return ns < static_cast<double>(Projection::kLongest) ? static_cast<std::uint64_t>(ns) : Projection::kLongest;
}

}  // namespace

// Up from what is known; down only where the bytes made up the time.
double Projection::moving(const Moved& known, double ns_per_byte, double bytes, double executions) noexcept {
  if (!known.known) return bytes * ns_per_byte;
  if (known.tells_rate()) return known.ns / known.bytes * bytes;
  const double ns = known.ns * std::max(1.0, executions / known.executions);  // of one that was ended early
  return ns + std::max(0.0, bytes - known.bytes) * ns_per_byte;
}

Projection::Projected Projection::window(const LaunchShape& shape, std::uint64_t executions,
                                         std::uint64_t footprint) const noexcept {
  const auto times = static_cast<double>(executions);
  const auto bytes = static_cast<double>(footprint);
  double kernel = 0;
  double ns_per_byte = 1 / static_cast<double>(kBytesPerNs);
  Moved moved;
  bool assumed = true;
  try {
    const std::lock_guard lock(mutex_);
    moved = most_;
    assumed = !most_.tells_rate();
    if (!assumed) ns_per_byte = most_.ns / most_.bytes;
    if (const auto known = shapes_.find(shape); known != shapes_.end()) {
      kernel = known->second.kernel_ns;
      if (known->second.moved.known) moved = known->second.moved;
    }
  } catch (...) {  // the lock is broken: nothing is known
  }
  return {whole(times * kernel + moving(moved, ns_per_byte, times * bytes, times)),
          whole(times * kernel + moving(moved, ns_per_byte, bytes, times)), assumed};
}

void Projection::executed(const LaunchShape& shape, std::uint64_t ns) noexcept {
  constexpr double kWeight = 0.25;  // of the latest
  try {
    const std::lock_guard lock(mutex_);
    auto known = shapes_.find(shape);
    if (known == shapes_.end()) {
      if (shapes_.size() >= kMaxShapes) return;
      known = shapes_.try_emplace(shape).first;
    }
    double& mean = known->second.kernel_ns;
    const auto latest = static_cast<double>(ns);
    mean = mean == 0 ? latest : mean + kWeight * (latest - mean);
  } catch (...) {  // out of memory
  }
}

bool Projection::measured(const LaunchShape& shape, const Window& window) noexcept {
  const auto times = static_cast<double>(window.executions);
  Moved moved{true, static_cast<double>(window.ns), times * static_cast<double>(window.footprint), times};
  try {
    const std::lock_guard lock(mutex_);
    auto known = shapes_.find(shape);
    if (known == shapes_.end() && shapes_.size() < kMaxShapes) known = shapes_.try_emplace(shape).first;
    const bool followed = known != shapes_.end();
    const bool first = followed && !known->second.moved.known;
    if (followed) moved.ns = std::max(0.0, moved.ns - times * known->second.kernel_ns);
    if (followed) known->second.moved = moved;
    if (!most_.known || moved.bytes >= most_.bytes) most_ = moved;
    return first;
  } catch (...) {  // out of memory
    return false;
  }
}

}  // namespace multipass::replay
