// SPDX-License-Identifier: MIT
//
// The bytes around the messages of a capture file; docs/formats/journal.md describes them.
//
//   file   = header, frame*
//   header = "RSMPJRNL", u32 version, u32 errno, u64 records lost, u32 0, u32 crc32(the 28 bytes before)   (32 bytes)
//   frame  = "MPFR", u32 length, u32 crc32(payload), u32 crc32(the 12 bytes before), payload     (16 bytes + length)
//
// Integers are little-endian. A frame is valid only when both checksums are. The head has a checksum of its own, so
// that a length is believed before as many bytes are read: a frame whose payload alone is bad is skipped as a whole. A
// reader that meets a bad head looks for the next "MPFR" that starts a valid frame. So damage costs the frames it
// touches and no others. Each head has a zero byte, the highest of its length, and no text of a payload has one: no
// name that the profiled program chose is ever taken for a frame.
//
// The header is the one part that is written again: when the capture ends because the file cannot be written, the
// reason and the number of records that are lost go into the bytes that are there, which a full disk cannot refuse.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "base/crc32.hpp"

namespace multipass::journal {

static_assert(std::endian::native == std::endian::little, "the journal is written in host order");

inline constexpr std::string_view kFileMagic = "RSMPJRNL";
inline constexpr std::string_view kFrameMagic = "MPFR";
inline constexpr std::uint32_t kVersion = 2;
inline constexpr std::size_t kFileHeaderSize = 32;
inline constexpr std::size_t kFrameHeaderSize = 16;
// Longer lengths are taken for damage. The largest real frames are agents with their counters, below 1 MiB. Below
// 2^24, see above.
inline constexpr std::uint32_t kMaxPayload = (16U << 20U) - 1;

inline void append_u32(std::string& to, std::uint32_t value) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  to.append(bytes, sizeof bytes);
}

[[nodiscard]] inline std::uint32_t read_u32(const char* from) noexcept {
  std::uint32_t value = 0;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// What the header says of the capture.
struct Loss {
  std::uint64_t records = 0;  // lost, at least
  std::uint32_t error = 0;    // the errno that ended the capture; 0: none did

  [[nodiscard]] bool none() const noexcept { return records == 0 && error == 0; }
  friend bool operator==(const Loss&, const Loss&) = default;
};

[[nodiscard]] inline std::string file_header(const Loss& loss = {}) {
  std::string header(kFileMagic);
  append_u32(header, kVersion);
  append_u32(header, loss.error);
  append_u32(header, static_cast<std::uint32_t>(loss.records));
  append_u32(header, static_cast<std::uint32_t>(loss.records >> 32U));
  append_u32(header, 0);
  append_u32(header, crc32(header));
  return header;
}

// What a header tells, if its checksum is right.
[[nodiscard]] inline std::optional<Loss> loss_in(std::string_view header) noexcept {
  constexpr std::size_t kChecked = kFileHeaderSize - sizeof(std::uint32_t);
  if (header.size() < kFileHeaderSize || crc32(header.substr(0, kChecked)) != read_u32(header.data() + kChecked))
    return std::nullopt;
  const char* at = header.data() + kFileMagic.size() + sizeof(std::uint32_t);
  return Loss{read_u32(at + 4) | std::uint64_t{read_u32(at + 8)} << 32U, read_u32(at)};
}

// Of the 12 bytes that a frame begins with, which are kFrameMagic, length and checksum of the payload.
inline constexpr std::uint32_t kMagicCrc = 0x07C0A917U;  // crc32(kFrameMagic), which a test compares
[[nodiscard]] inline std::uint32_t head_crc(const char* head) noexcept {
  return crc32({head + kFrameMagic.size(), 8}, kMagicCrc);
}

// Of the payload of a frame whose head is whole.
struct FrameHead {
  std::uint32_t length = 0;
  std::uint32_t crc = 0;
};

// The head of a frame that `bytes` begin with; nothing where none does.
[[nodiscard]] inline std::optional<FrameHead> head_of(std::string_view bytes) noexcept {
  if (bytes.size() < kFrameHeaderSize || !bytes.starts_with(kFrameMagic)) return std::nullopt;
  const char* at = bytes.data();
  if (head_crc(at) != read_u32(at + 12)) return std::nullopt;
  const FrameHead found{read_u32(at + 4), read_u32(at + 8)};
  return found.length <= kMaxPayload ? std::optional(found) : std::nullopt;
}

// A frame that is made in place: its header first, then the payload behind it, then the length, and the checksums when
// it is written.
inline void begin_frame(std::string& to) {
  to.append(kFrameMagic);
  to.append(kFrameHeaderSize - kFrameMagic.size(), '\0');
}
inline void end_frame(std::string& bytes, std::size_t at) noexcept {
  const auto length = static_cast<std::uint32_t>(bytes.size() - at - kFrameHeaderSize);
  std::memcpy(bytes.data() + at + kFrameMagic.size(), &length, sizeof length);
}

// Frames that follow one another.
struct Frames {
  std::uint64_t count = 0;
  std::size_t bytes = 0;
};

// Of frames from `at` to the end, or until `least` bytes of them are done. Which they were.
inline Frames fill_checksums(std::string& frames, std::size_t at = 0, std::size_t least = SIZE_MAX) noexcept {
  Frames done;
  while (at + done.bytes < frames.size() && done.bytes < least) {
    char* const head = frames.data() + at + done.bytes;
    const std::uint32_t length = read_u32(head + 4);
    const std::uint32_t crc = crc32({head + kFrameHeaderSize, length});
    std::memcpy(head + 8, &crc, sizeof crc);
    const std::uint32_t own = head_crc(head);
    std::memcpy(head + 12, &own, sizeof own);
    ++done.count;
    done.bytes += kFrameHeaderSize + length;
  }
  return done;
}

// Which frames, from the first of `bytes` on, end within `most` of them.
[[nodiscard]] inline Frames whole_frames(std::string_view bytes, std::size_t most) noexcept {
  Frames whole;
  while (most - whole.bytes >= kFrameHeaderSize) {
    const std::size_t size = kFrameHeaderSize + read_u32(bytes.data() + whole.bytes + 4);
    if (size > most - whole.bytes) break;
    ++whole.count;
    whole.bytes += size;
  }
  return whole;
}

[[nodiscard]] inline std::string framed(std::string_view payload) {
  std::string frame;
  frame.reserve(kFrameHeaderSize + payload.size());
  begin_frame(frame);
  frame.append(payload);
  end_frame(frame, 0);
  fill_checksums(frame);
  return frame;
}

}  // namespace multipass::journal
