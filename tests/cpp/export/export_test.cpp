// SPDX-License-Identifier: MIT
//
// A capture file becomes its outputs, also when parts of it are lost, and the summary names what there is.
#include "apps/export/export.hpp"
#include "apps/export/summary_sink.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "journal/encode.hpp"
#include "journal/samples.hpp"
#include "journal/writer.hpp"

namespace multipass::apps {
namespace {

namespace fs = std::filesystem;
namespace samples = journal::samples;
using nlohmann::json;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// Of a GPU that is one of two: the sample agent has index 2 and ordinal 1.
journal::AgentFrame other_agent() {
  journal::AgentFrame frame = samples::agent();
  frame.agent.index = AgentIndex{1};
  frame.agent.device = 0;
  frame.agent.node_id = 1;
  frame.plan.agent = AgentIndex{1};
  frame.plan.device = 0;
  return frame;
}

DispatchRecord dispatch_on(std::uint32_t agent, std::uint64_t id) {
  DispatchRecord record = samples::dispatch();
  record.dispatch_id = DispatchId{id};
  record.agent = AgentIndex{agent};
  record.outcome = Outcome::kReplayed;
  record.passes = {{PassIndex{0}, GroupIndex{0}, 100, 200, {CounterIndex{0}}, {16}},
                   {PassIndex{1}, GroupIndex{1}, 300, 400, {CounterIndex{1}}, {0.5}}};
  return record;
}

std::string encoded(const journal::AgentFrame& frame) {
  return journal::encode(frame.agent, frame.counters, frame.plan);
}

class Export : public testing::Test {
 protected:
  void SetUp() override {
    const std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
    folder_ = fs::temp_directory_path() / ("export-" + std::to_string(::getpid()) + "-" + name);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] fs::path file(const char* extension) const { return folder_ / (std::string{"run"} + extension); }

  void capture(const std::vector<std::string>& frames) const {
    bool exists = false;
    auto writer = journal::JournalWriter::create(file(".journal").string(), exists);
    ASSERT_TRUE(writer) << writer.message();
    for (const std::string& frame : frames) ASSERT_TRUE((*writer)->append(frame));
    ASSERT_TRUE((*writer)->close(std::chrono::seconds{10}));
  }
  void capture_whole() const {
    capture({journal::encode(samples::run()), encoded(samples::agent()), journal::encode(samples::kernel()),
             journal::encode(dispatch_on(2, 1)), journal::encode_end(1, 9)});
  }

  [[nodiscard]] json summary() const {
    std::ifstream in(file(".json"));
    return json::parse(in);
  }

  // One value of the database, as text; "" for NULL.
  [[nodiscard]] std::string value(const std::string& sql) const {
    sqlite3* opened = nullptr;
    EXPECT_EQ(sqlite3_open_v2(file(".db").c_str(), &opened, SQLITE_OPEN_READONLY, nullptr), SQLITE_OK);
    const std::unique_ptr<sqlite3, int (*)(sqlite3*)> database{opened, &sqlite3_close};
    sqlite3_stmt* prepared = nullptr;
    EXPECT_EQ(sqlite3_prepare_v2(opened, sql.c_str(), -1, &prepared, nullptr), SQLITE_OK) << sqlite3_errmsg(opened);
    const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> statement{prepared, &sqlite3_finalize};
    if (sqlite3_step(prepared) != SQLITE_ROW) return "no row";
    const unsigned char* text = sqlite3_column_text(prepared, 0);
    return text == nullptr ? "" : reinterpret_cast<const char*>(text);
  }

  fs::path folder_;
};

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

TEST_F(Export, KeepsTheNamesOfOutputsThatAnEarlierExportLeft) {
  capture_whole();
  ASSERT_THAT(export_journal({file(".journal"), {}, {"perfetto"}}).errors, IsEmpty());
  EXPECT_EQ(summary().at("files").at("rocpd"), nullptr);
  const ExportResult result = export_journal({file(".journal"), {}, {"rocpd"}});
  EXPECT_THAT(result.written, ElementsAre(file(".db"), file(".json")));
  EXPECT_EQ(summary().at("files").at("perfetto"), file(".pftrace").string());
  EXPECT_EQ(summary().at("files").at("rocpd"), file(".db").string());
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
