// SPDX-License-Identifier: MIT
//
// Counters of time: each instance counts what it sees of the execution, they do not share it.
#include "sim/counters/device_file.hpp"
#include "support.hpp"
#include "temporary_device.hpp"

namespace multipass_sim {
namespace {

using nlohmann::json;

// tiny with "each" in place of the "total" of SQ_WAVES, which has two instances.
DeviceModel with_each(const std::string& formula) {
  json document = tiny_json();
  json& counter = document["counters"][2];
  counter.erase("total");
  counter["each"] = formula;
  return DeviceModel::load(TemporaryDevice(document.dump()).path());
}

TEST(Each, EveryInstanceReadsTheWholeValue) {
  const auto values = read_named(with_each("waves / 3"), "SQ_WAVES", worked_example());
  ASSERT_EQ(values.size(), 2U);
  EXPECT_EQ(values[0].value, 5);
  EXPECT_EQ(values[1].value, 5);
}

TEST(Each, ASumIsThatManyTimesAndAMaximumTheValue) {
  const DeviceModel model = with_each("cycles");
  EXPECT_EQ(sum_of(read_named(model, "SQ_WAVES_sum", worked_example())), 2 * 1003);
  EXPECT_EQ(sum_of(read_named(gfx942(), "TA_BUSY_max", worked_example())), 501);
}

TEST(Each, FaultsAreFoundAndNamed) {
  try {
    (void)with_each("waves + colour");
    ADD_FAILURE() << "loaded";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr(": each column 9: unknown activity member \"colour\""));
  }
}

TEST(Each, ExcludesATotal) {
  json document = tiny_json();
  document["counters"][2]["each"] = "cycles";
  const TemporaryDevice file(document.dump());
  try {
    (void)DeviceModel::load(file.path());
    ADD_FAILURE() << "loaded";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("\"SQ_WAVES\": \"total\" and \"each\" exclude each other"));
  }
}

class ShippedTime : public testing::TestWithParam<const char*> {};

// A unit cannot be busy, idle or stalled for longer than the execution took.
TEST_P(ShippedTime, OfAnInstanceIsAtMostTheCyclesOfTheExecution) {
  std::size_t found = 0;
  for (const FileCounter& entry : read_device_file(device_path(GetParam())).counters) {
    if (!entry.is_each) continue;
    ++found;
    for (const InstanceValue& value : read_named(device(GetParam()), entry.counter.name, worked_example())) {
      EXPECT_GT(value.value, 0) << entry.counter.name;
      EXPECT_LE(value.value, 1003) << entry.counter.name;
    }
  }
  EXPECT_GT(found, std::string(GetParam()).starts_with("gfx9") ? 40U : 4U);
}

// The cycles of the execution must not be divided over instances; but those of compute units are added up.
TEST_P(ShippedTime, IsNeverSharedByInstances) {
  for (const FileCounter& entry : read_device_file(device_path(GetParam())).counters) {
    if (entry.is_each || !entry.total || entry.counter.name == "SQ_BUSY_CU_CYCLES") continue;
    const std::string words = " " + *entry.total + " ";
    EXPECT_EQ(words.find(" cycles "), std::string::npos) << entry.counter.name;
  }
}

TEST_P(ShippedTime, OfTheClockIsThatOfEveryDie) {
  const DeviceModel& model = device(GetParam());
  for (const char* name : {"GRBM_COUNT", "GRBM_GUI_ACTIVE"}) {
    const Counter* counter = model.find(name);
    if (counter == nullptr) continue;
    const auto values = model.read(*counter, worked_example(), kKernel);
    EXPECT_EQ(values.size(), model.agent().num_xcc) << name;
    EXPECT_EQ(sum_of(values), 1003.0 * model.agent().num_xcc) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Shipped, ShippedTime, testing::Values("gfx1100", "gfx1201", "gfx90a", "gfx942", "gfx950"),
                         device_name);

// Percentages of derived counters, for an execution that fills no device.
TEST_P(ShippedTime, MakesPercentagesThatAreBetween0And100) {
  std::size_t found = 0;
  for (const Counter& counter : device(GetParam()).counters()) {
    if (!counter.description.starts_with("Percent ")) continue;
    ++found;
    for (const InstanceValue& value : device(GetParam()).read(counter, worked_example(), kKernel)) {
      EXPECT_GE(value.value, 0) << counter.name;
      EXPECT_LE(value.value, 100) << counter.name;
    }
  }
  EXPECT_GT(found, 3U);
}

}  // namespace
}  // namespace multipass_sim
