// SPDX-License-Identifier: MIT
#include "apps/counters/write_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace multipass::apps {
namespace {

bool write_all(int file, std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

Status write_file(const std::string& path, std::string_view text) {
  const std::string temporary = path + ".tmp-" + std::to_string(::getpid());
  const auto failed = [&](int error) { return Status::error(path + ": cannot be written: " + std::strerror(error)); };
  const int file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return failed(errno);
  int error = write_all(file, text) ? 0 : errno;
  if (::close(file) != 0 && error == 0) error = errno;
  if (error == 0 && std::rename(temporary.c_str(), path.c_str()) != 0) error = errno;
  if (error == 0) return Status::ok();
  ::unlink(temporary.c_str());
  return failed(error);
}

}  // namespace multipass::apps
