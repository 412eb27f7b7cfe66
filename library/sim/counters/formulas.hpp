// SPDX-License-Identifier: MIT
//
// The counters of a device with every formula parsed, every name looked up and every shape checked, so that reading
// cannot fail. Plain data, immutable after bind_formulas; any thread.
// Errors: bind_formulas throws std::runtime_error that names the file, the counter, the column and the name.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/counters/device_file.hpp"
#include "sim/counters/expression.hpp"

namespace multipass_sim {

// One register of a block: a base counter, or an accumulation of one.
struct Register {
  std::size_t base = 0;  // position of the base counter
  Resolution resolution = Resolution::kPlain;
  friend auto operator<=>(const Register&, const Register&) = default;
};

struct Formula {
  std::uint64_t instances = 1;
  std::uint32_t slots = 0;               // base counters: slots of the block, as the SDK believes
  std::uint32_t real_slots = 0;          // base counters: registers that the block has
  std::size_t block = 0;                 // base counters: a number per block
  std::set<Register> registers;          // what a configuration with this counter programs
  std::optional<Expression> total;       // base counters; none: the generic function. `target` = activity member
  bool is_each = false;                  // each instance reads the total; else they share it
  std::optional<Expression> expression;  // derived counters; none: the generic function. `target` = counter position
  double constant = 0;                   // agent constants
};

// Entry i belongs to file.counters[i]. Fills in the dimensions of counters that a tool defined. `path` is for messages.
[[nodiscard]] std::vector<Formula> bind_formulas(DeviceFile& file, const std::string& path);

}  // namespace multipass_sim
