// SPDX-License-Identifier: MIT
#include "output/perfetto/trace_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/process_limits.hpp"
#include "temporary_folder.hpp"

namespace multipass::output::perfetto {
namespace {

using ::multipass::test::FileSizeLimit;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class TraceFileTest : public ::testing::Test {
 protected:
  test::TemporaryFolder folder_;
  std::filesystem::path target_ = folder_.path() / "run.pftrace";
};

TEST_F(TraceFileTest, CommitMakesTheFileAppearWithAllBytes) {
  TraceFile file(target_);
  ASSERT_TRUE(file.open());
  const std::string big(TraceFile::kBufferBytes + 5, 'x');
  ASSERT_TRUE(file.append("head"));
  ASSERT_TRUE(file.append(big));
  ASSERT_TRUE(file.append("tail"));
  EXPECT_FALSE(std::filesystem::exists(target_));
  ASSERT_TRUE(file.commit());
  EXPECT_EQ(test::read_file(target_), "head" + big + "tail");
  EXPECT_THAT(folder_.content(), ElementsAre("run.pftrace"));
}

TEST_F(TraceFileTest, TheTemporaryFileCarriesThePid) {
  const TraceFile file(target_);
  EXPECT_EQ(file.temporary(), target_.string() + ".tmp-" + std::to_string(::getpid()));
}

TEST_F(TraceFileTest, WithoutACommitNothingStaysBehindAndAnEarlierFileIsUntouched) {
  test::write_file(target_, "earlier");
  {
    TraceFile file(target_);
    ASSERT_TRUE(file.open());
    ASSERT_TRUE(file.append("new"));
  }
  EXPECT_EQ(test::read_file(target_), "earlier");
  EXPECT_THAT(folder_.content(), ElementsAre("run.pftrace"));
}

TEST_F(TraceFileTest, AMissingFolderIsNamedWithTheReason) {
  TraceFile file(folder_.path() / "missing" / "run.pftrace");
  const Status status = file.open();
  ASSERT_FALSE(status);
  EXPECT_THAT(status.message(), AllOf(HasSubstr("missing/run.pftrace.tmp-"), HasSubstr("No such file or directory"),
                                      HasSubstr("errno 2")));
}

TEST_F(TraceFileTest, AFailedWriteIsReportedAndLeavesNothing) {
  {
    TraceFile file(target_);
    ASSERT_TRUE(file.open());
    ASSERT_TRUE(file.append(std::string(10000, 'x')));
    const FileSizeLimit limit(4096);
    const Status status = file.commit();
    ASSERT_FALSE(status);
    EXPECT_THAT(status.message(),
                AllOf(HasSubstr("cannot write"), HasSubstr("run.pftrace.tmp-"), HasSubstr("File too large")));
  }
  EXPECT_THAT(folder_.content(), IsEmpty());
}

TEST_F(TraceFileTest, AFailedWriteIsReportedBeforeTheCommitToo) {
  TraceFile file(target_);
  ASSERT_TRUE(file.open());
  ASSERT_TRUE(file.append(std::string(TraceFile::kBufferBytes, 'x')));
  const FileSizeLimit limit(4096);
  EXPECT_THAT(file.append("y").message(), HasSubstr("File too large"));
}

TEST_F(TraceFileTest, ATargetThatCannotBeReplacedIsNamedWithTheReason) {
  std::filesystem::create_directory(target_);
  {
    TraceFile file(target_);
    ASSERT_TRUE(file.open());
    const Status status = file.commit();
    ASSERT_FALSE(status);
    EXPECT_THAT(status.message(),
                AllOf(HasSubstr(target_.string() + ": cannot rename "), HasSubstr(": Is a directory")));
  }
  EXPECT_THAT(folder_.content(), ElementsAre("run.pftrace"));
}

TEST_F(TraceFileTest, AFolderThatCannotBeReadGetsItsFileAllTheSame) {
  std::filesystem::permissions(folder_.path(),
                               std::filesystem::perms::owner_write | std::filesystem::perms::owner_exec);
  TraceFile file(target_);
  ASSERT_TRUE(file.open());
  ASSERT_TRUE(file.append("x"));
  const Status status = file.commit();
  std::filesystem::permissions(folder_.path(), std::filesystem::perms::owner_all);
  EXPECT_TRUE(status) << status.message();
  EXPECT_EQ(test::read_file(target_), "x");
}

TEST_F(TraceFileTest, SizeIsThatOfAllThatWasAppended) {
  TraceFile file(target_);
  ASSERT_TRUE(file.open());
  ASSERT_TRUE(file.append(std::string(TraceFile::kBufferBytes, 'x')));
  ASSERT_TRUE(file.append("yz"));
  EXPECT_EQ(file.size(), TraceFile::kBufferBytes + 2);
}

TEST_F(TraceFileTest, UseBeforeOpenIsAnError) {
  TraceFile file(target_);
  EXPECT_FALSE(file.append("x"));
  EXPECT_FALSE(file.commit());
}

}  // namespace
}  // namespace multipass::output::perfetto
