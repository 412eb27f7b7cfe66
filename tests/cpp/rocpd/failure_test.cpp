// SPDX-License-Identifier: MIT
// Output that cannot be written: always a message with path and reason, never half a file, never a leftover.
#include <gmock/gmock.h>
#include <unistd.h>

#include <fstream>

#include "base/process_limits.hpp"
#include "fixture.hpp"
#include "output/rocpd/database_file.hpp"

namespace multipass::output::rocpd::test {
namespace {

using ::multipass::test::FileSizeLimit;
using ::multipass::test::WithoutRoot;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class FailureTest : public RocpdTest {
 protected:
  // What begin() says of this target.
  static std::string begin_failure(const std::filesystem::path& path) {
    const std::unique_ptr<Sink> sink = make_rocpd_sink(path);
    const Status status = sink->begin(some_run());
    EXPECT_FALSE(static_cast<bool>(status));
    return status.message();
  }

  static std::string temporary_ending() { return ".tmp-" + std::to_string(::getpid()); }
};

TEST_F(FailureTest, NothingIsThereBeforeFinishButTheTemporaryFile) {
  const std::unique_ptr<Sink> sink = begin_example();
  expect_ok(sink->dispatch(example_dispatch()));
  EXPECT_THAT(files(), ElementsAre("out.db" + temporary_ending()));
  expect_ok(sink->finish());
  EXPECT_THAT(files(), ElementsAre("out.db"));
}

TEST_F(FailureTest, AnUnfinishedSinkLeavesNothing) {
  {
    const std::unique_ptr<Sink> sink = begin_example();
  }
  EXPECT_THAT(files(), IsEmpty());
}

TEST_F(FailureTest, ASinkThatNeverBeganTouchesNothing) {
  std::ofstream(target()) << "old";
  {
    const std::unique_ptr<Sink> sink = make_rocpd_sink(target());
  }
  EXPECT_EQ(std::filesystem::file_size(target()), 3U);
}

TEST_F(FailureTest, AnOlderFileStaysUntilTheNewOneIsComplete) {
  std::ofstream(target()) << "old";
  {
    const std::unique_ptr<Sink> sink = begin_example();
  }
  EXPECT_EQ(std::filesystem::file_size(target()), 3U);
  write_example({example_dispatch()});
  EXPECT_EQ(Reader(target()).value("SELECT COUNT(*) FROM kernels"), "1");
}

TEST_F(FailureTest, ATemporaryFileOfADeadProcessWithOurPidIsReplaced) {
  std::ofstream(target().string() + temporary_ending()) << std::string(100000, 'x');
  write_example({example_dispatch()});
  EXPECT_EQ(Reader(target()).value("PRAGMA integrity_check"), "ok");
  EXPECT_THAT(files(), ElementsAre("out.db"));
}

TEST_F(FailureTest, AMissingDirectoryIsNamedWithTheReason) {
  const std::string path = (directory_ / "none" / "out.db").string();
  EXPECT_EQ(begin_failure(path), "rocpd output " + path + ": " + path + temporary_ending() +
                                     ": cannot create the database: No such file or directory (errno 2)");
}

TEST_F(FailureTest, AFileInThePlaceOfADirectoryIsNamedWithTheReason) {
  std::ofstream(directory_ / "file") << "x";
  EXPECT_THAT(begin_failure(directory_ / "file" / "out.db"), HasSubstr("cannot create the database: Not a directory"));
}

TEST_F(FailureTest, AReadOnlyDirectoryIsNamedWithTheReason) {
  using std::filesystem::perms;
  std::filesystem::permissions(directory_,
                               perms::owner_read | perms::owner_exec | perms::others_read | perms::others_exec);
  {
    const WithoutRoot user;
    EXPECT_THAT(begin_failure(target()),
                HasSubstr("out.db" + temporary_ending() + ": cannot create the database: Permission denied"));
  }
  std::filesystem::permissions(directory_, perms::owner_all);
  EXPECT_THAT(files(), IsEmpty());
}

TEST_F(FailureTest, ADirectoryThatCannotBeReadGetsItsFilesAllTheSame) {
  using std::filesystem::perms;
  std::filesystem::permissions(directory_, perms::all & ~(perms::owner_read | perms::group_read | perms::others_read));
  {
    const WithoutRoot user;
    write_example({example_dispatch()}, RocpdLayout::kStrict);
  }
  std::filesystem::permissions(directory_, perms::owner_all);
  EXPECT_THAT(files(), UnorderedElementsAre("out.db", "out-replay.db"));
}

TEST_F(FailureTest, ATargetThatIsADirectoryIsNamedWithTheReason) {
  std::filesystem::create_directory(target());
  EXPECT_EQ(begin_failure(target()), "rocpd output " + target().string() + ": " + target().string() +
                                         ": cannot write the database: Is a directory (errno 21)");
  EXPECT_THAT(files(), ElementsAre("out.db"));
}

TEST_F(FailureTest, ATargetThatBecomesADirectoryIsNamedWithTheReason) {
  {
    const std::unique_ptr<Sink> sink = begin_example();
    std::filesystem::create_directory(target());
    const Status status = sink->finish();
    EXPECT_FALSE(static_cast<bool>(status));
    EXPECT_THAT(status.message(), HasSubstr("cannot write the database: Is a directory"));
  }
  EXPECT_THAT(files(), ElementsAre("out.db"));
}

TEST_F(FailureTest, AFullDiskIsReportedAndLeavesNothing) {
  {
    const std::unique_ptr<Sink> sink = begin_example();
    expect_ok(sink->dispatch(example_dispatch()));
    const FileSizeLimit limit(rlim_t{64} * 1024);
    const Status status = sink->finish();
    EXPECT_FALSE(static_cast<bool>(status));
    EXPECT_THAT(status.message(), HasSubstr(target().string() + temporary_ending()));
    EXPECT_THAT(status.message(), HasSubstr("File too large"));
  }
  EXPECT_THAT(files(), IsEmpty());
}

TEST_F(FailureTest, AFullDiskInTheMiddleIsReportedByTheCallThatMetIt) {
  constexpr std::uint64_t kMore = 20000;  // 320 MB, more than the writer keeps in memory
  std::uint64_t id = 0;
  Status status = Status::ok();
  {
    const FileSizeLimit limit(rlim_t{64} * 1024);
    const std::unique_ptr<Sink> sink = begin_example();
    while (status && id < kMore) {
      DispatchRecord dispatch = example_dispatch();
      dispatch.dispatch_id = DispatchId{++id};
      dispatch.outcome = Outcome::kIncomplete;
      dispatch.reason = std::string(std::size_t{16} * 1024, 'r');
      status = sink->dispatch(dispatch);
    }
  }
  EXPECT_LT(id, kMore);
  EXPECT_THAT(status.message(), HasSubstr("dispatch " + std::to_string(id)));
  EXPECT_THAT(status.message(), HasSubstr("File too large"));
  EXPECT_THAT(files(), IsEmpty());
}

TEST_F(FailureTest, ADispatchThatComesTwiceIsNamed) {
  const std::unique_ptr<Sink> sink = begin_example();
  expect_ok(sink->dispatch(example_dispatch()));
  const Status status = sink->dispatch(example_dispatch());
  EXPECT_FALSE(static_cast<bool>(status));
  EXPECT_THAT(status.message(), HasSubstr("dispatch 1: it occurs twice: "));
}

TEST_F(FailureTest, AContradictoryRecordIsNamed) {
  const std::unique_ptr<Sink> sink = begin_example();
  DispatchRecord dispatch = example_dispatch();
  dispatch.passes[1].counters[1] = CounterIndex{0};
  EXPECT_EQ(sink->dispatch(dispatch).message(),
            "rocpd output " + target().string() + ": dispatch 1: pass 1 has counter SQ_WAVES twice");
}

TEST_F(FailureTest, ADispatchOrKernelOfAnUnknownAgentIsNamed) {
  const std::unique_ptr<Sink> sink = begin_example();
  DispatchRecord dispatch = example_dispatch();
  dispatch.agent = AgentIndex{5};
  EXPECT_THAT(sink->dispatch(dispatch).message(), HasSubstr("dispatch 1: agent index 5 is not in the list of agents"));
  KernelSymbol symbol = kernel(8, "x");
  symbol.agent = AgentIndex{6};
  EXPECT_THAT(sink->kernel(symbol).message(), HasSubstr("kernel 8: agent index 6 is not in the list of agents"));
}

TEST_F(FailureTest, TwoAgentsOfOneNodeAreRefused) {
  const std::unique_ptr<Sink> sink = begin_example();
  EXPECT_THAT(sink->agent(gpu(1, 1, "gfx90a"), {}, plan_of(1, {})).message(),
              ::testing::AllOf(HasSubstr("agent 1 (gfx90a): "), HasSubstr("UNIQUE constraint failed")));
}

TEST_F(FailureTest, ACounterListedTwiceIsRefused) {
  const std::unique_ptr<Sink> sink = begin_example();
  EXPECT_THAT(sink->agent(gpu(2, 9, "gfx90a"), {counter("A"), counter("A")}, plan_of(2, {})).message(),
              HasSubstr("agent 9 (gfx90a) lists counter A twice"));
}

TEST_F(FailureTest, AGuidThatIsNoneIsRefusedBeforeAnythingIsCreated) {
  const std::unique_ptr<Sink> sink = make_rocpd_sink(target());
  RunMetadata run = some_run();
  run.guid = "x'; DROP TABLE y; --";
  EXPECT_THAT(sink->begin(run).message(), HasSubstr("guid \"x'; DROP TABLE y; --\""));
  EXPECT_THAT(files(), IsEmpty());
}

TEST_F(FailureTest, CallsOutOfOrderAreErrors) {
  const std::unique_ptr<Sink> sink = make_rocpd_sink(target());
  for (const Status& status : {sink->finish(), sink->dispatch(example_dispatch()), sink->kernel(kernel(1, "k")),
                               sink->warning("w"), sink->agent(gpu(0, 1), {}, plan_of(0, {}))})
    EXPECT_THAT(status.message(), HasSubstr("not between begin and finish"));
}

TEST_F(FailureTest, ADanglingReferenceStopsThePublication) {
  const Result<Naming> naming = Naming::from_guid(kGuid);
  ASSERT_TRUE(static_cast<bool>(naming));
  {
    DatabaseFile file(target());
    expect_ok(file.create(*naming));
    expect_ok(file.database().execute("INSERT INTO " + naming->table("info_queue") + " (nid, pid) VALUES (8, 9)"));
    EXPECT_THAT(file.publish().message(),
                HasSubstr("row 1 of rocpd_info_queue" + std::string(kSuffix) + " refers to a row of rocpd_info_"));
  }
  EXPECT_THAT(files(), IsEmpty());
}

TEST_F(FailureTest, ADispatchThatTheKernelsViewWouldHideStopsThePublication) {
  const Result<Naming> naming = Naming::from_guid(kGuid);
  ASSERT_TRUE(static_cast<bool>(naming));
  DatabaseFile file(target());
  expect_ok(file.create(*naming));
  const auto insert = [&](const std::string& table, const std::string& rest) {
    expect_ok(file.database().execute("INSERT INTO " + naming->table(table) + " " + rest));
  };
  insert("info_node", "(id, hash, machine_id) VALUES (1, 1, 'm')");
  for (const char* table : {"info_process", "info_agent", "info_queue", "info_stream", "info_code_object"})
    insert(table, "(id, nid, pid) VALUES (1, 1, 1)");
  insert("info_kernel_symbol", "(id, nid, pid, code_object_id) VALUES (1, 1, 1, 1)");
  // No thread, no event, no region name.
  insert("kernel_dispatch",
         "(nid, pid, agent_id, kernel_id, dispatch_id, queue_id, stream_id, start, \"end\", workgroup_size_x, "
         "workgroup_size_y, workgroup_size_z, grid_size_x, grid_size_y, grid_size_z) "
         "VALUES (1, 1, 1, 1, 1, 1, 1, 1, 2, 1, 1, 1, 1, 1, 1)");
  EXPECT_THAT(file.publish().message(), HasSubstr("view kernels shows 0 of 1 dispatches"));
}

}  // namespace
}  // namespace multipass::output::rocpd::test
