// SPDX-License-Identifier: MIT
//
// A capture file becomes its outputs, also when parts of it are lost, and the summary names what there is.
#include "apps/export/export.hpp"
#include "apps/export/summary_sink.hpp"

#include <gmock/gmock.h>

#include <cstdlib>
#include <iterator>
#include <limits>

#include "export/export_folder.hpp"

namespace multipass::apps {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::Gt;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST_F(Export, WritesEveryOutputAndASummaryThatNamesThem) {
  capture_whole();
  const ExportResult result = export_journal({file(".journal"), {}, {"perfetto", "rocpd"}});
  EXPECT_THAT(result.errors, IsEmpty());
  EXPECT_THAT(result.warnings, IsEmpty());
  EXPECT_THAT(result.written, ElementsAre(file(".pftrace"), file(".db"), file(".json")));
  const json read = summary();
  EXPECT_EQ(read.at("files"), json({{"journal", file(".journal").string()},
                                    {"perfetto", file(".pftrace").string()},
                                    {"rocpd", file(".db").string()}}));
  EXPECT_EQ(read.at("readings"), 2);
  EXPECT_EQ(read.at("dispatches").at("seen"), 1);
  EXPECT_EQ(value("SELECT COUNT(*) FROM replay_counters_collection"), "2");
}

// Rows and tracks are of sums, whatever else was kept of them; a reading that is no number takes its instances along.
TEST_F(Export, OutputsAreTheSameBytesWhetherInstancesWereKept) {
  const auto outputs = [this](bool keeps) {
    RunMetadata run = samples::run();
    run.keeps_instances = keeps;
    journal::AgentFrame agent = samples::agent();
    if (!keeps)
      for (CounterInfo& counter : agent.counters) counter.dimensions.clear();
    DispatchRecord whole = dispatch_on(2, 1), broken = dispatch_on(2, 2);
    broken.passes.front().counters = {CounterIndex{0}, CounterIndex{2}};
    broken.passes.front().values = {std::numeric_limits<double>::infinity(), 3};
    if (keeps) {
      whole.passes.front().instances = {{{0, 5}, {4, 12}}};
      broken.passes.front().instances = {{{0}, {std::numeric_limits<double>::infinity()}}, {{1, 300}, {1, 2}}};
    }
    capture({journal::encode(run), encoded(agent), journal::encode(samples::kernel()), journal::encode(whole),
             journal::encode(broken), journal::encode_end(2, 9)});
    EXPECT_THAT(export_journal({file(".journal"), {}, {"perfetto", "rocpd"}}).errors, IsEmpty());
    std::vector<std::string> bytes;
    for (const char* extension : {".pftrace", ".db", ".json"}) {
      std::ifstream in(file(extension), std::ios::binary);
      bytes.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
      fs::remove(file(extension));
    }
    fs::remove(file(".journal"));
    return bytes;
  };
  const std::vector<std::string> sums = outputs(false), kept = outputs(true);
  EXPECT_TRUE(sums == kept);
  EXPECT_THAT(sums, Each(SizeIs(Gt(1000U))));
}

TEST_F(Export, KeepsTheNamesOfOutputsThatAnEarlierExportLeft) {
  capture_whole();
  ASSERT_THAT(export_journal({file(".journal"), {}, {"perfetto"}}).errors, IsEmpty());
  EXPECT_EQ(summary().at("files").at("rocpd"), nullptr);
  const ExportResult result = export_journal({file(".journal"), {}, {"rocpd"}});
  EXPECT_THAT(result.written, ElementsAre(file(".db"), file(".json")));
  EXPECT_EQ(summary().at("files").at("perfetto"), file(".pftrace").string());
  EXPECT_EQ(summary().at("files").at("rocpd"), file(".db").string());
}

TEST_F(Export, TheStrictLayoutIsTwoFilesThatTheSummaryNames) {
  capture_whole();
  const ExportResult result = export_journal({file(".journal"), {}, {"rocpd"}, output::RocpdLayout::kStrict});
  EXPECT_THAT(result.errors, IsEmpty());
  EXPECT_THAT(result.written, ElementsAre(file(".db"), file("-replay.db"), file(".json")));
  EXPECT_EQ(summary().at("files").at("rocpd"), file(".db").string());
  EXPECT_EQ(summary().at("files").at("rocpd_replay"), file("-replay.db").string());
}

TEST_F(Export, ADatabaseIsConvertedBesideItOrElsewhere) {
  capture_whole();
  ASSERT_THAT(export_journal({file(".journal"), {}, {"rocpd"}}).errors, IsEmpty());
  EXPECT_TRUE(is_database(file(".db")));
  EXPECT_FALSE(is_database(file(".journal")));
  fs::create_directories(folder_ / "out");
  const fs::path other = folder_ / "out" / "run.db";
  EXPECT_THAT(convert_database(file(".db"), folder_ / "out", output::RocpdLayout::kStrict).written,
              ElementsAre(other, output::sidecar_path(other)));
  EXPECT_THAT(convert_database(other, {}, output::RocpdLayout::kCanonical).written, ElementsAre(other));
  EXPECT_FALSE(fs::exists(output::sidecar_path(other)));
}

TEST_F(Export, TheProgramConvertsADatabaseWhenALayoutIsGiven) {
  capture_whole();
  const std::string program = "cd '" + folder_.string() + "' && '" MULTIPASS_EXPORTER "' --quiet ";
  ASSERT_EQ(std::system((program + "run.journal --layout strict").c_str()), 0);
  EXPECT_NE(std::system((program + "run.db 2> said").c_str()), 0);
  std::ifstream said(folder_ / "said");
  EXPECT_THAT(std::string(std::istreambuf_iterator<char>(said), {}),
              HasSubstr("run.db: it is a database, of which only the layout can be changed; give --layout canonical"));
  ASSERT_EQ(std::system((program + "run.db --layout canonical").c_str()), 0);
  EXPECT_FALSE(fs::exists(file("-replay.db")));
  EXPECT_EQ(value("SELECT COUNT(*) FROM replay_counters_collection"), "2");
}

TEST(SummarySink, TellsWhyTheSummaryCannotBeWritten) {
  SummarySink full("/dev/full");
  EXPECT_EQ(full.finish().message(), "the summary /dev/full: cannot be written: No space left on device");
  SummarySink nowhere("/nowhere/x.json");
  EXPECT_EQ(nowhere.finish().message(), "the summary /nowhere/x.json: cannot be written: No such file or directory");
}

TEST_F(Export, AnOutputThatFailsIsAWarningOfTheSummaryAndNotNamedInIt) {
  capture_whole();
  fs::create_directories(file(".pftrace") / "x");
  const ExportResult result = export_journal({file(".journal"), {}, {"perfetto", "rocpd"}});
  ASSERT_THAT(result.errors, SizeIs(1));
  EXPECT_THAT(result.written, ElementsAre(file(".db"), file(".json")));
  EXPECT_EQ(summary().at("files").at("perfetto"), nullptr);
  EXPECT_EQ(summary().at("warnings"), json(result.errors));
}

TEST_F(Export, AFormatAskedForTwiceIsWrittenOnce) {
  capture_whole();
  const ExportResult result = export_journal({file(".journal"), {}, {"rocpd", "rocpd"}});
  EXPECT_THAT(result.errors, IsEmpty());
  EXPECT_THAT(result.written, ElementsAre(file(".db"), file(".json")));
}

TEST_F(Export, AnAgentThatTheCaptureLostCostsItsReadingsOnly) {
  capture({journal::encode(samples::run()), encoded(other_agent()), encoded(samples::agent()),
           journal::encode(samples::kernel()), journal::encode(dispatch_on(1, 1)), journal::encode(dispatch_on(2, 2)),
           journal::encode(dispatch_on(2, 3)), journal::encode_end(3, 9)});
  std::ifstream in(file(".journal"), std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(in), {}};
  const std::size_t second = bytes.find("gfx942", bytes.find("gfx942") + 1);
  ASSERT_NE(second, std::string::npos);
  bytes[second] = 'x';
  std::ofstream(file(".journal"), std::ios::binary) << bytes;

  const ExportResult result = export_journal({file(".journal"), {}, {"perfetto", "rocpd"}});
  EXPECT_THAT(result.errors, IsEmpty());
  EXPECT_THAT(result.written, ElementsAre(file(".pftrace"), file(".db"), file(".json")));
  ASSERT_THAT(result.warnings, SizeIs(2));
  EXPECT_THAT(result.warnings[0], HasSubstr("damaged"));
  EXPECT_EQ(result.warnings[1],
            "the capture does not describe agent 2: its dispatches are in the outputs without readings");
  EXPECT_EQ(value("SELECT COUNT(*) FROM kernels"), "3");
  EXPECT_EQ(value("SELECT COUNT(*) FROM replay_kernels"), "6");
  EXPECT_EQ(value("SELECT GROUP_CONCAT(dispatch_id) FROM replay_counters_collection"), "1,1");
  EXPECT_EQ(value("SELECT name FROM rocpd_info_agent WHERE id = 2"), "agent 2");
  EXPECT_EQ(value("SELECT json_extract(extdata, '$.device') FROM rocpd_info_agent WHERE id = 2"), "1");
  EXPECT_EQ(summary().at("agents").at(1).at("name"), "agent 2");
  EXPECT_EQ(summary().at("dispatches").at("seen"), 3);
}

TEST_F(Export, APlaceholderTakesNoNumberOfAnotherAgent) {
  journal::AgentFrame there = other_agent();
  there.agent.node_id = 2;  // the number that the lost agent would be given
  capture({journal::encode(samples::run()), encoded(there), journal::encode(dispatch_on(2, 1)),
           journal::encode(dispatch_on(7, 2)), journal::encode_end(2, 9)});
  const ExportResult result = export_journal({file(".journal"), {}, {"perfetto", "rocpd"}});
  EXPECT_THAT(result.errors, IsEmpty());
  EXPECT_THAT(result.warnings, ElementsAre("the capture does not describe agents 2, 7: their dispatches are in the "
                                           "outputs without readings"));
  EXPECT_EQ(value("SELECT GROUP_CONCAT(id || ' ' || name) FROM rocpd_info_agent ORDER BY id"),
            "2 gfx942,3 agent 2,7 agent 7");
}

TEST_F(Export, ACaptureWithoutFirstFrameKeepsItsDispatchesAndWarnings) {
  capture({journal::encode_warning("said by the plugin")});
  const ExportResult result = export_journal({file(".journal"), {}, {"perfetto", "rocpd"}});
  EXPECT_THAT(result.errors, IsEmpty());
  EXPECT_THAT(result.warnings, Contains(HasSubstr("its first frame is missing")));
  EXPECT_EQ(summary().at("warnings").at(0), "said by the plugin");
}

TEST_F(Export, OfAFileThatIsNoCaptureIsAnErrorWithItsName) {
  std::ofstream(file(".journal")) << "text";
  const ExportResult result = export_journal({file(".journal"), {}, {"rocpd"}});
  EXPECT_THAT(result.errors, ElementsAre(HasSubstr(file(".journal").string())));
  EXPECT_THAT(result.written, IsEmpty());
  EXPECT_FALSE(fs::exists(file(".json")));
}

TEST_F(Export, TheProgramTakesRelativePathsAndWritesAbsoluteOnes) {
  capture_whole();
  fs::create_directories(folder_ / "out");
  const std::string in = "cd '" + folder_.string() + "' && '" MULTIPASS_EXPORTER "' ";
  ASSERT_EQ(std::system((in + "run.journal --quiet").c_str()), 0);
  EXPECT_EQ(summary().at("files").at("journal"), file(".journal").string());
  EXPECT_EQ(summary().at("files").at("rocpd"), file(".db").string());
  ASSERT_EQ(std::system((in + "./out/../run.journal --output out --quiet").c_str()), 0);
  std::ifstream stream(folder_ / "out" / "run.json");
  const json other = json::parse(stream);
  EXPECT_EQ(other.at("files").at("journal"), file(".journal").string());
  EXPECT_EQ(other.at("files").at("perfetto"), (folder_ / "out" / "run.pftrace").string());
}

}  // namespace
}  // namespace multipass::apps
