// SPDX-License-Identifier: MIT
// Files of two processes with equal pids, read together as the released importer does it: one temporary view per base
// name over all attached files, then views on those.
#include "fixture.hpp"

namespace multipass::output::rocpd::test {
namespace {

constexpr const char* kOtherGuid = "01980a2b-3c4d-7e5f-8a6b-000000000002";

class TwoProcesses : public RocpdTest {
 protected:
  void SetUp() override {
    write_example({example_dispatch()});
    const std::unique_ptr<Sink> sink = make_rocpd_sink(other());
    RunMetadata run = some_run();
    run.guid = kOtherGuid;
    expect_ok(sink->begin(run));
    expect_ok(sink->agent(gpu(0, 1), example_counters(), example_plan()));
    expect_ok(sink->kernel(kernel(7, "k")));
    expect_ok(sink->dispatch(example_dispatch(64, 64, 64)));
    expect_ok(sink->finish());
  }

  [[nodiscard]] std::filesystem::path other() const { return directory_ / "other.db"; }

  // TEMP views of all base views over both files, then of all other views of the first file, in its order.
  void import_both(const Reader& reader) const {
    reader.run("ATTACH '" + target().string() + "' AS db0");
    reader.run("ATTACH '" + other().string() + "' AS db1");
    for (const Row& view : reader.rows("SELECT name FROM db0.sqlite_master WHERE type = 'view' AND "
                                       "substr(name, 1, 6) = 'rocpd_' ORDER BY rowid"))
      reader.run("CREATE TEMP VIEW " + view[0] + " AS SELECT * FROM db0." + view[0] + " UNION ALL SELECT * FROM db1." +
                 view[0]);
    for (const Row& view : reader.rows("SELECT replace(sql, 'CREATE VIEW', 'CREATE TEMP VIEW') FROM db0.sqlite_master "
                                       "WHERE type = 'view' AND substr(name, 1, 6) <> 'rocpd_' ORDER BY rowid"))
      reader.run(view[0]);
  }
};

TEST_F(TwoProcesses, TheirTablesHaveDifferentNames) {
  const std::string tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'rocpd%'";
  const Reader first(target());
  const Reader second(other());
  EXPECT_EQ(first.rows(tables).size(), 22U);
  for (const Row& table : first.rows(tables))
    EXPECT_EQ(second.value("SELECT COUNT(*) FROM sqlite_master WHERE name = '" + table[0] + "'"), "0") << table[0];
}

TEST_F(TwoProcesses, EveryRowCarriesTheGuidOfItsProcess) {
  const Reader second(other());
  for (const char* table :
       {"string", "info_node", "info_process", "info_thread", "info_agent", "info_queue", "info_stream", "info_pmc",
        "info_code_object", "info_kernel_symbol", "event", "pmc_event", "kernel_dispatch", "replay_pass", "replay_pmc"})
    EXPECT_EQ(second.rows(std::string("SELECT DISTINCT guid FROM rocpd_") + table), (Table{{kOtherGuid}})) << table;
}

TEST_F(TwoProcesses, ReadTogetherTheyDoNotMix) {
  const Reader reader(":memory:");
  import_both(reader);
  EXPECT_EQ(reader.rows("SELECT guid, COUNT(*) FROM kernels GROUP BY guid ORDER BY guid"),
            (Table{{kOtherGuid, "1"}, {kGuid, "1"}}));
  EXPECT_EQ(reader.rows("SELECT guid, value FROM counters_collection WHERE counter_name = 'SQ_WAVES' ORDER BY guid"),
            (Table{{kOtherGuid, "64"}, {kGuid, "512"}}));
  EXPECT_EQ(
      reader.rows("SELECT guid, COUNT(*), MAX(value) FROM replay_counters_collection GROUP BY guid ORDER BY guid"),
      (Table{{kOtherGuid, "6", "300"}, {kGuid, "6", "512"}}));
  EXPECT_EQ(reader.value("SELECT COUNT(*) FROM replay_kernels"), "6");
  EXPECT_EQ(reader.rows("SELECT guid, launches, n, median, groups_read FROM kernel_counters "
                        "WHERE counter_name = 'SQ_WAVES' ORDER BY guid"),
            (Table{{kOtherGuid, "1", "1", "64", "3"}, {kGuid, "1", "1", "512", "3"}}));
  EXPECT_EQ(reader.value("SELECT COUNT(*) FROM replay_conflicts"), "0");
}

TEST_F(TwoProcesses, EqualThreadNumbersDoNotMultiply) {
  const Reader reader(":memory:");
  import_both(reader);
  EXPECT_EQ(reader.value("SELECT COUNT(*) FROM threads"), "4");  // main thread and 4243, twice
  EXPECT_EQ(reader.value("SELECT COUNT(*) FROM processes"), "2");
}

}  // namespace
}  // namespace multipass::output::rocpd::test
