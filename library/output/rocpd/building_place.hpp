// SPDX-License-Identifier: MIT
//
// Where a database can be built. SQLite writes a page at a time in no order, which a network file system is slow at,
// and one that refuses locks is likely to have other rules of its own; a local folder has neither. Threads: no state.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "base/status.hpp"
#include "output/file_system.hpp"

namespace multipass::output::rocpd {

// Whether the file system of an open, empty file is local, as far as is known, and takes locks.
[[nodiscard]] bool is_good_to_build_on(int file);

// A file that is there only while it is open, so that nothing stays of it whatever becomes of the process.
class LocalFile final {
 public:
  // Takes over an open file that has this name.
  LocalFile(int file, std::filesystem::path path) : file_(file), path_(std::move(path)) {}
  LocalFile(const LocalFile&) = delete;
  LocalFile& operator=(const LocalFile&) = delete;
  ~LocalFile();

  [[nodiscard]] int get() const noexcept { return file_.get(); }
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  // Removes the name, when nobody has to open the file by it any more.
  Status remove_name();

 private:
  FileDescriptor file_;
  std::filesystem::path path_;
  bool named_ = true;
};

// An empty file, its name starting with `name`, in the first of TMPDIR and /tmp that is good to build on and has room:
// 1 GiB, or as much as `other`, the folder that is not good. Null: there is no such folder.
[[nodiscard]] std::unique_ptr<LocalFile> create_local_file(const std::string& name, const std::filesystem::path& other);

}  // namespace multipass::output::rocpd
