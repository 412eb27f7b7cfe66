// SPDX-License-Identifier: MIT
#include "tool/wait_until_written.hpp"

#include <sys/stat.h>

#include <ctime>

namespace multipass::tool {

void wait_until_written(const std::string& path, std::chrono::seconds most) noexcept {
  struct stat before{}, now{};
  const auto deadline = std::chrono::steady_clock::now() + most;
  do {
    before = now;
    const timespec moment{0, 20'000'000};
    ::nanosleep(&moment, nullptr);
    if (::stat(path.c_str(), &now) != 0) return;
  } while (now.st_size != before.st_size && std::chrono::steady_clock::now() < deadline);
}

}  // namespace multipass::tool
