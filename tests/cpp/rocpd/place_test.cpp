// SPDX-License-Identifier: MIT
// Where a database is built, and when its name is taken: file systems without locks, network ones, files in use.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <set>

#include "fixture.hpp"
#include "system_calls.hpp"

namespace multipass::output::rocpd::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

// Another process that has a write lock on bytes of a file for as long as this lives.
class Locker final {
 public:
  Locker(const std::filesystem::path& path, off_t start) {
    std::array<int, 2> ready{};
    EXPECT_EQ(::pipe(ready.data()), 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
      struct flock lock{};
      lock.l_type = F_WRLCK;
      lock.l_whence = SEEK_SET;
      lock.l_start = start;
      lock.l_len = 1;
      const char answer = ::fcntl(file, F_SETLK, &lock) == 0 ? 'y' : 'n';
      if (::write(ready[1], &answer, 1) != 1) ::_exit(1);
      while (true) ::pause();
    }
    char answer = 'n';
    EXPECT_EQ(::read(ready[0], &answer, 1), 1);
    EXPECT_EQ(answer, 'y');
    ::close(ready[0]);
    ::close(ready[1]);
  }
  Locker(const Locker&) = delete;
  Locker& operator=(const Locker&) = delete;
  ~Locker() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  [[nodiscard]] std::string pid() const { return std::to_string(pid_); }

 private:
  pid_t pid_ = -1;
};

// TMPDIR is a folder of the test's own.
class PlaceTest : public RocpdTest {
 protected:
  PlaceTest() {
    const char* old = std::getenv("TMPDIR");
    if (old != nullptr) old_ = old;
    std::filesystem::create_directory(local_);
    std::filesystem::create_directory(home_);
    ::setenv("TMPDIR", local_.c_str(), 1);
  }
  ~PlaceTest() override {
    if (old_.empty())
      ::unsetenv("TMPDIR");
    else
      ::setenv("TMPDIR", old_.c_str(), 1);
  }

  static std::vector<std::string> names(const std::filesystem::path& folder) {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) found.push_back(entry.path().filename());
    return found;
  }
  [[nodiscard]] std::filesystem::path output() const { return home_ / "out.db"; }

  // The files in a folder that this process has open, also those without a name.
  static std::vector<std::string> open_below(const std::filesystem::path& folder) {
    std::set<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
      std::error_code closed;
      const std::string path = std::filesystem::read_symlink(entry.path(), closed);
      if (path.starts_with(folder.string() + "/")) found.insert(path.substr(folder.string().size() + 1));
    }
    return {found.begin(), found.end()};
  }

  // Up to the dispatch. What is open in the local folder then is in `building_`.
  std::unique_ptr<Sink> write_part() {
    std::unique_ptr<Sink> sink = make_rocpd_sink(output());
    expect_ok(sink->begin(some_run()));
    expect_ok(sink->agent(gpu(0, 1), example_counters(), example_plan()));
    expect_ok(sink->kernel(kernel(7, "k")));
    expect_ok(sink->dispatch(example_dispatch()));
    building_ = open_below(local_);
    EXPECT_THAT(names(local_), IsEmpty());
    return sink;
  }

  void expect_complete_and_alone() {
    EXPECT_EQ(Reader(output()).value("SELECT COUNT(*) FROM kernels"), "1");
    EXPECT_EQ(Reader(output()).value("PRAGMA integrity_check"), "ok");
    EXPECT_THAT(names(home_), ElementsAre("out.db"));
    EXPECT_THAT(names(local_), IsEmpty());
  }

  std::filesystem::path local_ = directory_ / "local";
  std::filesystem::path home_ = directory_ / "home";
  std::vector<std::string> building_;

 private:
  std::string old_;
};

TEST_F(PlaceTest, ALocalFolderIsBuiltInDirectly) {
  expect_ok(write_part()->finish());
  EXPECT_THAT(building_, IsEmpty());
  expect_complete_and_alone();
}

TEST_F(PlaceTest, AFolderWithoutLocksIsBuiltForInTmpdir) {
  for (const int error : {ENOLCK, EOPNOTSUPP, ENOSYS, EIO}) {
    const LocksRefused locks(home_, error);
    expect_ok(write_part()->finish());
    EXPECT_THAT(building_, ElementsAre(AllOf(StartsWith("out.db.tmp-" + std::to_string(::getpid()) + "-"),
                                             EndsWith(" (deleted)"))));
    expect_complete_and_alone();
  }
}

TEST_F(PlaceTest, ANetworkFileSystemIsBuiltForInTmpdir) {
  constexpr std::uint32_t kNfs = 0x6969;
  constexpr std::uint32_t kLustre = 0x0BD00BD0;
  for (const std::uint32_t type : {kNfs, kLustre}) {
    const FileSystemType network(home_, type);
    expect_ok(write_part()->finish());
    EXPECT_EQ(building_.size(), 1U);
    expect_complete_and_alone();
  }
}

TEST_F(PlaceTest, TheFileHasTheModeOfOneThatIsBuiltInPlace) {
  const auto mode = [&] { return std::filesystem::status(output()).permissions(); };
  expect_ok(write_part()->finish());
  const std::filesystem::perms in_place = mode();
  const LocksRefused locks(home_, ENOLCK);
  expect_ok(write_part()->finish());
  EXPECT_EQ(mode(), in_place);
}

