// SPDX-License-Identifier: MIT
#include "journal/capture_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace multipass::journal {

CaptureFile::CaptureFile(std::string path, int fd) noexcept : path_(std::move(path)), fd_(fd) {
  struct stat status{};
  if (::fstat(fd, &status) != 0) return;
  device_ = status.st_dev;
  inode_ = status.st_ino;
}

bool CaptureFile::is_ours() const noexcept {
  struct stat status{};
  return !closed_ && ::fstat(fd_, &status) == 0 && status.st_dev == device_ && status.st_ino == inode_;
}

// How many bytes were.
std::size_t CaptureFile::write_some(std::string_view bytes) noexcept {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n = ::write(fd_, bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      error_ = n < 0 ? errno : ENOSPC;
      break;
    }
    done += static_cast<std::size_t>(n);
  }
  return done;
}

Frames CaptureFile::write(std::string_view bytes, std::uint64_t count) noexcept {
  if (error_ == 0 && !is_ours()) error_ = EBADF;
  if (error_ != 0) return {};
  const std::size_t done = write_some(bytes);
  const Frames whole = done == bytes.size() || count == 0 ? Frames{count, done} : whole_frames(bytes, done);
  size_ += whole.bytes;
  if (whole.bytes != done && ::ftruncate(fd_, static_cast<off_t>(size_)) != 0)
    return whole;  // a pipe, or a file system that is gone: a reader passes over the tail
  return whole;
}

void CaptureFile::rewrite_header(const Loss& loss) noexcept {
  if (!is_ours()) return;
  try {
    const std::string header = file_header(loss);
    while (::pwrite(fd_, header.data(), header.size(), 0) < 0 && errno == EINTR) {
    }
  } catch (...) {  // out of memory: it says what it said
  }
}

int CaptureFile::close() noexcept {
  if (!is_ours()) return 0;
  struct stat status{};
  const bool removed = ::fstat(fd_, &status) == 0 && status.st_nlink == 0;
  closed_ = true;
  if (::close(fd_) != 0 && errno != EINTR) return errno;
  return removed ? ENOENT : 0;
}

void CaptureFile::close_in_child() noexcept {
  (void)close();
}

}  // namespace multipass::journal
