// SPDX-License-Identifier: MIT
#include "apps/export/outcome_counts.hpp"

#include <numeric>
#include <string>

#include "model/names.hpp"

namespace multipass::apps {
namespace {

using nlohmann::ordered_json;

// The reason as a word that can be counted. Of an incomplete dispatch it is a sentence, and there may be as many as
// launches: then the word in front of its colon, if it is why the replay was ended.
std::string reason_word(const DispatchRecord& dispatch) {
  if (dispatch.outcome != Outcome::kIncomplete) return dispatch.reason;
  const std::string word = dispatch.reason.substr(0, dispatch.reason.find(':'));
  return safety_reason_of(word) ? word : std::string();
}

// Whether each has a reason; of the others only those that have one are counted by it.
bool always_reasoned(Outcome outcome) {
  return outcome == Outcome::kDeclined || outcome == Outcome::kFiltered;
}

}  // namespace

void OutcomeCounts::add(const DispatchRecord& dispatch) {
  ++numbers_[static_cast<std::size_t>(dispatch.outcome)];
  std::string word = reason_word(dispatch);
  if (!word.empty() || always_reasoned(dispatch.outcome)) ++reasons_[{dispatch.outcome, std::move(word)}];
}

std::uint64_t OutcomeCounts::all() const {
  return std::accumulate(numbers_.begin(), numbers_.end(), std::uint64_t{0});
}

ordered_json OutcomeCounts::document() const {
  ordered_json made = ordered_json::object();
  for (const Outcome outcome :
       {Outcome::kReplayed, Outcome::kSinglePass, Outcome::kDeclined, Outcome::kFiltered, Outcome::kIncomplete})
    made[std::string(name_of(outcome))] = numbers_[static_cast<std::size_t>(outcome)];
  for (const Outcome outcome : {Outcome::kDeclined, Outcome::kFiltered, Outcome::kReplayed, Outcome::kIncomplete}) {
    ordered_json& found = made[std::string(name_of(outcome)) + "_reasons"] = ordered_json::object();
    for (const auto& [key, number] : reasons_)
      if (key.first == outcome) found[key.second] = number;
  }
  return made;
}

}  // namespace multipass::apps
