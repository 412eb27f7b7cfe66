// SPDX-License-Identifier: MIT
#include "replay/collectives.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <memory>

#include "allocations.hpp"

namespace multipass::replay {
namespace {

struct Close {
  void operator()(void* library) const { dlclose(library); }
};
using Library = std::unique_ptr<void, Close>;
Library load() {
  return Library(dlopen(NAMED_LIKE_RCCL, RTLD_NOW | RTLD_LOCAL));
}

TEST(Collectives, AreKnownByTheFileNamesOfTheirLibraries) {
  for (const char* path : {"/opt/rocm/lib/librccl.so.1", "libnccl.so.2", "/x/librocshmem.so", "libmscclpp.so.0.6",
                           "/usr/lib/libmpi.so.40", "libmpich.so.12", "libmpi_cray.so.12", "librccl-net.so"})
    EXPECT_TRUE(is_of_collectives(path)) << path;
  for (const char* path : {"", "/opt/rccl/lib/libamdhip64.so.6", "/home/mpi/app", "libgmp.so.10", "librocblas.so",
                           "/opt/nccl-tests/all_reduce", "linux-vdso.so.1"})
    EXPECT_FALSE(is_of_collectives(path)) << path;
}

TEST(Collectives, AreInUseOnceALibraryIsLoadedInAJobOfSeveralRanks) {
  Collectives collectives({2, 1});
  EXPECT_FALSE(collectives.look());
  EXPECT_FALSE(collectives.in_use());
  {
    const Library library = load();
    ASSERT_TRUE(library) << dlerror();
    EXPECT_FALSE(collectives.in_use()) << "nobody has looked";
    EXPECT_TRUE(collectives.look());
    EXPECT_TRUE(collectives.in_use());
    EXPECT_FALSE(collectives.look()) << "it is known";
  }
  EXPECT_FALSE(collectives.look());
  EXPECT_TRUE(collectives.in_use()) << "what was seen stays";
}

TEST(Collectives, AreNotInUseInAJobOfOneRank) {
  Collectives collectives({1, 1});
  const Library library = load();
  ASSERT_TRUE(library) << dlerror();
  EXPECT_FALSE(collectives.look());
  EXPECT_FALSE(collectives.in_use());
}

TEST(Collectives, AreLookedForWithoutAnAllocation) {
  Collectives collectives({8, 8});
  (void)collectives.look();
  const std::uint64_t before = allocations_of_this_thread();
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(collectives.look());
  EXPECT_EQ(allocations_of_this_thread(), before);
}

}  // namespace
}  // namespace multipass::replay
