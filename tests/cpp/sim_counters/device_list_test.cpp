// SPDX-License-Identifier: MIT
#include "sim/counters/device_list.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "support.hpp"

namespace multipass_sim {
namespace {

constexpr const char* kVariable = "ROCPROFSYS_MULTIPASS_SIMULATE";

class DeviceList : public testing::Test {
 protected:
  void SetUp() override {
    unsetenv(kVariable);
    folder_ = std::filesystem::temp_directory_path() / ("sim-devices-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override {
    unsetenv(kVariable);
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  std::vector<std::string> names_for(const char* value) {
    setenv(kVariable, value, 1);
    devices_ = simulated_devices(error_, MULTIPASS_SIM_DEVICES);
    std::vector<std::string> names;
    for (const SimulatedDevice& device : devices_) names.push_back(device.name);
    return names;
  }

  using Names = std::vector<std::string>;
  std::filesystem::path folder_;
  std::vector<SimulatedDevice> devices_;
  std::string error_;
};

TEST_F(DeviceList, DefaultIsOneGfx942) {
  const auto devices = simulated_devices(error_, MULTIPASS_SIM_DEVICES);
  ASSERT_EQ(devices.size(), 1U) << error_;
  EXPECT_EQ(devices[0].name, "gfx942");
  EXPECT_EQ(names_for(""), Names{"gfx942"});
}

TEST_F(DeviceList, KeepsOrderAndSharesTheModelOfOneKind) {
  EXPECT_EQ(names_for("tiny, gfx942 ,tiny"), (Names{"tiny", "gfx942", "tiny"})) << error_;
  EXPECT_EQ(devices_[0].model, devices_[2].model);
  EXPECT_NE(devices_[0].model, devices_[1].model);
  EXPECT_EQ(error_, "");
}

TEST_F(DeviceList, HoldsDevicesWithAndWithoutCountersInAnyOrder) {
  EXPECT_EQ(names_for("gfx1036,gfx942,gfx1036"), (Names{"gfx1036", "gfx942", "gfx1036"})) << error_;
  EXPECT_FALSE(devices_[0].model->countable());
  EXPECT_TRUE(devices_[0].model->counters().empty());
  EXPECT_EQ(devices_[0].model->agent().wave_front_size, 32U);
  EXPECT_TRUE(devices_[1].model->countable());
}

TEST_F(DeviceList, EveryShippedDeviceGoesWithTheOthers) {
  EXPECT_EQ(names_for("gfx950,tiny,gfx1201,gfx90a,gfx1036,gfx942,gfx1100"),
            (Names{"gfx950", "tiny", "gfx1201", "gfx90a", "gfx1036", "gfx942", "gfx1100"}))
      << error_;
}

TEST_F(DeviceList, TakesThePathOfAFile) {
  EXPECT_EQ(names_for((device_path("tiny") + ",gfx942").c_str()), (Names{"tiny", "gfx942"})) << error_;
}

TEST_F(DeviceList, NameAndPathOfOneFileAreOneModel) {
  EXPECT_EQ(names_for(("tiny," + device_path("tiny")).c_str()), (Names{"tiny", "tiny"})) << error_;
  EXPECT_EQ(devices_[0].model, devices_[1].model);
}

TEST_F(DeviceList, UnknownNameSaysWhatThereIs) {
  EXPECT_EQ(names_for("tiny,gfx43"), Names{});
  EXPECT_THAT(error_, testing::HasSubstr("unknown simulated device \"gfx43\""));
  EXPECT_THAT(error_, testing::HasSubstr("there are: gfx1036, gfx1100, gfx1201, gfx90a, gfx942, gfx950, tiny"));
}

TEST_F(DeviceList, AnEmptyEntryIsAnError) {
  EXPECT_EQ(names_for("tiny,,tiny"), Names{});
  EXPECT_THAT(error_, testing::HasSubstr("unknown simulated device \"\""));
}

TEST_F(DeviceList, AFolderWithoutDevicesIsSaidSo) {
  setenv(kVariable, "tiny", 1);
  EXPECT_TRUE(simulated_devices(error_, folder_.string()).empty());
  EXPECT_THAT(error_, testing::HasSubstr("there are none in " + folder_.string()));
}

TEST_F(DeviceList, WithoutAFolderItLooksBesideTheProgramThatHoldsTheCode) {
  setenv(kVariable, "no-such-device", 1);
  EXPECT_TRUE(simulated_devices(error_).empty());
  const std::filesystem::path self = std::filesystem::canonical("/proc/self/exe").parent_path();
  EXPECT_THAT(error_, testing::HasSubstr((self / "devices").string()));
}

TEST_F(DeviceList, ABrokenFileIsNamedAndLeavesNoDevice) {
  std::ofstream(folder_ / "broken.json") << "{}";
  EXPECT_EQ(names_for(("tiny," + (folder_ / "broken.json").string()).c_str()), Names{});
  EXPECT_THAT(error_, testing::HasSubstr("broken.json: member \"schema\" is missing"));
}

TEST_F(DeviceList, TwoDevicesWithTheSameCounterIdsAreRefused) {
  std::filesystem::copy_file(device_path("tiny"), folder_ / "copy.json");
  EXPECT_EQ(names_for(("tiny," + (folder_ / "copy.json").string()).c_str()), Names{});
  EXPECT_THAT(error_, testing::HasSubstr("has id 0"));
}

}  // namespace
}  // namespace multipass_sim
