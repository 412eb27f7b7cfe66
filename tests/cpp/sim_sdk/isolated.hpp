// SPDX-License-Identifier: MIT
//
// The SDK's state belongs to the process, so every test that registers a tool runs in a process of its own.
#pragma once

#include <functional>
#include <string>

namespace sim_sdk_test {

struct Outcome {
  int code = 0;       // exit code, or 128 + signal
  std::string error;  // what the process wrote to stderr
};

// Runs `body` in a forked child that then calls exit(); failed expectations of the child give code 1 and are printed.
// The calling process must not have used the SDK and must have one thread.
[[nodiscard]] Outcome isolated(const std::function<void()>& body);

inline constexpr int kAborted = 134;

}  // namespace sim_sdk_test
