// SPDX-License-Identifier: MIT
//
// The files that a process has mapped, and ROCm libraries of which it has more than one copy: one of the system and one
// of a Python wheel, as a rule. The GPU runtime then registers with one copy of the SDK and a tool calls the other
// (pytorch #182719, #192580; ROCm rocm-systems #8756: hangs, aborts, no counters). Threads: any. Cost of
// library_copies(): one reading of /proc/self/maps, some ms in a process with thousands of mappings. Errors: none; what
// cannot be read has no copies. Throws std::bad_alloc only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace multipass {

// The text of /proc/self/maps; empty when it cannot be read.
[[nodiscard]] std::string own_maps();

// The files in the text of /proc/PID/maps, by path, each once, in the order of their addresses.
[[nodiscard]] std::vector<std::string> mapped_files(std::string_view maps);

struct LibraryCopies {
  std::string library;             // "librocprofiler-sdk"
  std::vector<std::string> paths;  // two or more, each another file, in the order of their addresses
};

// Of the text of /proc/PID/maps. Two paths of one file (by device and inode) are one copy.
[[nodiscard]] std::vector<LibraryCopies> library_copies(std::string_view maps);

// Of this process, now.
[[nodiscard]] std::vector<LibraryCopies> library_copies();

// One sentence for the user; empty when there are none.
[[nodiscard]] std::string sentence(const std::vector<LibraryCopies>& copies);

}  // namespace multipass
