// SPDX-License-Identifier: MIT
//
// Where a database has the readings of single passes: in the file itself (canonical), or in a second one beside it, so
// that the first has upstream's objects only (strict). docs/formats/rocpd.md describes both. Threads: pure functions.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

namespace multipass::output {

enum class RocpdLayout : std::uint8_t { kCanonical, kStrict };

struct RocpdLayoutName {
  RocpdLayout layout;
  std::string_view name;  // as users give it
  std::string_view tag;   // in the metadata, with the version
};
inline constexpr std::array<RocpdLayoutName, 2> kRocpdLayouts{
    {{RocpdLayout::kCanonical, "canonical", "canonical/1"}, {RocpdLayout::kStrict, "strict", "strict/1"}}};

[[nodiscard]] constexpr std::string_view tag_of(RocpdLayout layout) noexcept {
  return layout == RocpdLayout::kStrict ? kRocpdLayouts[1].tag : kRocpdLayouts[0].tag;
}

[[nodiscard]] constexpr std::optional<RocpdLayout> layout_named(std::string_view name) noexcept {
  for (const RocpdLayoutName& one : kRocpdLayouts)
    if (one.name == name) return one.layout;
  return std::nullopt;
}

[[nodiscard]] constexpr std::optional<RocpdLayout> layout_tagged(std::string_view tag) noexcept {
  for (const RocpdLayoutName& one : kRocpdLayouts)
    if (one.tag == tag) return one.layout;
  return std::nullopt;
}

// "<name>-replay.db" for "<name>.db".
[[nodiscard]] inline std::filesystem::path sidecar_path(const std::filesystem::path& database) {
  std::filesystem::path name = database.stem();
  name += "-replay";
  name += database.extension();
  return database.parent_path() / name;
}

}  // namespace multipass::output
