// SPDX-License-Identifier: MIT
#include "tool/settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "environment_guard.hpp"
#include "tool/process_info.hpp"

namespace multipass::tool {
namespace {

class SettingsTest : public ::testing::Test {
 protected:
  static Settings read() {
    auto settings = read_settings();
    EXPECT_TRUE(settings) << settings.message();
    EXPECT_TRUE(settings && *settings) << "no counters asked for";
    return settings && *settings ? **settings : Settings{};
  }

 private:
  // A clean environment for each test.
  ScopedVariable resolved_{"ROCPROFSYS_MULTIPASS_RESOLVED", nullptr};
  ScopedVariable events_{"ROCPROFSYS_MULTIPASS_EVENTS", nullptr};
  ScopedVariable host_events_{"ROCPROFSYS_ROCM_EVENTS", nullptr};
  ScopedVariable set_{"ROCPROFSYS_MULTIPASS_SET", nullptr};
  ScopedVariable panels_{"ROCPROFSYS_MULTIPASS_COMPUTE_PANELS", nullptr};
  ScopedVariable config_{"ROCPROFSYS_MULTIPASS_CONFIG", nullptr};
  ScopedVariable output_{"ROCPROFSYS_MULTIPASS_OUTPUT", nullptr};
  ScopedVariable host_output_{"ROCPROFSYS_OUTPUT_PATH", nullptr};
};

TEST_F(SettingsTest, WithoutAListThereIsNothingToDo) {
  const ScopedVariable empty("ROCPROFSYS_ROCM_EVENTS", "");
  auto settings = read_settings();
  ASSERT_TRUE(settings);
  EXPECT_FALSE(*settings);
}

TEST_F(SettingsTest, AMisspeltVariableIsReportedWithTheNearest) {
  const ScopedVariable events("ROCPROFSYS_MULTIPASS_EVENTS", "SQ_WAVES");
  const ScopedVariable misspelt("ROCPROFSYS_MULTIPASS_UNSAVE", "all");
  const ScopedVariable strange("ROCPROFSYS_MULTIPASS_XYZ", "1");
  const ScopedVariable known("ROCPROFSYS_MULTIPASS_UNSAFE", "budget");
  EXPECT_EQ(read().warnings,
            (std::vector<std::string>{
                "ROCPROFSYS_MULTIPASS_UNSAVE is not a known variable; did you mean ROCPROFSYS_MULTIPASS_UNSAFE?",
                "ROCPROFSYS_MULTIPASS_XYZ is not a known variable"}));
}

TEST_F(SettingsTest, ASetNeedsNoList) {
  const ScopedVariable set("ROCPROFSYS_MULTIPASS_SET", " memory,,cache ");
  const Settings settings = read();
  EXPECT_EQ(settings.config.events, "");
  EXPECT_EQ(settings.config.sets, (std::vector<std::string>{"memory", "cache"}));
}

TEST_F(SettingsTest, PanelsNeedNoList) {
  const ScopedVariable panels("ROCPROFSYS_MULTIPASS_COMPUTE_PANELS", "17,2 17");
  const Settings settings = read();
  EXPECT_EQ(settings.config.events, "");
  EXPECT_EQ(settings.config.compute_panels, (std::vector<std::uint32_t>{2, 17}));
  const ScopedVariable all("ROCPROFSYS_MULTIPASS_COMPUTE_PANELS", "all");
  EXPECT_EQ(read().config.compute_panels.size(), 14U);
}

TEST_F(SettingsTest, PanelsThatAreNotUnderstoodAreNamedAndNoneIsCollected) {
  const ScopedVariable panels("ROCPROFSYS_MULTIPASS_COMPUTE_PANELS", "2,4");
  const Settings settings = read();
  EXPECT_TRUE(settings.config.compute_panels.empty());
  ASSERT_EQ(settings.warnings.size(), 1U);
  EXPECT_EQ(settings.warnings[0].find("ROCPROFSYS_MULTIPASS_COMPUTE_PANELS is left out: '4' is no panel: give all, or"),
            0U);
}

TEST_F(SettingsTest, TheWrapperGivesPanelsByNumber) {
  const std::string before = R"({"schema": 1, "events": "", "output": "/o", "compute_panels": )";
  EXPECT_EQ(parse_handover(before + "[2, 99]}", "f")->config.compute_panels, (std::vector<std::uint32_t>{2, 99}));
  for (const char* wrong : {"[-1]}", "[2.5]}", "[\"2\"]}", "[4294967298]}"})
    EXPECT_NE(parse_handover(before + wrong, "f").message().find("compute_panels is not a list of numbers of panels"),
              std::string::npos)
        << wrong;
}

TEST_F(SettingsTest, ASetWithoutANameIsNone) {
  const ScopedVariable set("ROCPROFSYS_MULTIPASS_SET", " , ");
  auto settings = read_settings();
  ASSERT_TRUE(settings);
  EXPECT_FALSE(*settings);
}

TEST_F(SettingsTest, OwnVariablesBeatThoseOfRocprofSys) {
  const ScopedVariable host("ROCPROFSYS_ROCM_EVENTS", "TCC_HIT");
  const ScopedVariable host_output("ROCPROFSYS_OUTPUT_PATH", "/tmp/theirs");
  EXPECT_EQ(read().config.events, "TCC_HIT");
  EXPECT_EQ(read().config.output_dir, "/tmp/theirs");
  const ScopedVariable own("ROCPROFSYS_MULTIPASS_EVENTS", "SQ_WAVES");
  const ScopedVariable own_output("ROCPROFSYS_MULTIPASS_OUTPUT", "/tmp/ours");
  EXPECT_EQ(read().config.events, "SQ_WAVES");
  EXPECT_EQ(read().config.output_dir, "/tmp/ours");
}

TEST_F(SettingsTest, KnowsWhetherTheListIsThatOfRocprofSys) {
  const ScopedVariable host("ROCPROFSYS_ROCM_EVENTS", "TCC_HIT");
  const ScopedVariable polled("ROCPROFSYS_GPU_PERF_COUNTERS", "SQ_WAVES");
  EXPECT_TRUE(read().config.shares_events);
  EXPECT_FALSE(read().config.force);
  EXPECT_EQ(read().config.polled, "SQ_WAVES");
  EXPECT_TRUE(read().config.shares_polled);
  const ScopedVariable own("ROCPROFSYS_MULTIPASS_EVENTS", "TCC_HIT");
  const ScopedVariable force("ROCPROFSYS_MULTIPASS_FORCE", "on");
  EXPECT_FALSE(read().config.shares_events);
  EXPECT_TRUE(read().config.force);
}

TEST_F(SettingsTest, TheWrapperSaysWhatIsPolledAndWhetherToForce) {
  const ScopedVariable polled("ROCPROFSYS_GPU_PERF_COUNTERS", "SQ_WAVES");
  const auto settings = parse_handover(
      R"({"schema": 1, "events": "X", "output": "/o", "polled": "A,B", "force": true, "rocprof_sys": {}})", "f.json");
  ASSERT_TRUE(settings) << settings.message();
  EXPECT_TRUE(settings->config.records_for_it);
  EXPECT_EQ(settings->config.polled, "A,B");
  EXPECT_FALSE(settings->config.shares_polled);
  EXPECT_TRUE(settings->config.force);
  EXPECT_FALSE(settings->config.shares_events);
}

TEST_F(SettingsTest, TheDefaultFolderIsNamedAfterTheProgram) {
  const ScopedVariable events("ROCPROFSYS_MULTIPASS_EVENTS", "SQ_WAVES");
  EXPECT_EQ(read().config.output_dir,
            (std::filesystem::current_path() / "rocprof-sys-multipass-output" / application_name()).string());
}

TEST_F(SettingsTest, ReadsEveryVariable) {
  const ScopedVariable events("ROCPROFSYS_MULTIPASS_EVENTS", "A B");
  const ScopedVariable group("ROCPROFSYS_MULTIPASS_GROUP", " A, B ;C,D;");
  const ScopedVariable replay("ROCPROFSYS_MULTIPASS_REPLAY", "off");
  const ScopedVariable include("ROCPROFSYS_MULTIPASS_KERNEL_INCLUDE", "^a:b");
  const ScopedVariable exclude("ROCPROFSYS_MULTIPASS_KERNEL_EXCLUDE", "c|d");
  const ScopedVariable range("ROCPROFSYS_MULTIPASS_RANGE", "[1-3]");
  const ScopedVariable roctx("ROCPROFSYS_MULTIPASS_ROCTX", "on");
  const ScopedVariable roctx_include("ROCPROFSYS_MULTIPASS_ROCTX_INCLUDE", "^solve");
  const ScopedVariable roctx_exclude("ROCPROFSYS_MULTIPASS_ROCTX_EXCLUDE", "io");
  const ScopedVariable selected("ROCPROFSYS_MULTIPASS_SELECTED_REGIONS", "1");
  const ScopedVariable list("ROCPROFSYS_MULTIPASS_NO_REPLAY", "^spin");
  const ScopedVariable everything("ROCPROFSYS_MULTIPASS_REPLAY_EVERYTHING", "on");
  const ScopedVariable limit("ROCPROFSYS_MULTIPASS_MAX_REPLAYS", "7");
  const ScopedVariable budget("ROCPROFSYS_MULTIPASS_REPLAY_BUDGET", "90s,5%");
  const ScopedVariable unsafe("ROCPROFSYS_MULTIPASS_UNSAFE", "collectives");
  const ScopedVariable memory("ROCPROFSYS_MULTIPASS_HOST_MEMORY", "64GB");
  const ScopedVariable warm_up("ROCPROFSYS_MULTIPASS_WARM_UP_PASS", "on");
  const ScopedVariable permute("ROCPROFSYS_MULTIPASS_PERMUTE_GROUPS", "1");
  const ScopedVariable gpus("ROCPROFSYS_MULTIPASS_GPUS", "0,2-3");
  const ScopedVariable ranks("ROCPROFSYS_MULTIPASS_RANKS", "0,8");
  const ScopedVariable format("ROCPROFSYS_MULTIPASS_FORMAT", "rocpd");
  const ScopedVariable quiet("ROCPROFSYS_MULTIPASS_QUIET", "Yes");
  const Settings settings = read();
  EXPECT_EQ(settings.config.groups, (std::vector<std::vector<std::string>>{{"A", "B"}, {"C", "D"}}));
  EXPECT_EQ(settings.config.replay, ReplayMode::kOff);
  EXPECT_EQ(settings.config.filter.kernel_include, "^a:b");
  EXPECT_EQ(settings.config.filter.kernel_exclude, "c|d");
  EXPECT_EQ(settings.config.filter.range, "[1-3]");
  EXPECT_TRUE(settings.config.regions.roctx);
  EXPECT_EQ(settings.config.regions.roctx_include, "^solve");
  EXPECT_EQ(settings.config.regions.roctx_exclude, "io");
  EXPECT_TRUE(settings.config.regions.selected_regions);
  EXPECT_EQ(settings.config.limits.no_replay, "^spin");
  EXPECT_TRUE(settings.config.limits.everything);
  EXPECT_EQ(settings.config.limits.max_replays, 7U);
  EXPECT_EQ(settings.config.limits.budget, (ReplayBudget{90'000'000'000, 0.05}));
  SafetyReasons lifted;
  lifted.add(DeclineReason::kCollectives);
  EXPECT_EQ(settings.config.limits.unsafe, lifted);
  EXPECT_EQ(settings.config.limits.host_memory, 64'000'000'000U);
  EXPECT_EQ(settings.config.extras, (ReplayExtras{.warm_up = true, .permute = true}));
  EXPECT_EQ(settings.config.gpus, "0,2-3");
  EXPECT_EQ(settings.config.ranks, "0,8");
  EXPECT_EQ(settings.config.formats, std::vector<std::string>{"rocpd"});
  EXPECT_TRUE(settings.config.quiet);
  EXPECT_FALSE(settings.config.verbose);
  EXPECT_TRUE(settings.config.spawn_exporter) << "no wrapper: the plugin exports";
  EXPECT_TRUE(settings.warnings.empty());
}

TEST_F(SettingsTest, AValueThatIsNotUnderstoodIsNamedAndTheDefaultUsed) {
  const ScopedVariable events("ROCPROFSYS_MULTIPASS_EVENTS", "A");
  const ScopedVariable format("ROCPROFSYS_MULTIPASS_FORMAT", "png");
  const Settings settings = read();
  ASSERT_EQ(settings.warnings.size(), 1U);
  EXPECT_TRUE(settings.warnings[0].starts_with("ROCPROFSYS_MULTIPASS_FORMAT='png' is not understood (allowed: "));
  EXPECT_TRUE(settings.warnings[0].ends_with("; the default is used"));
}

// The default replays; who wrote "rotat" or "of" wanted none.
TEST_F(SettingsTest, AModeOfReplayThatIsNotUnderstoodIsAnError) {
  const ScopedVariable events("ROCPROFSYS_MULTIPASS_EVENTS", "A");
  const ScopedVariable replay("ROCPROFSYS_MULTIPASS_REPLAY", "rotat");
  EXPECT_EQ(read_settings().message(),
            "ROCPROFSYS_MULTIPASS_REPLAY: 'rotat' is not understood (allowed: auto, kernel, rotate, off)");
}

// The default, no limit, would cost what the user wants to spare.
TEST_F(SettingsTest, ALimitThatIsNotUnderstoodIsAnError) {
  const ScopedVariable events("ROCPROFSYS_MULTIPASS_EVENTS", "A");
  for (const char* text : {"0", "-1", "two", "3x", "4294967296"}) {
    const ScopedVariable limit("ROCPROFSYS_MULTIPASS_MAX_REPLAYS", text);
    EXPECT_EQ(read_settings().message(), "ROCPROFSYS_MULTIPASS_MAX_REPLAYS: '" + std::string(text) +
                                             "' is not understood (allowed: a number from 1 to 4294967295, none)");
  }
  const ScopedVariable empty("ROCPROFSYS_MULTIPASS_MAX_REPLAYS", "");
  EXPECT_EQ(read().config.limits.max_replays, std::nullopt);
}

TEST_F(SettingsTest, SentinelsThatCannotBeMeantAreAWarningAndTheDefaultIsUsed) {
  const ScopedVariable events("ROCPROFSYS_MULTIPASS_EVENTS", "A");
  for (const std::string text : {" ", "None", "auto,TCC_REQ"}) {
    const ScopedVariable sentinel("ROCPROFSYS_MULTIPASS_SENTINEL", text.c_str());
    const Settings settings = read();
    EXPECT_EQ(settings.config.sentinel, "auto");
    EXPECT_EQ(settings.warnings, std::vector<std::string>{
                                     "ROCPROFSYS_MULTIPASS_SENTINEL='" + text +
                                     "' is not understood (allowed: auto, none, or counters as in an events list; auto "
                                     "and none stand alone, in small letters); the default is used"});
  }
}

TEST_F(SettingsTest, SentinelsOfAFileThatCannotBeMeantAreAWarning) {
  const auto handed = parse_handover(R"({"schema": 1, "events": "A", "output": "/o", "sentinel": "AUTO"})", "f.json");
  ASSERT_TRUE(handed);
  EXPECT_EQ(handed->config.sentinel, "auto");
  ASSERT_EQ(handed->warnings.size(), 1U);
  EXPECT_TRUE(handed->warnings[0].starts_with("sentinel 'AUTO' is not understood (allowed: auto, none, or counters"));
}

TEST_F(SettingsTest, TheLayoutIsThatOfTheVariable) {
  const ScopedVariable events("ROCPROFSYS_MULTIPASS_EVENTS", "A");
  EXPECT_EQ(read().config.layout, "canonical");
  const ScopedVariable layout("ROCPROFSYS_MULTIPASS_LAYOUT", "strict");
  EXPECT_EQ(read().config.layout, "strict");
}

TEST_F(SettingsTest, ALayoutThatIsNoneIsNamedAndTheDefaultUsed) {
  const ScopedVariable events("ROCPROFSYS_MULTIPASS_EVENTS", "A");
  const ScopedVariable layout("ROCPROFSYS_MULTIPASS_LAYOUT", "per-pass");
  const Settings settings = read();
  EXPECT_EQ(settings.config.layout, "canonical");
  EXPECT_EQ(settings.warnings, std::vector<std::string>{"ROCPROFSYS_MULTIPASS_LAYOUT='per-pass' is not understood "
                                                        "(allowed: canonical or strict); the default is used"});
  const auto handed = parse_handover(R"({"schema": 1, "events": "A", "output": "/o", "layout": "x"})", "f.json");
  ASSERT_TRUE(handed) << handed.message();
  EXPECT_EQ(handed->config.layout, "canonical");
  EXPECT_EQ(handed->warnings, std::vector<std::string>{"layout 'x' is not understood (allowed: canonical, strict); "
                                                       "canonical is used"});
}

TEST_F(SettingsTest, InstancesAreKeptWhereItIsSaid) {
  const ScopedVariable events("ROCPROFSYS_MULTIPASS_EVENTS", "A");
  EXPECT_FALSE(read().config.keeps_instances);
  const ScopedVariable instances("ROCPROFSYS_MULTIPASS_INSTANCES", "keep");
  EXPECT_TRUE(read().config.keeps_instances);
  const auto handed = parse_handover(R"({"schema": 1, "events": "A", "output": "/o", "instances": "keep"})", "f.json");
  ASSERT_TRUE(handed) << handed.message();
  EXPECT_TRUE(handed->config.keeps_instances);
  EXPECT_TRUE(handed->warnings.empty());
}

TEST_F(SettingsTest, AWordForInstancesThatIsNoneIsNamedAndSumsAreRecorded) {
  const ScopedVariable events("ROCPROFSYS_MULTIPASS_EVENTS", "A");
  const ScopedVariable instances("ROCPROFSYS_MULTIPASS_INSTANCES", "all");
  const Settings settings = read();
  EXPECT_FALSE(settings.config.keeps_instances);
  EXPECT_EQ(settings.warnings, std::vector<std::string>{"ROCPROFSYS_MULTIPASS_INSTANCES='all' is not understood "
                                                        "(allowed: sum or keep); the default is used"});
  const auto handed = parse_handover(R"({"schema": 1, "events": "A", "output": "/o", "instances": "x"})", "f.json");
  ASSERT_TRUE(handed) << handed.message();
  EXPECT_FALSE(handed->config.keeps_instances);
  EXPECT_EQ(handed->warnings, std::vector<std::string>{"instances 'x' is not understood (allowed: sum, keep); sums are "
                                                       "recorded, and no instances"});
}

TEST_F(SettingsTest, AFormatThatIsMadeInPythonIsToldWhoWritesIt) {
  const ScopedVariable events("ROCPROFSYS_MULTIPASS_EVENTS", "A");
  const ScopedVariable format("ROCPROFSYS_MULTIPASS_FORMAT", "csv");
  const Settings settings = read();
  EXPECT_EQ(settings.config.formats, (std::vector<std::string>{"perfetto", "rocpd"}));
  EXPECT_EQ(settings.warnings,
            std::vector<std::string>{
                "ROCPROFSYS_MULTIPASS_FORMAT='csv' is not understood (allowed: perfetto, rocpd, or "
                "both with a comma; csv, csv-wide, json, parquet and compute are written by `rocprof-sys-multipass "
                "export`); the default is used"});
}

TEST_F(SettingsTest, AFormatListWithoutAFormatIsNotUnderstood) {
  const ScopedVariable events("ROCPROFSYS_MULTIPASS_EVENTS", "A");
  const ScopedVariable format("ROCPROFSYS_MULTIPASS_FORMAT", ",");
  EXPECT_EQ(read().config.formats, (std::vector<std::string>{"perfetto", "rocpd"}));
  EXPECT_EQ(read().warnings.size(), 1U);
  const auto handed = parse_handover(R"({"schema": 1, "events": "A", "output": "/o", "formats": ["x"]})", "f.json");
  ASSERT_TRUE(handed);
  EXPECT_EQ(handed->config.formats, (std::vector<std::string>{"perfetto", "rocpd"}));
  EXPECT_EQ(handed->warnings.size(), 1U);
}

TEST_F(SettingsTest, SentinelsAreThoseOfTheirVariableAndElseAutomatic) {
  const ScopedVariable events("ROCPROFSYS_MULTIPASS_EVENTS", "A");
  EXPECT_EQ(read().config.sentinel, "auto");
  const ScopedVariable empty("ROCPROFSYS_MULTIPASS_SENTINEL", "");
  EXPECT_EQ(read().config.sentinel, "auto");
  const ScopedVariable named("ROCPROFSYS_MULTIPASS_SENTINEL", "SQ_WAVES;TCC_REQ");
  EXPECT_EQ(read().config.sentinel, "SQ_WAVES;TCC_REQ");
  const auto handed = parse_handover(R"({"schema": 1, "events": "A", "output": "/o"})", "f.json");
  ASSERT_TRUE(handed);
  EXPECT_EQ(handed->config.sentinel, "auto");
}

TEST_F(SettingsTest, AYamlFileIsForTheWrapperOnly) {
  const ScopedVariable file("ROCPROFSYS_MULTIPASS_CONFIG", "m.yaml");
  const std::string told =
      "ROCPROFSYS_MULTIPASS_CONFIG=m.yaml is read by 'rocprof-sys-multipass run' only; without it, set "
      "ROCPROFSYS_MULTIPASS_RESOLVED=OUT.json, made by 'rocprof-sys-multipass config check m.yaml --resolved OUT.json'";
  EXPECT_EQ(read_settings().message(), told) << "nothing says what to count";
  const ScopedVariable events("ROCPROFSYS_MULTIPASS_EVENTS", "A");
  EXPECT_EQ(read().warnings, std::vector<std::string>{told});
  const ScopedVariable empty("ROCPROFSYS_MULTIPASS_CONFIG", "");
  EXPECT_TRUE(read().warnings.empty());
}

TEST_F(SettingsTest, AFolderIsNoHandOverFile) {
  const ScopedVariable resolved("ROCPROFSYS_MULTIPASS_RESOLVED", "/tmp");
  EXPECT_EQ(read_settings().message(), "the settings file /tmp (ROCPROFSYS_MULTIPASS_RESOLVED) is a folder");
}

TEST_F(SettingsTest, APipeIsNoHandOverFileAndNotWaitedFor) {
  const std::string path = ::testing::TempDir() + "settings." + std::to_string(::getpid()) + ".fifo";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const ScopedVariable resolved("ROCPROFSYS_MULTIPASS_RESOLVED", path.c_str());
  const std::string said = read_settings().message();
  std::filesystem::remove(path);
  EXPECT_EQ(said, "the settings file " + path + " (ROCPROFSYS_MULTIPASS_RESOLVED) is a pipe: give the path of a file");
}

TEST_F(SettingsTest, TheCountersOfTheTraceAreAllOrNone) {
  const ScopedVariable events("ROCPROFSYS_MULTIPASS_EVENTS", "SQ_WAVES");
  const ScopedVariable none("ROCPROFSYS_MULTIPASS_TRACE_COUNTERS", "none");
  EXPECT_FALSE(read().config.trace_counters);
  const ScopedVariable wrong("ROCPROFSYS_MULTIPASS_TRACE_COUNTERS", "some");
  const Settings settings = read();
  EXPECT_TRUE(settings.config.trace_counters);
  ASSERT_EQ(settings.warnings.size(), 1U);
  EXPECT_THAT(settings.warnings[0], testing::HasSubstr("TRACE_COUNTERS='some'"));
}

TEST_F(SettingsTest, AHandOverFileWithOtherCountersOfTheTraceGivesAWarning) {
  const auto settings = parse_handover(R"({"schema": 1, "events": "X", "output": "/o", "trace_counters": "few"})", "f");
  ASSERT_TRUE(settings) << settings.message();
  EXPECT_TRUE(settings->config.trace_counters);
  EXPECT_THAT(settings->warnings, testing::ElementsAre("trace_counters 'few' is not understood (allowed: all, none); "
                                                       "all are in the trace"));
}

TEST_F(SettingsTest, AHandOverFileBeatsEveryVariable) {
  const auto settings = parse_handover(
      R"({"schema": 1, "events": "X", "output": "/o", "groups": [["X", "Y"]], "sets": ["cache"], "replay": "kernel",
          "kernel_include": "^a", "kernel_exclude": "b$", "range": "1,4-6", "gpus": "1", "ranks": "2-3", "sentinel": "A,B",
          "roctx": true, "roctx_include": "^solve", "roctx_exclude": "io", "selected_regions": true,
          "no_replay": "^spin", "replay_everything": true, "max_replays": 3, "replay_budget": {"seconds": 1.5, "share": 0.25}, "unsafe": ["budget"], "host_memory": 9, "timing_pass": true, "permute_groups": true, "formats": ["perfetto"], "layout": "strict", "trace_counters": "none", "spawn_exporter": false, "run_token": "t1", "quiet": false, "verbose": true, "later": 1})",
      "f.json");
  ASSERT_TRUE(settings) << settings.message();
  EXPECT_EQ(settings->config.events, "X");
  EXPECT_EQ(settings->config.output_dir, "/o");
  EXPECT_EQ(settings->config.replay, ReplayMode::kKernel);
  EXPECT_FALSE(settings->config.spawn_exporter);
  EXPECT_EQ(settings->config.layout, "strict");
  EXPECT_FALSE(settings->config.trace_counters);
  EXPECT_EQ(settings->config.filter.kernel_include, "^a");
  EXPECT_EQ(settings->config.filter.kernel_exclude, "b$");
  EXPECT_EQ(settings->config.filter.range, "1,4-6");
  EXPECT_TRUE(settings->config.regions.roctx);
  EXPECT_EQ(settings->config.regions.roctx_include, "^solve");
  EXPECT_EQ(settings->config.regions.roctx_exclude, "io");
  EXPECT_TRUE(settings->config.regions.selected_regions);
  EXPECT_EQ(settings->config.gpus, "1");
  EXPECT_EQ(settings->config.ranks, "2-3");
  EXPECT_EQ(settings->config.limits.no_replay, "^spin");
  EXPECT_TRUE(settings->config.limits.everything);
  EXPECT_EQ(settings->config.limits.max_replays, 3U);
  EXPECT_EQ(settings->config.limits.budget, (ReplayBudget{1'500'000'000, 0.25}));
  EXPECT_TRUE(settings->config.limits.unsafe.has(DeclineReason::kBudget));
  EXPECT_EQ(settings->config.limits.host_memory, 9U);
  EXPECT_EQ(settings->config.extras, (ReplayExtras{.timing = true, .permute = true}));
  EXPECT_EQ(settings->config.run_token, "t1");
  EXPECT_EQ(settings->config.sets, std::vector<std::string>{"cache"});
  EXPECT_EQ(settings->config.sentinel, "A,B");
  EXPECT_TRUE(settings->config.verbose);
}

// Read as numbers of C++ they would be no limit, or another one.
TEST_F(SettingsTest, ALimitThatIsNoWholeNumberIsRefused) {
  for (const char* limit :
       {R"("max_replays": -1)", R"("max_replays": 1.5)", R"("max_replays": 1e30)", R"("max_replays": true)",
        R"("max_replays": "none")", R"("host_memory": -1)", R"("host_memory": 0.5)"}) {
    const auto settings =
        parse_handover(R"({"schema": 1, "events": "A", "output": "/o", )" + std::string(limit) + "}", "f.json");
    ASSERT_FALSE(settings) << limit;
    EXPECT_NE(settings.message().find("is not a whole number from 0 on"), std::string::npos) << settings.message();
  }
}

TEST_F(SettingsTest, ABudgetIsRefusedThatWouldBeNone) {
  for (const char* budget :
       {R"({"seconds": 1e-12, "share": 0})", R"({"seconds": -1, "share": 0})", R"({"seconds": 1e300, "share": 0})",
        R"({"seconds": 0, "share": 1.5})", R"({"seconds": 0, "share": -0.1})"}) {
    const auto settings = parse_handover(
        R"({"schema": 1, "events": "A", "output": "/o", "replay_budget": )" + std::string(budget) + "}", "f.json");
    ASSERT_FALSE(settings) << budget;
    EXPECT_NE(settings.message().find("replay_budget is not"), std::string::npos) << settings.message();
  }
}

TEST_F(SettingsTest, ABadHandOverFileIsNamedWithItsFault) {
  EXPECT_EQ(parse_handover(R"({"schema": 2})", "f.json").message(),
            "f.json: 'schema' must be 1; this file is of another version of rocprof-sys-multipass");
  EXPECT_NE(parse_handover(R"({"schema": 1999999999999999999999999})", "f.json").message().find("'schema' must be 1"),
            std::string::npos);
  EXPECT_NE(parse_handover("[1]", "f.json").message().find("'schema' must be 1"), std::string::npos);
  EXPECT_NE(parse_handover("{", "f.json").message().find("f.json: "), std::string::npos);
  EXPECT_NE(parse_handover(R"({"schema": 1, "events": 5, "output": "/o"})", "f.json").message().find("must be string"),
            std::string::npos);
  const ScopedVariable resolved("ROCPROFSYS_MULTIPASS_RESOLVED", "/nowhere/f.json");
  EXPECT_EQ(
      read_settings().message(),
      "the settings file /nowhere/f.json (ROCPROFSYS_MULTIPASS_RESOLVED) cannot be read: No such file or directory");
}

}  // namespace
}  // namespace multipass::tool
