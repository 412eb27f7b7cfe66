// SPDX-License-Identifier: MIT
#include "catalogue/resolve.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/text.hpp"
#include "catalogue/spelling.hpp"
#include "model/gpu_title.hpp"

namespace multipass::catalogue {
namespace {

constexpr std::size_t kSuggestions = 64;  // a list with more unknown names is no list of counters; bounds the cost

std::string token_of(const CounterRequest& request) {
  return request.device ? request.counter + ":device=" + std::to_string(*request.device) : request.counter;
}

enum class Meaning : std::uint8_t { kUnknown, kConstant, kCounter };

// A counter without registers is made of constants alone.
Meaning meaning_of(const AgentCatalogue& gpu, const std::string& name) {
  const auto counter = gpu.counters.find(name);
  if (counter == gpu.counters.end()) return Meaning::kUnknown;
  const auto keys = gpu.register_keys.find(name);
  const bool free = keys == gpu.register_keys.end() || keys->second.empty();
  return counter->second.is_constant || free ? Meaning::kConstant : Meaning::kCounter;
}

class Resolver final {
 public:
  explicit Resolver(const std::vector<const AgentCatalogue*>& gpus) : gpus_(gpus), wanted_(gpus.size()) {
    result_.devices.resize(gpus.size());
    for (const AgentCatalogue* gpu : gpus_)
      if (gpu->counters.empty()) result_.notes.push_back(note_without_counters(*gpu));
  }

  void add(const CounterRequest& request) {
    std::vector<std::size_t> asked;
    for (std::size_t i = 0; i < gpus_.size(); ++i)
      if (!request.device || *request.device == gpus_[i]->agent.device) asked.push_back(i);
    if (asked.empty() && request.device) return add_nowhere(request);
    place(request, asked);
  }

  // Which groups hold is decided before any of them adds a counter: their order must not matter.
  void add_groups(const std::vector<std::vector<std::string>>& groups) {
    const std::vector<std::set<std::string>> wanted = wanted_;
    for (std::size_t i = 0; i < gpus_.size(); ++i)
      for (const std::vector<std::string>& group : groups)
        if (std::any_of(group.begin(), group.end(), [&](const auto& counter) { return wanted[i].contains(counter); }))
          add_group_to(i, group);
  }

  [[nodiscard]] Resolution finish() {
    tell_missing();
    sort_unique(result_.warnings);
    sort_unique(result_.notes);
    std::sort(result_.nowhere.begin(), result_.nowhere.end(), [](const NowhereToken& a, const NowhereToken& b) {
      return std::tie(a.token, a.column) < std::tie(b.token, b.column);
    });
    sort_unique(result_.duplicates);
    for (auto& [token, reason] : ignored_) result_.ignored.push_back({token, std::move(reason)});
    for (auto& [token, unknown] : unknown_) result_.unknown.push_back(std::move(unknown));
    return std::move(result_);
  }

 private:
  static void sort_unique(std::vector<std::string>& texts) {
    std::sort(texts.begin(), texts.end());
    texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
  }

  void add_nowhere(const CounterRequest& request) {
    result_.nowhere.push_back({token_of(request), request.column, gpus_there(gpus_.size())});
  }

  void place(const CounterRequest& request, const std::vector<std::size_t>& asked) {
    std::vector<std::size_t> without;
    std::size_t counted = 0;
    bool constant = false;
    bool added = false;
    for (const std::size_t i : asked) {
      switch (meaning_of(*gpus_[i], request.counter)) {
        case Meaning::kUnknown:
          if (!gpus_[i]->counters.empty()) without.push_back(i);
          break;
        case Meaning::kConstant:
          constant = true;
          break;
        case Meaning::kCounter:
          ++counted;
          added |= want(i, request.counter);
          break;
      }
    }
    if (constant) ignored_.emplace(token_of(request), "a constant of the agent, the same for every dispatch");
    if (counted == 0 && !constant) return add_unknown(request, asked);
    if (counted > 0 && !added) result_.duplicates.push_back(token_of(request));
    note_missing(request, without);
    warn_of_zeros(request.counter);
  }

  bool want(std::size_t gpu, const std::string& counter) {
    if (!wanted_[gpu].insert(counter).second) return false;
    result_.devices[gpu].counters.push_back(counter);
    return true;
  }

  void note_missing(const CounterRequest& request, const std::vector<std::size_t>& without) {
    for (const std::size_t i : without) missing_[i].insert(request.counter);
  }

  // One note for each GPU, however many counters it lacks.
  void tell_missing() {
    for (const auto& [gpu, counters] : missing_) {
      const bool one = counters.size() == 1;
      result_.notes.push_back(joined(counters) + (one ? " is not a counter of " : " are no counters of ") +
                              gpu_title(gpus_[gpu]->agent) + (one ? ": it is" : ": they are") +
                              " collected on other GPUs only");
    }
  }

  void warn_of_zeros(const std::string& counter) {
    if (counter.starts_with("SQ_ACCUM_PREV"))
      result_.warnings.push_back(counter +
                                 " asked for by name takes a register and reads zero (rocprofiler-sdk issue 61)");
  }

