// SPDX-License-Identifier: MIT
//
// What ROCPROFSYS_MULTIPASS_SIM_COST makes work take, on the clock that an SDK and the events of HIP show.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "hip/hip_runtime.h"
#include "sim/hip/clock.hpp"
#include "sim/hip/costs.hpp"
#include "sim_environment.hpp"

namespace {

using multipass_sim::boot_time_ns;
using multipass_sim::Costs;
using multipass_sim::let_time_pass_until;
using multipass_sim::runtime_table;

constexpr std::uint64_t kMs = 1'000'000;

std::string fault_of(const char* text) {
  try {
    static_cast<void>(Costs::parse(text));
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "none";
}

TEST(CostWords, SayWhatIsTaken) {
  const Costs costs = Costs::parse("copy=4GB/s,,kernel=1.5ms,drain=20us,");
  EXPECT_EQ(costs.kernel_ns(), 1'500'000U);
  EXPECT_EQ(costs.drain_ns(), 20'000U);
  EXPECT_EQ(costs.copy_ns(173'000'000'000), 43'250'000'000U);
  EXPECT_EQ(Costs::parse("").copy_ns(1'000'000), 0U);
}

TEST(CostWords, ThatAreWrongAreNamedWithWhatThereIs) {
  EXPECT_EQ(fault_of("kernels=1ms"), "no cost is called \"kernels\"; there are: copy=RATE, kernel=TIME, drain=TIME");
  const std::string time = ": a time such as 20us, 1ms or 2s is expected";
  for (const char* text : {"kernel", "kernel=", "kernel=1", "kernel=ms", "kernel=0ms", "kernel=-1ms", "kernel=1e20s",
                           "kernel=nan", "kernel=1 ms", "drain=1GB/s"}) {
    const std::string part = text;
    const std::string shown = part.find('=') == std::string::npos ? part + "=" : part;
    EXPECT_EQ(fault_of(text), shown + time);
  }
  EXPECT_EQ(fault_of("copy=4GB"), "copy=4GB: a rate such as 500MB/s or 4GB/s is expected");
}

__global__ void nothing() {}

// By how much the simulated clock was put on since this was made: never told too large, however slow the machine is.
class PutOn final {
 public:
  [[nodiscard]] std::uint64_t ns() const {
    const std::uint64_t shown = boot_time_ns();
    return shown - std::min(shown, machine_ns() + lead_);
  }

 private:
  static std::uint64_t machine_ns() {
    timespec now{};
    ::clock_gettime(CLOCK_BOOTTIME, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(now.tv_nsec);
  }
  // In this order: what passes in between is taken for a lead that was there before.
  static std::uint64_t lead() {
    const std::uint64_t machine = machine_ns();
    return boot_time_ns() - machine;
  }
  const std::uint64_t lead_ = lead();
};

class SimulatedTime : public testing::Test {
 protected:
  // Before the first HIP call of the process, which reads them.
  static void SetUpTestSuite() {
    ::setenv("ROCPROFSYS_MULTIPASS_SIMULATE", SIM_DEVICES "/tiny.json," SIM_DEVICES "/tiny.json", 1);
    ::setenv("ROCPROFSYS_MULTIPASS_SIM_COST", "copy=1MB/s,kernel=500ms,drain=100ms", 1);
    ASSERT_EQ(hipDeviceSynchronize(), hipSuccess);
  }
};

TEST_F(SimulatedTime, AKernelLastsAtLeastItsCost) {
  multipass_sim::Capture capture;
  const PutOn clock;
  hipLaunchKernelGGL(nothing, dim3(1), dim3(1), 0, nullptr);
  hipLaunchKernelGGL(nothing, dim3(1), dim3(1), 0, nullptr);
  const auto launches = capture.launches();
  ASSERT_EQ(launches.size(), 2U);
  for (const auto& launch : launches) EXPECT_GE(launch.execution.end_ns - launch.execution.start_ns, 500 * kMs);
  EXPECT_LE(clock.ns(), 1'000 * kMs) << "and no more than that";
  EXPECT_GT(launches[1].execution.start_ns, launches[0].execution.end_ns);
}

TEST_F(SimulatedTime, IsWhatEventsMeasure) {
  hipEvent_t start = nullptr;
  hipEvent_t stop = nullptr;
  const PutOn clock;
  ASSERT_EQ(hipEventCreate(&start), hipSuccess);
  ASSERT_EQ(hipEventCreate(&stop), hipSuccess);
  ASSERT_EQ(hipEventRecord(start, nullptr), hipSuccess);
  hipLaunchKernelGGL(nothing, dim3(1), dim3(1), 0, nullptr);
  ASSERT_EQ(hipEventRecord(stop, nullptr), hipSuccess);
  ASSERT_EQ(hipEventSynchronize(stop), hipSuccess);
  float ms = 0;
  ASSERT_EQ(hipEventElapsedTime(&ms, start, stop), hipSuccess);
  EXPECT_GE(ms, 500.0F);
  EXPECT_LE(clock.ns(), 500 * kMs);
  EXPECT_EQ(hipEventDestroy(start), hipSuccess);
  EXPECT_EQ(hipEventDestroy(stop), hipSuccess);
}

TEST_F(SimulatedTime, PassesForWhatAnSdkSpends) {
  const auto& table = *runtime_table();
  const PutOn clock;
  const std::uint64_t before = table.now_ns();
  table.spend(MULTIPASS_SIM_COST_COPY, 2'000'000, before);
  const std::uint64_t copied = table.now_ns();
  EXPECT_GE(copied - before, 2'000 * kMs);
  EXPECT_LE(clock.ns(), 2'000 * kMs);
  table.spend(MULTIPASS_SIM_COST_DRAIN, 3, copied);
  EXPECT_GE(table.now_ns() - copied, 300 * kMs);
  EXPECT_LE(clock.ns(), 2'300 * kMs);
}

TEST_F(SimulatedTime, OfWhatRunsAtTheSameTimeDoesNotAddUp) {
  const auto& table = *runtime_table();
  const PutOn clock;
  const std::uint64_t both_began = table.now_ns();
  table.spend(MULTIPASS_SIM_COST_COPY, 2'000'000, both_began);
  table.spend(MULTIPASS_SIM_COST_COPY, 1'500'000, both_began);
  EXPECT_GE(table.now_ns() - both_began, 2'000 * kMs);
  EXPECT_LE(clock.ns(), 2'000 * kMs);
}

TEST_F(SimulatedTime, NeverGoesBackForAnyThread) {
  const auto watch = [] {
    std::uint64_t last = boot_time_ns();
    for (int i = 0; i < 20'000; ++i) {
      if (i % 100 == 0) let_time_pass_until(last + kMs);
      const std::uint64_t now = boot_time_ns();
      ASSERT_GE(now, last);
      last = now;
    }
  };
  const std::uint64_t before = boot_time_ns();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(watch);
  for (std::thread& thread : threads) thread.join();
  EXPECT_GE(boot_time_ns(), before + 200 * kMs);
}

}  // namespace
