// SPDX-License-Identifier: MIT
#include "tool/instances.hpp"

#include <map>

#include "base/text.hpp"
#include "model/gpu_title.hpp"

namespace multipass::tool {
namespace {

constexpr std::size_t kMostNames = 12;

}  // namespace

std::vector<std::string> find_instances(std::vector<PreparedAgent>& agents) {
  std::vector<std::string> warnings;
  for (PreparedAgent& agent : agents) {
    std::map<std::string, std::vector<std::string>> refused;  // by reason
    agent.instances.clear();
    for (std::size_t i = 0; i < agent.counters.size(); ++i) {
      Result<sdk::InstanceShape> shape = sdk::find_instances(agent.counter_ids[i]);
      if (shape) {
        agent.counters[i].dimensions = shape->dimensions;
        agent.instances.emplace_back(*std::move(shape));
      } else {
        refused[shape.message()].push_back(agent.counters[i].name);
        agent.instances.emplace_back();
      }
    }
    for (const auto& [reason, names] : refused)
      warnings.push_back(
          gpu_title(agent.agent.info) + ": of " + joined_up_to(names, kMostNames) +
          " sums are recorded and no single instances: the SDK does not say how these are numbered: " + reason);
  }
  return warnings;
}

std::vector<std::string> lost_instances(const std::vector<PreparedAgent>& agents, const Pipeline& pipeline,
                                        const sdk::Services& services) {
  std::vector<std::string> texts;
  for (const sdk::MisplacedInstances& lost : services.misplaced_instances()) {
    const PreparedAgent& agent = agents.at(lost.agent.value);
    texts.push_back(gpu_title(agent.agent.info) + ": the single instances of a counter are left out " +
                    counted(lost.times, "time", "times") + " (first: " + agent.counters.at(lost.first.value).name +
                    "), for the SDK gave some a place that its dimensions do not have; the sums are recorded");
  }
  if (const std::uint64_t dispatches = pipeline.without_instances(); dispatches != 0)
    texts.push_back(counted(dispatches, "dispatch is", "dispatches are") +
                    " recorded without the values of single instances, which take more than " +
                    std::to_string(Pipeline::kMostFrame >> 20U) + " MiB; the sums are recorded");
  return texts;
}

}  // namespace multipass::tool
