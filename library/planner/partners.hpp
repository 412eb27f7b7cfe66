// SPDX-License-Identifier: MIT
//
// Counters that people divide by one another: hits and misses of one cache, requests by size and their total. Values
// from one execution make a ratio that cannot exceed what the hardware can do; values from two may.
// Constant data, and what it says of a request; pure; threads: any. Errors: none but std::bad_alloc.
// docs/ratio-partners.md is the table for people (tests/cpp/planner/partners_test.cpp keeps the two alike).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/agent.hpp"

namespace multipass::planner {

// One entry of the table. Names stand with a blank between them.
struct RatioPartners {
  std::string_view name;   // for people
  std::string_view archs;  // empty: wherever there are such registers
  std::string_view
      registers;  // base counters; together they fit one pass, and no other entry of the architecture has any
};

[[nodiscard]] std::span<const RatioPartners> ratio_partners() noexcept;

// Counters of a request that belong to one entry: two or more, made of two registers or more.
struct AskedPartners {
  std::string name;
  std::vector<std::string> counters;  // sorted
};

// In the order of the table. A counter belongs to an entry when all that it is made of does: TCC_HIT and TCC_HIT_sum to
// that of TCC_HIT, and so to one entry at most.
[[nodiscard]] std::vector<AskedPartners> asked_partners(const AgentCatalogue& catalogue,
                                                        const std::vector<std::string>& counters);

}  // namespace multipass::planner
