// SPDX-License-Identifier: MIT
//
// Brings dispatches, which arrive in order of completion, into order of their start: holds up to kCapacity of them and
// gives the earliest away when one more comes. A dispatch that is further out of order comes out late, which costs
// an extra lane and nothing else. Owner: the Perfetto sink. One thread. Memory: kCapacity records.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "model/dispatch.hpp"

namespace multipass::output::perfetto {

class ReorderWindow final {
 public:
  static constexpr std::size_t kCapacity = 1024;

  // Adds a dispatch that is drawn at [start_ns, end_ns]; the one that leaves, if the window was full.
  [[nodiscard]] std::optional<DispatchRecord> push(DispatchRecord dispatch, std::uint64_t start_ns,
                                                   std::uint64_t end_ns) {
    held_.push_back({start_ns, end_ns, std::move(dispatch)});
    std::push_heap(held_.begin(), held_.end(), later);
    if (held_.size() <= kCapacity) return std::nullopt;
    return pop();
  }

  [[nodiscard]] std::size_t size() const noexcept { return held_.size(); }

  // The earliest of those held, or nothing.
  [[nodiscard]] std::optional<DispatchRecord> pop() {
    if (held_.empty()) return std::nullopt;
    std::pop_heap(held_.begin(), held_.end(), later);
    std::optional<DispatchRecord> first = std::move(held_.back().dispatch);
    held_.pop_back();
    return first;
  }

 private:
  struct Held {
    std::uint64_t start_ns;
    std::uint64_t end_ns;
    DispatchRecord dispatch;
  };

  // At equal starts the one that ends first, so that an empty interval precedes the one it touches.
  static bool later(const Held& a, const Held& b) noexcept {
    return std::tuple(a.start_ns, a.end_ns, a.dispatch.dispatch_id) >
           std::tuple(b.start_ns, b.end_ns, b.dispatch.dispatch_id);
  }

  std::vector<Held> held_;
};

}  // namespace multipass::output::perfetto
