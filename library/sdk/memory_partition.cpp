// SPDX-License-Identifier: MIT
#include "sdk/memory_partition.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>

namespace multipass::sdk {
namespace {

constexpr std::size_t kLongest = 8;

// "NPS" and digits. The driver says UNKNOWN for what it does not know.
bool is_mode(std::string_view text) {
  constexpr std::string_view kPrefix = "NPS";
  if (text.size() <= kPrefix.size() || text.size() > kLongest || !text.starts_with(kPrefix)) return false;
  text.remove_prefix(kPrefix.size());
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// The file's text without blanks at its ends; empty when it has none of these modes or cannot be read.
std::string read_mode(const std::string& device) {
  const std::string path = device + "/current_memory_partition";
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return {};
  std::array<char, 2 * kLongest> buffer{};
  const ssize_t count = ::read(file, buffer.data(), buffer.size());
  (void)::close(file);
  if (count <= 0) return {};
  constexpr std::string_view kBlanks = " \t\r\n";
  std::string_view text(buffer.data(), static_cast<std::size_t>(count));
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  text = text.substr(0, text.find_last_not_of(kBlanks) + 1);
  return is_mode(text) ? std::string(text) : std::string();
}

// The first function of the device: the driver adds the number of a partition to the function in some releases, and to
// the uppermost bits in others (Linux, drivers/gpu/drm/amd/amdkfd/kfd_topology.c: kfd_topology_add_device).
std::string pci_address(const GpuPlace& place) {
  constexpr unsigned kByte = 0xff;
  std::array<char, sizeof("00000000:00:00.0")> text{};
  (void)std::snprintf(text.data(), text.size(), "%04x:%02x:%02x.0", place.domain, (place.location_id >> 8U) & kByte,
                      (place.location_id >> 3U) & 0x1fU);
  return text.data();
}

}  // namespace

std::string memory_partition(const GpuPlace& place, const std::string& sysfs) {
  if (place.render_minor == 0) return {};
  std::string mode = read_mode(sysfs + "/class/drm/renderD" + std::to_string(place.render_minor) + "/device");
  // The render nodes of all partitions of a GPU but the first are of devices that have no such file.
  if (mode.empty()) mode = read_mode(sysfs + "/bus/pci/devices/" + pci_address(place));
  return mode;
}

}  // namespace multipass::sdk
