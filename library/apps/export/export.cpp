// SPDX-License-Identifier: MIT
#include "apps/export/export.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>

#include "apps/export/distributor.hpp"
#include "apps/export/journal_pass.hpp"
#include "apps/export/summary_sink.hpp"
#include "journal/reader.hpp"
#include "output/perfetto/perfetto_sink.hpp"
#include "output/rocpd/rocpd_sink.hpp"

namespace multipass::apps {
namespace {

namespace fs = std::filesystem;

struct Format {
  std::string_view name;
  std::string_view extension;
  std::unique_ptr<output::Sink> (*make)(fs::path target);
};
constexpr std::array<Format, 2> kFormats{
    {{"perfetto", ".pftrace", &output::make_perfetto_sink}, {"rocpd", ".db", &output::make_rocpd_sink}}};

// Paths are written into the summary, which is read in other folders.
fs::path whole_path(const fs::path& path) {
  std::error_code error;
  const fs::path whole = fs::absolute(path, error);
  return error ? path : whole.lexically_normal();
}

fs::path with_extension(fs::path base, std::string_view extension) {
  base += extension;
  return base;
}

bool is_wanted(const ExportRequest& request, const Format& format) {
  return std::find(request.formats.begin(), request.formats.end(), format.name) != request.formats.end();
}

std::vector<Output> make_outputs(const ExportRequest& request, const fs::path& base) {
  std::vector<Output> outputs;
  for (const Format& format : kFormats) {
    if (!is_wanted(request, format)) continue;
    const fs::path target = with_extension(base, format.extension);
    outputs.push_back({{std::string{format.name}, target}, format.make(target)});
  }
  return outputs;
}

// What the summary names: the capture, what was written now, and of the other formats what an earlier export left.
std::vector<OutputFile> files_of(const ExportRequest& request, const fs::path& journal, const fs::path& base,
                                 const std::vector<Output>& outputs) {
  std::vector<OutputFile> files{{"journal", journal}};
  for (const Output& output : outputs)
    if (output.sink) files.push_back(output.file);
  for (const Format& format : kFormats) {
    if (is_wanted(request, format)) continue;
    fs::path earlier = with_extension(base, format.extension);
    std::error_code error;
    if (fs::is_regular_file(earlier, error)) files.push_back({std::string{format.name}, std::move(earlier)});
  }
  return files;
}

}  // namespace

ExportResult export_journal(const ExportRequest& request) {
  ExportResult result;
  const fs::path journal = whole_path(request.journal);
  auto reader = journal::JournalReader::open(journal.string());
  if (!reader) {
    result.errors.push_back(reader.message());
    return result;
  }
  const fs::path folder = request.folder.empty() ? journal.parent_path() : whole_path(request.folder);
  const fs::path base = folder / journal.stem();
  std::vector<Output> outputs = make_outputs(request, base);
  const fs::path summary_file = with_extension(base, ".json");
  SummarySink summary(summary_file);
  Distributor to(outputs, summary, result.errors);
  JournalPass pass(*reader, to);
  result.warnings = pass.run();
  summary.capture(pass.state());
  for (const std::string& text : result.warnings) to.each([&](output::Sink& sink) { return sink.warning(text); });
  to.finish_outputs();
  for (const Output& output : outputs)
    if (output.sink) result.written.push_back(output.file.path);
  if (Status status = summary.write(files_of(request, journal, base, outputs), result.errors); !status)
    result.errors.push_back(status.message());
  else
    result.written.push_back(summary_file);
  return result;
}

}  // namespace multipass::apps
