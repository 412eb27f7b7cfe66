// SPDX-License-Identifier: MIT
//
// FileWindow: the part of a file that is being read, from the read position on, as far as it was asked for.
//
// Memory follows the bytes that are really there: a length that is made up costs nothing. Reading n bytes costs O(n),
// also where much is asked for again and again from a position that hardly moves. One thread. Throws std::bad_alloc.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

namespace multipass::journal {

class FileWindow final {
 public:
  explicit FileWindow(int fd) noexcept : fd_(fd) {}  // owned from now on
  FileWindow(FileWindow&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)),
        buffer_(std::move(other.buffer_)),
        capacity_(std::exchange(other.capacity_, 0)),
        begin_(std::exchange(other.begin_, 0)),
        end_(std::exchange(other.end_, 0)),
        offset_(other.offset_),
        error_(other.error_) {}
  FileWindow& operator=(FileWindow&&) = delete;
  FileWindow(const FileWindow&) = delete;
  FileWindow& operator=(const FileWindow&) = delete;
  ~FileWindow() {
    if (fd_ >= 0) ::close(fd_);
  }

  // What is there of the file from the position on, as far as it was read.
  [[nodiscard]] std::string_view bytes() const noexcept { return {buffer_.get() + begin_, end_ - begin_}; }
  [[nodiscard]] std::uint64_t offset() const noexcept { return offset_; }  // of the position in the file
  [[nodiscard]] int error() const noexcept { return error_; }              // the errno of a read that failed; 0: none

  // Reads until `count` bytes are there; false when the file has fewer, or cannot be read.
  bool fill(std::size_t count) {
    while (end_ - begin_ < count) {
      make_room();
      const ssize_t got = ::read(fd_, buffer_.get() + end_, capacity_ - end_);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) error_ = errno;
      if (got <= 0) return false;
      end_ += static_cast<std::size_t>(got);
    }
    return true;
  }

  // `count`: of bytes().
  void advance(std::size_t count) noexcept {
    begin_ += count;
    offset_ += count;
  }

 private:
  static constexpr std::size_t kFirstCapacity = 256U << 10U;

  // For one byte at least. What is moved is no more than what was passed since it was last moved, and the buffer is no
  // more than four times what it holds, but for the first one.
  void make_room() {
    if (begin_ == end_) begin_ = end_ = 0;
    if (end_ < capacity_) return;
    const std::size_t size = end_ - begin_;
    if (size <= capacity_ / 2 && capacity_ != 0) {
      std::memmove(buffer_.get(), buffer_.get() + begin_, size);
    } else {
      const std::size_t larger = std::max(kFirstCapacity, 2 * capacity_);
      std::unique_ptr<char[]> made(new char[larger]);  // not filled with zeros, as make_unique does
      if (size != 0) std::memcpy(made.get(), buffer_.get() + begin_, size);
      buffer_ = std::move(made);
      capacity_ = larger;
    }
    begin_ = 0;
    end_ = size;
  }

  int fd_;
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0, end_ = 0;  // of what is there in buffer_
  std::uint64_t offset_ = 0;
  int error_ = 0;
};

}  // namespace multipass::journal
