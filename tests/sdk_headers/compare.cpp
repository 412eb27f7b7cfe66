// SPDX-License-Identifier: MIT
//
// The pins of library/sdk/abi, looked up in the headers of an installation instead of ours. The lists come filtered by
// select_pins.cmake: pins whose names these headers have, and the names of all others.
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <iostream>
#include <optional>
#include <string_view>
#include <type_traits>

#include "report.hpp"
#include "upstream.hpp"

namespace {

using sdk_headers::BitPlace;
using sdk_headers::Place;
using sdk_headers::Report;

// The compiler's spelling of T.
template <typename T>
constexpr std::string_view name_of() {
  std::string_view text = __PRETTY_FUNCTION__;
  text.remove_prefix(text.find("T = ") + 4);
  return text.substr(0, text.find_first_of(";]"));
}

// Which bit of an object of zeros `set` sets; nothing when there is no such member.
template <typename T, typename Set>
std::optional<BitPlace> bit_of(Set set) {
  T object;
  std::memset(static_cast<void*>(&object), 0, sizeof(T));
  if (!set(object)) return std::nullopt;
  std::array<unsigned char, sizeof(T)> bytes{};
  std::memcpy(bytes.data(), &object, sizeof(T));
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] != 0) return BitPlace{i, static_cast<unsigned>(std::countr_zero(bytes[i]))};
  }
  return std::nullopt;
}

// A member is asked for in a template, where one that does not exist is no error.
#define MULTIPASS_PIN_SIZE(type, bytes) report.size(#type, sizeof(type), bytes)
#define MULTIPASS_PIN_MEMBER(type, field, at, bytes)                  \
  report.member(                                                      \
      #type, #field,                                                  \
      []<typename T>(std::type_identity<T>) -> std::optional<Place> { \
        if constexpr (requires(T& object) { object.field; }) {        \
          return Place{offsetof(T, field), sizeof(T::field)};         \
        } else {                                                      \
          return std::nullopt;                                        \
        }                                                             \
      }(std::type_identity<type>{}),                                  \
      Place{at, bytes})
#define MULTIPASS_PIN_BIT(type, field, at, number)          \
  report.bit(#type, #field, bit_of<type>([](auto& object) { \
               if constexpr (requires { object.field; }) {  \
                 object.field = 1;                          \
                 return true;                               \
               } else {                                     \
                 return false;                              \
               }                                            \
             }),                                            \
             BitPlace{at, number})
#define MULTIPASS_PIN_VALUE(enumerator, number) report.value(#enumerator, static_cast<long long>(enumerator), number)
#define MULTIPASS_PIN_SAME(name, here, ours) \
  report.signature(#name, std::is_same_v<here, ours>, name_of<here>(), name_of<ours>())
#define MULTIPASS_PIN_FUNCTION(name, result, parameters) \
  MULTIPASS_PIN_SAME(name, decltype(&(name)), result(*) parameters)
#define MULTIPASS_PIN_CALLBACK(type, result, parameters) MULTIPASS_PIN_SAME(type, type, result(*) parameters)

void compare_sizes_and_values(Report& report) {
#include "pins_enums.inc"
}

void compare_layouts(Report& report) {
#include "pins_layouts.inc"
}

void compare_markers(Report& report) {
#include "pins_markers.inc"
}

void compare_memory(Report& report) {
#include "pins_memory.inc"
}

void compare_signatures(Report& report) {
#include "pins_signatures.inc"
}

}  // namespace

int main() {
  Report report;
  compare_sizes_and_values(report);
  compare_layouts(report);
  compare_markers(report);
  compare_memory(report);
  compare_signatures(report);
#ifdef ROCPROFILER_VERSION_STRING
  return report.print(std::cout, "rocprofiler-sdk " ROCPROFILER_VERSION_STRING);
#else
  return report.print(std::cout, "rocprofiler-sdk of unknown version");
#endif
}
