// SPDX-License-Identifier: MIT
// A test with a folder of its own, in which a journal is written.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>

#include "journal/writer.hpp"

namespace multipass::journal {

class JournalFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::temp_directory_path() / ("journal-" + std::to_string(::getpid()) + "-" +
                                                  ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
    path_ = folder_ / "a.journal";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::unique_ptr<JournalWriter> create() {
    bool exists = false;
    auto writer = JournalWriter::create(path_, exists);
    EXPECT_TRUE(writer) << writer.message();
    return writer ? *std::move(writer) : nullptr;
  }

  std::filesystem::path folder_;
  std::string path_;
};

}  // namespace multipass::journal
