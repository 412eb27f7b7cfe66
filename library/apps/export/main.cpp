// SPDX-License-Identifier: MIT
//
// rocprofsys-multipass-export: the outputs of one or more capture files; the layout of databases. Messages go to
// stderr, and nobody needs to read them: the profiled program waits for its exporter. Exit: 0 all written; 2 usage; 7
// something could not be read or written.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "apps/export/export.hpp"
#include "base/log.hpp"

namespace {

constexpr int kUsage = 2;
constexpr int kOutputFailed = 7;

struct Request {
  std::vector<std::string> files;
  std::vector<std::string> formats{"perfetto", "rocpd"};
  std::string folder;
  std::string layout;  // empty: the default
  multipass::apps::Progress* progress = nullptr;
  std::string trace_counters = "all";
  multipass::output::PerfettoOptions perfetto;
};

multipass::apps::ExportResult export_one(const std::string& file, const Request& request) {
  using multipass::output::RocpdLayout;
  const std::optional<RocpdLayout> layout = multipass::output::layout_named(request.layout);
  if (!multipass::apps::is_database(file))
    return multipass::apps::export_journal({file, request.folder, request.formats,
                                            layout.value_or(RocpdLayout::kCanonical), request.perfetto,
                                            request.progress});
  if (!layout)
    return {{},
            {},
            {file + ": it is a database, of which only the layout can be changed; give --layout canonical or "
                    "--layout strict, or the journal of the run"}};
  return multipass::apps::convert_database(file, request.folder, *layout);
}

// That are to be read.
std::uint64_t bytes_of(const std::vector<std::string>& files) {
  std::uint64_t sum = 0;
  for (const std::string& file : files) {
    std::error_code error;
    if (multipass::apps::is_database(file)) continue;
    if (const std::uint64_t size = std::filesystem::file_size(file, error); !error) sum += size;
  }
  return sum;
}

int export_all(const Request& request) {
  int code = 0;
  for (const std::string& file : request.files) {
    const multipass::apps::ExportResult result = export_one(file, request);
    if (request.progress != nullptr) request.progress->clear();
    for (const std::string& name : result.removed)
      multipass::log_info("removed " + name + ", which an exporter that died left unfinished");
    for (const std::string& text : result.warnings) multipass::log_warning(file + ": " + text);
    for (const std::string& text : result.errors) multipass::log_error(text);
    for (const auto& path : result.written) multipass::log_info("wrote " + path.string());
    if (!result.errors.empty()) code = kOutputFailed;
  }
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  // A file-size limit or a closed stderr is an error to report, not a reason to die before the message.
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
  try {
    CLI::App app(
        "Writes a Perfetto trace, a rocpd database and a summary from capture files (*.journal), or databases in "
        "another layout.",
        "rocprofsys-multipass-export");
    Request request;
    bool quiet = false;
    app.add_option("file", request.files, "capture files; with --layout databases too")
        ->required()
        ->check(CLI::ExistingFile);
    app.add_option("--format", request.formats, "perfetto, rocpd, or both with a comma; summary: neither of them")
        ->delimiter(',')
        ->check(CLI::IsMember({"perfetto", "rocpd", "summary"}));
    app.add_option("--output", request.folder, "folder for the outputs; default: beside the file")
        ->check(CLI::ExistingDirectory);
    app.add_option("--layout", request.layout,
                   "of the database: canonical (default), one file; strict, the readings of passes in a second one")
        ->check(CLI::IsMember({"canonical", "strict"}));
    app.add_option("--trace-counters", request.trace_counters,
                   "of the Perfetto trace: all, or none, which are in the database")
        ->check(CLI::IsMember({"all", "none"}));
    app.add_option("--trace-size-limit", request.perfetto.size_limit, "bytes of a trace beyond which it is warned")
        ->group("");  // for tests
    app.add_flag("--quiet", quiet, "name no files that were written, and show no progress");
    int progress = -1;
    app.add_option("--progress", progress,
                   "descriptor to show progress on, which is not there while it takes less than two seconds; default: "
                   "2, stderr; with --quiet none")
        ->check(CLI::NonNegativeNumber);
    try {
      app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
      return app.exit(error) == 0 ? 0 : kUsage;
    }
    if (!quiet) multipass::set_log_level(multipass::LogLevel::kInfo);
    if (progress < 0 && !quiet) progress = STDERR_FILENO;
    multipass::apps::Progress shown(progress, bytes_of(request.files));
    request.progress = &shown;
    request.perfetto.counters = request.trace_counters == "all";
    return export_all(request);
  } catch (const std::exception& error) {
    multipass::log_error(error.what());
    return kOutputFailed;
  }
}
