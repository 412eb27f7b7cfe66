// SPDX-License-Identifier: MIT
#include "replay/no_replay_list.hpp"

namespace multipass::replay {

Result<NoReplayList> NoReplayList::create(const std::string& pattern, bool builtin) {
  NoReplayList list;
  if (!pattern.empty()) {
    Result<Pattern> user = Pattern::compile(pattern);
    if (!user) return Status::error("no-replay '" + pattern + "': " + user.message());
    list.user_ = *std::move(user);
  }
  if (builtin) {
    Result<Pattern> own = Pattern::compile(kBuiltin);
    if (!own) return own.status();
    list.builtin_ = *std::move(own);
  }
  return list;
}

std::optional<bool> NoReplayList::contains(std::string_view demangled) const noexcept {
  const std::optional<bool> own = builtin_ ? builtin_->found_in(demangled) : false;
  if (own.value_or(false)) return true;
  const std::optional<bool> user = user_ ? user_->found_in(demangled) : false;
  if (user.value_or(false)) return true;
  return own && user ? std::optional(false) : std::nullopt;
}

}  // namespace multipass::replay
