// SPDX-License-Identifier: MIT
#include "sim/hip/message.hpp"

#include <unistd.h>

#include <exception>
#include <string>

namespace multipass_sim {

void print_message(std::string_view text) noexcept {
  try {
    std::string line = "multipass-sim-hip: ";
    line.append(text).push_back('\n');
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
  } catch (const std::exception&) {
    // Out of memory: the message is dropped.
  }
}

}  // namespace multipass_sim
