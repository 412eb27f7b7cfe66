// SPDX-License-Identifier: MIT
//
// Extents: memory by address, of one class. Plain data, without a lock: its owner has one.
//
// Each extent knows the number of the event that told of it, so that what has come into being since a call began is
// not ended by that call. Bounded by its owner. Errors: put() and cut() throw std::bad_alloc and have changed nothing
// then, or have cut less.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "model/ids.hpp"

namespace multipass::replay {

struct Extent {
  std::uint64_t bytes = 0;
  std::optional<AgentIndex> agent;  // empty: any
  std::uint64_t serial = 0;         // of the event that told of it
};

class Extents final {
 public:
  using Piece = std::pair<std::uint64_t, Extent>;  // address, and what is there

  [[nodiscard]] std::size_t size() const noexcept { return extents_.size(); }
  // At this address or from an earlier one over it, and where it begins; nullptr: none. Of extents that overlap, the
  // one that begins last is looked at.
  [[nodiscard]] std::pair<std::uint64_t, const Extent*> containing(std::uint64_t address) const noexcept;
  // That begins here.
  [[nodiscard]] const Extent* at(std::uint64_t address) const noexcept;

  // Takes the place of one that begins here, which is returned.
  std::optional<Extent> put(std::uint64_t address, const Extent& extent);
  // The one that begins here, if it was told of no later than event `mark`.
  std::optional<Extent> take(std::uint64_t address, std::uint64_t mark) noexcept;
  // Cuts [address, address + bytes) out of those that were told of no later than event `mark`. What is left of one that
  // is in it in part stays, so that there can be one more than before. For extents that do not overlap.
  struct Cut {
    std::vector<Piece> removed;  // as they were
    std::vector<Piece> kept;     // what is left of them
  };
  Cut cut(std::uint64_t address, std::uint64_t bytes, std::uint64_t mark);

 private:
  std::map<std::uint64_t, Extent> extents_;
};

// The first address behind so many bytes from here.
[[nodiscard]] constexpr std::uint64_t end_of(std::uint64_t address, std::uint64_t bytes) noexcept {
  return address + bytes < address ? ~std::uint64_t{0} : address + bytes;
}

}  // namespace multipass::replay
