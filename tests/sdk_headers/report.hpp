// SPDX-License-Identifier: MIT
//
// Collects how the pins of library/sdk/abi compare with the headers of an installation, and prints it. One object, one
// thread. Three answers per pin: agrees; differs; "not in these headers", which older releases may answer. What moves
// with each release (the ..._LAST enumerators, room in reserved_padding) is a note and no difference.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sdk_headers {

struct Place {
  std::size_t offset = 0;
  std::size_t bytes = 0;
};

struct BitPlace {
  std::size_t byte = 0;
  unsigned bit = 0;
};

class Report final {
 public:
  // `here` is what the headers say, empty when they have no such member.
  void size(std::string_view type, std::size_t here, std::size_t pinned);
  void member(std::string_view type, std::string_view member, std::optional<Place> here, Place pinned);
  void bit(std::string_view type, std::string_view member, std::optional<BitPlace> here, BitPlace pinned);
  void value(std::string_view enumerator, long long here, long long pinned);
  void signature(std::string_view name, bool same, std::string_view here, std::string_view pinned);

  void missing(std::string_view name);                              // one pin of a name that the headers do not have
  void unknown_type(std::string_view name, std::string_view type);  // they have the name, and not this type of its pin

  // Every difference, then what is missing, notes, and one line of numbers. Returns 0, or 1 with a difference.
  [[nodiscard]] int print(std::ostream& out, std::string_view headers);

 private:
  struct Type {
    std::size_t here = 0;
    std::size_t pinned = 0;
    std::vector<std::string> lacks;
    std::size_t first_lack = SIZE_MAX;  // smallest offset of a member that is not there
  };
  void judge_sizes();

  std::map<std::string, Type, std::less<>> types_;
  std::map<std::string, std::size_t, std::less<>> missing_;  // number of pins by name
  std::vector<std::string> differences_, notes_;
  std::size_t agree_ = 0;
};

}  // namespace sdk_headers
