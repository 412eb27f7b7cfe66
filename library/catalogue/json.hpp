// SPDX-License-Identifier: MIT
//
// Catalogue files: what one agent can count, as JSON (schema 1). Read by the planner's front end, so that a plan can be
// made where the GPU is not; written by `counters --save`.
//
//   {"schema": 1, "source": text,
//    "agent": {"name": "gfx942", and any other member of AgentInfo},
//    "slots": {block: registers that one pass may use},
//    "counters": [{"name", "block", "is_derived", "is_constant", "instances", "description", "expression",
//                  "registers": ["TCC:TCC_HIT", "SQ:SQ_LEVEL_WAVES@HIGH_RES"]}]}
//
// In "counters" only the name is required; without "registers" they follow from block and expression as for a live SDK.
// Unknown members are ignored. Threads: any. Errors: a Status that names the source and the place; nothing but
// std::bad_alloc is thrown.
#pragma once

#include <string>
#include <string_view>

#include "base/status.hpp"
#include "model/agent.hpp"

namespace multipass::catalogue {

inline constexpr int kCatalogueSchema = 1;

// `source_name` is what messages call the text, usually its path.
[[nodiscard]] Result<AgentCatalogue> from_json(std::string_view text, const std::string& source_name);

// One counter per line, ends with a newline. `source` says where the facts come from. Text that is not UTF-8 is
// written with replacement characters.
[[nodiscard]] std::string to_json(const AgentCatalogue& catalogue, const std::string& source = {});

}  // namespace multipass::catalogue
