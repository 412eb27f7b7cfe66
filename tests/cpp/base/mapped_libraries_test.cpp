// SPDX-License-Identifier: MIT
#include "base/mapped_libraries.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace multipass {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string line(const std::string& device, const std::string& inode, const std::string& path) {
  return "7f0000000000-7f0000001000 r-xp 00000000 " + device + " " + inode + "                     " + path + "\n";
}

TEST(MappedFiles, AreNamedOnceAndInOrder) {
  EXPECT_THAT(mapped_files(line("08:01", "11", "/b/x y.so") + line("00:00", "0", "[stack]") + line("00:00", "0", "") +
                           line("08:01", "12", "/a.so") + line("08:01", "11", "/b/x y.so")),
              ElementsAre("/b/x y.so", "/a.so"));
  EXPECT_THAT(mapped_files("no map\n\n"), IsEmpty());
}

TEST(MappedFiles, OfThisProcessHaveItsProgram) {
  EXPECT_THAT(mapped_files(own_maps()), ::testing::Contains(HasSubstr("/base_test")));
}

TEST(LibraryCopies, AreTwoFilesOfOneLibrary) {
  const auto copies = library_copies(line("08:01", "11", "/opt/rocm/lib/librocprofiler-sdk.so.1.4.1") +
                                     line("08:01", "22", "/venv/torch/lib/librocprofiler-sdk.so.1"));
  ASSERT_EQ(copies.size(), 1U);
  EXPECT_EQ(copies[0].library, "librocprofiler-sdk");
  EXPECT_THAT(copies[0].paths,
              ElementsAre("/opt/rocm/lib/librocprofiler-sdk.so.1.4.1", "/venv/torch/lib/librocprofiler-sdk.so.1"));
}

TEST(LibraryCopies, AreNoneWhereOneFileIsMappedSeveralTimes) {
  EXPECT_THAT(library_copies(line("08:01", "11", "/opt/rocm/lib/libamd_comgr.so.3") +
                             line("08:01", "11", "/opt/rocm/lib/libamd_comgr.so.3") +
                             line("08:01", "11", "/opt/rocm-7.2/lib/libamd_comgr.so.3")),
              IsEmpty());
}

TEST(LibraryCopies, TellFilesOfOneNumberOnTwoDevicesApart) {
  const auto copies =
      library_copies(line("08:01", "11", "/a/libamd_comgr.so.3") + line("08:02", "11", "/b/libamd_comgr.so"));
  ASSERT_EQ(copies.size(), 1U);
  EXPECT_EQ(copies[0].library, "libamd_comgr");
}

TEST(LibraryCopies, AreNotLibrariesWhoseNamesBeginAlike) {
  EXPECT_THAT(library_copies(line("08:01", "11", "/a/librocprofiler-sdk.so.1") +
                             line("08:01", "12", "/a/librocprofiler-sdk-tool.so.1") +
                             line("08:01", "13", "/a/librocprofiler-sdk.sock")),
              IsEmpty());
}

TEST(LibraryCopies, KeepBlanksInPaths) {
  const auto copies = library_copies(line("08:01", "11", "/a b/libhsa-runtime64.so.1") +
                                     line("08:01", "12", "/c/libhsa-runtime64.so.1 (deleted)"));
  ASSERT_EQ(copies.size(), 1U);
  EXPECT_THAT(copies[0].paths, ElementsAre("/a b/libhsa-runtime64.so.1", "/c/libhsa-runtime64.so.1 (deleted)"));
}

TEST(LibraryCopies, AreNoneInTextThatIsNoMap) {
  EXPECT_THAT(library_copies(std::string_view("\n\nlibamd_comgr.so\na b c\n")), IsEmpty());
  EXPECT_THAT(library_copies(std::string_view()), IsEmpty());
}

TEST(LibraryCopies, OfThisProcessAreNone) {
  EXPECT_THAT(library_copies(), IsEmpty());
}

TEST(LibraryCopiesSentence, NamesEveryFile) {
  const std::string text = sentence({{"librocprofiler-sdk", {"/a/x.so", "/b/x.so"}}, {"libamd_comgr", {"/c", "/d"}}});
  EXPECT_THAT(text, HasSubstr("librocprofiler-sdk (/a/x.so, /b/x.so); libamd_comgr (/c, /d): "));
  EXPECT_THAT(sentence({}), IsEmpty());
}

}  // namespace
}  // namespace multipass
