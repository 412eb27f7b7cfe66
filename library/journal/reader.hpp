// SPDX-License-Identifier: MIT
//
// JournalReader: the frames of a capture file, in order, whatever became of the file.
//
// open -> next() until it returns nothing -> damage(). Streaming: memory holds one frame and one buffer. No length in
// the file is trusted before its checksum was and the bytes are there. A frame with a whole head is skipped as a whole
// when its payload is damaged; any other damage, up to the next valid frame. Both are counted. Time is linear in the
// size of the file, whatever is in it. One thread.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include "base/status.hpp"
#include "journal/decode.hpp"
#include "journal/format.hpp"

namespace multipass::journal {

struct Damage {
  std::uint64_t skipped_bytes = 0;     // that belong to no valid frame
  std::uint64_t malformed_frames = 0;  // valid checksum, content not understood
  std::uint64_t first_offset = 0;      // where the first damage lies
  std::string first_message;           // what was wrong with the first malformed frame
  [[nodiscard]] bool none() const noexcept { return skipped_bytes == 0 && malformed_frames == 0; }
};

class JournalReader final {
 public:
  // Fails when the file cannot be read, is no journal, or is of a later version.
  static Result<JournalReader> open(const std::string& path);

  // The next frame of a kind this version knows; nothing at the end of the file.
  [[nodiscard]] std::optional<Frame> next();

  // What the header says was lost; nothing where its checksum is wrong.
  [[nodiscard]] const std::optional<Loss>& loss() const noexcept { return loss_; }

  [[nodiscard]] const Damage& damage() const noexcept { return damage_; }

 private:
  struct CloseFile {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
  };
  explicit JournalReader(std::unique_ptr<std::FILE, CloseFile> file) : file_(std::move(file)) {}

  // Makes `count` bytes available at the read position; false at the end of the file.
  bool fill(std::size_t count);
  void note(std::uint64_t skipped);
  void skip_to_magic();

  std::unique_ptr<std::FILE, CloseFile> file_;
  std::string buffer_;
  std::size_t position_ = 0;                // read position in buffer_
  bool ended_ = false;                      // buffer_ holds the end of the file
  std::uint64_t offset_ = kFileHeaderSize;  // of position_ in the file
  Damage damage_;
  std::optional<Loss> loss_;
};

}  // namespace multipass::journal
