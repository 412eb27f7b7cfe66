// SPDX-License-Identifier: MIT
//
// Hands out the members of one JSON object by name and type, then complains of those that nobody asked for.
// Borrows the JSON value. One thread. Errors: std::runtime_error that starts with the place.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>

namespace multipass_sim {

// A JSON value as a message shows it: short whatever the file holds.
[[nodiscard]] inline std::string shown(const nlohmann::json& value) {
  constexpr std::size_t kLongest = 80;
  if (value.is_structured()) return std::string("an ") + (value.is_object() ? "object" : "array");
  const std::string text = value.dump();
  return text.size() <= kLongest ? text : text.substr(0, kLongest) + "...";
}

class JsonReader {
 public:
  JsonReader(const nlohmann::json& value, std::string place) : value_(value), place_(std::move(place)) {
    if (!value_.is_object()) fail("expected an object, found " + shown(value_));
  }

  [[noreturn]] void fail(const std::string& what) const { throw std::runtime_error(place_ + ": " + what); }

  [[nodiscard]] bool has(const char* key) const { return value_.contains(key); }

  const nlohmann::json& member(const char* key) {
    const auto found = value_.find(key);
    if (found == value_.end()) fail("member \"" + std::string(key) + "\" is missing");
    asked_.insert(key);
    return *found;
  }

  std::string text(const char* key) {
    const nlohmann::json& found = member(key);
    if (!found.is_string()) fail("\"" + std::string(key) + "\": expected text, found " + shown(found));
    return found.get<std::string>();
  }

  std::string text_or_empty(const char* key) { return has(key) ? text(key) : std::string(); }

  std::uint64_t integer(const char* key, std::uint64_t maximum) {
    const nlohmann::json& found = member(key);
    if (!found.is_number_unsigned() || found.get<std::uint64_t>() > maximum) {
      fail("\"" + std::string(key) + "\": expected an integer up to " + std::to_string(maximum) + ", found " +
           shown(found));
    }
    return found.get<std::uint64_t>();
  }

  bool flag(const char* key, bool fallback) {
    if (!has(key)) return fallback;
    const nlohmann::json& found = member(key);
    if (!found.is_boolean()) fail("\"" + std::string(key) + "\": expected true or false, found " + shown(found));
    return found.get<bool>();
  }

  void finish() const {
    for (const auto& [key, unused] : value_.items()) {
      if (!asked_.contains(key)) fail("unknown member \"" + key + "\"");
    }
  }

  void rename(std::string place) { place_ = std::move(place); }
  [[nodiscard]] const std::string& place() const { return place_; }

 private:
  const nlohmann::json& value_;
  std::string place_;
  std::set<std::string> asked_;
};

}  // namespace multipass_sim
