// SPDX-License-Identifier: MIT
//
// CaptureFile: the descriptor of a capture file that is written. What was written is in the kernel's hands.
//
// Owned by the writing thread, which is the only one to use it, but for close_in_child() in a forked child. Errors are
// remembered: the first one ends the capture, and nothing is written behind it. The file then ends with its last whole
// frame, and its header, which is there already and takes no room, says why. A SIGXFSZ or SIGPIPE that a write raises
// is blocked by whoever calls. noexcept all through.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "journal/format.hpp"

namespace multipass::journal {

class CaptureFile final {
 public:
  // Owns `fd`, which stands behind the last byte of an empty file, or of a pipe.
  CaptureFile(std::string path, int fd) noexcept;
  CaptureFile(const CaptureFile&) = delete;
  CaptureFile& operator=(const CaptureFile&) = delete;
  ~CaptureFile() { (void)close(); }

  // Writes `count` frames, or the header, behind what is there. When that goes wrong the file is cut behind the last
  // frame that is whole. Which of them are whole in the file.
  Frames write(std::string_view bytes, std::uint64_t count) noexcept;

  // The errno that ended the capture; 0: none did. EBADF: the program has closed our descriptor, or uses its number.
  [[nodiscard]] int error() const noexcept { return error_; }

  // Writes the loss into the header that is there. Best effort: a pipe has none.
  void rewrite_header(const Loss& loss) noexcept;

  // 0, or the errno of a system that reports late what it could not write; ENOENT: somebody has removed the file, and
  // with it what was written. Once; then nothing is written any more.
  int close() noexcept;

  // Gives up the child's share of the open file.
  void close_in_child() noexcept;

  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  // The program may have closed our descriptor and opened a file of its own under that number.
  [[nodiscard]] bool is_ours() const noexcept;
  std::size_t write_some(std::string_view bytes) noexcept;

  const std::string path_;
  const int fd_;
  std::uint64_t device_ = 0;
  std::uint64_t inode_ = 0;
  std::uint64_t size_ = 0;  // of what is whole
  int error_ = 0;
  bool closed_ = false;
};

}  // namespace multipass::journal
