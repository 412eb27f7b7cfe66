// SPDX-License-Identifier: MIT
// How the memory of a GPU is split, as the driver says it in sysfs.
#include "sdk/memory_partition.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace multipass::sdk {
namespace {

namespace fs = std::filesystem;

class MemoryPartition : public testing::Test {
 public:
  MemoryPartition() {
    std::string name = (fs::temp_directory_path() / "sysfs-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    root_ = name;
  }
  ~MemoryPartition() override { fs::remove_all(root_); }
  MemoryPartition(const MemoryPartition&) = delete;
  MemoryPartition& operator=(const MemoryPartition&) = delete;

 protected:
  void write(const std::string& device, const std::string& text) const {
    fs::create_directories(root_ / device);
    std::ofstream(root_ / device / "current_memory_partition") << text;
  }
  [[nodiscard]] std::string of(const GpuPlace& place) const { return memory_partition(place, root_.string()); }

 private:
  fs::path root_;
};

TEST_F(MemoryPartition, IsTheModeInTheFolderOfTheRenderNode) {
  write("class/drm/renderD129/device", "NPS4\n");
  EXPECT_EQ(of({.render_minor = 129}), "NPS4");
  EXPECT_EQ(of({.render_minor = 128}), "") << "another GPU's";
}

TEST_F(MemoryPartition, OfAPartitionIsThatOfItsPciDevice) {
  write("bus/pci/devices/0002:c1:1f.0", "NPS4\n");
  EXPECT_EQ(of({.render_minor = 136, .domain = 2, .location_id = 0xc1f8}), "NPS4");
  EXPECT_EQ(of({.render_minor = 136, .domain = 2, .location_id = 0xc1fb}), "NPS4") << "partition 3, in the function";
  EXPECT_EQ(of({.render_minor = 136, .domain = 2, .location_id = 0x3000c1f8}), "NPS4") << "in the uppermost bits";
  EXPECT_EQ(of({.render_minor = 136, .domain = 0, .location_id = 0xc1f8}), "");
}

TEST_F(MemoryPartition, IsEmptyWithoutARenderNode) {
  write("class/drm/renderD0/device", "NPS1\n");
  write("bus/pci/devices/0000:00:00.0", "NPS1\n");
  EXPECT_EQ(of({}), "");
}

TEST_F(MemoryPartition, IsEmptyForAnythingButAMode) {
  for (const char* text :
       {"", "\n", "UNKNOWN\n", "NPS", "NPS-1", "NPS1 NPS4", "nps1", "NPS123456", "NPS1234567890123"}) {
    write("class/drm/renderD128/device", text);
    EXPECT_EQ(of({.render_minor = 128}), "") << text;
  }
  write("class/drm/renderD128/device", " NPS12345\r\n");
  EXPECT_EQ(of({.render_minor = 128}), "NPS12345") << "eight characters are enough for any";
}

}  // namespace
}  // namespace multipass::sdk
