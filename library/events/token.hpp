// SPDX-License-Identifier: MIT
//
// Second stage of the events grammar: one piece of the list is a request, or has a problem.
// Pure. Threads: any. Errors: values; nothing but std::bad_alloc is thrown.
#pragma once

#include <optional>
#include <string>

#include "events/parse.hpp"
#include "events/pieces.hpp"

namespace multipass::events {

struct Token {
  std::optional<CounterRequest> request;  // empty: rejected, `problem` says why
  std::optional<Problem> problem;
  std::optional<Problem> note;  // only beside a request
};

// `previous` is the name of the request before this piece, for hints; may be empty.
[[nodiscard]] Token token_of(const Piece& piece, const std::string& previous);

}  // namespace multipass::events
