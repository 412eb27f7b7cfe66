// SPDX-License-Identifier: MIT
#include "sim/counters/device_list.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace multipass_sim {
namespace {

namespace fs = std::filesystem;

constexpr const char* kVariable = "ROCPROFSYS_MULTIPASS_SIMULATE";
constexpr const char* kDefault = "gfx942";

// The address of this object tells which shared library holds this code.
constexpr char kAnchor = 0;

fs::path default_folder() {
  Dl_info info{};
  if (dladdr(&kAnchor, &info) == 0 || info.dli_fname == nullptr) {
    throw std::runtime_error("the folder of the simulated devices cannot be found out (dladdr)");
  }
  return fs::canonical(info.dli_fname).parent_path() / "devices";
}

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> entries;
  while (true) {
    const std::size_t comma = text.find(',');
    std::string_view entry = text.substr(0, comma);
    while (!entry.empty() && entry.front() == ' ') entry.remove_prefix(1);
    while (!entry.empty() && entry.back() == ' ') entry.remove_suffix(1);
    entries.emplace_back(entry);
    if (comma == std::string_view::npos) return entries;
    text.remove_prefix(comma + 1);
  }
}

std::string available(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code code;
  for (fs::directory_iterator it(folder, code), end; !code && it != end; it.increment(code)) {
    if (it->path().extension() == ".json") names.push_back(it->path().stem().string());
  }
  if (names.empty()) return "there are none in " + folder.string();
  std::ranges::sort(names);
  std::string text = "there are: ";
  for (const std::string& name : names) text += (name == names.front() ? "" : ", ") + name;
  return text + " (in " + folder.string() + "), or the path of a JSON file";
}

bool is_path(std::string_view entry) {
  return entry.find('/') != std::string_view::npos || entry.ends_with(".json");
}

fs::path resolve(const std::string& entry, const fs::path& folder) {
  if (is_path(entry)) return entry;
  fs::path file = folder / (entry + ".json");
  std::error_code code;
  if (entry.empty() || !fs::exists(file, code)) {
    throw std::runtime_error(std::string(kVariable) + ": unknown simulated device \"" + entry + "\"; " +
                             available(folder));
  }
  return file;
}

// A counter id says which counter of which architecture it is, so no two models may share one.
void check_distinct_ids(const std::map<fs::path, std::shared_ptr<const DeviceModel>>& models) {
  std::map<std::uint32_t, const fs::path*> owners;
  for (const auto& [path, model] : models) {
    for (const Counter& counter : model->counters()) {
      const auto [owner, is_new] = owners.emplace(counter.id, &path);
      if (!is_new) {
        throw std::runtime_error(path.string() + ": counter \"" + counter.name + "\" has id " +
                                 std::to_string(counter.id) + ", as a counter of " + owner->second->string());
      }
    }
  }
}

std::vector<SimulatedDevice> load_all(const std::string& list, const std::string& override_folder) {
  const fs::path folder = override_folder.empty() ? default_folder() : fs::path(override_folder);
  std::map<fs::path, std::shared_ptr<const DeviceModel>> models;
  std::vector<SimulatedDevice> devices;
  for (const std::string& entry : split(list)) {
    const fs::path named = resolve(entry, folder);
    std::error_code code;
    fs::path path = fs::weakly_canonical(named, code);
    if (code) path = named;
    auto& model = models[path];
    if (!model) model = std::make_shared<const DeviceModel>(DeviceModel::load(path.string()));
    devices.push_back({model->agent().name, model});
  }
  check_distinct_ids(models);
  return devices;
}

}  // namespace

std::vector<SimulatedDevice> simulated_devices(std::string& error, const std::string& folder) noexcept {
  try {
    error.clear();
    const char* value = std::getenv(kVariable);
    return load_all(value == nullptr || *value == '\0' ? kDefault : value, folder);
  } catch (const std::exception& failure) {
    try {
      error = failure.what();
    } catch (...) {
      error.clear();  // out of memory: an empty list without a text
    }
    return {};
  }
}

}  // namespace multipass_sim
