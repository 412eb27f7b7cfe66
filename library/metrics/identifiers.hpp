// SPDX-License-Identifier: MIT
//
// The names in a formula. Pure; threads: any. Errors: none but std::bad_alloc.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace multipass::metrics {

// Counters, sorted, each once: the names that begin with a capital. Properties of the GPU and of the pass (cu_count,
// duration_ns) and functions (max, min) begin with a small letter.
[[nodiscard]] std::vector<std::string> counters_in(std::string_view formula);

}  // namespace multipass::metrics
