// SPDX-License-Identifier: MIT
//
// Where a database can be built. SQLite writes a page at a time in no order, which a network file system is slow at,
// and one that refuses locks is likely to have other rules of its own; a local folder has neither. Threads: no state.
#pragma once

#include <filesystem>
#include <string>

namespace multipass::output::rocpd {

// Whether the file system of an open, empty file is local, as far as is known, and takes locks.
[[nodiscard]] bool is_good_to_build_on(int file);

// Creates an empty file, with a unique name that starts with `name`, in the first of TMPDIR and /tmp that is good to
// build on and has room: 1 GiB, or as much as `other`, the folder that is not good. Empty: there is no such folder.
[[nodiscard]] std::filesystem::path create_local_file(const std::string& name, const std::filesystem::path& other);

}  // namespace multipass::output::rocpd
