// SPDX-License-Identifier: MIT
//
// CounterTable: from the SDK's counter records, one for each instance, to one value for each planned counter, and to
// those of single instances where they are kept.
// Immutable after start-up; any thread; noexcept look-ups.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "model/dispatch_info.hpp"
#include "sdk/abi/rocprofiler.h"
#include "sdk/instances.hpp"

namespace multipass::sdk {

class CounterTable final {
 public:
  CounterTable() = default;
  // `ids[i]` is the SDK's id of CounterIndex i, `instances[i]` how its instances are numbered, if they are to be kept.
  // Without any `instances` none are.
  explicit CounterTable(const std::vector<std::uint64_t>& ids,
                        std::vector<std::optional<InstanceShape>> instances = {});

  // Sums the instances of each counter, in the order in which counters first occur. Records of counters that were not
  // planned are left out. `misplaced` gets the counters of which an instance has a place that there is not: they have
  // sums and no instances. Throws std::bad_alloc only.
  [[nodiscard]] Readings sum(std::span<const rocprofiler_counter_record_t> records,
                             std::vector<CounterIndex>& misplaced) const;

 private:
  // `keep(counter, at, record)` is called for each record that counts, whose sum is readings.values[at].
  template <typename Keep>
  void add(std::span<const rocprofiler_counter_record_t> records, Readings& readings, const Keep& keep) const;
  [[nodiscard]] const CounterIndex* find(rocprofiler_counter_instance_id_t instance) const noexcept;

  // A record carries 16 bits of the counter id, an id may have more (one revision put the agent there): exact ids are
  // looked up first, then low halves that belong to one planned counter only.
  std::unordered_map<std::uint64_t, CounterIndex> exact_;
  std::unordered_map<std::uint64_t, CounterIndex> by_low_bits_;
  std::size_t size_ = 0;
  std::vector<std::optional<InstanceShape>> instances_;  // by CounterIndex; empty: none are kept
};

}  // namespace multipass::sdk
