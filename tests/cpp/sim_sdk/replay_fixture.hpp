// SPDX-License-Identifier: MIT
//
// A tool that replays every dispatch, and a kernel that adds 1 to each int of a device block. One per process.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <string>

#include "fake_runtime.hpp"
#include "services.hpp"
#include "test_tool.hpp"

namespace sim_sdk_test {

struct ReplayFixture {
  FakeRuntime runtime;
  Services services;
  rocprofiler_context_id_t context{0};
  rocprofiler_kernel_replay_pass_count_cb_t pass_count = nullptr;
  rocprofiler_kernel_replay_continue_cb_t more = nullptr;
  std::function<void(const rocprofiler_callback_tracing_record_t&, ReplayData&, rocprofiler_user_data_t&)> also;
  std::array<int, 4> block{10, 20, 30, 40};

  // "T" for the launching thread (the one that made the fixture), "?" for any other.
  const pid_t main_thread = gettid();
  [[nodiscard]] std::string here() const { return gettid() == main_thread ? "T" : "?"; }

  ReplayFixture() {
    runtime.add_allocation(block.data(), sizeof(block), MULTIPASS_SIM_MEMORY_DEVICE);
    services.replay = [this](const auto& record, ReplayData& data, rocprofiler_user_data_t& user_data) {
      const bool config = record.operation == ROCPROFILER_KERNEL_REPLAY_CONFIG;
      const bool enter = record.phase == ROCPROFILER_CALLBACK_PHASE_ENTER;
      if (config && enter) {
        data.replay_pass_count = pass_count;
        data.replay_continue = more;
      }
      std::string event = std::string(config ? "CONFIG " : "PASS ") + (enter ? "ENTER" : "EXIT");
      if (!config) event += " " + std::to_string(data.current_pass);
      runtime.log.add(event + " " + here());
      if (also) also(record, data, user_data);
    };
  }

  // `more_setup` runs inside the tool's initialize, before the context is started.
  void start(const std::function<void()>& more_setup = {}, const std::function<void()>& finalize = {}) {
    start_tool(runtime, {.configure = {},
                         .initialize =
                             [this, more_setup] {
                               context = make_context();
                               EXPECT_EQ(services.add_replay(context), ROCPROFILER_STATUS_SUCCESS);
                               if (more_setup) more_setup();
                               EXPECT_EQ(rocprofiler_start_context(context), ROCPROFILER_STATUS_SUCCESS);
                             },
                         .finalize = finalize});
  }

  void launch_increment(const LaunchOptions& options = {}) {
    runtime.launch(
        [this](multipass_sim_activity& activity) {
          activity.waves = static_cast<std::uint64_t>(block[0]);  // what the kernel found shows in a counter
          activity.work_items = 256;
          for (int& value : block) ++value;
        },
        options);
  }
};

template <std::uint64_t kCount>
std::uint64_t passes(rocprofiler_kernel_dispatch_info_t, rocprofiler_user_data_t) {
  return kCount;
}

}  // namespace sim_sdk_test
