// SPDX-License-Identifier: MIT
//
// What became of dispatches, and why, in numbers: the members `dispatches` and `kernels_agreement[].outcomes` of the
// summary (docs/formats/summary.md). Memory: a count for each outcome and reason. One thread. Errors: std::bad_alloc.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "model/dispatch.hpp"

namespace multipass::apps {

class OutcomeCounts final {
 public:
  void add(const DispatchRecord& dispatch);
  [[nodiscard]] std::uint64_t all() const;
  // The numbers per outcome, then `declined_reasons` and the others.
  [[nodiscard]] nlohmann::ordered_json document() const;

 private:
  static constexpr std::size_t kOutcomes = static_cast<std::size_t>(Outcome::kIncomplete) + 1;
  std::array<std::uint64_t, kOutcomes> numbers_{};
  std::map<std::pair<Outcome, std::string>, std::uint64_t> reasons_;
};

}  // namespace multipass::apps
