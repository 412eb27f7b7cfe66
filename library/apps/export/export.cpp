// SPDX-License-Identifier: MIT
#include "apps/export/export.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "apps/export/distributor.hpp"
#include "apps/export/journal_pass.hpp"
#include "apps/export/summary_sink.hpp"
#include "apps/export/unfinished.hpp"
#include "journal/reader.hpp"
#include "output/rocpd/convert.hpp"
#include "output/rocpd/rocpd_sink.hpp"

namespace multipass::apps {
namespace {

namespace fs = std::filesystem;

std::unique_ptr<output::Sink> perfetto_sink(const ExportRequest& request, fs::path target) {
  return output::make_perfetto_sink(std::move(target), request.perfetto);
}
std::unique_ptr<output::Sink> rocpd_sink(const ExportRequest& request, fs::path target) {
  return output::make_rocpd_sink(std::move(target), request.layout);
}

struct Format {
  std::string_view name;
  std::string_view extension;
  std::unique_ptr<output::Sink> (*make)(const ExportRequest& request, fs::path target);
};
constexpr std::array<Format, 2> kFormats{{{"perfetto", ".pftrace", &perfetto_sink}, {"rocpd", ".db", &rocpd_sink}}};
constexpr const char* kSidecar = "rocpd_replay";  // how the summary calls it

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
    outputs.push_back({{std::string{format.name}, target}, format.make(request, target)});
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
  for (std::size_t at = 0, count = files.size(); at < count; ++at) {
    const fs::path sidecar = output::sidecar_path(files[at].path);
    std::error_code error;
    if (files[at].format == "rocpd" && fs::is_regular_file(sidecar, error)) files.push_back({kSidecar, sidecar});
  }
  return files;
}

constexpr auto kOneFile = output::RocpdLayout::kCanonical;

// The files that an output is made of. `layout`: of a database.
std::vector<fs::path> targets_of(const fs::path& path, output::RocpdLayout layout) {
  if (layout == output::RocpdLayout::kStrict) return {path, output::sidecar_path(path)};
  return {path};
}

// What is left of an earlier export goes, and what is left of this one will, should it be told to stop.
std::vector<std::string> clear_the_way(const std::vector<fs::path>& targets) {
  std::vector<std::string> removed;
  for (const fs::path& target : targets)
    for (std::string& name : remove_leftovers(target)) removed.push_back(std::move(name));
  stop_cleanly(targets);
  return removed;
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
  const auto targets = [&](const Output& output) {
    return targets_of(output.file.path, output.file.format == "rocpd" ? request.layout : kOneFile);
  };
  std::vector<fs::path> all{summary_file};
  for (const Output& output : outputs)
    for (fs::path& path : targets(output)) all.push_back(std::move(path));
  result.removed = clear_the_way(all);
  std::error_code unknown;
  const std::uint64_t size = fs::file_size(journal, unknown);
  if (request.progress != nullptr) request.progress->begin_file(journal.string());
  JournalPass pass(*reader, to, request.progress, unknown ? 0 : size);
  result.warnings = pass.run();
  summary.capture(pass.state());
  for (const std::string& text : result.warnings) to.each([&](output::Sink& sink) { return sink.warning(text); });
  to.finish_outputs([&](const OutputFile& file) {
    if (request.progress != nullptr) request.progress->step("completing " + file.path.filename().string());
  });
  for (const Output& output : outputs)
    if (output.sink)
      for (fs::path& path : targets(output)) result.written.push_back(std::move(path));
  if (Status status = summary.write(files_of(request, journal, base, outputs), result.errors); !status)
    result.errors.push_back(status.message());
  else
    result.written.push_back(summary_file);
  nothing_unfinished();
  if (request.progress != nullptr && !unknown) request.progress->end_file(size);
  return result;
}

bool is_database(const fs::path& path) {
  constexpr std::string_view kMagic{"SQLite format 3\0", 16};
  std::array<char, kMagic.size()> start{};
  std::ifstream file(path, std::ios::binary);
  return file.read(start.data(), start.size()) && std::string_view(start.data(), start.size()) == kMagic;
}

ExportResult convert_database(const fs::path& database, const fs::path& folder, output::RocpdLayout layout) {
  ExportResult result;
  const fs::path source = whole_path(database);
  const fs::path base = (folder.empty() ? source.parent_path() : whole_path(folder)) / source.stem();
  const fs::path target = with_extension(base, ".db");
  const std::vector<fs::path> targets = targets_of(target, layout);
  result.removed = clear_the_way(targets);
  if (Status status = output::convert_rocpd(source, target, layout); !status)
    result.errors.push_back(status.message());
  else
    result.written = targets;
  nothing_unfinished();
  return result;
}

}  // namespace multipass::apps
