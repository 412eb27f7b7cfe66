// SPDX-License-Identifier: MIT
//
// What is missing from a capture is said, by the summary and in warnings, and what is no reading is left out alike of
// every output and count.
#include <gmock/gmock.h>

#include <limits>

#include "apps/export/export.hpp"
#include "apps/export/reading_filter.hpp"
#include "export/export_folder.hpp"
#include "journal/format.hpp"

namespace multipass::apps {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<std::string> described() {
  return {journal::encode(samples::run()), encoded(samples::agent()), journal::encode(samples::kernel())};
}

class Capture : public Export {
 protected:
  // Of `frames` behind those that describe the run.
  [[nodiscard]] ExportResult exported(const std::vector<std::string>& frames) const {
    std::vector<std::string> all = described();
    all.insert(all.end(), frames.begin(), frames.end());
    capture(all);
    return export_journal({file(".journal"), {}, {"perfetto", "rocpd"}});
  }
  void set_header(const std::string& header) const {
    std::fstream to(file(".journal"), std::ios::in | std::ios::out | std::ios::binary);
    to.write(header.data(), static_cast<std::streamsize>(header.size()));
  }
};

TEST_F(Capture, ThatIsWholeHasNothingToTell) {
  capture_whole();
  ASSERT_THAT(export_journal({file(".journal"), {}, {"summary"}}).errors, IsEmpty());
  EXPECT_EQ(summary().at("capture"), json({{"ended", true},
                                           {"records_lost", 0},
                                           {"error", ""},
                                           {"damaged_bytes", 0},
                                           {"damaged_frames", 0},
                                           {"in_flight", nullptr}}));
}

TEST_F(Capture, ThatEndsEarlyTellsWhatTheLastCheckpointSaid) {
  const ExportResult result =
      exported({journal::encode(journal::CheckpointFrame{0, 9, 0, 1}), journal::encode(dispatch_on(2, 1)),
                journal::encode(journal::CheckpointFrame{1, 2, 3, 2})});
  EXPECT_EQ(summary().at("capture").at("ended"), false);
  EXPECT_EQ(summary().at("capture").at("in_flight"), 2);
  EXPECT_EQ(summary().at("capture").at("records_lost"), 3);
  EXPECT_THAT(result.warnings, Contains("the capture is not whole: 3 records at least are lost"));
}

TEST_F(Capture, ThatCouldNotBeWrittenTellsWhy) {
  capture_whole();
  set_header(journal::file_header({.records = 1, .error = ENOSPC}));
  const ExportResult result = export_journal({file(".journal"), {}, {"rocpd"}});
  EXPECT_EQ(summary().at("capture").at("error"), "No space left on device");
  EXPECT_EQ(summary().at("capture").at("records_lost"), 1);
  EXPECT_THAT(result.warnings, ElementsAre("the capture could not be written to its end: No space left on device; 1 "
                                           "record at least is lost"));
}

TEST_F(Capture, WithADamagedHeaderSaysThatItsCountIsNotKnown) {
  capture_whole();
  std::string header = journal::file_header({.records = 7, .error = 0});
  header[17] = 'x';
  set_header(header);
  const ExportResult result = export_journal({file(".journal"), {}, {"rocpd"}});
  EXPECT_EQ(summary().at("capture").at("damaged_bytes"), 32);
  EXPECT_EQ(summary().at("capture").at("records_lost"), 0);
  EXPECT_THAT(result.warnings, ElementsAre(HasSubstr("the header of the capture is damaged")));
}

TEST_F(Capture, CountsBytesThatHoldNoFrame) {
  capture_whole();
  std::ofstream(file(".journal"), std::ios::binary | std::ios::app) << "torn";
  ASSERT_THAT(export_journal({file(".journal"), {}, {"rocpd"}}).errors, IsEmpty());
  EXPECT_EQ(summary().at("capture").at("damaged_bytes"), 4);
}

TEST_F(Capture, WhatIsNoNumberIsLeftOutOfEverythingAndNamed) {
  DispatchRecord first = dispatch_on(2, 1);
  first.passes[0].counters = {CounterIndex{0}, CounterIndex{1}};
  first.passes[0].values = {kNan, 7};
  DispatchRecord second = dispatch_on(2, 2);
  second.passes[0].values = {-kInfinity};
  const ExportResult result = exported({journal::encode(first), journal::encode(second), journal::encode_end(2, 9)});
  EXPECT_THAT(result.errors, IsEmpty());
  EXPECT_THAT(result.warnings,
              ElementsAre(samples::agent().counters[0].name +
                          " of GPU 1 (gfx942): 1 reading is no number (NaN) and 1 is infinite; they are "
                          "left out (first: dispatch 1, pass 0)"));
  EXPECT_EQ(summary().at("readings"), 3);
  EXPECT_EQ(value("SELECT COUNT(*) FROM replay_counters_collection"), "3");
  EXPECT_EQ(value("SELECT COUNT(*) FROM replay_counters_collection WHERE value IS NULL"), "0");
}

TEST_F(Capture, AReadingOfACounterThatIsNotDescribedCostsNoOutput) {
  DispatchRecord record = dispatch_on(2, 1);
  record.passes[0].counters = {CounterIndex{99}};
  const ExportResult result = exported({journal::encode(record), journal::encode_end(1, 9)});
  EXPECT_THAT(result.errors, IsEmpty());
  EXPECT_THAT(result.warnings, ElementsAre("1 reading is of counters that the capture does not describe, and left out "
                                           "(first: dispatch 1, pass 0)"));
  EXPECT_EQ(summary().at("readings"), 1);
}

TEST_F(Capture, WhatItHoldsTwiceCostsNoOutput) {
  DispatchRecord other = dispatch_on(2, 5);
  other.passes[0].values = {17};
  std::vector<std::string> frames = described();
  frames.insert(frames.end(), {journal::encode(dispatch_on(2, 5)), journal::encode(other), journal::encode_end(1, 9)});
  const ExportResult result = exported(frames);
  EXPECT_THAT(result.errors, IsEmpty());
  EXPECT_THAT(result.warnings,
              ElementsAre("the capture has 1 dispatch with an id that was there already (the first: 5): what came "
                          "first is in the outputs, the rest left out"));
  EXPECT_EQ(value("SELECT value FROM replay_counters_collection WHERE replay_pass = 0"), "16.0");
  EXPECT_EQ(summary().at("dispatches").at("seen"), 1);
}

TEST(ReadingFilter, NamesABoundedNumberOfCounters) {
  AgentInfo agent;
  agent.type = AgentType::kGpu;
  ReadingFilter filter;
  filter.agent(agent, std::vector<CounterInfo>(ReadingFilter::kCountersNamed + 2));
  DispatchRecord record;
  PassRecord& pass = record.passes.emplace_back();
  for (std::uint32_t i = 0; i < ReadingFilter::kCountersNamed + 2; ++i) {
    pass.counters.emplace_back(i);
    pass.values.push_back(kNan);
  }
  filter.apply(record);
  EXPECT_THAT(record.passes[0].values, IsEmpty());
  ASSERT_THAT(filter.warnings(), SizeIs(ReadingFilter::kCountersNamed + 1));
  EXPECT_EQ(filter.warnings().back(), "2 further counters: 2 readings are NaN or infinite and left out");
}

}  // namespace
}  // namespace multipass::apps
