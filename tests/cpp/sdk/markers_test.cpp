// SPDX-License-Identifier: MIT
// The kinds of roctx tracing, found by name, on an SDK that has them and on one that does not.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "sdk/hidden_names.hpp"
#include "sdk/inventory.hpp"
#include "sdk/quiet_listener.hpp"
#include "sdk/services.hpp"
#include "sim_sdk/isolated.hpp"
#include "sim_sdk/test_tool.hpp"

namespace multipass::sdk {
namespace {

using sim_sdk_test::isolated;

TEST(MarkerKinds, AreFoundByTheirNamesWithTheOperationsThatAreNeeded) {
  const auto outcome = isolated([] {
    const SdkIdentity identity = identify();
    ASSERT_TRUE(identity.markers.control);
    EXPECT_EQ(identity.markers.control->kind, 8);
    EXPECT_EQ(identity.markers.control->operations, (std::array<std::int32_t, 2>{0, 1}));
    ASSERT_TRUE(identity.markers.ranges);
    EXPECT_EQ(identity.markers.ranges->kind, 21);
    EXPECT_EQ(identity.markers.ranges->operations, (std::array<std::int32_t, 2>{1, 2}));
    EXPECT_EQ(identity.replay_kind, 25);
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(MarkerKinds, AreAbsentWhereTheKindOrAnOperationIs) {
  const auto outcome = isolated([] {
    sdk_test::hidden_names() = {"MARKER_CONTROL_API", "roctxProcessRangeA"};
    const SdkIdentity identity = identify();
    EXPECT_FALSE(identity.markers.control);
    EXPECT_FALSE(identity.markers.ranges);
    EXPECT_EQ(identity.replay_kind, 25);
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(MarkerServices, SayWhichCallsDoNotArriveAndWhy) {
  const auto outcome = isolated([] {
    static sdk::QuietListener listener;
    sdk_test::hidden_names() = {"MARKER_CORE_RANGE_API"};
    sim_sdk_test::register_tool({.configure = {},
                                 .initialize =
                                     [] {
                                       const auto services = create_services(listener, {}, {}, identify().markers);
                                       ASSERT_TRUE(services);
                                       EXPECT_EQ((*services)->why_no_control(), "");
                                       EXPECT_EQ((*services)->why_no_ranges(), "this SDK does not trace them");
                                     },
                                 .finalize = {}});
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

}  // namespace
}  // namespace multipass::sdk
