// SPDX-License-Identifier: MIT
#include "sim_environment.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace multipass_sim {
namespace {

// Two devices (0: gfx942, 1: tiny), and no profiling: set before the first HIP call of the process.
class SimulatedDevices final : public ::testing::Environment {
 public:
  void SetUp() override {
    ::setenv("ROCPROFSYS_MULTIPASS_SIMULATE", SIM_DEVICES "/gfx942.json," SIM_DEVICES "/tiny.json", 1);
    for (const char* variable :
         {"ROCP_TOOL_LIBRARIES", "ROCPROFILER_REGISTER_LIBRARY", "ROCPROFILER_REGISTER_FORCE_LOAD"}) {
      ::unsetenv(variable);
    }
  }
};

[[maybe_unused]] const auto* const kDevices = ::testing::AddGlobalTestEnvironment(new SimulatedDevices);

std::atomic<Capture*> active{nullptr};

}  // namespace

Capture::Capture() {
  active.store(this);
  multipass_sim_runtime* const table = runtime_table();
  table->on_submit = &Capture::submit;
  table->intercept();
}

Capture::~Capture() {
  static_cast<void>(hipDeviceSynchronize());
  multipass_sim_runtime* const table = runtime_table();
  table->on_submit = nullptr;
  table->intercept();
  active.store(nullptr);
}

void Capture::submit(multipass_sim_packet* packet) {
  const auto done = [](void* argument, const multipass_sim_execution* execution) {
    const auto& finished = *static_cast<const multipass_sim_packet*>(argument);
    Capture& self = *active.load();
    const std::lock_guard lock(self.mutex_);
    self.launches_.push_back({finished.kernel->name, finished, *execution});
  };
  runtime_table()->execute(packet, done, packet);
}

std::vector<Capture::Launch> Capture::launches() {
  static_cast<void>(hipDeviceSynchronize());
  const std::lock_guard lock(mutex_);
  return launches_;
}

multipass_sim_activity Capture::activity() {
  const std::vector<Launch> all = launches();
  EXPECT_EQ(all.size(), 1U);
  return all.empty() ? multipass_sim_activity{} : all.front().execution.activity;
}

}  // namespace multipass_sim
