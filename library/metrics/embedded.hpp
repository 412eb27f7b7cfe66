// SPDX-License-Identifier: MIT
//
// metrics.json and compute_panels.json of python/rocprofsys_multipass/metrics as text, put into the code while
// configuring. Threads: any.
#pragma once

namespace multipass::metrics {

[[nodiscard]] const char* embedded_sets() noexcept;
[[nodiscard]] const char* embedded_panels() noexcept;

}  // namespace multipass::metrics