TEST_F(PlaceTest, WithoutABetterPlaceItIsBuiltWhereItShallBe) {
  const LocksRefused locks("/tmp", ENOLCK);  // the test's folders are below
  ASSERT_TRUE(home_.string().starts_with("/tmp/"));
  expect_ok(write_part()->finish());
  EXPECT_THAT(building_, IsEmpty());
  expect_complete_and_alone();
}

TEST_F(PlaceTest, ATmpdirThatIsNotThereIsPassedOver) {
  ::setenv("TMPDIR", (directory_ / "none").c_str(), 1);
  const LocksRefused locks(home_, ENOLCK);
  expect_ok(write_part()->finish());
  expect_complete_and_alone();
}

TEST_F(PlaceTest, AnUnfinishedFileInTmpdirIsRemoved) {
  const LocksRefused locks(home_, ENOLCK);
  static_cast<void>(write_part());
  EXPECT_EQ(building_.size(), 1U);
  EXPECT_THAT(names(local_), IsEmpty());
  EXPECT_THAT(names(home_), IsEmpty());
}

TEST_F(PlaceTest, AFailedCopyIsReportedAndLeavesNothing) {
  const LocksRefused locks(home_, ENOLCK);
  {
    const std::unique_ptr<Sink> sink = write_part();
    std::filesystem::remove_all(home_);
    EXPECT_THAT(sink->finish().message(),
                AllOf(HasSubstr(output().string() + ".tmp-"), HasSubstr("cannot copy the database to it"),
                      HasSubstr("No such file or directory")));
  }
  EXPECT_THAT(names(local_), IsEmpty());
}

TEST_F(PlaceTest, AFullTargetIsReportedAndLeavesNothing) {
  const LocksRefused locks(home_, ENOLCK);
  {
    const std::unique_ptr<Sink> sink = write_part();
    const CopyFails copy(ENOSPC);
    EXPECT_THAT(sink->finish().message(), HasSubstr("cannot copy the database to it: No space left on device"));
  }
  EXPECT_THAT(names(home_), IsEmpty());
}

TEST_F(PlaceTest, AFailedSyncIsReportedAndLeavesNothing) {
  {
    const std::unique_ptr<Sink> sink = write_part();
    const SyncFails sync(EIO);
    EXPECT_THAT(sink->finish().message(), HasSubstr(": cannot sync: Input/output error"));
  }
  EXPECT_THAT(names(home_), IsEmpty());
}

TEST_F(PlaceTest, AFileSystemThatCannotSyncGetsItsFileAllTheSame) {
  for (const int error : {EINVAL, ENOTSUP}) {
    const SyncFails sync(error);
    expect_ok(write_part()->finish());
    expect_complete_and_alone();
  }
}

TEST_F(PlaceTest, ATargetThatAnotherProcessHasLockedIsRefusedWithItsPid) {
  constexpr off_t kFirst = 0x40000000;
  std::ofstream(output()) << "old";
  for (const off_t byte : {kFirst, kFirst + 1, kFirst + 2, kFirst + 511}) {
    const Locker locker(output(), byte);
    EXPECT_EQ(make_rocpd_sink(output())->begin(some_run()).message(),
              "rocpd output " + output().string() + ": " + output().string() + ": cannot be replaced: process " +
                  locker.pid() +
                  " has a lock on it; close the database there, or choose another --output, and export again");
  }
  EXPECT_THAT(names(home_), ElementsAre("out.db"));
  expect_ok(write_part()->finish());
  expect_complete_and_alone();
}

TEST_F(PlaceTest, ALockThatIsTakenWhileTheFileIsWrittenIsSeenToo) {
  std::ofstream(output()) << "old";
  {
    const std::unique_ptr<Sink> sink = write_part();
    const Locker locker(output(), 0x40000000);
    EXPECT_THAT(sink->finish().message(), HasSubstr("process " + locker.pid() + " has a lock on it"));
  }
  EXPECT_THAT(names(home_), ElementsAre("out.db"));
  EXPECT_EQ(std::filesystem::file_size(output()), 3U);
}

TEST_F(PlaceTest, ALockOfOtherBytesIsNoneOfSqlites) {
  std::ofstream(output()) << "old";
  const Locker locker(output(), 0);
  expect_ok(write_part()->finish());
}

TEST_F(PlaceTest, AJournalBesideTheTargetIsRefused) {
  for (const char* ending : {"-wal", "-journal"}) {
    const std::filesystem::path companion = output().string() + ending;
    std::ofstream(companion) << "pages";
    EXPECT_THAT(make_rocpd_sink(output())->begin(some_run()).message(),
                AllOf(HasSubstr(output().string() + ": cannot be replaced: " + companion.string() + " is there"),
                      HasSubstr("then export again")));
    EXPECT_THAT(names(home_), ElementsAre(companion.filename().string()));
    std::filesystem::remove(companion);
  }
}

TEST_F(PlaceTest, AnEmptyJournalIsNoHindrance) {
  std::ofstream(output().string() + "-journal");
  expect_ok(write_part()->finish());
}

}  // namespace
}  // namespace multipass::output::rocpd::test
