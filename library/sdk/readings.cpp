// SPDX-License-Identifier: MIT
#include "sdk/readings.hpp"

#include <algorithm>
#include <array>

namespace multipass::sdk {
namespace {

constexpr std::uint64_t kLowBits = 0xFFFF;
constexpr std::uint32_t kAmbiguous = UINT32_MAX;

}  // namespace

CounterTable::CounterTable(const std::vector<std::uint64_t>& ids) : size_(ids.size()) {
  for (std::uint32_t i = 0; i < ids.size(); ++i) {
    exact_[ids[i]] = CounterIndex{i};
    const auto [low, fresh] = by_low_bits_.try_emplace(ids[i] & kLowBits, CounterIndex{i});
    if (!fresh) low->second = CounterIndex{kAmbiguous};
  }
}

const CounterIndex* CounterTable::find(rocprofiler_counter_instance_id_t instance) const noexcept {
  rocprofiler_counter_id_t counter{};
  if (rocprofiler_query_record_counter_id(instance, &counter) != ROCPROFILER_STATUS_SUCCESS) return nullptr;
  if (const auto found = exact_.find(counter.handle); found != exact_.end()) return &found->second;
  const auto found = by_low_bits_.find(counter.handle & kLowBits);
  if (found == by_low_bits_.end() || found->second.value == kAmbiguous) return nullptr;
  return &found->second;
}

Readings CounterTable::sum(std::span<const rocprofiler_counter_record_t> records) const {
  constexpr std::uint32_t kAbsent = UINT32_MAX;
  constexpr std::size_t kUsual = 128;  // counters; for so many no memory is asked for
  std::array<std::uint32_t, kUsual> few;
  std::vector<std::uint32_t> many(size_ > kUsual ? size_ : 0);
  const std::span<std::uint32_t> place = size_ > kUsual ? std::span(many) : std::span(few).first(size_);
  std::fill(place.begin(), place.end(), kAbsent);
  Readings readings;
  readings.counters.reserve(std::min(size_, records.size()));
  readings.values.reserve(std::min(size_, records.size()));
  for (const rocprofiler_counter_record_t& record : records) {
    const CounterIndex* counter = find(record.id);
    if (counter == nullptr) continue;
    std::uint32_t& at = place[counter->value];
    if (at == kAbsent) {
      at = static_cast<std::uint32_t>(readings.counters.size());
      readings.counters.push_back(*counter);
      readings.values.push_back(0);
    }
    readings.values[at] += record.counter_value;
  }
  return readings;
}

}  // namespace multipass::sdk
