// SPDX-License-Identifier: MIT
#include "replay/extents.hpp"

#include <algorithm>
#include <iterator>

namespace multipass::replay {

std::pair<std::uint64_t, const Extent*> Extents::containing(std::uint64_t address) const noexcept {
  auto behind = extents_.upper_bound(address);
  if (behind == extents_.begin()) return {0, nullptr};
  const auto& [start, extent] = *std::prev(behind);
  return {start, start == address || address < end_of(start, extent.bytes) ? &extent : nullptr};
}

const Extent* Extents::at(std::uint64_t address) const noexcept {
  const auto found = extents_.find(address);
  return found == extents_.end() ? nullptr : &found->second;
}

std::optional<Extent> Extents::put(std::uint64_t address, const Extent& extent) {
  const auto [place, is_new] = extents_.try_emplace(address, extent);
  if (is_new) return std::nullopt;
  return std::exchange(place->second, extent);
}

std::optional<Extent> Extents::take(std::uint64_t address, std::uint64_t mark) noexcept {
  const auto found = extents_.find(address);
  if (found == extents_.end() || found->second.serial > mark) return std::nullopt;
  const Extent extent = found->second;
  extents_.erase(found);
  return extent;
}

Extents::Cut Extents::cut(std::uint64_t address, std::uint64_t bytes, std::uint64_t mark) {
  Cut cut;
  const std::uint64_t end = end_of(address, bytes);
  auto place = extents_.upper_bound(address);
  if (place != extents_.begin()) --place;
  for (; place != extents_.end() && place->first < end; ++place) {
    const auto& [start, extent] = *place;
    const std::uint64_t stop = end_of(start, extent.bytes);
    if (stop <= address || extent.serial > mark) continue;
    cut.removed.emplace_back(start, extent);
    if (start < address) cut.kept.emplace_back(start, Extent{address - start, extent.agent, extent.serial});
    if (stop > end) cut.kept.emplace_back(end, Extent{stop - end, extent.agent, extent.serial});
  }
  // A piece behind the hole needs a place of its own: made first, since only that can fail.
  for (const auto& [start, extent] : cut.kept)
    if (start >= end) extents_.try_emplace(start, extent);
  for (const auto& [start, extent] : cut.removed)
    if (start >= address) extents_.erase(start);
  for (const auto& [start, extent] : cut.kept)
    if (start < address) extents_.find(start)->second = extent;
  return cut;
}

}  // namespace multipass::replay
