// SPDX-License-Identifier: MIT
#include "events/parse.hpp"

#include <set>
#include <utility>

#include "events/pieces.hpp"
#include "events/token.hpp"

namespace multipass::events {

std::string text_of(const CounterRequest& request) {
  if (!request.device) return request.counter;
  return request.counter + std::string{kQualifier} + std::to_string(*request.device);
}

ParsedEvents parse(std::string_view list) {
  ParsedEvents parsed;
  std::set<std::pair<std::string, std::optional<std::uint32_t>>> seen;
  std::set<std::string> named;
  std::string previous;
  for (const Piece& piece : pieces_of(list)) {
    Token token = token_of(piece, previous);
    if (token.problem) parsed.problems.push_back(std::move(*token.problem));
    if (token.note) parsed.notes.push_back(std::move(*token.note));
    if (!token.request) continue;
    previous = token.request->counter;
    if (seen.emplace(token.request->counter, token.request->device).second) {
      parsed.requests.push_back(std::move(*token.request));
    } else if (std::string text = text_of(*token.request); named.insert(text).second) {
      parsed.duplicates.push_back(std::move(text));
    }
  }
  return parsed;
}

}  // namespace multipass::events
