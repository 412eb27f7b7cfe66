// SPDX-License-Identifier: MIT
//
// rocprofsys-multipass-export: the outputs of one or more capture files. Messages go to stderr, and nobody needs to
// read them: the profiled program waits for its exporter.
// Exit: 0 all written; 2 usage; 7 something could not be read or written.
#include <CLI/CLI.hpp>
#include <csignal>
#include <exception>
#include <string>
#include <vector>

#include "apps/export/export.hpp"
#include "base/log.hpp"

namespace {

constexpr int kUsage = 2;
constexpr int kOutputFailed = 7;

int export_all(const std::vector<std::string>& journals, const std::vector<std::string>& formats,
               const std::string& folder) {
  int code = 0;
  for (const std::string& journal : journals) {
    const multipass::apps::ExportResult result = multipass::apps::export_journal({journal, folder, formats});
    for (const std::string& text : result.warnings) multipass::log_warning(journal + ": " + text);
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
    CLI::App app("Writes a Perfetto trace, a rocpd database and a summary from capture files (*.journal).",
                 "rocprofsys-multipass-export");
    std::vector<std::string> journals;
    std::vector<std::string> formats{"perfetto", "rocpd"};
    std::string folder;
    bool quiet = false;
    app.add_option("journal", journals, "capture files")->required()->check(CLI::ExistingFile);
    app.add_option("--format", formats, "perfetto, rocpd, or both with a comma; summary: neither of them")
        ->delimiter(',')
        ->check(CLI::IsMember({"perfetto", "rocpd", "summary"}));
    app.add_option("--output", folder, "folder for the outputs; default: beside the journal")
        ->check(CLI::ExistingDirectory);
    app.add_flag("--quiet", quiet, "do not name the files written");
    try {
      app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
      return app.exit(error) == 0 ? 0 : kUsage;
    }
    if (!quiet) multipass::set_log_level(multipass::LogLevel::kInfo);
    return export_all(journals, formats, folder);
  } catch (const std::exception& error) {
    multipass::log_error(error.what());
    return kOutputFailed;
  }
}
