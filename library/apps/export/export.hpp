// SPDX-License-Identifier: MIT
//
// From one capture file to its outputs: <name>.journal -> <name>.pftrace, <name>.db, <name>.json beside it, or in
// another folder; and a database from one layout to the other. An output that cannot be written does not keep the
// others from being written. The capture is read once. Threads: one export per file at a time.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "apps/export/progress.hpp"
#include "output/perfetto/perfetto_sink.hpp"
#include "output/rocpd/layout.hpp"

namespace multipass::apps {

struct ExportRequest {
  std::filesystem::path journal;     // may be relative, as the folder may
  std::filesystem::path folder;      // empty: beside the journal
  std::vector<std::string> formats;  // "perfetto", "rocpd"
  output::RocpdLayout layout = output::RocpdLayout::kCanonical;
  output::PerfettoOptions perfetto{};
  Progress* progress = nullptr;  // borrowed; null: nobody is told
};

struct ExportResult {
  std::vector<std::filesystem::path> written;  // absolute
  std::vector<std::string> warnings;           // of the capture itself: damage, an early end
  std::vector<std::string> errors;             // each names what was not written, and why; empty: all is well
  std::vector<std::string> removed{};          // names of unfinished outputs that were left by an exporter that died
};

[[nodiscard]] ExportResult export_journal(const ExportRequest& request);

// Whether a file is a database, by its first bytes.
[[nodiscard]] bool is_database(const std::filesystem::path& path);

// `database` in the other layout, beside it (where it takes its place) or in another folder.
[[nodiscard]] ExportResult convert_database(const std::filesystem::path& database, const std::filesystem::path& folder,
                                            output::RocpdLayout layout);

}  // namespace multipass::apps
