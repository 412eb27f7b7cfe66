// SPDX-License-Identifier: MIT
//
// In a test that links this, calls of rocprofiler_create_counter_config pass here on their way to the stand-in: they
// are counted, and some can be refused. Owner: the test process; one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace multipass::sdk_test {

struct ConfigCalls {
  std::size_t count = 0;
  std::size_t kept = 0;  // made and not destroyed
  // A status to answer with instead; 0: the stand-in is asked. Empty: it always is.
  std::function<int(std::uint64_t agent, const std::vector<std::uint64_t>& counters)> refuse;
};

[[nodiscard]] ConfigCalls& config_calls();

}  // namespace multipass::sdk_test
