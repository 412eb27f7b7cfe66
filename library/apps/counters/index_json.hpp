// SPDX-License-Identifier: MIT
//
// What rocprofsys-multipass-counters prints (schema 1): the SDK, and every agent with its catalogue or why it has none.
// Pure; one thread. Errors: none but std::bad_alloc; text that is not UTF-8 is written with replacement characters.
#pragma once

#include <string>
#include <vector>

#include "apps/counters/live_catalogues.hpp"

namespace multipass::apps {

inline constexpr int kIndexSchema = 1;

// `files[i]` is the file name of live.catalogues[i].
[[nodiscard]] std::string index_json(const LiveCatalogues& live, const std::vector<std::string>& files);

}  // namespace multipass::apps
