// SPDX-License-Identifier: MIT
#include "output/rocpd/metadata_rows.hpp"

#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include "output/rocpd/insert.hpp"
#include "output/rocpd/schema.hpp"

namespace multipass::output::rocpd {
namespace {

using Rows = std::vector<std::pair<std::string_view, std::string>>;

Rows common_rows(const Naming& naming, RocpdLayout layout, std::string_view created) {
  return {
      {"schema_version", std::string(kSchemaVersion)},
      {"schema_version_major", std::string(kSchemaMajor)},
      {"schema_version_minor", std::string(kSchemaMinor)},
      {"schema_version_patch", std::string(kSchemaPatch)},
      {"schema_creation_time", std::string(created)},
      {"uuid", naming.suffix()},
      {"guid", naming.file_guid()},
      {kLayoutTag, std::string(tag_of(layout))},
  };
}

Status insert(Database& database, const Naming& naming, const Rows& rows) {
  Insert metadata(database, naming, "metadata", "tag, value");
  for (const auto& [tag, value] : rows)
    if (Status status = metadata.run({tag, value}); !status) return status;
  return Status::ok();
}

}  // namespace

std::string time_text() {
  const std::time_t seconds = std::time(nullptr);
  std::tm parts{};
  if (::gmtime_r(&seconds, &parts) == nullptr) return "unknown";
  char text[32];
  return {text, std::strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &parts)};
}

Status add_metadata(Database& database, const Naming& naming, RocpdLayout layout, const std::filesystem::path& target) {
  Rows rows = common_rows(naming, layout, time_text());
  if (layout == RocpdLayout::kStrict) rows.emplace_back(kSidecarTag, sidecar_path(target).filename().string());
  return insert(database, naming, rows);
}

Status add_sidecar_metadata(Database& sidecar, const Naming& naming, std::string_view created) {
  Rows rows = common_rows(naming, RocpdLayout::kStrict, created);
  rows.emplace_back(kParentTag, naming.guid());
  rows.emplace_back(kViewsTag, temporary_replay_views());
  return insert(sidecar, naming, rows);
}

}  // namespace multipass::output::rocpd
