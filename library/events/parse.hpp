// SPDX-License-Identifier: MIT
//
// The grammar of an events list (ROCPROFSYS_ROCM_EVENTS and our own options take the same):
//
//   list  = tokens separated by any run of space , ; tab newline
//   token = NAME [ "[" digits "]" ] [ ":device=" digits ]
//
// Names are kept as written (case matters); whether a counter of that name exists is the catalogue's question.
// Pure and total: any text gives a result, nothing is fatal; a token that cannot be read becomes a Problem and the
// others go on. Threads: any. Errors: none but std::bad_alloc. Cost: linear in the length of the list, plus sorting.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/plan.hpp"

namespace multipass::events {

// Something to tell the user about one token.
struct Problem {
  std::string token;         // as written
  std::uint32_t column = 1;  // 1-based, in bytes, of the token's first character
  std::string message;       // what is wrong with it (or what was done), without the token
  std::string hint;          // the token in a form that can be read; whether that counter exists is not known; or empty
  friend bool operator==(const Problem&, const Problem&) = default;
};

struct ParsedEvents {
  std::vector<CounterRequest> requests;  // in order, without duplicates
  std::vector<Problem> problems;         // tokens that were rejected, in order
  std::vector<Problem> notes;            // tokens that were accepted with a change, in order
  std::vector<std::string> duplicates;   // what was asked for more than once, "NAME" or "NAME:device=N", each once
  friend bool operator==(const ParsedEvents&, const ParsedEvents&) = default;
};

[[nodiscard]] ParsedEvents parse(std::string_view list);

// "NAME" or "NAME:device=N": how a request is written.
[[nodiscard]] std::string text_of(const CounterRequest& request);

}  // namespace multipass::events
