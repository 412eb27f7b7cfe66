// SPDX-License-Identifier: MIT
#include "output/perfetto/dispatch_view.hpp"

#include <limits>

namespace multipass::output::perfetto {

std::optional<Span> span_of(const PassRecord& pass) noexcept {
  constexpr std::uint64_t kLatest = std::numeric_limits<std::int64_t>::max();
  if (pass.start_ns == 0 || pass.end_ns == 0 || pass.start_ns > kLatest || pass.end_ns > kLatest) return std::nullopt;
  // Seen on real hardware: ROCm/rocm-examples #479.
  if (pass.start_ns > pass.end_ns) return Span{.start_ns = pass.end_ns, .end_ns = pass.start_ns, .swapped = true};
  return Span{.start_ns = pass.start_ns, .end_ns = pass.end_ns, .swapped = false};
}

std::optional<Span> span_of(const DispatchRecord& dispatch) noexcept {
  const PassRecord* times = times_of(in_pass_order(dispatch));
  return times == nullptr ? std::nullopt : span_of(*times);
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
