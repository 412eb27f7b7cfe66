// SPDX-License-Identifier: MIT
#include "report.hpp"

#include <algorithm>
#include <ostream>

namespace sdk_headers {

namespace {

constexpr std::string_view kPadding = "reserved_padding";

std::string join(std::string_view type, std::string_view member) {
  return std::string(type) + "::" + std::string(member);
}

std::string at(Place place) {
  return std::to_string(place.bytes) + " bytes at " + std::to_string(place.offset);
}

std::string at(BitPlace place) {
  return "bit " + std::to_string(place.bit) + " of byte " + std::to_string(place.byte);
}

}  // namespace

void Report::size(std::string_view type, std::size_t here, std::size_t pinned) {
  Type& entry = types_[std::string(type)];
  entry.here = here;
  entry.pinned = pinned;
}

void Report::member(std::string_view type, std::string_view member, std::optional<Place> here, Place pinned) {
  if (!here) {
    Type& entry = types_[std::string(type)];
    entry.lacks.emplace_back(member);
    entry.first_lack = std::min(entry.first_lack, pinned.offset);
  } else if (here->offset == pinned.offset && here->bytes == pinned.bytes) {
    ++agree_;
  } else {
    const std::string text = join(type, member) + ": " + at(*here) + " in these headers, " + at(pinned) + " in ours";
    (member == kPadding ? notes_ : differences_).push_back(text);
  }
}

void Report::bit(std::string_view type, std::string_view member, std::optional<BitPlace> here, BitPlace pinned) {
  if (!here) {
    differences_.push_back(join(type, member) + ": no such bit in these headers");
  } else if (here->byte == pinned.byte && here->bit == pinned.bit) {
    ++agree_;
  } else {
    differences_.push_back(join(type, member) + ": " + at(*here) + " in these headers, " + at(pinned) + " in ours");
  }
}

void Report::value(std::string_view enumerator, long long here, long long pinned) {
  if (here == pinned) {
    ++agree_;
    return;
  }
  const std::string text = std::string(enumerator) + ": " + std::to_string(here) + " in these headers, " +
                           std::to_string(pinned) + " in ours";
  (enumerator.ends_with("_LAST") ? notes_ : differences_).push_back(text);
}

void Report::signature(std::string_view name, bool same, std::string_view here, std::string_view pinned) {
  if (same) {
    ++agree_;
  } else {
    differences_.push_back(std::string(name) + ": " + std::string(here) + " in these headers, " + std::string(pinned) +
                           " in ours");
  }
}

void Report::missing(std::string_view name) {
  ++missing_[std::string(name)];
}

void Report::unknown_type(std::string_view name, std::string_view type) {
  differences_.push_back(std::string(name) + ": these headers declare it without the type " + std::string(type));
}

// A struct of an older release may end before its newest members; everything else is another struct.
void Report::judge_sizes() {
  for (const auto& [name, type] : types_) {
    const std::string sizes = name + ": " + std::to_string(type.here) + " bytes in these headers, " +
                              std::to_string(type.pinned) + " in ours";
    std::string lacks;
    for (const std::string& member : type.lacks) lacks += (lacks.empty() ? "" : ", ") + member;
    if (type.here == type.pinned && lacks.empty()) {
      ++agree_;
    } else if (type.here < type.pinned && !lacks.empty() && type.first_lack >= type.here) {
      for (const std::string& member : type.lacks) missing(join(name, member));
      notes_.push_back(sizes + ": it ends before " + lacks);
    } else if (lacks.empty()) {
      differences_.push_back(sizes);
    } else {
      differences_.push_back(sizes + "; without " + lacks);
    }
  }
  types_.clear();
}

int Report::print(std::ostream& out, std::string_view headers) {
  judge_sizes();
  for (const std::string& text : differences_) out << "differs: " << text << '\n';
  std::size_t missing_pins = 0;
  for (const auto& [name, pins] : missing_) {
    out << "not in these headers: " << name;
    if (pins > 1) out << " (" << pins << " pins)";
    out << '\n';
    missing_pins += pins;
  }
  for (const std::string& text : notes_) out << "note: " << text << '\n';
  out << headers << ": " << agree_ << " pins agree, " << missing_pins << " are not in these headers, "
      << differences_.size() << " differ\n";
  return differences_.empty() ? 0 : 1;
}

}  // namespace sdk_headers
