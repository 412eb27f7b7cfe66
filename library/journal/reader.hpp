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
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.hpp"
#include "journal/decode.hpp"
#include "journal/file_window.hpp"
#include "journal/format.hpp"

namespace multipass::journal {

struct Damage {
  std::uint64_t skipped_bytes = 0;       // that belong to no valid frame
  std::uint64_t malformed_frames = 0;    // valid checksum, content not understood
  std::uint64_t first_offset = 0;        // where the first damage lies
  std::string first_message;             // what was wrong with the first malformed frame
  std::uint64_t missing_dispatches = 0;  // that checkpoints or the last frame count, and that were not found
  int read_error = 0;                    // the errno with which reading ended before the file did; 0: it did not
  // All of the file belongs to frames that were understood.
  [[nodiscard]] bool none() const noexcept { return skipped_bytes == 0 && malformed_frames == 0; }
};

// Sentences about what the last two members say; none where they say nothing.
[[nodiscard]] std::vector<std::string> losses_of(const Damage& damage);

class JournalReader final {
 public:
  // Fails when the file cannot be read, is no journal, or is of another version.
  static Result<JournalReader> open(const std::string& path);

  // The next frame of a kind this version knows, the caller's to change until the next call; null at the end of the
  // file.
  [[nodiscard]] Frame* next();

  // The bytes of the next frame, not decoded, until something else is called. For measuring: what checkpoints count is
  // not compared.
  [[nodiscard]] std::optional<std::string_view> next_payload();

  // What the header says was lost; nothing where its checksum is wrong.
  [[nodiscard]] const std::optional<Loss>& loss() const noexcept { return loss_; }

  [[nodiscard]] const Damage& damage() const noexcept { return damage_; }

  // Bytes of the file that were read.
  [[nodiscard]] std::uint64_t offset() const noexcept { return window_.offset(); }

 private:
  explicit JournalReader(FileWindow window) : window_(std::move(window)) {}

  // Into frame_; false when it is of no use.
  [[nodiscard]] bool decode_next(std::string_view payload);
  void compare(std::uint64_t dispatches);
  void begin_damage();
  void skip(std::size_t count);
  void skip_to_magic();

  FileWindow window_;
  Frame frame_;  // the last one: its memory serves the next
  Damage damage_;
  bool damaged_ = false;
  std::optional<Loss> loss_;
  std::uint64_t dispatches_ = 0;  // that were read
  std::size_t passed_ = 0;        // of the frame that was given last, not passed over yet
};

}  // namespace multipass::journal
