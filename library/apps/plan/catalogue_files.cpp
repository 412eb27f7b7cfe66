// SPDX-License-Identifier: MIT
#include "apps/plan/catalogue_files.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <system_error>
#include <vector>

#include "base/text.hpp"
#include "catalogue/json.hpp"

namespace multipass::apps {
namespace {

namespace fs = std::filesystem;

Result<std::string> read_file(const fs::path& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return Status::error(path.string() + ": is a directory, not a catalogue file");
  errno = 0;
  std::ifstream file{path, std::ios::binary};
  std::ostringstream text;
  if (file) text << file.rdbuf();
  // An empty file sets the fail bit of `text` only.
  if (!file || file.bad())
    return Status::error(path.string() + ": cannot be read: " + (errno != 0 ? std::strerror(errno) : "input error"));
  return text.str();
}

std::string known_names(const fs::path& directory) {
  const std::vector<std::string> names = catalogue_names(directory);
  return names.empty() ? "none" : joined(names);
}

}  // namespace

fs::path own_catalogue_dir() {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (error) return {};
  return self.parent_path().parent_path() / "catalogues";
}

std::vector<std::string> catalogue_names(const fs::path& directory) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator at{directory, error}, end; !error && at != end; at.increment(error))
    if (at->path().extension() == ".json") names.push_back(at->path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

Result<AgentCatalogue> load_catalogue(const std::string& device, const fs::path& directory) {
  if (device.empty())
    return Status::error("a device has an empty name (a comma too many?): known devices are " + known_names(directory));
  std::error_code error;
  bool is_file = device.find('/') != std::string::npos || device.ends_with(".json");
  fs::path path = is_file ? fs::path{device} : directory / (device + ".json");
  if (!is_file && !fs::exists(path, error)) {
    is_file = fs::is_regular_file(device, error);
    if (!is_file)
      return Status::error("there is no catalogue \"" + device + "\": known devices are " + known_names(directory) +
                           "; or name a catalogue file, as 'counters --live --save FILE' writes it");
    path = device;
  }
  Result<std::string> text = read_file(path);
  if (!text) return text.status();
  return catalogue::from_json(*text, path.string());
}

}  // namespace multipass::apps
