// SPDX-License-Identifier: MIT
//
// A tool for the tests, registered in process, and shorthands for what a tool does most.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "fake_runtime.hpp"
#include "sdk/abi/rocprofiler.h"

namespace sim_sdk_test {

struct ToolHooks {
  std::function<void()> configure;
  std::function<void()> initialize;
  std::function<void()> finalize;
};

// Registers a tool that runs the hooks. Once per process.
void register_tool(ToolHooks hooks);

// The same, then attaches the runtime.
void start_tool(FakeRuntime& runtime, ToolHooks hooks);
[[nodiscard]] rocprofiler_client_id_t tool_client();
[[nodiscard]] rocprofiler_client_finalize_t tool_finalize_function();

// What the tool's own finalise function does: with one tool the library finalises here and not at exit. For tests whose
// callbacks use objects that end before the process does.
void end_tool();

[[nodiscard]] rocprofiler_context_id_t make_context();
[[nodiscard]] std::vector<rocprofiler_agent_v0_t> agents();
[[nodiscard]] rocprofiler_agent_id_t first_gpu();
[[nodiscard]] rocprofiler_counter_id_t counter(const std::string& name);  // of the first GPU

// 0 when the SDK refuses.
[[nodiscard]] rocprofiler_counter_config_id_t make_config(const std::vector<std::string>& names);

// The sum over instances of one counter in a record callback.
[[nodiscard]] double sum_of(const rocprofiler_counter_record_t* records, std::size_t count, const std::string& name);

}  // namespace sim_sdk_test
