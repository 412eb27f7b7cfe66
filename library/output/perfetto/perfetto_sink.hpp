// SPDX-License-Identifier: MIT
//
// Writes a run as a Perfetto trace (docs/formats/perfetto.md).
#pragma once

#include <filesystem>
#include <memory>

#include "output/sink.hpp"

namespace multipass::output {

// A sink for the file `target`, whose folder must exist; nothing is opened before begin(). An existing file is
// replaced when the new one is complete.
[[nodiscard]] std::unique_ptr<Sink> make_perfetto_sink(std::filesystem::path target);

}  // namespace multipass::output
