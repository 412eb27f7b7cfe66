// SPDX-License-Identifier: MIT
#include "sim/play/json_values.hpp"

#include <array>
#include <limits>

namespace multipass_sim::play {

using Json = nlohmann::json;

std::int64_t signed_integer(JsonReader& from, const char* key) {
  const Json& found = from.member(key);
  if (found.is_number_integer() && !(found.is_number_unsigned() && found.get<std::uint64_t>() > INT64_MAX)) {
    return found.get<std::int64_t>();
  }
  from.fail("\"" + std::string(key) + "\": expected an integer, found " + shown(found));
}

std::int32_t small_integer(JsonReader& from, const char* key) {
  const std::int64_t value = signed_integer(from, key);
  if (value < -1 || value > INT32_MAX)
    from.fail("\"" + std::string(key) + "\": " + std::to_string(value) + " is no number of that");
  return static_cast<std::int32_t>(value);
}

const Json& array(JsonReader& from, const char* key) {
  const Json& found = from.member(key);
  if (!found.is_array()) from.fail("\"" + std::string(key) + "\": expected an array, found " + shown(found));
  return found;
}

std::vector<std::string> texts(JsonReader& from, const char* key) {
  std::vector<std::string> out;
  for (const Json& text : array(from, key)) {
    if (!text.is_string()) from.fail("\"" + std::string(key) + "\": expected texts, found " + shown(text));
    out.push_back(text.get<std::string>());
  }
  return out;
}

rocprofiler_dim3_t dim(JsonReader& from, const char* key) {
  const Json& found = array(from, key);
  std::array<std::uint32_t, 3> parts{};
  bool good = found.size() == parts.size();
  for (std::size_t i = 0; good && i < parts.size(); ++i) {
    good = found[i].is_number_unsigned() && found[i].get<std::uint64_t>() <= std::numeric_limits<std::uint32_t>::max();
    if (good) parts[i] = found[i].get<std::uint32_t>();
  }
  if (!good) from.fail("\"" + std::string(key) + "\": expected three numbers of 32 bits");
  return {parts[0], parts[1], parts[2]};
}

}  // namespace multipass_sim::play