  void add_unknown(const CounterRequest& request, const std::vector<std::size_t>& asked) {
    const std::string token = token_of(request);
    if (unknown_.contains(token)) return;
    std::set<std::string> known;
    for (const std::size_t i : asked) {
      if (unknown_.size() >= kSuggestions) break;
      for (const auto& [name, counter] : gpus_[i]->counters) known.insert(name);
    }
    const std::string elsewhere = other_gpus_with(request.counter);
    std::optional<std::string> suggestion;
    if (elsewhere.empty()) suggestion = nearest(request.counter, known);
    if (suggestion && request.device) *suggestion += ":device=" + std::to_string(*request.device);
    UnknownToken unknown{token, request.column, std::move(suggestion), why_unknown(asked, elsewhere)};
    unknown.new_name = elsewhere.empty() && std::any_of(asked.begin(), asked.end(),
                                                        [&](std::size_t i) { return !gpus_[i]->counters.empty(); });
    unknown_.emplace(token, std::move(unknown));
  }

  [[nodiscard]] std::string why_unknown(const std::vector<std::size_t>& asked, const std::string& elsewhere) const {
    std::set<std::string> with;
    std::set<std::string> without;  // counters
    for (const std::size_t i : asked) (gpus_[i]->counters.empty() ? without : with).insert(gpus_[i]->agent.name);
    if (!with.empty()) return "not a counter of " + joined(with) + elsewhere;
    if (!without.empty()) return "there are no counters on " + joined(without);
    return "there is no GPU";
  }

  // Of a counter that the GPU asked for does not have: which of the others do.
  [[nodiscard]] std::string other_gpus_with(const std::string& counter) const {
    std::vector<std::string> titles;
    for (const AgentCatalogue* gpu : gpus_)
      if (gpu->counters.contains(counter)) titles.push_back(gpu_title(gpu->agent));
    return titles.empty() ? "" : std::string{kButOf} + joined(titles);
  }

  void add_group_to(std::size_t gpu, const std::vector<std::string>& group) {
    std::vector<std::string> members;
    for (const std::string& counter : group) {
      const Meaning meaning = meaning_of(*gpus_[gpu], counter);
      if (meaning == Meaning::kCounter) want(gpu, counter);
      if (meaning != Meaning::kConstant) members.push_back(counter);
    }
    result_.devices[gpu].groups.push_back(std::move(members));
  }

  const std::vector<const AgentCatalogue*>& gpus_;
  std::vector<std::set<std::string>> wanted_;  // as devices[i].counters
  std::map<std::string, UnknownToken> unknown_;
  std::map<std::size_t, std::set<std::string>> missing_;  // by GPU: counters that others have
  std::map<std::string, std::string> ignored_;
  Resolution result_;
};

}  // namespace

std::string gpus_there(std::size_t count) {
  if (count == 0) return "there is no GPU";
  return count == 1 ? "there is only GPU 0" : "there are GPUs 0 to " + std::to_string(count - 1);
}

std::string note_without_counters(const AgentCatalogue& gpu) {
  return gpu_title(gpu.agent) + " offers no counters: it is left unprofiled";
}

Resolution resolve(const std::vector<CounterRequest>& requests, const std::vector<const AgentCatalogue*>& gpus,
                   const std::vector<std::vector<std::string>>& groups) {
  Resolver resolver{gpus};
  // Requests for every GPU first: then a qualified token beside one is the duplicate, in whatever order they came.
  for (const CounterRequest& request : requests)
    if (!request.device) resolver.add(request);
  for (const CounterRequest& request : requests)
    if (request.device) resolver.add(request);
  std::set<std::string> named;
  for (const CounterRequest& request : requests) named.insert(request.counter);
  for (const std::vector<std::string>& group : groups)
    for (const std::string& counter : group)
      if (named.insert(counter).second) resolver.add({counter, std::nullopt, 0});
  resolver.add_groups(groups);
  return resolver.finish();
}

SentinelResolution resolve_sentinels(const std::vector<CounterRequest>& requests,
                                     const std::vector<const AgentCatalogue*>& gpus) {
  Resolution resolution = resolve(requests, gpus);
  SentinelResolution sentinels;
  for (DeviceRequest& device : resolution.devices) {
    std::sort(device.counters.begin(), device.counters.end());
    sentinels.devices.push_back(std::move(device.counters));
  }
  sentinels.unknown = std::move(resolution.unknown);
  for (NowhereToken& nowhere : resolution.nowhere)
    sentinels.unknown.push_back({std::move(nowhere.token), nowhere.column, std::nullopt, std::move(nowhere.reason)});
  std::sort(sentinels.unknown.begin(), sentinels.unknown.end(), [](const UnknownToken& a, const UnknownToken& b) {
    return std::tie(a.token, a.column) < std::tie(b.token, b.column);
  });
  for (UnknownToken& unknown : sentinels.unknown) unknown.sentinel = true;
  for (IgnoredToken& ignored : resolution.ignored)
    sentinels.ignored.push_back({std::move(ignored.token), "no sentinel: " + ignored.reason});
  sentinels.warnings = std::move(resolution.warnings);
  // That a GPU has no counters is told where the counters are resolved.
  for (const AgentCatalogue* gpu : gpus) std::erase(resolution.notes, note_without_counters(*gpu));
  for (const std::string& note : resolution.notes) sentinels.notes.push_back("sentinels: " + note);
  return sentinels;
}

}  // namespace multipass::catalogue
