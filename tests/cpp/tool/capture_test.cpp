// SPDX-License-Identifier: MIT
#include "tool/capture.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace multipass::tool {
namespace {

class CaptureFile : public ::testing::Test {
 protected:
  ~CaptureFile() override { std::filesystem::remove_all(folder_); }

  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("capture_test-" + std::to_string(::getpid()));
};

TEST_F(CaptureFile, GetsAnotherNameWhereTheUsualOneIsTakenAndTheRequestHasItsId) {
  RunConfig first;
  first.output_dir = folder_ / "deep";
  RunConfig second = first;
  const auto one = create_capture(first);
  ASSERT_TRUE(one) << one.message();
  const auto other = create_capture(second);
  ASSERT_TRUE(other) << other.message();
  EXPECT_NE(first.file_id, second.file_id);
  EXPECT_EQ((*one)->path(), (folder_ / "deep" / ("multipass-" + first.file_id + ".journal")).string());
  EXPECT_EQ((*other)->path(), (folder_ / "deep" / ("multipass-" + second.file_id + ".journal")).string());
}

TEST_F(CaptureFile, IsAnErrorThatNamesTheFolderWhereThatIsAFile) {
  std::ofstream(folder_) << "a file";
  RunConfig config;
  config.output_dir = folder_;
  const auto made = create_capture(config);
  ASSERT_FALSE(made);
  EXPECT_NE(made.message().find(folder_.string()), std::string::npos) << made.message();
}

TEST(CaptureMetadata, HasWhatWasAskedForAndTheSdkThatIsThere) {
  RunConfig config;
  config.replay = ReplayMode::kRotate;
  config.events = "SQ_WAVES";
  config.run_token = "token";
  sdk::SdkIdentity identity;
  identity.version = "1.4.1";
  Preparation preparation;
  preparation.compute_panels = {7, 17};
  const RunMetadata run = metadata_of(config, identity, preparation);
  EXPECT_EQ(run.compute_panels, (std::vector<std::uint32_t>{7, 17}));
  EXPECT_EQ(run.events, "SQ_WAVES");
  EXPECT_EQ(run.run_token, "token");
  EXPECT_EQ(run.sdk_version, "1.4.1");
  EXPECT_EQ(run.replay_mode, ReplayMode::kRotate);
  EXPECT_FALSE(run.kernel_replay);
  EXPECT_EQ(run.pid, ::getpid());
}

}  // namespace
}  // namespace multipass::tool
