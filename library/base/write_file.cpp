// SPDX-License-Identifier: MIT
#include "base/write_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/temporary_name.hpp"
#include "base/write_signals.hpp"

namespace multipass {
namespace {

// What failed, as an errno; 0: all is written. write(2) may take a part only, as at the end of a disk.
int write_all(int file, std::string_view text) noexcept {
  const WriteSignalsBlocked no_signals;
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    if (written == 0) return EIO;  // it would never end
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

int write_and_close(int file, std::string_view text) noexcept {
  const int error = write_all(file, text);
  // Network file systems report some write errors only here; the descriptor is gone either way.
  if (::close(file) != 0 && error == 0) return errno;
  return error;
}

bool is_pipe_or_device(const std::string& path) noexcept {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return false;
  return S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode);
}

// A pipe that nobody reads is an error (ENXIO); opened in the usual way it would be waited for without end.
int write_through(const std::string& path, std::string_view text) noexcept {
  const int file = ::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return errno;
  (void)::fcntl(file, F_SETFL, O_WRONLY);
  return write_and_close(file, text);
}

int replace(const std::string& path, std::string_view text) {
  const std::string temporary = temporary_name(path);
  const int file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (file < 0) return errno;
  int error = write_and_close(file, text);
  if (error == 0 && std::rename(temporary.c_str(), path.c_str()) != 0) error = errno;
  if (error != 0) ::unlink(temporary.c_str());
  return error;
}

}  // namespace

Status write_file(const std::string& path, std::string_view text) {
  const int error = is_pipe_or_device(path) ? write_through(path, text) : replace(path, text);
  return error == 0 ? Status::ok() : Status::error(path + ": cannot be written: " + std::strerror(error));
}

}  // namespace multipass
