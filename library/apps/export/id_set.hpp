// SPDX-License-Identifier: MIT
//
// A set of numbers that are given out one after another and come in almost this order: memory for the gaps, not for the
// numbers. One thread. Errors: std::bad_alloc.
#pragma once

#include <cstdint>
#include <iterator>
#include <map>

namespace multipass::apps {

class IdSet final {
 public:
  // False when it was in there already.
  bool insert(std::uint64_t id) {
    const auto next = last_of_.upper_bound(id);
    const auto before = next == last_of_.begin() ? last_of_.end() : std::prev(next);
    if (before != last_of_.end() && before->second >= id) return false;
    const bool joins_next = next != last_of_.end() && next->first - 1 == id;
    const std::uint64_t last = joins_next ? next->second : id;
    if (before != last_of_.end() && before->second + 1 == id)
      before->second = last;
    else
      last_of_.emplace(id, last);
    if (joins_next) last_of_.erase(next);
    return true;
  }

  [[nodiscard]] std::size_t ranges() const noexcept { return last_of_.size(); }

 private:
  std::map<std::uint64_t, std::uint64_t> last_of_;  // of each range, by its first
};

}  // namespace multipass::apps
