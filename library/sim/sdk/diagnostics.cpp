// SPDX-License-Identifier: MIT
#include "sim/sdk/diagnostics.hpp"

#include <sys/uio.h>

#include <unistd.h>
#include <array>
#include <cstdlib>
#include <string>

namespace multipass_sim {

void warn(std::string_view text) noexcept {
  // writev: one system call, so that lines of several threads do not mix; no allocation.
  std::string_view head = "rocprofiler-sdk (simulated): ";
  std::string_view tail = "\n";
  std::array<iovec, 3> parts{};
  std::size_t count = 0;
  for (std::string_view part : {head, text, tail}) {
    parts[count++] = {const_cast<char*>(part.data()), part.size()};  // NOLINT(cppcoreguidelines-pro-type-const-cast)
  }
  [[maybe_unused]] const ssize_t written = writev(STDERR_FILENO, parts.data(), static_cast<int>(count));
}

void fatal(std::string_view text) noexcept {
  warn(text);
  std::abort();
}

}  // namespace multipass_sim
