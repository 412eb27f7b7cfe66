// SPDX-License-Identifier: MIT
//
// One key and value of an event's arguments (Perfetto: debug annotation). Plain data.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace multipass::output::perfetto {

// A list of texts is shown as key[0], key[1], ...
using AnnotationValue = std::variant<bool, std::uint64_t, std::int64_t, double, std::string, std::vector<std::string>>;

struct Annotation {
  Annotation(std::string_view key, AnnotationValue held) : name(key), value(std::move(held)) {}

  std::string_view name;  // interned when written; the text must live until then
  AnnotationValue value;
};

}  // namespace multipass::output::perfetto
