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

TEST(Each, ASumIsThatManyTimesTheValue) {
  const DeviceModel model = with_each("cycles");
  EXPECT_EQ(sum_of(read_named(model, "SQ_WAVES_sum", worked_example())), 2 * 1003);
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

}  // namespace
}  // namespace multipass_sim
