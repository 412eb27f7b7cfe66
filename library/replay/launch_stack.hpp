// SPDX-License-Identifier: MIT
//
// LaunchStack: the dispatches that one thread is launching, with what was decided of each and the pass it is in.
//
// One for each launching thread. There is more than one dispatch only when a callback launches a kernel itself. Found
// by dispatch id, so a launch from inside a callback neither takes nor changes what belongs to the outer one. An entry
// is closed when the launch is over; one that never hears of its end is given up by the kDepth-th launch after it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "model/dispatch.hpp"
#include "model/dispatch_info.hpp"
#include "model/ids.hpp"
#include "replay/admission.hpp"

namespace multipass::replay {

// What becomes of a logical dispatch, whichever execution of it asks.
struct Decision {
  std::optional<FilterReason> filtered;
  std::optional<DeclineReason> declined;  // it is not to be replayed
};

struct Launch {
  DispatchId dispatch;    // 0: free, the SDK counts from 1
  std::uint64_t age = 0;  // the lower, the longer it is open
  bool decided = false;
  Decision decision;
  bool replay_taken = false;  // of the limit of its launch shape
  Ticket ticket;              // of its replay
  DispatchInfo info;          // when the ticket is open
  std::optional<DeclineReason> ended_early;
  bool window_open = false;  // its replay window
  bool ran = false;          // an execution has begun
  bool in_pass = false;
  PassIndex pass;  // when in_pass: the SDK's number of it
  // By how many groups its passes are shifted; empty before its first pass, and when that was not heard of.
  std::optional<std::uint32_t> shift;
  std::uint32_t passes_begun = 0;
};

class LaunchStack final {
 public:
  static constexpr std::size_t kDepth = 8;

  [[nodiscard]] Launch* find(DispatchId dispatch) noexcept {
    if (dispatch.value == 0) return nullptr;
    for (Launch& launch : launches_)
      if (launch.dispatch == dispatch) return &launch;
    return nullptr;
  }

  // `give_up` is called with a launch that has to make room.
  template <typename GiveUp>
  Launch& open(DispatchId dispatch, GiveUp&& give_up) noexcept {
    if (Launch* known = find(dispatch)) return *known;
    Launch* place = launches_.data();
    for (Launch& launch : launches_)  // a free one has age 0
      if (launch.age < place->age) place = &launch;
    if (place->age != 0) give_up(*place);
    *place = Launch{};
    place->dispatch = dispatch;
    place->age = ++opened_;
    return *place;
  }

  void close(DispatchId dispatch) noexcept {
    if (Launch* launch = find(dispatch)) *launch = Launch{};
  }

  template <typename Condition>
  [[nodiscard]] bool any(Condition&& condition) const noexcept {
    return std::any_of(launches_.begin(), launches_.end(), condition);
  }

 private:
  std::array<Launch, kDepth> launches_{};
  std::uint64_t opened_ = 0;
};

}  // namespace multipass::replay
