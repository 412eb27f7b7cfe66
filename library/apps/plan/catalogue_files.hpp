// SPDX-License-Identifier: MIT
//
// Where the catalogues of `--device NAME|FILE` come from.
// One thread. Errors: a Status that names the file, and for a name the folder that was searched.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/status.hpp"
#include "model/agent.hpp"

namespace multipass::apps {

// The folder of the catalogues that come with the project: ../catalogues beside this executable. Empty when the
// executable does not know where it is.
[[nodiscard]] std::filesystem::path own_catalogue_dir();

// Names of the catalogues in `directory`, sorted; none when it cannot be read.
[[nodiscard]] std::vector<std::string> catalogue_names(const std::filesystem::path& directory);

// `device` is a file when it has a '/' or ends in ".json"; else the name of a catalogue in `directory` ("gfx942"), or
// where there is none of that name, a file again.
[[nodiscard]] Result<AgentCatalogue> load_catalogue(const std::string& device, const std::filesystem::path& directory);

}  // namespace multipass::apps
