// SPDX-License-Identifier: MIT
// Each in a process of its own, for stdout is the process's.
#include "base/print.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace multipass {
namespace {

[[noreturn]] void print_into(const std::string& path, std::string_view text) {
  if (std::freopen(path.c_str(), "w", stdout) == nullptr) std::_Exit(3);
  std::_Exit(print(text) ? 0 : 1);  // nothing is flushed here
}

TEST(Print, AllOfItIsWrittenAtOnce) {
  const std::string path = (std::filesystem::temp_directory_path() / ("print-" + std::to_string(::getpid()))).string();
  const std::string text = std::string(100'000, 'x') + std::string("\0end", 4);
  EXPECT_EXIT(print_into(path, text), ::testing::ExitedWithCode(0), "^$");
  std::ifstream file(path, std::ios::binary);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), text);
  std::filesystem::remove(path);
}

TEST(Print, AFullDiskIsToldWithItsReason) {
  for (const std::size_t size : {1U, 100'000U})
    EXPECT_EXIT(print_into("/dev/full", std::string(size, 'x')), ::testing::ExitedWithCode(1),
                "standard output cannot be written: No space left on device");
}

}  // namespace
}  // namespace multipass
