// SPDX-License-Identifier: MIT
#include "events/sentinel_list.hpp"

namespace multipass::events {

SentinelList parse_sentinels(std::string_view text) {
  if (text == "none") return {};
  if (text == "auto") return {true, {}};
  return {false, parse(text)};
}

}  // namespace multipass::events
