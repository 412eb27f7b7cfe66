// SPDX-License-Identifier: MIT
#include "isolated.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>

namespace sim_sdk_test {

Outcome isolated(const std::function<void()>& body) {
  std::array<int, 2> pipe_ends{};
  EXPECT_EQ(pipe(pipe_ends.data()), 0);
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    close(pipe_ends[0]);
    dup2(pipe_ends[1], STDERR_FILENO);
    close(pipe_ends[1]);
    setenv("ROCPROFSYS_MULTIPASS_SIMULATE", "tiny", 0);
    body();
    std::fflush(nullptr);
    std::exit(testing::Test::HasFailure() ? 1 : 0);
  }
  close(pipe_ends[1]);
  Outcome outcome;
  std::array<char, 512> chunk{};
  for (ssize_t got = 0; (got = read(pipe_ends[0], chunk.data(), chunk.size())) > 0;) {
    outcome.error.append(chunk.data(), static_cast<std::size_t>(got));
  }
  close(pipe_ends[0]);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return outcome;
}

}  // namespace sim_sdk_test
