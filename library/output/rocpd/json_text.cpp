// SPDX-License-Identifier: MIT
#include "output/rocpd/json_text.hpp"

namespace multipass::output::rocpd {

std::string to_text(const nlohmann::ordered_json& value) {
  return value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace multipass::output::rocpd
