// SPDX-License-Identifier: MIT
#include "output/perfetto/dispatch_view.hpp"

#include <limits>

namespace multipass::output::perfetto {

std::optional<Span> span_of(const Interval& interval) noexcept {
  constexpr std::uint64_t kLatest = std::numeric_limits<std::int64_t>::max();
  const auto [start, end] = interval;
  if (start == 0 || end == 0 || start > kLatest || end > kLatest) return std::nullopt;
  // Seen on real hardware: ROCm/rocm-examples #479.
  if (start > end) return Span{.start_ns = end, .end_ns = start, .swapped = true};
  return Span{.start_ns = start, .end_ns = end, .swapped = false};
}

std::optional<Span> span_of(const PassRecord& pass) noexcept {
  return span_of(Interval{pass.start_ns, pass.end_ns});
}

std::optional<Span> span_of(const DispatchRecord& dispatch) {
  const std::optional<DispatchTimes> times = times_of(dispatch, in_pass_order(dispatch));
  return times ? span_of(times->interval) : std::nullopt;
}

std::vector<Reading> readings_of(const DispatchRecord& dispatch, const CounterRoles& roles) {
  const std::vector<ReadingPlace> places = canonical_readings(in_pass_order(dispatch), roles);
  std::vector<Reading> readings;
  for (std::size_t i = 0; i < places.size(); ++i)
    if (places[i].pass != nullptr)
      readings.push_back(
          {.counter = CounterIndex{static_cast<std::uint32_t>(i)}, .value = places[i].pass->values[places[i].at]});
  return readings;
}

}  // namespace multipass::output::perfetto
