// SPDX-License-Identifier: MIT
#include "sim/sdk/call_names.hpp"

#include <algorithm>
#include <iterator>

namespace multipass_sim {

int number_of(std::span<const char* const> names, std::string_view function) {
  const auto found = std::find(names.begin(), names.end(), function);
  return found == names.end() ? -1 : static_cast<int>(std::distance(names.begin(), found));
}

}  // namespace multipass_sim
