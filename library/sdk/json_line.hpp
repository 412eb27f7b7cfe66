// SPDX-License-Identifier: MIT
//
// JsonLine: one JSON object on one line, written member by member. A value; throws std::bad_alloc only.
#pragma once

#include <charconv>
#include <cmath>
#include <concepts>
#include <string>
#include <string_view>

namespace multipass::sdk {

class JsonLine final {
 public:
  JsonLine() : text_("{") {}

  void add(std::string_view name, std::string_view value) {
    member(name);
    quote(value);
  }
  void add(std::string_view name, const char* value) { add(name, std::string_view(value)); }
  void add(std::string_view name, bool value) {
    member(name);
    text_ += value ? "true" : "false";
  }
  template <std::integral T>
  void add(std::string_view name, T value) {
    member(name);
    number(value);
  }
  void add_null(std::string_view name) {
    member(name);
    text_ += "null";
  }
  // '{' or '[' behind the name, and its end.
  void open(std::string_view name, char bracket) {
    member(name);
    text_ += bracket;
  }
  void close(char bracket) { text_ += bracket; }
  // Elements of an array.
  template <std::integral T>
  void item(T value) {
    comma();
    number(value);
  }
  void item(std::string_view value) {
    comma();
    quote(value);
  }
  // Shortest digits that give the same number back; JSON has none for infinities and what is not a number.
  void item(double value) {
    comma();
    if (!std::isfinite(value)) {
      text_ += "null";
      return;
    }
    number(value);
  }
  void open_item() {
    comma();
    text_ += '[';
  }

  [[nodiscard]] std::string finish() && {
    text_ += "}\n";
    return std::move(text_);
  }

 private:
  void comma() {
    if (text_.back() != '{' && text_.back() != '[') text_ += ',';
  }
  void member(std::string_view name) {
    comma();
    text_ += '"';
    text_.append(name).append("\":");
  }
  template <typename T>
  void number(T value) {
    char digits[32];
    const auto end = std::to_chars(std::begin(digits), std::end(digits), value);
    text_.append(std::begin(digits), end.ptr);
  }
  // Names of kinds, operations and counters, which are ASCII; anything else becomes '?'.
  void quote(std::string_view value) {
    text_ += '"';
    for (const char c : value) {
      if (c == '"' || c == '\\') text_ += '\\';
      text_ += c >= ' ' && c <= '~' ? c : '?';
    }
    text_ += '"';
  }

  std::string text_;
};

}  // namespace multipass::sdk
