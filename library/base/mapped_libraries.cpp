// SPDX-License-Identifier: MIT
#include "base/mapped_libraries.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <set>
#include <utility>

#include "base/text.hpp"

namespace multipass {
namespace {

// What the runtime, the SDK and the tools of one ROCm share.
constexpr std::array<std::string_view, 4> kWatched{"librocprofiler-sdk", "librocprofiler-register", "libamd_comgr",
                                                   "libhsa-runtime64"};

// "librocprofiler-sdk.so" and "librocprofiler-sdk.so.1.4.1", but not "librocprofiler-sdk-tool.so".
bool is_file_of(std::string_view path, std::string_view library) noexcept {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  if (name.substr(0, library.size()) != library) return false;
  const std::string_view rest = name.substr(library.size());
  return rest.substr(0, 3) == ".so" && (rest.size() == 3 || rest[3] == '.');
}

// The next field of a line of maps, and the blanks behind it, are taken off.
std::string_view take_field(std::string_view& line) noexcept {
  const std::size_t end = std::min(line.find(' '), line.size());
  const std::string_view field = line.substr(0, end);
  const std::size_t next = line.find_first_not_of(' ', end);
  line = next == std::string_view::npos ? std::string_view{} : line.substr(next);
  return field;
}

struct Mapping {
  std::string_view device;
  std::string_view inode;
  std::string_view path;
};

// address permissions offset device inode path (proc_pid_maps(5)); a path may hold blanks.
Mapping parse(std::string_view line) noexcept {
  for (int field = 0; field < 3; ++field) take_field(line);
  const std::string_view device = take_field(line);
  const std::string_view inode = take_field(line);
  return {device, inode, line};
}

// The next line of maps is taken off.
Mapping take_mapping(std::string_view& maps) noexcept {
  const std::size_t end = std::min(maps.find('\n'), maps.size());
  const Mapping mapping = parse(maps.substr(0, end));
  maps.remove_prefix(std::min(end + 1, maps.size()));
  return mapping;
}

std::vector<Mapping> files_of(std::string_view maps, std::string_view library) {
  std::vector<Mapping> files;
  while (!maps.empty()) {
    const Mapping mapping = take_mapping(maps);
    if (!is_file_of(mapping.path, library)) continue;
    const bool known = std::any_of(files.begin(), files.end(), [&](const Mapping& file) {
      return file.device == mapping.device && file.inode == mapping.inode;
    });
    if (!known) files.push_back(mapping);
  }
  return files;
}

}  // namespace

std::string own_maps() {
  std::ifstream file("/proc/self/maps", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> mapped_files(std::string_view maps) {
  std::vector<std::string> files;
  std::set<std::string_view> seen;
  while (!maps.empty()) {
    const std::string_view path = take_mapping(maps).path;
    if (path.starts_with('/') && seen.insert(path).second) files.emplace_back(path);
  }
  return files;
}

std::vector<LibraryCopies> library_copies(std::string_view maps) {
  std::vector<LibraryCopies> found;
  for (const std::string_view library : kWatched) {
    const std::vector<Mapping> files = files_of(maps, library);
    if (files.size() < 2) continue;
    LibraryCopies& copies = found.emplace_back();
    copies.library = library;
    for (const Mapping& file : files) copies.paths.emplace_back(file.path);
  }
  return found;
}

std::vector<LibraryCopies> library_copies() {
  return library_copies(std::string_view(own_maps()));
}

std::string sentence(const std::vector<LibraryCopies>& copies) {
  if (copies.empty()) return {};
  std::vector<std::string> texts;
  for (const LibraryCopies& one : copies) texts.push_back(one.library + " (" + joined(one.paths) + ")");
  return "this process has loaded several copies of " + joined(texts, "; ") +
         ": the GPU runtime may use another copy than the profiler, and then no counters come, or it hangs. Use one "
         "ROCm: take the other out of LD_LIBRARY_PATH, or run with the Python package that brings its own alone";
}

}  // namespace multipass
