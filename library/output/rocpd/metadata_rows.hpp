// SPDX-License-Identifier: MIT
//
// The rows of rocpd_metadata: of a file of either layout, and of a sidecar. Threads: none shared. Errors: Status.
#pragma once

#include <filesystem>
#include <string_view>

#include "base/status.hpp"
#include "output/rocpd/layout.hpp"
#include "output/rocpd/naming.hpp"
#include "output/rocpd/sqlite.hpp"

namespace multipass::output::rocpd {

inline constexpr std::string_view kLayoutTag = "replay_layout";
inline constexpr std::string_view kSidecarTag =
    "replay_sidecar";  // in the main file: name of the other, without folder
inline constexpr std::string_view kParentTag = "replay_parent_guid";  // in the sidecar: guid of the run
inline constexpr std::string_view kViewsTag = "replay_views";         // in the sidecar: SQL of the views of passes

// UTC, as SQLite's CURRENT_TIMESTAMP spells it.
[[nodiscard]] std::string time_text();

// `target`: the main file, by its name to be.
Status add_metadata(Database& database, const Naming& naming, RocpdLayout layout, const std::filesystem::path& target);
Status add_sidecar_metadata(Database& sidecar, const Naming& naming, std::string_view created);

}  // namespace multipass::output::rocpd
