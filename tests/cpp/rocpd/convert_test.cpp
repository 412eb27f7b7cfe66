// SPDX-License-Identifier: MIT
// From layout to layout: what comes back is what went, and what was converted is what the capture gives.
#include "output/rocpd/convert.hpp"

#include <cmath>
#include <fstream>
#include <functional>
#include <map>

#include "fixture.hpp"
#include "output/rocpd/sqlite.hpp"

namespace multipass::output::rocpd::test {
namespace {

namespace fs = std::filesystem;

using Content = std::map<std::string, Table>;  // by table or view

struct Run {
  const char* name;
  std::function<void(Sink&)> write;  // between the kernel and the end
};

DispatchRecord with_outcome(DispatchRecord dispatch, Outcome outcome, const std::string& reason) {
  dispatch.outcome = outcome;
  dispatch.reason = reason;
  return dispatch;
}

// A launch of one group, in turn.
DispatchRecord turn(std::uint64_t id, std::uint32_t group, std::vector<std::pair<std::uint32_t, double>> readings) {
  PassRecord record = pass_record(std::nullopt, 1000 * id, 1000 * id + 100, readings);
  record.group = GroupIndex{group};
  return with_outcome(dispatch_of(id, {record}), Outcome::kDeclined, "rotate_mode");
}

void write_two_agents(Sink& sink) {
  expect_ok(sink.agent(cpu(2, 0), {}, plan_of(2, {})));
  expect_ok(sink.agent(gpu(1, 2, "gfx90a"), {counter("SQ_WAVES"), counter("TCC_HIT")},
                       plan_of(1, {{"SQ_WAVES"}, {"TCC_HIT"}})));
  KernelSymbol symbol = kernel(8, "template<'\"'> größe \xF0\x9F\x98\x80");
  symbol.agent = AgentIndex{1};
  expect_ok(sink.kernel(symbol));
  DispatchRecord dispatch =
      dispatch_of((1ULL << 63) + 5, {pass_record(0, 10, 20, {{0, 1e300}}), pass_record(1, 30, 40, {{1, 0.1}})});
  dispatch.agent = AgentIndex{1};
  dispatch.kernel = KernelId{8};
  expect_ok(sink.dispatch(dispatch));
  expect_ok(sink.dispatch(example_dispatch(512, 0, 256)));
}

const std::vector<Run> kRuns{
    {"empty", [](Sink&) {}},
    {"replayed", [](Sink& sink) { expect_ok(sink.dispatch(example_dispatch(512, 511.5, 0))); }},
    {"declined", [](Sink& sink) { expect_ok(sink.dispatch(turn(1, 1, {{0, 512}, {2, 200}}))); }},
    {"filtered",
     [](Sink& sink) {
       expect_ok(sink.dispatch(
           with_outcome(dispatch_of(1, {pass_record(std::nullopt, 5000, 5100, {})}), Outcome::kFiltered, "range")));
     }},
    {"rotated",
     [](Sink& sink) {
       for (std::uint32_t id = 1; id <= 7; ++id) expect_ok(sink.dispatch(turn(id, id % 3, {{id % 3 + 1, 10.0 * id}})));
     }},
    {"incomplete",
     [](Sink& sink) {
       expect_ok(sink.dispatch(with_outcome(dispatch_of(1, {pass_record(0, 0, 0, {{0, std::nan("")}, {1, 3}})}),
                                            Outcome::kIncomplete, "pass 1 did not run")));
       expect_ok(sink.dispatch(with_outcome(dispatch_of(2, {}), Outcome::kIncomplete, "no record arrived")));
       expect_ok(sink.warning("it's \"odd\""));
     }},
    {"extras",
     [](Sink& sink) {
       DispatchRecord dispatch = example_dispatch();
       dispatch.warm_up = Interval{100, 200};
       dispatch.timing = Interval{300, 450};
       expect_ok(sink.dispatch(dispatch));
     }},
    {"two_agents", write_two_agents},
};

class ConvertTest : public RocpdTest, public ::testing::WithParamInterface<Run> {
 protected:
  void write(const fs::path& path, RocpdLayout layout) const {
    const std::unique_ptr<Sink> sink = make_rocpd_sink(path, layout);
    expect_ok(sink->begin(some_run()));
    expect_ok(sink->agent(gpu(0, 1), example_counters(), example_plan()));
    expect_ok(sink->kernel(kernel(7, "k")));
    GetParam().write(*sink);
    expect_ok(sink->finish());
  }

