// SPDX-License-Identifier: MIT
#include "sim/hip/graphs.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace multipass_sim {

const GraphNode* Graph::add(GraphNode node) {
  return nodes_.emplace_back(std::make_unique<GraphNode>(std::move(node))).get();
}

bool Graph::holds(const GraphNode* node) const {
  return std::any_of(nodes_.begin(), nodes_.end(), [node](const auto& own) { return own.get() == node; });
}

bool Graph::add_dependency(const GraphNode* from, const GraphNode* to) {
  if (from == to || !holds(from)) return false;
  const auto found = std::find_if(nodes_.begin(), nodes_.end(), [to](const auto& own) { return own.get() == to; });
  if (found == nodes_.end()) return false;
  (*found)->dependencies.push_back(from);
  return true;
}

std::vector<const GraphNode*> Graph::nodes() const {
  std::vector<const GraphNode*> found;
  found.reserve(nodes_.size());
  for (const auto& node : nodes_) found.push_back(node.get());
  return found;
}

std::optional<std::vector<const GraphNode*>> Graph::order() const {
  std::vector<const GraphNode*> ordered;
  std::set<const GraphNode*> done;
  std::vector<const GraphNode*> left = nodes();
  while (!left.empty()) {
    // The first that may run, so that nodes without dependencies keep the order in which they were added.
    const auto next = std::find_if(left.begin(), left.end(), [&done](const GraphNode* node) {
      const auto& needs = node->dependencies;
      return std::all_of(needs.begin(), needs.end(), [&done](const GraphNode* one) { return done.count(one) != 0; });
    });
    if (next == left.end()) return std::nullopt;
    ordered.push_back(*next);
    done.insert(*next);
    left.erase(next);
  }
  return ordered;
}

hipGraph_t Graphs::add(std::shared_ptr<Graph> graph) {
  const auto handle = reinterpret_cast<hipGraph_t>(graph.get());
  const std::lock_guard lock(mutex_);
  graphs_.emplace(handle, std::move(graph));
  return handle;
}

std::shared_ptr<Graph> Graphs::find(hipGraph_t handle) const {
  const std::lock_guard lock(mutex_);
  const auto found = graphs_.find(handle);
  return found == graphs_.end() ? nullptr : found->second;
}

bool Graphs::remove(hipGraph_t handle) {
  const std::lock_guard lock(mutex_);
  return graphs_.erase(handle) == 1;
}

std::optional<hipGraphNodeType> Graphs::type_of(hipGraphNode_t node) const {
  const std::lock_guard lock(mutex_);
  for (const auto& [handle, graph] : graphs_) {
    if (graph->holds(node_of(node))) return node_of(node)->type;
  }
  return std::nullopt;
}

hipGraphExec_t Graphs::add_executable(std::shared_ptr<const GraphExecutable> executable) {
  const auto handle = reinterpret_cast<hipGraphExec_t>(const_cast<GraphExecutable*>(executable.get()));
  const std::lock_guard lock(mutex_);
  executables_.emplace(handle, std::move(executable));
  return handle;
}

std::shared_ptr<const GraphExecutable> Graphs::find(hipGraphExec_t handle) const {
  const std::lock_guard lock(mutex_);
  const auto found = executables_.find(handle);
  return found == executables_.end() ? nullptr : found->second;
}

bool Graphs::remove(hipGraphExec_t handle) {
  const std::lock_guard lock(mutex_);
  return executables_.erase(handle) == 1;
}

}  // namespace multipass_sim
