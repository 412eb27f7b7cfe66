// SPDX-License-Identifier: MIT
//
// From one layout of a database to the other. Nothing is lost: every row and, of the views, every result is the same
// again after the way back, and the same as what is written from the capture in that layout. Rows go from file to file
// inside SQLite, so memory does not grow with them. Threads: files of its own, as the sink.
#pragma once

#include <filesystem>

#include "base/status.hpp"
#include "output/rocpd/layout.hpp"

namespace multipass::output {

// Writes the database `source`, with its sidecar where it has one, as `target` in `layout`; the two may be the same
// file. Refused by name: what is no database of this tool, what has that layout, the sidecar alone, a pair that does
// not belong together, and a file of several runs, as merges make it.
Status convert_rocpd(const std::filesystem::path& source, const std::filesystem::path& target, RocpdLayout layout);

}  // namespace multipass::output
