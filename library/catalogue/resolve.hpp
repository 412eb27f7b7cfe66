// SPDX-License-Identifier: MIT
//
// What a request means on each GPU: names looked up, qualifiers applied, everything that leads nowhere named.
// Pure. Threads: any. Errors: none but std::bad_alloc; a request that cannot be met is in the result, never fatal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/agent.hpp"
#include "model/plan.hpp"

namespace multipass::catalogue {

// In the reason of a name that GPUs do not have: where it is one. Their titles or architectures follow.
inline constexpr std::string_view kButOf = ", but of ";

// A token whose name no GPU has that it was asked for.
struct UnknownToken {
  std::string token;                      // "NAME" or "NAME:device=N"
  std::uint32_t column = 0;               // in the events list; 0: named in a group only
  std::optional<std::string> suggestion;  // the nearest name, with the token's qualifier
  std::string reason;                     // a sentence for people
  bool sentinel = false;                  // of a list of sentinels; the column is in that list
  bool new_name = false;                  // read as a name that no GPU has, though some have counters
  friend bool operator==(const UnknownToken&, const UnknownToken&) = default;
};

// A token for a GPU that is not there.
struct NowhereToken {
  std::string token;
  std::uint32_t column = 0;
  std::string reason;  // which GPUs are there
  friend bool operator==(const NowhereToken&, const NowhereToken&) = default;
};

// A token that is understood and needs no counting.
struct IgnoredToken {
  std::string token;
  std::string reason;
  friend bool operator==(const IgnoredToken&, const IgnoredToken&) = default;
};

// What is wanted of one GPU: input of the planner.
struct DeviceRequest {
  std::vector<std::string> counters;                     // without duplicates; as asked, those for every GPU first
  std::vector<std::vector<std::string>> groups;          // of wanted counters
  std::vector<std::vector<std::string>> loose_groups{};  // of wanted counters, whole where a pass has room for them
  friend bool operator==(const DeviceRequest&, const DeviceRequest&) = default;
};

struct Resolution {
  std::vector<DeviceRequest> devices;   // devices[i] belongs to gpus[i]
  std::vector<UnknownToken> unknown;    // sorted by token, each once
  std::vector<NowhereToken> nowhere;    // sorted by token
  std::vector<IgnoredToken> ignored;    // sorted by token, each once
  std::vector<std::string> duplicates;  // tokens that another token covers ("X:device=0" beside "X"), sorted
  std::vector<std::string> warnings;    // sorted; something will be missing or wrong
  std::vector<std::string> notes;       // sorted; for information
};

// `gpus` are the GPUs of the run, none null, in the order of their `agent.device`, by which ":device=N" finds them. A
// GPU that cannot be profiled has a catalogue without counters: it gets an empty request and a note.
//
// `groups` are counters that must share a pass. A counter that is in a group only is asked for on every GPU. A group
// holds for a GPU that wants any of its counters, and then all of them are wanted there; constants are left out of it.
// A member that this GPU does not have stays in the group, so that the planner can say that the group is not whole.
[[nodiscard]] Resolution resolve(const std::vector<CounterRequest>& requests,
                                 const std::vector<const AgentCatalogue*>& gpus,
                                 const std::vector<std::vector<std::string>>& groups = {});

// What a list of sentinels means on each GPU.
struct SentinelResolution {
  std::vector<std::vector<std::string>> devices;  // [i] belongs to gpus[i]: counters without duplicates, sorted
  std::vector<UnknownToken> unknown;              // sorted by token; those for a GPU that is not there too
  std::vector<IgnoredToken> ignored;              // constants; sorted by token
  std::vector<std::string> warnings;              // sorted
  std::vector<std::string> notes;                 // sorted; what a GPU lacks that others have
};

// As `resolve`, for counters that passes are to be compared by.
[[nodiscard]] SentinelResolution resolve_sentinels(const std::vector<CounterRequest>& requests,
                                                   const std::vector<const AgentCatalogue*>& gpus);

// Which numbers of GPUs there are: "there is only GPU 0", "there are GPUs 0 to 7".
[[nodiscard]] std::string gpus_there(std::size_t count);

// The note that `resolve` gives on a GPU without counters, for a caller that has more to say of it.
[[nodiscard]] std::string note_without_counters(const AgentCatalogue& gpu);

}  // namespace multipass::catalogue