  [[nodiscard]] fs::path folder(const char* name) const {
    fs::create_directories(directory_ / name);
    return directory_ / name / "out.db";
  }
};

// All that a file holds, ids and types too; when it was written is not looked at.
Content content_of(const fs::path& path, bool sidecar = false) {
  const Reader reader(path);
  Content content;
  for (const Row& object : reader.rows("SELECT name, type, sql FROM sqlite_master WHERE type IN ('table', 'view')")) {
    content["SQL of " + object[0]] = {{object[1], object[2]}};
    // Of SQLite's own table not what says that a table is empty.
    const std::string rest = object[0] == "sqlite_sequence" ? " WHERE seq > 0 ORDER BY name" : "";
    content[object[0]] = reader.rows("SELECT * FROM \"" + object[0] + "\"" + rest);
    if (object[1] != "table" || object[0].starts_with("sqlite")) continue;
    for (const Row& column : reader.rows("SELECT name FROM pragma_table_info('" + object[0] + "')"))
      content["types of " + object[0] + "." + column[0]] =
          reader.rows("SELECT id, typeof(\"" + column[0] + "\") FROM " + object[0]);
  }
  for (auto& [name, rows] : content)
    if (name.starts_with("rocpd_metadata"))
      std::erase_if(rows, [](const Row& row) { return row[1] == "schema_creation_time"; });
  EXPECT_GT(content.size(), sidecar ? 10U : 60U);
  return content;
}

// Names what differs, not all that there is.
void expect_same(const Content& found, const Content& expected) {
  for (const auto& [name, rows] : expected) {
    const auto other = found.find(name);
    if (other == found.end())
      ADD_FAILURE() << name << " is missing";
    else
      EXPECT_EQ(other->second, rows) << name;
  }
  for (const auto& [name, rows] : found) EXPECT_TRUE(expected.contains(name)) << name;
}

// What every view of the canonical layout gives.
Content views_of(const fs::path& path, const Row& views) {
  const Reader reader(path);
  if (fs::exists(sidecar_path(path))) reader.attach_sidecar(sidecar_path(path));
  Content content;
  for (const std::string& view : views) content[view] = reader.rows("SELECT * FROM " + view);
  return content;
}

Row canonical_views(const fs::path& path) {
  Row names;
  for (const Row& row : Reader(path).rows("SELECT name FROM sqlite_master WHERE type = 'view'"))
    if (row[0] != "rocpd_metadata") names.push_back(row[0]);
  return names;
}

TEST_P(ConvertTest, ThereAndBackGivesTheSameFile) {
  write(folder("a"), RocpdLayout::kCanonical);
  expect_ok(convert_rocpd(folder("a"), folder("b"), RocpdLayout::kStrict));
  expect_ok(convert_rocpd(folder("b"), folder("c"), RocpdLayout::kCanonical));
  expect_same(content_of(folder("c")), content_of(folder("a")));
  EXPECT_EQ(Reader(folder("c")).rows("SELECT * FROM rocpd_metadata"),
            Reader(folder("a")).rows("SELECT * FROM rocpd_metadata"));
}

TEST_P(ConvertTest, TheConvertedPairIsThatWhichTheCaptureGives) {
  write(folder("a"), RocpdLayout::kCanonical);
  write(folder("b"), RocpdLayout::kStrict);
  expect_ok(convert_rocpd(folder("a"), folder("c"), RocpdLayout::kStrict));
  expect_same(content_of(folder("c")), content_of(folder("b")));
  expect_same(content_of(sidecar_path(folder("c")), true), content_of(sidecar_path(folder("b")), true));
}

TEST_P(ConvertTest, EveryViewGivesTheSameInBothLayouts) {
  write(folder("a"), RocpdLayout::kCanonical);
  write(folder("b"), RocpdLayout::kStrict);
  const Row views = canonical_views(folder("a"));
  EXPECT_GT(views.size(), 40U);
  expect_same(views_of(folder("b"), views), views_of(folder("a"), views));
}

TEST_P(ConvertTest, AFileCanTakeItsOwnPlace) {
  write(folder("a"), RocpdLayout::kCanonical);
  const Content before = content_of(folder("a"));
  expect_ok(convert_rocpd(folder("a"), folder("a"), RocpdLayout::kStrict));
  EXPECT_TRUE(fs::exists(sidecar_path(folder("a"))));
  expect_ok(convert_rocpd(folder("a"), folder("a"), RocpdLayout::kCanonical));
  EXPECT_FALSE(fs::exists(sidecar_path(folder("a"))));
  expect_same(content_of(folder("a")), before);
}

INSTANTIATE_TEST_SUITE_P(Runs, ConvertTest, ::testing::ValuesIn(kRuns),
                         [](const auto& one) { return std::string(one.param.name); });

void PrintTo(const Run& run, std::ostream* stream) {
  *stream << run.name;
}

class RefusalTest : public RocpdTest {
 protected:
  // What converting the target says; nothing may have been written.
  [[nodiscard]] std::string refusal(RocpdLayout layout) const {
    const fs::path result = directory_ / "other.db";
    const Status status = convert_rocpd(target(), result, layout);
    EXPECT_FALSE(fs::exists(result));
    EXPECT_FALSE(fs::exists(sidecar_path(result)));
    return status ? "" : status.message();
  }
  [[nodiscard]] std::string named(const fs::path& path, const std::string& why) const {
    return path.string() + ": " + why;
  }
  void change(const fs::path& path, const std::string& sql) const {
    Result<Database> database = Database::open_private(path);
    ASSERT_TRUE(database);
    expect_ok(database->execute(sql));
  }
};

TEST_F(RefusalTest, OfALayoutThatIsThereAlready) {
  write_example({example_dispatch()});
  EXPECT_EQ(refusal(RocpdLayout::kCanonical),
            named(target(), "its layout is canonical/1 already; nothing was written"));
}

TEST_F(RefusalTest, OfWhatIsNoDatabase) {
  {
    std::ofstream(target()) << "SQLite format 4, but for the rest of it, of which there is none here at all";
  }
  EXPECT_NE(refusal(RocpdLayout::kStrict).find("out.db: "), std::string::npos);
  EXPECT_NE(refusal(RocpdLayout::kStrict).find("file is not a database"), std::string::npos);
}

TEST_F(RefusalTest, OfAnotherToolsDatabase) {
  write_example({example_dispatch()});
  change(target(), std::string("DELETE FROM rocpd_metadata") + kSuffix + " WHERE tag = 'replay_layout'");
  EXPECT_EQ(refusal(RocpdLayout::kStrict),
            named(target(), "it has no tag replay_layout, so this tool did not write it; only its own are converted"));
}

TEST_F(RefusalTest, OfALayoutOfTheFuture) {
  write_example({example_dispatch()});
  change(target(),
         std::string("UPDATE rocpd_metadata") + kSuffix + " SET value = 'canonical/2' WHERE tag = 'replay_layout'");
  EXPECT_EQ(refusal(RocpdLayout::kStrict),
            named(target(),
                  "its layout is canonical/2, known are canonical/1 and strict/1; a newer version of this "
                  "tool may know it"));
}

TEST_F(RefusalTest, OfAFileThatARunWasMergedInto) {
  write_example({example_dispatch()});
  change(target(), std::string("INSERT INTO rocpd_metadata") + kSuffix + " (tag, value) VALUES ('replay_run', '{}')");
  EXPECT_EQ(refusal(RocpdLayout::kStrict),
            named(target(),
                  "a run was merged into it, and most of it is another tool's; convert the database of each "
                  "run itself, as it was before the merge"));
}

TEST_F(RefusalTest, OfAFileOfSeveralRuns) {
  write_example({example_dispatch()});
  change(target(), std::string("INSERT INTO rocpd_metadata") + kSuffix + " (tag, value) VALUES ('guid', 'x')");
  EXPECT_EQ(refusal(RocpdLayout::kStrict),
            named(target(), "it holds 2 runs; convert the database of each run itself, as it was before the merge"));
}

TEST_F(RefusalTest, OfATableThatWouldBeLost) {
  write_example({example_dispatch()});
  change(target(), "CREATE TABLE notes (text)");
  EXPECT_EQ(refusal(RocpdLayout::kStrict),
            named(target(), "it cannot be converted: table notes has no place in either layout; remove it first"));
}

TEST_F(RefusalTest, OfAColumnThatWouldBeLost) {
  write_example({example_dispatch()});
  change(target(), std::string("ALTER TABLE rocpd_arg") + kSuffix + " ADD COLUMN more TEXT");
  EXPECT_NE(refusal(RocpdLayout::kStrict).find("\"extdata\", \"more\"), needed are (\"id\", "), std::string::npos);
}

TEST_F(RefusalTest, OfAFileThatAProgramIsWriting) {
  write_example({example_dispatch()});
  {
    std::ofstream(target().string() + "-wal") << "x";
  }
  EXPECT_EQ(refusal(RocpdLayout::kStrict),
            named(target(),
                  "out.db-wal is beside it, so a program writes it or has died while it did; open the "
                  "database once with sqlite3 when that has ended"));
}

TEST_F(RefusalTest, OfAMainFileWithoutItsSidecar) {
  write_example({example_dispatch()}, RocpdLayout::kStrict);
  fs::remove(sidecar_path(target()));
  EXPECT_EQ(refusal(RocpdLayout::kCanonical),
            named(target(),
                  "its layout is strict, and out-replay.db, which has its passes, is not beside it; copy it "
                  "there"));
}

TEST_F(RefusalTest, OfASidecarAlone) {
  write_example({example_dispatch()}, RocpdLayout::kStrict);
  fs::rename(sidecar_path(target()), target());
  EXPECT_EQ(refusal(RocpdLayout::kCanonical),
            named(target(), "it is the sidecar of a database in layout strict; give that one"));
}

TEST_F(RefusalTest, OfASidecarOfAnotherRun) {
  const std::unique_ptr<Sink> sink = make_rocpd_sink(target(), RocpdLayout::kStrict);
  RunMetadata other = some_run();
  other.guid = "11111111-2222-7333-8444-555555555555";
  expect_ok(sink->begin(other));
  expect_ok(sink->finish());
  const fs::path kept = directory_ / "kept";
  fs::rename(sidecar_path(target()), kept);
  write_example({example_dispatch()}, RocpdLayout::kStrict);
  fs::rename(kept, sidecar_path(target()));
  EXPECT_EQ(refusal(RocpdLayout::kCanonical),
            named(sidecar_path(target()),
                  "it is the sidecar of the run 11111111-2222-7333-8444-555555555555, and "
                  "out.db is of the run 01980a2b-3c4d-7e5f-8a6b-7c8d9e0f1a2b; take the two "
                  "files of one run"));
}

TEST_F(RefusalTest, OfASidecarWhoseTablesHaveNamesOfTheirOwn) {
  write_example({example_dispatch()}, RocpdLayout::kStrict);
  const fs::path stranger = directory_ / "stranger.db";
  const std::string table =
      Reader(sidecar_path(target())).value("SELECT name FROM sqlite_master WHERE name LIKE 'rocpd_replay_pass_%'");
  const std::string suffix = table.substr(std::string("rocpd_replay_pass").size());
  change(sidecar_path(target()), "UPDATE rocpd_metadata" + suffix + " SET value = '" + suffix + "; ATTACH ''" +
                                     stranger.string() + "'' AS s; CREATE TABLE s.t (a)' WHERE tag = 'uuid'");
  EXPECT_NE(refusal(RocpdLayout::kCanonical).find("out-replay.db: its tables are called after " + suffix + "; ATTACH"),
            std::string::npos);
  EXPECT_FALSE(fs::exists(stranger));
}

TEST_F(RefusalTest, OfPassesThatAreOfNoDispatch) {
  write_example({example_dispatch()}, RocpdLayout::kStrict);
  change(target(), std::string("DELETE FROM rocpd_kernel_dispatch") + kSuffix);
  EXPECT_NE(refusal(RocpdLayout::kCanonical).find("refers to a row of rocpd_kernel_dispatch"), std::string::npos);
}

TEST_F(RefusalTest, OfADamagedFileNamesIt) {
  write_example({example_dispatch()});
  fs::resize_file(target(), fs::file_size(target()) / 2);
  EXPECT_TRUE(refusal(RocpdLayout::kStrict).starts_with(target().string() + ": ")) << refusal(RocpdLayout::kStrict);
}

TEST_F(RocpdTest, APathWithCharactersOfUrisIsConverted) {
  write_example({example_dispatch()});
  const fs::path odd = directory_ / "50%3f #1? it's.db";
  fs::rename(target(), odd);
  expect_ok(convert_rocpd(odd, target(), RocpdLayout::kStrict));
  EXPECT_EQ(Reader(sidecar_path(target())).value("SELECT COUNT(*) FROM rocpd_replay_pmc"), "6");
}

}  // namespace
}  // namespace multipass::output::rocpd::test
