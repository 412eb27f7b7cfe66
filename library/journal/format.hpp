// SPDX-License-Identifier: MIT
//
// The bytes around the messages of a capture file; docs/formats/journal.md describes them.
//
//   file   = header, frame*
//   header = "RSMPJRNL", u32 version, u32 0                       (16 bytes)
//   frame  = "MPFR", u32 length, u32 crc32(payload), payload      (12 bytes + length)
//
// Integers are little-endian. A frame is valid only when its checksum is; a reader that meets a bad one looks for the
// next "MPFR" that starts a valid frame, so damage costs the frames it touches and no others.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "base/crc32.hpp"

namespace multipass::journal {

static_assert(std::endian::native == std::endian::little, "the journal is written in host order");

inline constexpr std::string_view kFileMagic = "RSMPJRNL";
inline constexpr std::string_view kFrameMagic = "MPFR";
inline constexpr std::uint32_t kVersion = 1;
inline constexpr std::size_t kFileHeaderSize = 16;
inline constexpr std::size_t kFrameHeaderSize = 12;
// Longer lengths are taken for damage. The largest real frames are agents with their counters, below 1 MiB.
inline constexpr std::uint32_t kMaxPayload = 64U << 20U;

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

[[nodiscard]] inline std::string file_header() {
  std::string header(kFileMagic);
  append_u32(header, kVersion);
  append_u32(header, 0);
  return header;
}

// A frame that is made in place: its header first, then the payload behind it, then the length, and the checksum when
// it is written.
inline void begin_frame(std::string& to) {
  to.append(kFrameMagic);
  to.append(kFrameHeaderSize - kFrameMagic.size(), '\0');
}
inline void end_frame(std::string& bytes, std::size_t at) noexcept {
  const auto length = static_cast<std::uint32_t>(bytes.size() - at - kFrameHeaderSize);
  std::memcpy(bytes.data() + at + kFrameMagic.size(), &length, sizeof length);
}

// Of frames that follow one another from the first byte on.
inline void fill_checksums(std::string& frames) noexcept {
  for (std::size_t at = 0; at < frames.size();) {
    const std::uint32_t length = read_u32(frames.data() + at + kFrameMagic.size());
    const std::uint32_t crc = crc32(std::string_view(frames).substr(at + kFrameHeaderSize, length));
    std::memcpy(frames.data() + at + kFrameMagic.size() + sizeof length, &crc, sizeof crc);
    at += kFrameHeaderSize + length;
  }
}

[[nodiscard]] inline std::string framed(std::string_view payload) {
  std::string frame;
  frame.reserve(kFrameHeaderSize + payload.size());
  frame.append(kFrameMagic);
  append_u32(frame, static_cast<std::uint32_t>(payload.size()));
  append_u32(frame, crc32(payload));
  frame.append(payload);
  return frame;
}

}  // namespace multipass::journal
