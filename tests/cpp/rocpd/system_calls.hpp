// SPDX-License-Identifier: MIT
//
// System calls of this program that answer as another file system would, while an object of these lives. One thread.
#pragma once

#include <cstdint>
#include <filesystem>

namespace multipass::output::rocpd::test {

// Files below `folder` take no locks: fcntl fails with this error.
class LocksRefused final {
 public:
  LocksRefused(const std::filesystem::path& folder, int error);
  LocksRefused(const LocksRefused&) = delete;
  LocksRefused& operator=(const LocksRefused&) = delete;
  ~LocksRefused();
};

// Files below `folder` are on a file system of this f_type (statfs(2)).
class FileSystemType final {
 public:
  FileSystemType(const std::filesystem::path& folder, std::uint32_t type);
  FileSystemType(const FileSystemType&) = delete;
  FileSystemType& operator=(const FileSystemType&) = delete;
  ~FileSystemType();
};

// Each call of sendfile fails with this error.
class CopyFails final {
 public:
  explicit CopyFails(int error);
  CopyFails(const CopyFails&) = delete;
  CopyFails& operator=(const CopyFails&) = delete;
  ~CopyFails();
};

// Each call of fsync, of a file or a folder, fails with this error, but for the first ones.
class SyncFails final {
 public:
  explicit SyncFails(int error, int first = 0);
  SyncFails(const SyncFails&) = delete;
  SyncFails& operator=(const SyncFails&) = delete;
  ~SyncFails();
};

}  // namespace multipass::output::rocpd::test
