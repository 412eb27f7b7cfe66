// SPDX-License-Identifier: MIT
#include "output/file_system.hpp"

#include <fcntl.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>
#include <utility>

namespace multipass::output {
FileDescriptor::~FileDescriptor() {
  if (fd_ >= 0) static_cast<void>(::close(fd_));  // nothing was written, or an error was reported already
}

bool FileDescriptor::close() noexcept {
  return ::close(std::exchange(fd_, -1)) == 0;
}

Status system_error(const std::filesystem::path& path, std::string_view what, int error) {
  return Status::error(path.string() + ": " + std::string(what) + ": " + std::generic_category().message(error) +
                       " (errno " + std::to_string(error) + ")");
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

// Some file systems cannot sync, a folder above all; they order a rename by themselves. Every other reason means that
// bytes may be lost.
Status sync_file(int file, const std::filesystem::path& path) {
  if (::fsync(file) == 0 || errno == EINVAL || errno == ENOTSUP) return Status::ok();
  return system_error(path, "cannot sync", errno);
}

Status sync_file(const std::filesystem::path& path) {
  FileDescriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (file.get() < 0) return system_error(path, "cannot open for syncing", errno);
  if (Status status = sync_file(file.get(), path); !status) return status;
  // A network file system may tell only here that what was written did not arrive.
  return file.close() ? Status::ok() : system_error(path, "cannot close after syncing", errno);
}

Status sync_folder(const std::filesystem::path& path) {
  const FileDescriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // One that may be written to and not read cannot be opened, and what is in it is there all the same.
  if (folder.get() < 0) return errno == EACCES ? Status::ok() : system_error(path, "cannot open for syncing", errno);
  return sync_file(folder.get(), path);
}

Status rename_file(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (::rename(from.c_str(), to.c_str()) != 0)
    return system_error(to, "cannot rename " + from.string() + " to this name", errno);
  return Status::ok();
}

}  // namespace multipass::output
