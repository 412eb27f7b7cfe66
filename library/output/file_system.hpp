// SPDX-License-Identifier: MIT
//
// The system calls that put an output in its place, every return code checked. Threads: no state. Errors: Status with
// path and the system's reason.
#pragma once

#include <filesystem>
#include <string_view>

#include "base/status.hpp"

namespace multipass::output {

// Closes on every path out.
class FileDescriptor final {
 public:
  explicit FileDescriptor(int fd) noexcept : fd_(fd) {}
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor();

  [[nodiscard]] int get() const noexcept { return fd_; }
  // Closes now, where what was written may fail to arrive. False: see errno.
  [[nodiscard]] bool close() noexcept;

 private:
  int fd_;  // negative: none
};

Status system_error(const std::filesystem::path& path, std::string_view what, int error);

[[nodiscard]] std::filesystem::path folder_of(const std::filesystem::path& path);

// All that the file `source` has in place of the content of `target`, an existing file.
Status copy_content(int source, const std::filesystem::path& target);
Status sync_file(const std::filesystem::path& path);
// Of an open file, which is called `path`.
Status sync_file(int file, const std::filesystem::path& path);
// So that a new name in it is on the disk, too.
Status sync_folder(const std::filesystem::path& path);
Status rename_file(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace multipass::output
