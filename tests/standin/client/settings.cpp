// SPDX-License-Identifier: MIT
#include "settings.hpp"

#include <cctype>
#include <cstdio>
#include <cstdlib>

namespace standin {

namespace {

constexpr std::string_view kDomains =
    "hip_runtime_api,marker_api,kernel_dispatch,memory_copy,scratch_memory";  // the default @1b1610fc

bool all_digits(std::string_view text) {
  for (const char c : text)
    if (std::isdigit(static_cast<unsigned char>(c)) == 0) return false;
  return !text.empty();
}

Event event_of(const std::string& token) {
  Event event{token, token, std::nullopt};
  constexpr std::string_view kDevice = ":device=";
  if (const std::size_t at = token.find(kDevice); at != std::string::npos) {
    const std::string digits = token.substr(at + kDevice.size());
    event.name = token.substr(0, at);
    event.good = all_digits(digits);
    if (event.good) event.device = std::strtoul(digits.c_str(), nullptr, 10);
  }
  if (event.name.ends_with(']')) {
    const std::size_t open = event.name.rfind('[');
    if (open != std::string::npos &&
        all_digits(std::string_view(event.name).substr(open + 1, event.name.size() - open - 2)))
      event.name.resize(open);
  }
  return event;
}

}  // namespace

std::vector<std::string> split(std::string_view text, std::string_view delimiters) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(delimiters, at), text.size());
    if (end > at) parts.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

void Settings::read() {
  const char* home = std::getenv("HOME");
  const std::string base = std::string(home == nullptr ? "" : home) + "/.rocprof-sys";
  const bool named = !text("ROCPROFSYS_CONFIG_FILE").empty();
  const auto exists = [](const std::string& path) {
    std::FILE* file = std::fopen(path.c_str(), "r");
    if (file != nullptr) std::fclose(file);
    return file != nullptr;
  };
  if (!named && !exists(base + ".cfg") && !exists(base + ".json")) return;
  std::FILE* lines = popen("'" STANDIN_PYTHON "' -S -E '" STANDIN_FOLDER "/settings.py'", "r");
  if (lines == nullptr) return;
  std::string all;
  for (int c = 0; (c = std::fgetc(lines)) != EOF;) all += static_cast<char>(c);
  pclose(lines);
  for (const std::string& line : split(all, "\n")) {
    const std::size_t equals = line.find('=');
    if (equals == std::string::npos) continue;
    if (constexpr std::string_view kExport = "export "; line.starts_with(kExport))
      setenv(line.substr(kExport.size(), equals - kExport.size()).c_str(), line.substr(equals + 1).c_str(), 0);
    else
      files_[line.substr(0, equals)] = line.substr(equals + 1);
  }
}

std::string Settings::text(const std::string& name, std::string_view otherwise) const {
  const char* set = std::getenv(name.c_str());
  const char* empty = std::getenv("STANDIN_EMPTY");
  const bool empty_loses = empty != nullptr && std::string_view(empty) == "loses";
  if (set != nullptr && (*set != '\0' || !empty_loses)) return set;
  const auto found = files_.find(name);
  return found == files_.end() ? std::string(otherwise) : found->second;
}

bool Settings::is_on(const std::string& name, bool otherwise) const {
  std::string value = text(name, otherwise ? "true" : "false");
  for (char& c : value) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const char* no : {"", "0", "off", "false", "no", "n", "f"})
    if (value == no) return false;
  return true;
}

std::vector<Event> Settings::events() const {
  std::vector<Event> result;
  for (const std::string& token : split(text("ROCPROFSYS_ROCM_EVENTS"), " ,;\t\n")) result.push_back(event_of(token));
  return result;
}

bool Settings::has_domain(std::string_view domain) const {
  for (const std::string& one : split(text("ROCPROFSYS_ROCM_DOMAINS", kDomains), " ,;:\t\n"))
    if (one == domain) return true;
  return false;
}

}  // namespace standin
