// SPDX-License-Identifier: MIT
//
// Writes a run as a Perfetto trace (docs/formats/perfetto.md).
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "output/perfetto/size_warning.hpp"
#include "output/sink.hpp"

namespace multipass::output {

struct PerfettoOptions {
  bool counters = true;  // false: slices only, neither counter tracks nor counters among their arguments
  std::uint64_t size_limit = perfetto::kBrowserLimit;  // a larger trace gives a warning
};

// A sink for the file `target`, whose folder must exist; nothing is opened before begin(). An existing file is
// replaced when the new one is complete.
[[nodiscard]] std::unique_ptr<Sink> make_perfetto_sink(std::filesystem::path target);
[[nodiscard]] std::unique_ptr<Sink> make_perfetto_sink(std::filesystem::path target, const PerfettoOptions& options);

}  // namespace multipass::output
