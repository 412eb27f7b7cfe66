// SPDX-License-Identifier: MIT
//
// What the loaded SDK can count on this machine: its agents, and a catalogue for each kind of GPU among them.
// Threads: one. Errors: a Status; an agent without counters is no error but has a reason.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/status.hpp"
#include "model/agent.hpp"
#include "sdk/inventory.hpp"

namespace multipass::apps {

struct LiveAgent {
  AgentInfo info;
  std::optional<std::size_t> catalogue;  // position in LiveCatalogues::catalogues
  std::string reason;                    // why there is no catalogue
};

struct LiveCatalogues {
  sdk::SdkIdentity sdk;
  std::vector<LiveAgent> agents;           // by node id; CPUs too
  std::vector<AgentCatalogue> catalogues;  // each different, in the order of the first agent that has it
};

// Registers with the SDK, once per process; slots are found by trial as the plugin does. GPUs that differ in nothing
// but their place in the machine share a catalogue, in which that place is left out.
[[nodiscard]] Result<LiveCatalogues> read_live_catalogues();

// A file name for each of `catalogues`, same positions: the agent's name, with "-2" and so on for a second kind of
// that name ("gfx942.json", "gfx942-2.json"). What is no letter, digit, '.', '_' or '-' becomes '_'.
[[nodiscard]] std::vector<std::string> file_names(const std::vector<AgentCatalogue>& catalogues);

}  // namespace multipass::apps
