// SPDX-License-Identifier: MIT
//
// What passes are to be compared by, as it is asked for: "auto", "none", or counters in the grammar of an events list.
// Pure and total, as events::parse. Threads: any. Errors: none but std::bad_alloc.
#pragma once

#include <string>
#include <string_view>

#include "events/parse.hpp"

namespace multipass::events {

struct SentinelList {
  bool automatic = false;  // those that suit the architecture
  ParsedEvents named;      // nothing for "auto" and "none", which stand alone and in small letters
  std::string refused{};   // why the whole text cannot be used, and nothing of it is then; empty when it can
};

// What can be used, for people.
inline constexpr const char* kSentinelsAllowed =
    "auto, none, or counters as in an events list; auto and none stand alone, in small letters";

[[nodiscard]] SentinelList parse_sentinels(std::string_view text);

}  // namespace multipass::events
