// SPDX-License-Identifier: MIT
//
// The writer of rocpd databases (docs/formats/rocpd.md).
#pragma once

#include <filesystem>
#include <memory>

#include "output/rocpd/layout.hpp"
#include "output/sink.hpp"

namespace multipass::output {

// Writes `target`, in layout strict its sidecar too. Their directory must exist. Nothing is touched before begin(). The
// process should ignore SIGXFSZ: otherwise a file-size limit kills it before the sink can say so.
[[nodiscard]] std::unique_ptr<Sink> make_rocpd_sink(std::filesystem::path target,
                                                    RocpdLayout layout = RocpdLayout::kCanonical);

}  // namespace multipass::output
