// SPDX-License-Identifier: MIT
#include "apps/plan/architectures.hpp"

#include <map>
#include <set>
#include <string>

#include "apps/plan/catalogue_files.hpp"
#include "base/text.hpp"
#include "catalogue/resolve.hpp"
#include "events/pieces.hpp"

namespace multipass::apps {
namespace {

std::string name_of(const catalogue::UnknownToken& unknown) {
  return unknown.token.substr(0, unknown.token.find(events::kQualifier));
}

// Name -> architectures that have it, for those of `names` that any has.
std::map<std::string, std::set<std::string>> architectures_of(const std::set<std::string>& names,
                                                              const std::filesystem::path& directory) {
  std::map<std::string, std::set<std::string>> found;
  for (const std::string& device : catalogue_names(directory)) {
    const Result<AgentCatalogue> other = load_catalogue(device, directory);
    if (!other) continue;
    for (const std::string& name : names)
      if (other->counters.contains(name)) found[name].insert(other->agent.name);
  }
  return found;
}

}  // namespace

void name_architectures(PlanDocument& document, const std::vector<AgentCatalogue>& asked,
                        const std::filesystem::path& directory) {
  std::set<std::string> names;
  for (const catalogue::UnknownToken& unknown : document.unknown)
    if (unknown.new_name) names.insert(name_of(unknown));
  if (names.empty()) return;
  auto found = architectures_of(names, directory);
  for (auto& [name, architectures] : found)
    for (const AgentCatalogue& gpu : asked) architectures.erase(gpu.agent.name);  // a file may have less than its kind
  for (catalogue::UnknownToken& unknown : document.unknown) {
    if (!unknown.new_name) continue;
    const auto others = found.find(name_of(unknown));
    if (others != found.end() && !others->second.empty())
      unknown.reason.append(catalogue::kButOf) += joined(others->second);
  }
}

}  // namespace multipass::apps
