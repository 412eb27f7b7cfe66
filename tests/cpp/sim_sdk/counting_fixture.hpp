// SPDX-License-Identifier: MIT
//
// A tool that counts one configuration in every dispatch. One per process.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "fake_runtime.hpp"
#include "services.hpp"
#include "test_tool.hpp"

namespace sim_sdk_test {

struct CountingFixture {
  FakeRuntime runtime;
  Services services;
  rocprofiler_context_id_t context{0};
  rocprofiler_counter_config_id_t config{0};
  pid_t queue_thread = 0;

  // `active`: the context is started, too.
  void start(const std::vector<std::string>& counters, bool active = true) {
    if (!services.dispatch) {
      services.dispatch = [this](const CountingData&, rocprofiler_counter_config_id_t& choice, auto&) {
        choice = config;
      };
    }
    start_tool(runtime, {.configure = {},
                         .initialize =
                             [this, counters, active] {
                               context = make_context();
                               EXPECT_EQ(services.add_counting(context), ROCPROFILER_STATUS_SUCCESS);
                               config = make_config(counters);
                               if (active) {
                                 EXPECT_EQ(rocprofiler_start_context(context), ROCPROFILER_STATUS_SUCCESS);
                               }
                             },
                         .finalize = {}});
  }

  void launch(std::uint64_t waves = 3) {
    runtime.launch([this, waves](multipass_sim_activity& activity) {
      queue_thread = gettid();
      activity.waves = waves;
    });
  }
};

}  // namespace sim_sdk_test
