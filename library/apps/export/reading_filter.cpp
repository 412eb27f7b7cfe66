// SPDX-License-Identifier: MIT
#include "apps/export/reading_filter.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "model/gpu_title.hpp"
#include "output/canonical.hpp"

namespace multipass::apps {
namespace {

std::string place_of(const DispatchRecord& dispatch, const PassRecord& pass) {
  return "dispatch " + std::to_string(dispatch.dispatch_id.value) +
         (pass.pass ? ", pass " + std::to_string(pass.pass->value) : std::string{});
}

}  // namespace

void ReadingFilter::agent(const AgentInfo& agent, const std::vector<CounterInfo>& counters) {
  Agent& known = agents_[agent.index.value];
  known.title = agent.type == AgentType::kGpu ? gpu_title(agent) : "agent " + std::to_string(agent.index.value);
  known.counters.clear();
  for (const CounterInfo& counter : counters) known.counters.push_back(counter.name);
}

void ReadingFilter::apply(DispatchRecord& dispatch) {
  const auto agent = agents_.find(dispatch.agent.value);
  const std::size_t counters = agent == agents_.end() ? 0 : agent->second.counters.size();
  for (PassRecord& pass : dispatch.passes) {
    const bool all_values = std::all_of(pass.values.begin(), pass.values.end(), output::is_delivered);
    const bool all_known = std::all_of(pass.counters.begin(), pass.counters.end(),
                                       [&](CounterIndex counter) { return counter.value < counters; });
    if (!all_values || !all_known) take_out(pass, dispatch, counters);
  }
}

void ReadingFilter::take_out(PassRecord& pass, const DispatchRecord& of, std::size_t counters) {
  std::size_t kept = 0;
  for (std::size_t at = 0; at < pass.values.size(); ++at) {
    const std::uint32_t counter = pass.counters[at].value;
    const double value = pass.values[at];
    if (counter >= counters) {
      if (undescribed_++ == 0) first_undescribed_ = place_of(of, pass);
    } else if (!output::is_delivered(value)) {
      count(of, pass, counter, value);
    } else {
      pass.counters[kept] = pass.counters[at];
      pass.values[kept++] = value;
    }
  }
  pass.counters.resize(kept);
  pass.values.resize(kept);
  pass.instances.clear();  // no output has any; they would belong to other counters now
}

void ReadingFilter::count(const DispatchRecord& dispatch, const PassRecord& pass, std::uint32_t counter, double value) {
  LeftOut& left = left_out_[{dispatch.agent.value, counter}];
  if (left.first.empty()) left.first = place_of(dispatch, pass);
  ++(std::isnan(value) ? left.nan : left.infinite);
}

std::string ReadingFilter::text_of(const std::pair<std::uint32_t, std::uint32_t>& key, const LeftOut& left) const {
  const Agent& agent = agents_.at(key.first);
  std::string text = agent.counters.at(key.second) + " of " + agent.title + ": ";
  if (left.nan != 0) text += counted(left.nan, "reading is no number (NaN)", "readings are no numbers (NaN)");
  if (left.infinite != 0)
    text += left.nan != 0 ? " and " + counted(left.infinite, "is infinite", "are infinite")
                          : counted(left.infinite, "reading is infinite", "readings are infinite");
  return text + (left.nan + left.infinite == 1 ? "; it is left out (" : "; they are left out (first: ") + left.first +
         ")";
}

std::vector<std::string> ReadingFilter::warnings() const {
  std::vector<std::string> texts;
  std::uint64_t further = 0;
  for (const auto& [key, left] : left_out_) {
    if (texts.size() < kCountersNamed)
      texts.push_back(text_of(key, left));
    else
      further += left.nan + left.infinite;
  }
  if (further != 0)
    texts.push_back(counted(left_out_.size() - kCountersNamed, "further counter: ", "further counters: ") +
                    counted(further, "reading is", "readings are") + " NaN or infinite and left out");
  if (undescribed_ != 0)
    texts.push_back(counted(undescribed_, "reading is", "readings are") +
                    " of counters that the capture does not describe, and left out (first: " + first_undescribed_ +
                    ")");
  return texts;
}

}  // namespace multipass::apps
