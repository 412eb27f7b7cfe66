// SPDX-License-Identifier: MIT
#include "base/crc32.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <random>
#include <string>

namespace multipass {
namespace {

// Bit by bit, as the standard has it.
std::uint32_t by_bits(std::string_view bytes) {
  std::uint32_t crc = 0xFFFFFFFFU;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? 0xEDB88320U : 0U);
  }
  return ~crc;
}

TEST(Crc32, HasTheCheckValueOfTheStandard) {
  EXPECT_EQ(crc32("123456789"), 0xCBF43926U);
  EXPECT_EQ(crc32(""), 0U);
  EXPECT_EQ(crc32(std::string_view("\0\0\0\0", 4)), 0x2144DF1CU);
  EXPECT_EQ(crc32("\xff\xff\xff\xff"), 0xFFFFFFFFU);
}

TEST(Crc32, IsThatOfTheBitsWhateverTheLengthAndThePlace) {
  std::string bytes(600, '\0');
  std::mt19937 random{1};
  for (char& byte : bytes) byte = static_cast<char>(random());
  for (std::size_t from = 0; from < 17; ++from)
    for (std::size_t size = 0; size <= 300; ++size) {
      const std::string_view part = std::string_view(bytes).substr(from, size);
      const std::uint32_t expected = by_bits(part);
      ASSERT_EQ(crc32(part), expected) << from << " " << size;
      ASSERT_EQ(crc32_by_tables(part), expected) << from << " " << size;
    }
  EXPECT_EQ(crc32(bytes), by_bits(bytes));
}

TEST(Crc32, GoesOnWhereItEnded) {
  const std::string bytes(200, 'y');
  for (std::size_t at = 0; at <= bytes.size(); ++at)
    EXPECT_EQ(crc32(bytes.substr(at), crc32(bytes.substr(0, at))), crc32(bytes)) << at;
}

TEST(Crc32, EveryTurnedBitShows) {
  std::string bytes(200, 'x');
  const std::uint32_t before = crc32(bytes);
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    const auto mask = static_cast<char>(1U << (bit % 8));
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ mask);
    EXPECT_NE(crc32(bytes), before) << bit;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ mask);
  }
}

}  // namespace
}  // namespace multipass
