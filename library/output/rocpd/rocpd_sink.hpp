// SPDX-License-Identifier: MIT
//
// The writer of rocpd databases, layout canonical/1 (docs/formats/rocpd.md).
#pragma once

#include <filesystem>
#include <memory>

#include "output/sink.hpp"

namespace multipass::output {

// Writes `target`, whose directory must exist. Nothing is touched before begin(). The process should ignore SIGXFSZ:
// otherwise a file-size limit kills it before the sink can say so.
[[nodiscard]] std::unique_ptr<Sink> make_rocpd_sink(std::filesystem::path target);

}  // namespace multipass::output
