// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "sdk/abi/rocprofiler.h"
#include "sim/interface/roctx_table.h"

namespace sim_sdk_test {

// A roctx library without any sense: every function gives a number of its own.
struct Roctx {  // attached once a tool is registered
  multipass_sim_roctx_core core = {
      sizeof(core),
      [](const char*) {},
      [](const char*) { return 11; },
      [] { return 12; },
      [](const char*) {
        static std::uint64_t last = 100;
        return ++last;
      },
      [](std::uint64_t) {},
      [](std::uint64_t* tid) {
        *tid = 77;
        return 14;
      },
  };
  multipass_sim_roctx_control control = {sizeof(control), [](std::uint64_t) { return 15; },
                                         [](std::uint64_t) { return 16; }};
  multipass_sim_roctx_name name = {
      sizeof(name),
      [](const char*) { return 17; },
      [](const char*, const hsa_agent_s*) { return 18; },
      [](const char*, int) { return 19; },
      [](const char*, const ihipStream_t*) { return 20; },
  };

  void attach() {
    std::array<void*, MULTIPASS_SIM_ROCTX_TABLES> tables = {&core, &control, &name};
    EXPECT_EQ(rocprofiler_set_api_table("roctx", 10401, 0, tables.data(), tables.size()), 0);
  }
};

}  // namespace sim_sdk_test
