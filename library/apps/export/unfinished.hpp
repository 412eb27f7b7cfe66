// SPDX-License-Identifier: MIT
//
// Outputs that are being written, "<name>.tmp-<pid>" beside their places (docs/life-of-a-dispatch.md): what becomes of
// them when the exporter is told to stop, and of those that one left that was killed.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace multipass::apps {

// From now on SIGINT and SIGTERM remove what is unfinished of `targets`, say so, and end the process with 128 + the
// signal; one that is ignored stays so. Once for each export, by its thread. Replaces what was set before.
void stop_cleanly(const std::vector<std::filesystem::path>& targets);
// Nothing is unfinished any more. The signals end the process all the same.
void nothing_unfinished() noexcept;

// Removes files that exporters left unfinished of a target, and returns their names. Such a file is left when its
// process is gone; on a file system that other machines share, whose processes cannot be seen from here, when nobody
// has written to it for an hour.
std::vector<std::string> remove_leftovers(const std::filesystem::path& target);

}  // namespace multipass::apps
