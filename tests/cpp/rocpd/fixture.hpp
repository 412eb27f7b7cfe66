// SPDX-License-Identifier: MIT
//
// Records to write, and a directory of its own for each test.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/agent.hpp"
#include "model/dispatch.hpp"
#include "model/plan.hpp"
#include "model/run.hpp"
#include "output/rocpd/rocpd_sink.hpp"
#include "query.hpp"

namespace multipass::output::rocpd::test {

inline constexpr const char* kGuid = "01980a2b-3c4d-7e5f-8a6b-7c8d9e0f1a2b";
inline constexpr const char* kSuffix = "_01980a2b_3c4d_7e5f_8a6b_7c8d9e0f1a2b";

[[nodiscard]] RunMetadata some_run();
[[nodiscard]] AgentInfo gpu(std::uint32_t index, std::uint32_t node_id, const std::string& arch = "gfx942");
[[nodiscard]] AgentInfo cpu(std::uint32_t index, std::uint32_t node_id);
[[nodiscard]] CounterInfo counter(const std::string& name);
// One pass per list of names.
[[nodiscard]] AgentPlan plan_of(std::uint32_t agent, const std::vector<std::vector<std::string>>& passes);
[[nodiscard]] KernelSymbol kernel(std::uint64_t id, const std::string& name);
[[nodiscard]] PassRecord pass_record(std::optional<std::uint32_t> pass, std::uint64_t start, std::uint64_t end,
                                     const std::vector<std::pair<std::uint32_t, double>>& readings);
[[nodiscard]] DispatchRecord dispatch_of(std::uint64_t id, std::vector<PassRecord> passes);

// The worked example: counters SQ_WAVES (0), GRBM_COUNT (1), GRBM_GUI_ACTIVE (2), SQ_INSTS_SALU (3) in three passes
// that all read SQ_WAVES.
[[nodiscard]] std::vector<CounterInfo> example_counters();
[[nodiscard]] AgentPlan example_plan();
[[nodiscard]] DispatchRecord example_dispatch(double waves0 = 512, double waves1 = 512, double waves2 = 512);

class RocpdTest : public ::testing::Test {
 protected:
  RocpdTest();
  ~RocpdTest() override;

  [[nodiscard]] std::filesystem::path target() const { return directory_ / "out.db"; }
  [[nodiscard]] std::vector<std::string> files() const;

  // Sink with the run and the example's GPU (index 0, node 1) and kernel (id 7, name k).
  [[nodiscard]] std::unique_ptr<Sink> begin_example(RocpdLayout layout = RocpdLayout::kCanonical) const;
  // Writes these dispatches on the example's GPU; every step must succeed.
  void write_example(const std::vector<DispatchRecord>& dispatches, RocpdLayout layout = RocpdLayout::kCanonical) const;

  std::filesystem::path directory_;
};

// EXPECT on a Status that shows the message.
void expect_ok(const Status& status);

}  // namespace multipass::output::rocpd::test
