// SPDX-License-Identifier: MIT
#include "base/print.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include "base/log.hpp"

namespace multipass {

bool print(std::string_view text) noexcept {
  errno = 0;
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (std::fflush(stdout) == 0 && written) return true;
  try {
    log_error(std::string("standard output cannot be written: ") + std::strerror(errno));
  } catch (...) {
    log_error("standard output cannot be written");
  }
  return false;
}

}  // namespace multipass
