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

// A key that is written so often that its number is kept beside it.
struct AnnotationKey {
  std::string name;
  std::uint64_t iid = 0;  // of the one writer that it is used with; 0: not written yet
};

struct Annotation {
  // `held`: what an AnnotationValue is made of, made in its place.
  template <typename Held>
  Annotation(std::string_view key, Held&& held) : name(key), value(std::forward<Held>(held)) {}
  template <typename Held>
  Annotation(AnnotationKey& key, Held&& held) : name(key.name), iid(&key.iid), value(std::forward<Held>(held)) {}

  std::string_view name;         // interned when written; the text must live until then
  std::uint64_t* iid = nullptr;  // of an AnnotationKey, which must live as long
  AnnotationValue value;
};

}  // namespace multipass::output::perfetto
