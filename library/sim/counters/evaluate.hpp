// SPDX-License-Identifier: MIT
//
// Computes what the counters of a device read after one execution. Borrows everything for the life of one reading:
// make one per (execution, reading), on any thread. Cannot fail: formulas were checked when they were bound.
//
// Totals are 64-bit unsigned arithmetic: a difference below 0 is 0, a quotient is rounded down, division by 0 gives 0.
// Derived values are doubles per instance; division by 0 gives 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/counters/formulas.hpp"

namespace multipass_sim {

// waves * (1 + FNV-1a-32(counter + "\n" + kernel) % 97) + workgroups: the total of a counter without a formula.
[[nodiscard]] std::uint64_t generic_total(std::string_view counter, std::string_view kernel,
                                          const multipass_sim_activity& activity) noexcept;

// T / n for each of n instances, one more for each of the first T % n: the sum is T.
[[nodiscard]] std::vector<double> spread(std::uint64_t total, std::uint64_t instances);

class Evaluator {
 public:
  Evaluator(const std::vector<Counter>& counters, const std::vector<Formula>& formulas,
            const multipass_sim_activity& activity, std::string_view kernel)
      : counters_(counters), formulas_(formulas), activity_(activity), kernel_(kernel) {}

  // One value per instance of counters[position], in instance order.
  [[nodiscard]] std::vector<double> instances(std::size_t position) const;

 private:
  [[nodiscard]] std::uint64_t total(const Expression& node) const;
  [[nodiscard]] std::vector<double> values(const Expression& node) const;

  const std::vector<Counter>& counters_;
  const std::vector<Formula>& formulas_;
  const multipass_sim_activity& activity_;
  std::string_view kernel_;
};

}  // namespace multipass_sim
