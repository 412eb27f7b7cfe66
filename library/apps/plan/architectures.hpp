// SPDX-License-Identifier: MIT
//
// Names that no GPU of a request has, looked up in the catalogues that come with the project: a list is easily taken to
// another kind of GPU than it was written for.
// One thread. Errors: none but std::bad_alloc; a catalogue that cannot be read is passed over. Cost: about 5 ms for
// each catalogue, and nothing when every name is known.
#pragma once

#include <filesystem>
#include <vector>

#include "apps/plan/plan_json.hpp"
#include "model/agent.hpp"

namespace multipass::apps {

// Adds to the reason of each unknown name the architectures in `directory` that have it: "not a counter of gfx942, but
// of gfx908". `asked` are the GPUs of the request.
void name_architectures(PlanDocument& document, const std::vector<AgentCatalogue>& asked,
                        const std::filesystem::path& directory);

}  // namespace multipass::apps
