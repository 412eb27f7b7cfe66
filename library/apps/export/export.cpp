// SPDX-License-Identifier: MIT
#include "apps/export/export.hpp"

#include <algorithm>
#include <exception>
#include <memory>
#include <optional>

#include "apps/export/summary_sink.hpp"
#include "journal/reader.hpp"
#include "output/perfetto/perfetto_sink.hpp"
#include "output/rocpd/rocpd_sink.hpp"

namespace multipass::apps {
namespace {

namespace fs = std::filesystem;
using journal::Frame;

// One output on its way. After its first error it gets nothing more.
struct Output {
  OutputFile file;
  std::unique_ptr<output::Sink> sink;
};

// Hands everything of the journal to the outputs, and keeps what is needed again for the summary.
class Distributor final {
 public:
  Distributor(std::vector<Output>& outputs, std::vector<std::string>& errors) : outputs_(outputs), errors_(errors) {}

  template <typename Call>
  void each(Call&& call) {
    for (Output& output : outputs_) {
      if (!output.sink) continue;
      if (Status status = call(*output.sink); !status) {
        errors_.push_back(status.message());
        output.sink.reset();
      }
    }
  }

 private:
  std::vector<Output>& outputs_;
  std::vector<std::string>& errors_;
};

std::vector<Output> make_outputs(const ExportRequest& request, const fs::path& base) {
  std::vector<Output> outputs;
  for (const std::string& format : request.formats) {
    Output& output = outputs.emplace_back();
    output.file.format = format;
    output.file.path = base;
    if (format == "perfetto") {
      output.file.path += ".pftrace";
      output.sink = output::make_perfetto_sink(output.file.path);
    } else {
      output.file.path += ".db";
      output.sink = output::make_rocpd_sink(output.file.path);
    }
  }
  return outputs;
}

std::string damage_text(const journal::Damage& damage) {
  std::string text = "the capture is damaged from byte " + std::to_string(damage.first_offset) +
                     " on: " + std::to_string(damage.skipped_bytes) + " bytes hold no valid frame";
  if (damage.malformed_frames != 0)
    text += ", " + std::to_string(damage.malformed_frames) + " frames are malformed (" + damage.first_message + ")";
  return text + "; the rest is in the outputs";
}

// Streams the file through `to`; returns what is wrong with the capture.
class JournalPass final {
 public:
  JournalPass(journal::JournalReader& reader, Distributor& to) : reader_(reader), to_(to) {}

  std::vector<std::string> run() {
    while (std::optional<Frame> frame = reader_.next())
      std::visit([this](const auto& content) { take(content); }, *frame);
    // A sink gets warnings after the dispatches, wherever they stand in the file.
    for (const std::string& text : said_) to_.each([&](output::Sink& sink) { return sink.warning(text); });
    if (!reader_.damage().none()) warnings_.push_back(damage_text(reader_.damage()));
    ensure_begun();
    if (!ended_)
      warnings_.push_back(
          "the capture ends early: the process was killed, crashed or left with _exit; dispatches that "
          "were in flight are missing");
    return warnings_;
  }

 private:
  void begin(const RunMetadata& run) {
    begun_ = true;
    to_.each([&](output::Sink& sink) { return sink.begin(run); });
  }
  // A damaged file may have lost its first frame; what follows is still worth having.
  void ensure_begun() {
    if (begun_) return;
    warnings_.push_back("the capture does not say what ran: its first frame is missing");
    RunMetadata unknown;
    unknown.guid = "00000000-0000-7000-8000-000000000000";
    begin(unknown);
  }
  void take(const journal::UnknownFrame&) {}
  void take(const RunMetadata& run) {
    if (!begun_) begin(run);
  }
  void take(const journal::AgentFrame& frame) {
    ensure_begun();
    to_.each([&](output::Sink& sink) { return sink.agent(frame.agent, frame.counters, frame.plan); });
  }
  void take(const KernelSymbol& kernel) {
    ensure_begun();
    to_.each([&](output::Sink& sink) { return sink.kernel(kernel); });
  }
  void take(const DispatchRecord& dispatch) {
    ensure_begun();
    to_.each([&](output::Sink& sink) { return sink.dispatch(dispatch); });
  }
  void take(const journal::WarningFrame& warning) { said_.push_back(warning.text); }
  void take(const journal::EndFrame&) { ended_ = true; }

  journal::JournalReader& reader_;
  Distributor& to_;
  std::vector<std::string> said_;  // by the plugin, while the program ran
  std::vector<std::string> warnings_;
  bool begun_ = false;
  bool ended_ = false;
};

void write_summary(const ExportRequest& request, const fs::path& base, const std::vector<Output>& outputs,
                   ExportResult& result) {
  // A second pass over the file: the summary names the outputs that were written, which is known only now.
  auto reader = journal::JournalReader::open(request.journal.string());
  if (!reader) {
    result.errors.push_back(reader.message());
    return;
  }
  std::vector<OutputFile> files{{"journal", request.journal}};
  for (const Output& output : outputs)
    if (output.sink) files.push_back(output.file);
  fs::path target = base;
  target += ".json";
  std::vector<Output> summary(1);
  summary[0].file.path = target;
  summary[0].sink = make_summary_sink(target, files);
  Distributor to(summary, result.errors);
  (void)JournalPass(*reader, to).run();
  for (const std::string& text : result.warnings) to.each([&](output::Sink& sink) { return sink.warning(text); });
  for (const std::string& text : std::vector<std::string>(result.errors))
    to.each([&](output::Sink& sink) { return sink.warning(text); });
  to.each([](output::Sink& sink) { return sink.finish(); });
  if (summary[0].sink) result.written.push_back(target);
}

}  // namespace

ExportResult export_journal(const ExportRequest& request) {
  ExportResult result;
  auto reader = journal::JournalReader::open(request.journal.string());
  if (!reader) {
    result.errors.push_back(reader.message());
    return result;
  }
  const fs::path folder = request.folder.empty() ? request.journal.parent_path() : request.folder;
  const fs::path base = folder / request.journal.stem();
  std::vector<Output> outputs = make_outputs(request, base);
  Distributor to(outputs, result.errors);
  result.warnings = JournalPass(*reader, to).run();
  for (const std::string& text : result.warnings) to.each([&](output::Sink& sink) { return sink.warning(text); });
  to.each([](output::Sink& sink) { return sink.finish(); });
  for (const Output& output : outputs)
    if (output.sink) result.written.push_back(output.file.path);
  write_summary(request, base, outputs, result);
  return result;
}

}  // namespace multipass::apps
