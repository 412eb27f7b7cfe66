// SPDX-License-Identifier: MIT
#include "base/crc32.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace multipass {
namespace {

static_assert(std::endian::native == std::endian::little, "eight bytes are taken as one number");

constexpr std::uint32_t kPolynomial = 0xEDB88320U;

// One place on in the reflected form: multiplied by x.
constexpr std::uint32_t times_x(std::uint32_t value) noexcept {
  return (value >> 1U) ^ ((value & 1U) != 0 ? kPolynomial : 0U);
}

// tables[n][b]: what the byte b does that n bytes follow.
using Tables = std::array<std::array<std::uint32_t, 256>, 8>;
constexpr Tables make_tables() noexcept {
  Tables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = times_x(crc);
    tables[0][byte] = crc;
  }
  for (std::size_t n = 1; n < tables.size(); ++n)
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t before = tables[n - 1][byte];
      tables[n][byte] = (before >> 8U) ^ tables[0][before & 0xFFU];
    }
  return tables;
}
constexpr Tables kTables = make_tables();

// What the byte at place `n` of a number does that `behind` bytes follow. Written out where it is used: the loads of
// one step wait for each other in a loop.
inline std::uint32_t effect(std::uint64_t bytes, unsigned n, unsigned behind) noexcept {
  return kTables[behind][(bytes >> (8 * n)) & 0xFFU];
}

std::uint32_t more(std::uint32_t crc, const char* at, std::size_t size) noexcept {
  for (; size >= 8; at += 8, size -= 8) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, at, sizeof eight);
    eight ^= crc;
    crc = effect(eight, 0, 7) ^ effect(eight, 1, 6) ^ effect(eight, 2, 5) ^ effect(eight, 3, 4) ^ effect(eight, 4, 3) ^
          effect(eight, 5, 2) ^ effect(eight, 6, 1) ^ effect(eight, 7, 0);
  }
  if (size >= 4) {
    std::uint32_t four = 0;
    std::memcpy(&four, at, sizeof four);
    four ^= crc;
    crc = effect(four, 0, 3) ^ effect(four, 1, 2) ^ effect(four, 2, 1) ^ effect(four, 3, 0);
    at += 4;
    size -= 4;
  }
  for (; size > 0; ++at, --size) crc = (crc >> 8U) ^ kTables[0][(crc ^ static_cast<unsigned char>(*at)) & 0xFFU];
  return crc;
}

#if defined(__x86_64__)

// Folding: what stands D bits before others is worth them times x^D, modulo the polynomial. A register holds two halves
// of 64 bits, the first one 64 places ahead of the second; the product of two reflected numbers is one place short, and
// the remainder has 32 bits: hence D + 32 and D - 32, and the shift. (V. Gopal and others, "Fast CRC Computation for
// Generic Polynomials Using PCLMULQDQ Instruction", Intel, 2009.)
constexpr std::int64_t power_of_x(unsigned places) noexcept {
  std::uint32_t value = 0x80000000U;  // 1
  for (unsigned i = 0; i < places; ++i) value = times_x(value);
  return static_cast<std::int64_t>(std::uint64_t{value} << 1U);
}
constexpr std::size_t kLane = 16;
constexpr std::size_t kFour = 4 * kLane;
constexpr std::int64_t kFourFirst = power_of_x(8 * kFour + 32), kFourSecond = power_of_x(8 * kFour - 32);
constexpr std::int64_t kOneFirst = power_of_x(8 * kLane + 32), kOneSecond = power_of_x(8 * kLane - 32);

__attribute__((target("pclmul,sse2"))) inline __m128i load(const char* at) noexcept {
  __m128i lane;
  std::memcpy(&lane, at, sizeof lane);
  return lane;
}

// `next` with `before` folded into it.
__attribute__((target("pclmul,sse2"))) inline __m128i fold(__m128i before, __m128i by, __m128i next) noexcept {
  const __m128i first = _mm_clmulepi64_si128(before, by, 0x00);
  const __m128i second = _mm_clmulepi64_si128(before, by, 0x11);
  return _mm_xor_si128(next, _mm_xor_si128(first, second));
}

// Of 64 bytes at least.
__attribute__((target("pclmul,sse2"))) std::uint32_t more_by_folding(std::uint32_t crc, const char* at,
                                                                     std::size_t size) noexcept {
  __m128i a = _mm_xor_si128(load(at), _mm_cvtsi32_si128(static_cast<int>(crc)));
  __m128i b = load(at + kLane), c = load(at + 2 * kLane), d = load(at + 3 * kLane);
  const __m128i by_four = _mm_set_epi64x(kFourSecond, kFourFirst);
  for (at += kFour, size -= kFour; size >= kFour; at += kFour, size -= kFour) {
    a = fold(a, by_four, load(at));
    b = fold(b, by_four, load(at + kLane));
    c = fold(c, by_four, load(at + 2 * kLane));
    d = fold(d, by_four, load(at + 3 * kLane));
  }
  const __m128i by_one = _mm_set_epi64x(kOneSecond, kOneFirst);
  a = fold(fold(fold(a, by_one, b), by_one, c), by_one, d);
  for (; size >= kLane; at += kLane, size -= kLane) a = fold(a, by_one, load(at));
  char folded[kLane];
  std::memcpy(folded, &a, sizeof folded);
  return more(more(0, folded, sizeof folded), at, size);
}

#endif

}  // namespace

std::uint32_t crc32_by_tables(std::string_view bytes, std::uint32_t before) noexcept {
  return ~more(~before, bytes.data(), bytes.size());
}

std::uint32_t crc32(std::string_view bytes, std::uint32_t before) noexcept {
#if defined(__x86_64__)
  if (bytes.size() >= kFour && __builtin_cpu_supports("pclmul") != 0)
    return ~more_by_folding(~before, bytes.data(), bytes.size());
#endif
  return crc32_by_tables(bytes, before);
}

}  // namespace multipass
