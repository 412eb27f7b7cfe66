// SPDX-License-Identifier: MIT
#include "output/rocpd/file_system.hpp"

#include <fcntl.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>
#include <utility>

namespace multipass::output::rocpd {
namespace {

Status sync(const std::filesystem::path& path, int flags) {
  FileDescriptor file(::open(path.c_str(), flags | O_CLOEXEC));
  if (file.get() < 0) return system_error(path, "cannot open for syncing", errno);
  // Some file systems cannot sync a directory and say EINVAL; they order a rename by themselves.
  if (::fsync(file.get()) != 0 && errno != EINVAL) return system_error(path, "cannot sync", errno);
  // A network file system may tell only here that what was written did not arrive.
  if (!file.close()) return system_error(path, "cannot close after syncing", errno);
  return Status::ok();
}

}  // namespace

FileDescriptor::~FileDescriptor() {
  if (fd_ >= 0) static_cast<void>(::close(fd_));  // nothing was written, or an error was reported already
}

bool FileDescriptor::close() noexcept {
  return ::close(std::exchange(fd_, -1)) == 0;
}

Status system_error(const std::filesystem::path& path, std::string_view what, int error) {
  return Status::error(path.string() + ": " + std::string(what) + ": " + std::generic_category().message(error));
}

std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

Status copy_content(int source, const std::filesystem::path& target) {
  constexpr std::string_view kWhat = "cannot copy the database to it";
  FileDescriptor to(::open(target.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC));
  if (to.get() < 0) return system_error(target, kWhat, errno);
  constexpr std::size_t kMost = std::size_t{1} << 30U;  // at a time
  off_t offset = 0;
  while (true) {
    const ssize_t copied = ::sendfile(to.get(), source, &offset, kMost);
    if (copied == 0) break;
    if (copied < 0 && errno != EINTR) return system_error(target, kWhat, errno);
  }
  if (!to.close()) return system_error(target, kWhat, errno);
  return Status::ok();
}

Status sync_file(const std::filesystem::path& path) {
  return sync(path, O_RDWR);
}

Status sync_folder(const std::filesystem::path& path) {
  return sync(path, O_RDONLY | O_DIRECTORY);
}

Status rename_file(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (::rename(from.c_str(), to.c_str()) != 0)
    return system_error(to, "cannot rename " + from.string() + " to this name", errno);
  return Status::ok();
}

}  // namespace multipass::output::rocpd
