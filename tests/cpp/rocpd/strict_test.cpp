// SPDX-License-Identifier: MIT
// The strict layout: what the main file may hold, what the sidecar says of itself, and when the two have their names.
// The values are in worked_example_test.cpp.
#include <algorithm>
#include <cerrno>
#include <fstream>
#include <set>

#include "fixture.hpp"
#include "output/rocpd/naming.hpp"
#include "system_calls.hpp"

namespace multipass::output::rocpd::test {
namespace {

namespace fs = std::filesystem;

class StrictTest : public RocpdTest {
 protected:
  void write() const { write_example({example_dispatch()}, RocpdLayout::kStrict); }
  [[nodiscard]] fs::path sidecar() const { return sidecar_path(target()); }

  static Row names(const Reader& reader, const std::string& where) {
    Row result;
    for (const Row& row : reader.rows("SELECT name FROM sqlite_master WHERE " + where + " ORDER BY name"))
      result.push_back(row[0]);
    return result;
  }
};

TEST_F(StrictTest, TheMainFileHasWhatTheCanonicalOneHasButThePasses) {
  write();
  const Reader strict(target());
  const Row views = names(strict, "type = 'view'");
  const Row tables = names(strict, "type = 'table'");
  fs::remove(target());
  write_example({example_dispatch()});
  const Reader canonical(target());
  const std::string no_passes = " AND name NOT LIKE '%replay%' AND name <> 'kernel_counters'";
  EXPECT_EQ(views, names(canonical, "type = 'view'" + no_passes));
  EXPECT_EQ(tables, names(canonical, "type = 'table'" + no_passes));
}

TEST_F(StrictTest, TheMainFileHasNoIndexOrTriggerOfOurs) {
  write();
  EXPECT_EQ(names(Reader(target()), "type IN ('index', 'trigger') AND sql NOT NULL"), Row{});
}

TEST_F(StrictTest, TheSidecarHasTheIndexOfItsReadings) {
  write();
  const Row indexes = names(Reader(sidecar()), "type IN ('index', 'trigger') AND sql NOT NULL");
  ASSERT_EQ(indexes.size(), 1U);
  EXPECT_TRUE(indexes[0].starts_with("rocpd_index_replay_pmc_replay_pass_id_")) << indexes[0];
}

// A reader that compares what PRAGMA table_info returns with its own schema gets upstream's spelling.
TEST_F(StrictTest, TextDefaultsHaveDoubleQuotes) {
  write();
  const Reader reader(target());
  const auto defaults = [&](const std::string& table) {
    return reader.rows("SELECT name, dflt_value FROM pragma_table_info('" + table + kSuffix +
                       "') WHERE dflt_value NOT NULL");
  };
  const std::string guid = '"' + std::string(kGuid) + '"';
  EXPECT_EQ(defaults("rocpd_info_pmc"),
            (Table{{"guid", guid}, {"long_description", "\"\""}, {"units", "\"\""}, {"extdata", "\"{}\""}}));
  EXPECT_EQ(defaults("rocpd_pmc_event"), (Table{{"guid", guid}, {"value", "0.0"}, {"extdata", "\"{}\""}}));
  EXPECT_EQ(reader.value("SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' AND sql LIKE '%DEFAULT ''%'"), "0");
}

TEST_F(StrictTest, DefaultsInDoubleQuotesAreTheTexts) {
  write();
  EXPECT_EQ(Reader(target()).rows("SELECT guid, units, extdata FROM rocpd_info_pmc WHERE id = 1"),
            (Table{{kGuid, "", R"({"instances":2})"}}));
  EXPECT_EQ(Reader(target()).rows("SELECT DISTINCT guid, call_stack, extdata FROM rocpd_event"),
            (Table{{kGuid, "{}", "{}"}}));
}

TEST_F(StrictTest, TheMetadataHasUpstreamsSevenRowsAndTwoOfOurs) {
  write();
  const Reader reader(target());
  EXPECT_EQ(reader.rows("SELECT tag FROM rocpd_metadata ORDER BY id"), (Table{{"schema_version"},
                                                                              {"schema_version_major"},
                                                                              {"schema_version_minor"},
                                                                              {"schema_version_patch"},
                                                                              {"schema_creation_time"},
                                                                              {"uuid"},
                                                                              {"guid"},
                                                                              {"replay_layout"},
                                                                              {"replay_sidecar"}}));
  EXPECT_EQ(
      reader.rows("SELECT tag, value FROM rocpd_metadata WHERE tag IN ('uuid', 'guid') OR tag LIKE 'replay%'"),
      (Table{{"uuid", kSuffix}, {"guid", kGuid}, {"replay_layout", "strict/1"}, {"replay_sidecar", "out-replay.db"}}));
}

TEST_F(StrictTest, TheSidecarHasAnUuidOfItsOwnAndRowsOfTheRun) {
  write();
  const Reader reader(sidecar());
  const std::string own = reader.value("SELECT value FROM rocpd_metadata WHERE tag = 'guid'");
  EXPECT_EQ(own.size(), std::string(kGuid).size());
  EXPECT_NE(own, kGuid);
  std::string suffix = "_" + own;
  std::replace(suffix.begin(), suffix.end(), '-', '_');
  EXPECT_EQ(reader.value("SELECT value FROM rocpd_metadata WHERE tag = 'uuid'"), suffix);
  EXPECT_EQ(reader.value("SELECT value FROM rocpd_metadata WHERE tag = 'replay_parent_guid'"), kGuid);
  EXPECT_EQ(names(reader, "type = 'table' AND name NOT LIKE 'sqlite%'"),
            (Row{"rocpd_metadata" + suffix, "rocpd_replay_pass" + suffix, "rocpd_replay_pmc" + suffix}));
  EXPECT_EQ(names(reader, "type = 'view'"), (Row{"rocpd_metadata", "rocpd_replay_pass", "rocpd_replay_pmc"}));
  EXPECT_EQ(reader.rows("SELECT DISTINCT guid FROM rocpd_replay_pass UNION SELECT guid FROM rocpd_replay_pmc"),
            (Table{{kGuid}}));
}

TEST_F(StrictTest, TheSidecarRefersToNothingOutsideIt) {
  write();
  const Reader reader(sidecar());
  std::set<std::string> referred;
  for (const Row& table : reader.rows("SELECT name FROM sqlite_master WHERE type = 'table'"))
    for (const Row& key : reader.rows("SELECT \"table\" FROM pragma_foreign_key_list('" + table[0] + "')"))
      referred.insert(key[0].substr(0, std::string("rocpd_replay_pass").size()));
  EXPECT_EQ(referred, std::set<std::string>{"rocpd_replay_pass"});
}

TEST(SidecarNaming, IsTheSameForTheSameRunAndOfARunOnly) {
  const Result<Naming> one = Naming::from_guid(kGuid);
  const Result<Naming> other = Naming::from_guid("01980a2b-3c4d-7e5f-8a6b-7c8d9e0f1a2c");
  ASSERT_TRUE(one && other);
  EXPECT_EQ(one->of_sidecar().file_guid(), one->of_sidecar().file_guid());
  EXPECT_NE(one->of_sidecar().file_guid(), other->of_sidecar().file_guid());
  EXPECT_TRUE(static_cast<bool>(Naming::from_guid(one->of_sidecar().file_guid())));
}

TEST_F(StrictTest, NeitherFileHasItsNameBeforeBothAreComplete) {
  const std::unique_ptr<Sink> sink = begin_example(RocpdLayout::kStrict);
  EXPECT_FALSE(fs::exists(target()));
  EXPECT_FALSE(fs::exists(sidecar()));
  EXPECT_EQ(files().size(), 2U);
  expect_ok(sink->finish());
  std::vector<std::string> there = files();
  std::sort(there.begin(), there.end());
  EXPECT_EQ(there, (std::vector<std::string>{"out-replay.db", "out.db"}));
}

TEST_F(StrictTest, ASinkThatIsNotFinishedLeavesNeitherFile) {
  static_cast<void>(begin_example(RocpdLayout::kStrict));
  EXPECT_EQ(files(), std::vector<std::string>{});
}

TEST_F(StrictTest, ASidecarThatCannotHaveItsNameKeepsTheMainFileFromIts) {
  fs::create_directory(sidecar());
  const std::unique_ptr<Sink> sink = make_rocpd_sink(target(), RocpdLayout::kStrict);
  const Status status = sink->begin(some_run());
  EXPECT_FALSE(static_cast<bool>(status));
  EXPECT_NE(status.message().find("out-replay.db: cannot write the database: Is a directory"), std::string::npos)
      << status.message();
}

TEST_F(StrictTest, AMainFileThatCannotHaveItsNameTakesTheSidecarBack) {
  const std::unique_ptr<Sink> sink = begin_example(RocpdLayout::kStrict);
  fs::create_directory(target());
  EXPECT_FALSE(static_cast<bool>(sink->finish()));
  EXPECT_FALSE(fs::exists(sidecar()));
}

TEST_F(StrictTest, AMainFileThatHasItsNameKeepsItsSidecar) {
  const std::unique_ptr<Sink> sink = begin_example(RocpdLayout::kStrict);
  const SyncFails last(EIO, 3);  // after those of both files and of the folder with the sidecar
  EXPECT_FALSE(static_cast<bool>(sink->finish()));
  EXPECT_TRUE(fs::exists(target()));
  EXPECT_TRUE(fs::exists(sidecar()));
}

TEST_F(StrictTest, TheSameRunWrittenCanonicalRemovesItsOldSidecar) {
  write();
  write_example({example_dispatch()});
  EXPECT_EQ(files(), std::vector<std::string>{"out.db"});
}

TEST_F(StrictTest, ASidecarOfAnotherRunIsLeftAlone) {
  write();
  const std::unique_ptr<Sink> sink = make_rocpd_sink(target());
  RunMetadata other = some_run();
  other.guid = "11111111-2222-7333-8444-555555555555";
  expect_ok(sink->begin(other));
  expect_ok(sink->finish());
  EXPECT_TRUE(fs::exists(sidecar()));
}

TEST_F(StrictTest, AFileWithThatNameThatIsNoDatabaseIsLeftAlone) {
  {
    std::ofstream(sidecar()) << "notes";
  }
  write_example({example_dispatch()});
  EXPECT_TRUE(fs::exists(sidecar()));
}

}  // namespace
}  // namespace multipass::output::rocpd::test
