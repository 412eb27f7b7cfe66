// SPDX-License-Identifier: MIT
//
// A derived counter with "registers" and no "expression": it costs these and reads the generic function.
#include "temporary_device.hpp"

namespace multipass_sim {
namespace {

using nlohmann::json;

// 16 waves in 4 work-groups: 16 * (1 + FNV-1a-32("Mystery\n_Z4axpyPfPKffi.kd") % 97) + 4, by a Python of three lines.
constexpr double kMystery = 292;

// tiny, and counters of which Mystery has no formula; PerChannel neither, but an instance per L2 channel.
const DeviceModel& with_mysteries() {
  static const DeviceModel model = [] {
    json document = tiny_json();
    const json registers = {"TCC_HIT", "SQ_LEVEL_WAVES@HIGH_RES"};
    json& counters = document["counters"];
    counters.push_back({{"id", 100}, {"name", "Mystery"}, {"registers", registers}});
    counters.push_back({{"id", 101}, {"name", "PerChannel"}, {"shape", "l2"}, {"registers", {"TCC_MISS"}}});
    counters.push_back({{"id", 102}, {"name", "Twice"}, {"registers", registers}, {"expression", "2 * Mystery"}});
    const TemporaryDevice file(document.dump());
    return DeviceModel::load(file.path());
  }();
  return model;
}

TEST(GenericDerived, ReadsTheGenericFunctionOfItsName) {
  const auto values = read_named(with_mysteries(), "Mystery", worked_example());
  ASSERT_EQ(values.size(), 1U);
  EXPECT_EQ(values[0].value, kMystery);
  EXPECT_EQ(values[0].instance_id, std::uint64_t{100} << 48U);
  EXPECT_EQ(read_named(with_mysteries(), "Mystery", {}).at(0).value, 0);
}

TEST(GenericDerived, IsSpreadOverItsShape) {
  const auto values = read_named(with_mysteries(), "PerChannel", worked_example());
  std::vector<double> found;
  for (const InstanceValue& value : values) found.push_back(value.value);
  EXPECT_EQ(found, (std::vector<double>{373, 373, 373, 373}));
}

TEST(GenericDerived, CanBePartOfAnExpression) {
  EXPECT_EQ(sum_of(read_named(with_mysteries(), "Twice", worked_example())), 2 * kMystery);
}

TEST(GenericDerived, IsADerivedCounterWhoseExpressionNamesItsRegisters) {
  const Counter* mystery = with_mysteries().find("Mystery");
  ASSERT_NE(mystery, nullptr);
  EXPECT_TRUE(mystery->is_derived);
  EXPECT_EQ(mystery->block, "");
  EXPECT_EQ(mystery->expression, "generic(TCC_HIT, accumulate(SQ_LEVEL_WAVES, HIGH_RES))");
  EXPECT_EQ(with_mysteries().find("PerChannel")->expression, "generic(TCC_MISS)");
  EXPECT_EQ(with_mysteries().find("Twice")->expression, "2 * Mystery");
}

TEST(GenericDerived, CostsItsRegistersHiddenOnesToo) {
  const auto fit = [](const std::vector<std::string>& names) {
    return with_mysteries().fit(ids_of(with_mysteries(), names));
  };
  EXPECT_EQ(fit({"Mystery", "Twice", "PerChannel"}), Fit::kFits);  // SQ: one and a hidden one; TCC: two
  EXPECT_EQ(fit({"Mystery", "PerChannel", "TCC_EA0_RDREQ"}), Fit::kRefused);
  EXPECT_EQ(fit({"Mystery", "SQ_LEVEL_WAVES"}), Fit::kFits);
  EXPECT_EQ(fit({"Mystery", "SQ_WAVES"}), Fit::kOverflows);
  EXPECT_EQ(fit({"Twice", "SQ_WAVES", "SQ_ITEMS"}), Fit::kRefused);
}

}  // namespace
}  // namespace multipass_sim
