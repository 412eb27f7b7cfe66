// SPDX-License-Identifier: MIT
//
// When and how the SDK is loaded. Each case is a process of its own, for the decision is made once per process; the
// test program is linked with the runtime's objects, so a fake SDK beside it is "in the library's own folder".
#include <gtest/gtest.h>

#include <cstdlib>

#include "hip/hip_runtime.h"

namespace {

__global__ void increment(int* value) {
  ++*value;
}

// Sets one variable, launches a kernel twice without waiting for it, and exits with what the memory held in between.
[[noreturn]] void run_with(const char* variable, const char* value) {
  ::setenv("ROCPROFSYS_MULTIPASS_SIMULATE", SIM_DEVICES "/tiny.json", 1);
  ::unsetenv("ROCP_TOOL_LIBRARIES");
  if (variable != nullptr) ::setenv(variable, value, 1);
  int* device = nullptr;
  int host = 0;
  if (hipMalloc(&device, sizeof(int)) != hipSuccess || hipMemset(device, 0, sizeof(int)) != hipSuccess) std::exit(99);
  hipLaunchKernelGGL(increment, dim3(1), dim3(1), 0, nullptr, device);
  if (hipMemcpy(&host, device, sizeof(int), hipMemcpyDeviceToHost) != hipSuccess) std::exit(98);
  hipLaunchKernelGGL(increment, dim3(1), dim3(1), 0, nullptr, device);
  std::exit(host);
}

constexpr const char* kLoadedAndDrained = "fake sdk: hsa 2 0 1 size 1\nfake sdk: 4 executions";

class Loader : public ::testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(Loader, LoadsTheSdkForAToolAndLetsItDrainAtExit) {
  EXPECT_EXIT(run_with("ROCP_TOOL_LIBRARIES", "any.so"), ::testing::ExitedWithCode(2), kLoadedAndDrained);
}

TEST_F(Loader, LoadsTheSdkWhenForcedTo) {
  EXPECT_EXIT(run_with("ROCPROFILER_REGISTER_FORCE_LOAD", "1"), ::testing::ExitedWithCode(2), kLoadedAndDrained);
}

TEST_F(Loader, LoadsTheSdkForARegisterLibrary) {
  EXPECT_EXIT(run_with("ROCPROFILER_REGISTER_LIBRARY", "x"), ::testing::ExitedWithCode(2), kLoadedAndDrained);
}

TEST_F(Loader, LoadsNothingWithoutATool) {
  EXPECT_EXIT(run_with(nullptr, ""), ::testing::ExitedWithCode(1), "^$");
}

TEST_F(Loader, LoadsNothingForAnEmptyVariable) {
  EXPECT_EXIT(run_with("ROCP_TOOL_LIBRARIES", ""), ::testing::ExitedWithCode(1), "^$");
}

TEST_F(Loader, LoadsNothingWhenRegistrationIsSwitchedOff) {
  ::setenv("ROCPROFILER_REGISTER_ENABLED", "0", 1);
  EXPECT_EXIT(run_with("ROCP_TOOL_LIBRARIES", "any.so"), ::testing::ExitedWithCode(1), "^$");
  ::unsetenv("ROCPROFILER_REGISTER_ENABLED");
}

}  // namespace
