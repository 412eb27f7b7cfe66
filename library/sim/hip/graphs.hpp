// SPDX-License-Identifier: MIT
//
// Graphs and what was instantiated of them. A graph's nodes live as long as the graph; an executable has copies. The
// registry may be used on any thread; one graph, as HIP asks, by one thread at a time.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "hip/hip_runtime_api.h"
#include "sim/hip/packet.hpp"

namespace multipass_sim {

// A kernel and its arguments, to be put into a queue as often as wanted.
struct PreparedKernel {
  const multipass_sim_kernel* kernel = nullptr;
  GridLaunch launch;
  std::shared_ptr<void> arguments;
};

struct GraphNode {
  hipGraphNodeType type = hipGraphNodeTypeEmpty;
  std::function<void()> work;              // copy, fill, host function
  std::optional<PreparedKernel> kernel;    // of a kernel node
  std::optional<multipass_sim_copy> copy;  // of a copy node that a copy engine does
  std::vector<const GraphNode*> dependencies;
};

class Graph final {
 public:
  const GraphNode* add(GraphNode node);
  [[nodiscard]] bool holds(const GraphNode* node) const;
  // False when one of them is not of this graph, or both are the same.
  [[nodiscard]] bool add_dependency(const GraphNode* from, const GraphNode* to);
  [[nodiscard]] std::vector<const GraphNode*> nodes() const;
  // Each node behind those that it depends on; nothing when they depend on one another in a circle.
  [[nodiscard]] std::optional<std::vector<const GraphNode*>> order() const;

 private:
  std::vector<std::unique_ptr<GraphNode>> nodes_;  // in the order of add()
};

// The nodes in the order in which they run; dependencies are void.
using GraphExecutable = std::vector<GraphNode>;

class Graphs final {
 public:
  hipGraph_t add(std::shared_ptr<Graph> graph);
  [[nodiscard]] std::shared_ptr<Graph> find(hipGraph_t handle) const;  // null: unknown
  [[nodiscard]] bool remove(hipGraph_t handle);
  [[nodiscard]] std::optional<hipGraphNodeType> type_of(hipGraphNode_t node) const;

  hipGraphExec_t add_executable(std::shared_ptr<const GraphExecutable> executable);
  [[nodiscard]] std::shared_ptr<const GraphExecutable> find(hipGraphExec_t handle) const;
  [[nodiscard]] bool remove(hipGraphExec_t handle);

 private:
  mutable std::mutex mutex_;
  std::map<hipGraph_t, std::shared_ptr<Graph>> graphs_;
  std::map<hipGraphExec_t, std::shared_ptr<const GraphExecutable>> executables_;
};

inline const GraphNode* node_of(hipGraphNode_t handle) noexcept {
  return reinterpret_cast<const GraphNode*>(handle);
}
inline hipGraphNode_t handle_of(const GraphNode* node) noexcept {
  return reinterpret_cast<hipGraphNode_t>(const_cast<GraphNode*>(node));
}

}  // namespace multipass_sim
