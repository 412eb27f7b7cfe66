// SPDX-License-Identifier: MIT
//
// Puts intervals on as few lanes as first-fit finds, so that no two intervals of a lane overlap. An overlap on one
// Perfetto track gives wrong durations without any error (google/perfetto #386, #438).
// Intervals that touch share a lane; the one that came first is written first, which the reader's stable sort keeps.
// Intervals in order of start need as many lanes as ever overlap; one that arrives after a later one was placed gets a
// lane that is free from its start on. Owner: AgentTracks. One thread. Memory: one number per lane.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace multipass::output::perfetto {

class Lanes final {
 public:
  // The lane of [start_ns, end_ns], start_ns <= end_ns. 0 first; the next new lane has the number of lanes so far.
  [[nodiscard]] std::size_t place(std::uint64_t start_ns, std::uint64_t end_ns) {
    for (std::size_t lane = 0; lane < ends_.size(); ++lane) {
      if (ends_[lane] > start_ns) continue;
      ends_[lane] = end_ns;
      return lane;
    }
    ends_.push_back(end_ns);
    return ends_.size() - 1;
  }

 private:
  std::vector<std::uint64_t> ends_;
};

}  // namespace multipass::output::perfetto
