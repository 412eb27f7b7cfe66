// SPDX-License-Identifier: MIT
//
// CRC-32 (IEEE 802.3, reflected, polynomial 0xEDB88320), the value that zlib.crc32 of Python gives.
// Ours because the plugin may link nothing that the profiled program could also bring. Any thread; no state.
//
// On x86 with carry-less multiplication 64 bytes are folded into 16 at a time, which is bound by memory; elsewhere, and
// for what is short, eight tables take eight bytes at a time (docs/performance.md has the speeds).
#pragma once

#include <cstdint>
#include <string_view>

namespace multipass {

// `before`: the checksum of what these bytes follow.
[[nodiscard]] std::uint32_t crc32(std::string_view bytes, std::uint32_t before = 0) noexcept;

// The same without the instruction, for tests and for measuring.
[[nodiscard]] std::uint32_t crc32_by_tables(std::string_view bytes, std::uint32_t before = 0) noexcept;

}  // namespace multipass
