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

// Of 33 bits, the first for the last.
constexpr std::uint64_t reflected(std::uint64_t value) noexcept {
  std::uint64_t turned = 0;
  for (unsigned bit = 0; bit < 33; ++bit) turned |= ((value >> bit) & 1U) << (32 - bit);
  return turned;
}
// x^64 divided by the polynomial, which Barrett's method multiplies by in place of a division.
constexpr std::uint64_t quotient() noexcept {
  const std::uint64_t polynomial = reflected(std::uint64_t{kPolynomial} << 1U | 1U);
  std::uint64_t quotient = std::uint64_t{1} << 32U;
  std::uint64_t rest = polynomial << 32U;  // the highest place falls out
  for (unsigned bit = 32; bit-- > 0;)
    if ((rest >> (32 + bit)) & 1U) {
      quotient |= std::uint64_t{1} << bit;
      rest ^= polynomial << bit;
    }
  return reflected(quotient);
}
constexpr auto kQuotient = static_cast<std::int64_t>(quotient());
constexpr auto kDivisor = static_cast<std::int64_t>(std::uint64_t{kPolynomial} << 1U | 1U);
constexpr std::int64_t kSecondHalf = power_of_x(64);

__attribute__((target("pclmul,sse4.1"))) inline __m128i load(const char* at) noexcept {
  __m128i lane;
  std::memcpy(&lane, at, sizeof lane);
  return lane;
}

// `next` with `before` folded into it.
__attribute__((target("pclmul,sse4.1"))) inline __m128i fold(__m128i before, __m128i by, __m128i next) noexcept {
  const __m128i first = _mm_clmulepi64_si128(before, by, 0x00);
  const __m128i second = _mm_clmulepi64_si128(before, by, 0x11);
  return _mm_xor_si128(next, _mm_xor_si128(first, second));
}

// The remainder of 16 bytes, with 32 zeros behind them: 128 places become 96, then 64, then those of the remainder.
__attribute__((target("pclmul,sse4.1"))) inline std::uint32_t remainder(__m128i lane) noexcept {
  const __m128i low = _mm_set_epi32(0, 0, 0, -1);
  lane = _mm_xor_si128(_mm_srli_si128(lane, 8), _mm_clmulepi64_si128(lane, _mm_set_epi64x(0, kOneSecond), 0x00));
  lane = _mm_xor_si128(_mm_srli_si128(lane, 4),
                       _mm_clmulepi64_si128(_mm_and_si128(lane, low), _mm_set_epi64x(0, kSecondHalf), 0x00));
  const __m128i by = _mm_set_epi64x(kDivisor, kQuotient);
  const __m128i times = _mm_and_si128(_mm_clmulepi64_si128(_mm_and_si128(lane, low), by, 0x00), low);
  lane = _mm_xor_si128(lane, _mm_clmulepi64_si128(times, by, 0x10));
  return static_cast<std::uint32_t>(_mm_extract_epi32(lane, 1));
}

// Of 16 bytes at least.
__attribute__((target("pclmul,sse4.1"))) std::uint32_t more_by_folding(std::uint32_t crc, const char* at,
                                                                       std::size_t size) noexcept {
  const __m128i by_one = _mm_set_epi64x(kOneSecond, kOneFirst);
  __m128i a = _mm_xor_si128(load(at), _mm_cvtsi32_si128(static_cast<int>(crc)));
  if (size >= 2 * kFour) {
    __m128i b = load(at + kLane), c = load(at + 2 * kLane), d = load(at + 3 * kLane);
    const __m128i by_four = _mm_set_epi64x(kFourSecond, kFourFirst);
    for (at += kFour, size -= kFour; size >= kFour; at += kFour, size -= kFour) {
      a = fold(a, by_four, load(at));
      b = fold(b, by_four, load(at + kLane));
      c = fold(c, by_four, load(at + 2 * kLane));
      d = fold(d, by_four, load(at + 3 * kLane));
    }
    a = fold(fold(fold(a, by_one, b), by_one, c), by_one, d);
  } else {
    at += kLane;
    size -= kLane;
  }
  for (; size >= kLane; at += kLane, size -= kLane) a = fold(a, by_one, load(at));
  return more(remainder(a), at, size);
}

#endif

}  // namespace

std::uint32_t crc32_by_tables(std::string_view bytes, std::uint32_t before) noexcept {
  return ~more(~before, bytes.data(), bytes.size());
}

std::uint32_t crc32(std::string_view bytes, std::uint32_t before) noexcept {
#if defined(__x86_64__)
  if (bytes.size() >= kLane && __builtin_cpu_supports("pclmul") != 0 && __builtin_cpu_supports("sse4.1") != 0)
    return ~more_by_folding(~before, bytes.data(), bytes.size());
#endif
  return crc32_by_tables(bytes, before);
}

}  // namespace multipass
