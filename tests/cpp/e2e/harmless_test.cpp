// SPDX-License-Identifier: MIT
// Whatever goes wrong with the profiling, the program runs as without it and one clear message says what is missing.
#include <gtest/gtest.h>

#include <fstream>

#include "application.hpp"

namespace multipass::e2e {
namespace {

// Exit code and stdout as without the plugin; stderr says `message`.
void expect_unharmed(const Outcome& profiled, const std::string& message) {
  static const Outcome kPlain = run(example("axpy"));
  EXPECT_EQ(profiled.exit_code, kPlain.exit_code) << profiled.err;
  EXPECT_EQ(profiled.out, kPlain.out);
  EXPECT_NE(profiled.err.find(message), std::string::npos) << profiled.err;
}

TEST(Harmless, NoCountersAskedFor) {
  const Folder folder;
  expect_unharmed(run_profiled(example("axpy"), "", folder), "no counters are asked for");
  EXPECT_TRUE(folder.only(".journal").empty());
}

TEST(Harmless, OnlyUnknownCounters) {
  const Folder folder;
  const Outcome profiled = run_profiled(example("axpy"), "SQ_WAVE", folder);
  expect_unharmed(profiled, "none of the counters asked for can be collected here");
  EXPECT_NE(profiled.err.find("did you mean SQ_WAVES?"), std::string::npos) << profiled.err;
  const Capture capture = read_capture(folder);
  EXPECT_TRUE(capture.gpu().plan.passes.empty());
  EXPECT_EQ(capture.warnings.size(), 2U);
  EXPECT_TRUE(capture.ended);
  EXPECT_FALSE(folder.only(".json").empty());
}

TEST(Harmless, ATypoAmongGoodCountersCostsOnlyItself) {
  const Folder folder;
  expect_unharmed(run_profiled(example("axpy"), "SQ_WAVES TCC_HITT SQ_BUSY_CYCLES:device=", folder), "'TCC_HITT'");
  const Capture capture = read_capture(folder);
  ASSERT_EQ(capture.gpu().counters.size(), 1U);
  EXPECT_EQ(capture.gpu().counters[0].name, "SQ_WAVES");
  EXPECT_EQ(capture.warnings.size(), 2U);
}

TEST(Harmless, AnOutputFolderThatCannotBeMade) {
  const Folder folder;
  std::ofstream(folder.path() / "file") << "x";
  const std::string inside = (folder.path() / "file" / "out").string();
  expect_unharmed(run_profiled(example("axpy"), "SQ_WAVES", folder, {{"ROCPROFSYS_MULTIPASS_OUTPUT", inside}}),
                  "cannot create the output folder " + inside);
}

TEST(Harmless, AHandOverFileThatIsGone) {
  const Folder folder;
  expect_unharmed(
      run_profiled(example("axpy"), "SQ_WAVES", folder, {{"ROCPROFSYS_MULTIPASS_RESOLVED", "/nowhere/x.json"}}),
      "/nowhere/x.json");
}

TEST(Harmless, AnUnwritableTraceLeavesTheCaptureAndTheOtherOutputs) {
  const Folder folder;
  // The exporter cannot rename a file over a folder of the trace's name.
  std::filesystem::create_directories(folder.path() / "multipass-rank3.pftrace" / "x");
  const Outcome profiled = run_profiled(example("axpy"), "SQ_WAVES", folder, {{"OMPI_COMM_WORLD_RANK", "3"}});
  expect_unharmed(profiled, "multipass-rank3.pftrace");
  EXPECT_NE(profiled.err.find("rocprof-sys-multipass export"), std::string::npos) << profiled.err;
  EXPECT_EQ(folder.only(".db").filename(), "multipass-rank3.db");
  EXPECT_EQ(read_capture(folder).dispatches.size(), 5U);
}

TEST(Harmless, ASecondProcessOfARankGetsAnotherName) {
  const Folder folder;
  const Environment rank{{"OMPI_COMM_WORLD_RANK", "0"}, {"ROCPROFSYS_MULTIPASS_FORMAT", "rocpd"}};
  ASSERT_EQ(run_profiled(example("axpy"), "SQ_WAVES", folder, rank).exit_code, 0);
  ASSERT_EQ(run_profiled(example("axpy"), "SQ_WAVES", folder, rank).exit_code, 0);
  std::size_t journals = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    if (entry.path().extension() == ".journal") ++journals;
  EXPECT_EQ(journals, 2U);
}

TEST(Harmless, VerboseSaysHowLongTheStartTookAndWhatTheSdkWasAskedFor) {
  const Folder folder;
  const Outcome profiled =
      run_profiled(example("axpy"), "SQ_WAVES,SQ_INSTS_VALU,FETCH_SIZE,WRITE_SIZE", folder,
                   {{"ROCPROFSYS_MULTIPASS_VERBOSE", "1"}, {"ROCPROFSYS_MULTIPASS_SIMULATE", "gfx942"}});
  // Ten trials for the slots, and the two passes without and with sentinels.
  expect_unharmed(profiled, "configurations asked of the SDK: 14\n");
  EXPECT_NE(profiled.err.find("ready after "), std::string::npos) << profiled.err;
}

TEST(Harmless, WithoutVerboseNothingIsSaidOfTheStart) {
  const Folder folder;
  const Outcome profiled = run_profiled(example("axpy"), "SQ_WAVES", folder);
  expect_unharmed(profiled, "in 1 pass");
  EXPECT_EQ(profiled.err.find("ready after"), std::string::npos) << profiled.err;
}

TEST(Harmless, QuietSaysNothing) {
  const Folder folder;
  const Outcome profiled = run_profiled(example("axpy"), "SQ_WAVES", folder, {{"ROCPROFSYS_MULTIPASS_QUIET", "1"}});
  EXPECT_EQ(profiled.exit_code, 0);
  EXPECT_EQ(profiled.err, "");
}

}  // namespace
}  // namespace multipass::e2e
