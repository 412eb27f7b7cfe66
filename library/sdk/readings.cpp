// SPDX-License-Identifier: MIT
#include "sdk/readings.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace multipass::sdk {
namespace {

constexpr std::uint64_t kLowBits = 0xFFFF;
constexpr std::uint32_t kAmbiguous = UINT32_MAX;

// In order of position, as records come as a rule. What comes twice is added, as it is in the sum.
void put(std::uint32_t position, double value, InstanceValues& to) {
  if (to.positions.empty() || position > to.positions.back()) {
    to.positions.push_back(position);
    to.values.push_back(value);
    return;
  }
  const auto found = std::lower_bound(to.positions.begin(), to.positions.end(), position);
  const auto at = to.values.begin() + (found - to.positions.begin());
  if (*found == position) {
    *at += value;
  } else {
    to.values.insert(at, value);
    to.positions.insert(found, position);
  }
}

}  // namespace

CounterTable::CounterTable(const std::vector<std::uint64_t>& ids, std::vector<std::optional<InstanceShape>> instances)
    : size_(ids.size()), instances_(std::move(instances)) {
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

template <typename Keep>
void CounterTable::add(std::span<const rocprofiler_counter_record_t> records, Readings& readings,
                       const Keep& keep) const {
  constexpr std::uint32_t kAbsent = UINT32_MAX;
  constexpr std::size_t kUsual = 128;  // counters; for so many no memory is asked for
  std::array<std::uint32_t, kUsual> few;
  std::vector<std::uint32_t> many(size_ > kUsual ? size_ : 0);
  const std::span<std::uint32_t> place = size_ > kUsual ? std::span(many) : std::span(few).first(size_);
  std::fill(place.begin(), place.end(), kAbsent);
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
    keep(*counter, at, record);
  }
}

Readings CounterTable::sum(std::span<const rocprofiler_counter_record_t> records,
                           std::vector<CounterIndex>& misplaced) const {
  Readings readings;
  if (instances_.empty()) {
    add(records, readings, [](CounterIndex, std::size_t, const rocprofiler_counter_record_t&) {});
    return readings;
  }
  add(records, readings, [&](CounterIndex counter, std::size_t at, const rocprofiler_counter_record_t& record) {
    if (at == readings.instances.size()) readings.instances.emplace_back();
    const std::optional<InstanceShape>& shape = instances_[counter.value];
    if (!shape) return;
    if (const auto position = shape->position(record.id))
      put(*position, record.counter_value, readings.instances[at]);
    else if (std::find(misplaced.begin(), misplaced.end(), counter) == misplaced.end())
      misplaced.push_back(counter);
  });
  for (const CounterIndex counter : misplaced) {
    const auto found = std::find(readings.counters.begin(), readings.counters.end(), counter);
    readings.instances[static_cast<std::size_t>(found - readings.counters.begin())] = {};
  }
  return readings;
}

}  // namespace multipass::sdk
