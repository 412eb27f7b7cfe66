// SPDX-License-Identifier: MIT
// Names of tracing kinds and operations that the SDK does not tell, as if it did not have them.
#pragma once

#include <set>
#include <string>

namespace multipass::sdk_test {

[[nodiscard]] std::set<std::string>& hidden_names();

}  // namespace multipass::sdk_test
