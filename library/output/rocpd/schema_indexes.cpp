// SPDX-License-Identifier: MIT
// The indexes of what is not in the strict layout's main file. Upstream's schema has none. Without them a question
// about one dispatch reads every reading of the file (docs/performance.md). Other columns that views join are ids, or
// of tables that are small.
#include "output/rocpd/schema.hpp"

namespace multipass::output::rocpd {
namespace {

std::string index(const Naming& naming, std::string_view table, std::string_view column) {
  std::string name = "rocpd_index_";
  name.append(table).append("_").append(column).append(naming.suffix());
  return "CREATE INDEX " + name + " ON " + naming.table(table) + " (" + std::string(column) + ");\n";
}

}  // namespace

std::string canonical_indexes(const Naming& naming) {
  return index(naming, "pmc_event", "event_id") + sidecar_indexes(naming);
}

std::string sidecar_indexes(const Naming& sidecar) {
  return index(sidecar, "replay_pmc", "replay_pass_id");
}

}  // namespace multipass::output::rocpd
