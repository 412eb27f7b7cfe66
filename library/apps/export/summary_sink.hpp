// SPDX-License-Identifier: MIT
//
// The summary of a run as JSON (docs/formats/summary.md): what ran, what was planned, what became of every dispatch.
// Written last, since it names the other outputs. Memory: counts only.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "output/sink.hpp"

namespace multipass::apps {

struct OutputFile {
  std::string format;  // "journal", "perfetto", "rocpd"
  std::filesystem::path path;
};

// `files` are named in the summary; those that could not be written are not in it.
[[nodiscard]] std::unique_ptr<output::Sink> make_summary_sink(std::filesystem::path target,
                                                              const std::vector<OutputFile>& files);

}  // namespace multipass::apps
