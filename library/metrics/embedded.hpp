// SPDX-License-Identifier: MIT
//
// python/rocprofsys_multipass/metrics/metrics.json as text, put into the code while configuring. Threads: any.
#pragma once

namespace multipass::metrics {

[[nodiscard]] const char* embedded_json() noexcept;

}  // namespace multipass::metrics
