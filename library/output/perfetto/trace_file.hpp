// SPDX-License-Identifier: MIT
//
// A file that appears under its name only when it is complete: bytes go through a buffer to "<target>.tmp-<pid>",
// commit() flushes, syncs, renames, and syncs the folder. Destroyed without a commit, it removes the temporary file.
// Owner: the Perfetto sink. One thread. Errors name the path and the system's reason; after one, only the destructor
// may follow. Cost: one write(2) per kBufferBytes, or per packet that is larger.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/status.hpp"

namespace multipass::output::perfetto {

class TraceFile final {
 public:
  static constexpr std::size_t kBufferBytes = std::size_t{1} << 18U;

  explicit TraceFile(std::filesystem::path target);
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;
  ~TraceFile();

  Status open();
  Status append(std::string_view bytes);
  // Instead of append(): bytes are added to buffer(), and then put() follows.
  [[nodiscard]] std::string& buffer() noexcept { return buffer_; }
  Status put() { return buffer_.size() <= kBufferBytes ? Status::ok() : flush(); }
  Status commit();

  // Of all that was appended, in bytes.
  [[nodiscard]] std::uint64_t size() const noexcept { return flushed_ + buffer_.size(); }
  [[nodiscard]] const std::filesystem::path& target() const noexcept { return target_; }
  [[nodiscard]] const std::filesystem::path& temporary() const noexcept { return temporary_; }

 private:
  Status flush();

  std::filesystem::path target_;
  std::filesystem::path temporary_;
  std::string buffer_;
  std::uint64_t flushed_ = 0;
  int descriptor_ = -1;
  bool exists_ = false;  // the temporary file is ours to remove
};

}  // namespace multipass::output::perfetto
