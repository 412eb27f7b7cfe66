// SPDX-License-Identifier: MIT
//
// Graphs put together by hand, and their launch. Recording is in api_capture.cpp.
#include <cstring>
#include <optional>
#include <utility>

#include "sim/hip/api.hpp"
#include "sim/hip/graphs.hpp"

namespace multipass_sim {
namespace {

template <class Body>
hipError_t with_graph(hipGraph_t handle, Body&& body) {
  return with_runtime([&](Runtime& runtime) {
    const std::shared_ptr<Graph> graph = runtime.graphs().find(handle);
    return graph == nullptr ? hipErrorInvalidValue : body(runtime, *graph);
  });
}

struct NodePlace {
  hipGraphNode_t* out = nullptr;
  hipGraph_t graph = nullptr;
  const hipGraphNode_t* dependencies = nullptr;
  std::size_t dependency_count = 0;
};

// `make` fills the node and gives a code.
template <class Make>
hipError_t add_node(const NodePlace& place, hipGraphNodeType type, Make&& make) {
  return with_graph(place.graph, [&](Runtime& runtime, Graph& graph) {
    if (place.out == nullptr || (place.dependencies == nullptr && place.dependency_count != 0)) {
      return hipErrorInvalidValue;
    }
    GraphNode node;
    node.type = type;
    for (std::size_t i = 0; i < place.dependency_count; ++i) {
      const GraphNode* const needed = node_of(place.dependencies[i]);
      if (!graph.holds(needed)) return hipErrorInvalidValue;
      node.dependencies.push_back(needed);
    }
    if (const hipError_t error = make(runtime, node); error != hipSuccess) return error;
    *place.out = handle_of(graph.add(std::move(node)));
    return hipSuccess;
  });
}

hipError_t make_kernel(Runtime& runtime, const hipKernelNodeParams& parameters, GraphNode& node) {
  if (parameters.extra != nullptr) return hipErrorNotSupported;
  if (parameters.func == nullptr) return hipErrorInvalidDeviceFunction;
  const auto launch = runtime.address_kernels().describe(parameters.func, parameters.kernelParams);
  if (!launch) return hipErrorInvalidDeviceFunction;
  return runtime.prepare(*launch, parameters.gridDim, parameters.blockDim, parameters.sharedMemBytes, current_device(),
                         node.kernel.emplace());
}

hipError_t make_fill(Runtime& runtime, const hipMemsetParams& parameters, GraphNode& node) {
  const std::size_t unit = parameters.elementSize;
  if ((unit != 1 && unit != 2 && unit != 4) || parameters.width > SIZE_MAX / unit) return hipErrorInvalidValue;
  const Rows rows{parameters.width * unit, parameters.height, parameters.pitch};
  if (rows.span() == 0 || (rows.height > 1 && rows.pitch < rows.width)) return hipErrorInvalidValue;
  if (place_of(runtime.allocations(), parameters.dst, rows.span()) != Place::kOurs) return hipErrorInvalidValue;
  node.work = fill_work(parameters.dst, parameters.value, unit, rows);
  return hipSuccess;
}

// Writes up to `*count` handles, or when `nodes` is null only their number.
void write_nodes(const std::vector<const GraphNode*>& found, hipGraphNode_t* nodes, std::size_t* count) {
  if (nodes != nullptr) {
    for (std::size_t i = 0; i < *count; ++i) nodes[i] = i < found.size() ? handle_of(found[i]) : nullptr;
  }
  if (nodes == nullptr || found.size() < *count) *count = found.size();
}

hipError_t instantiate(hipGraphExec_t* executable, hipGraph_t graph) {
  return with_graph(graph, [&](Runtime& runtime, const Graph& found) {
    if (executable == nullptr) return hipErrorInvalidValue;
    const auto order = found.order();
    if (!order) return hipErrorInvalidValue;
    auto made = std::make_shared<GraphExecutable>();
    for (const GraphNode* node : *order) made->push_back(*node);
    *executable = runtime.graphs().add_executable(std::move(made));
    return hipSuccess;
  });
}

}  // namespace
}  // namespace multipass_sim

using multipass_sim::add_node;
using multipass_sim::Graph;
using multipass_sim::GraphNode;
using multipass_sim::Runtime;
using multipass_sim::StreamPtr;
using multipass_sim::with_graph;
using multipass_sim::with_runtime;

hipError_t hipGraphCreate(hipGraph_t* graph, unsigned flags) {
  return with_runtime([&](Runtime& runtime) {
    if (graph == nullptr || flags != 0) return hipErrorInvalidValue;
    *graph = runtime.graphs().add(std::make_shared<Graph>());
    return hipSuccess;
  });
}

hipError_t hipGraphDestroy(hipGraph_t graph) {
  return with_runtime(
      [&](Runtime& runtime) { return runtime.graphs().remove(graph) ? hipSuccess : hipErrorInvalidValue; });
}

hipError_t hipGraphAddKernelNode(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* dependencies,
                                 std::size_t dependency_count, const hipKernelNodeParams* parameters) {
  return add_node({node, graph, dependencies, dependency_count}, hipGraphNodeTypeKernel,
                  [&](Runtime& runtime, GraphNode& made) {
                    if (parameters == nullptr) return hipErrorInvalidValue;
                    return multipass_sim::make_kernel(runtime, *parameters, made);
                  });
}

hipError_t hipGraphAddMemcpyNode1D(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* dependencies,
                                   std::size_t dependency_count, void* destination, const void* source,
                                   std::size_t size, hipMemcpyKind kind) {
  return add_node({node, graph, dependencies, dependency_count}, hipGraphNodeTypeMemcpy,
                  [&](Runtime& runtime, GraphNode& made) {
                    if (size == 0) return hipErrorInvalidValue;
                    const multipass_sim::CopyEnds ends{destination, source, size, size};
                    made.work = [=] { std::memmove(destination, source, size); };
                    made.copy = multipass_sim::engine_copy(runtime.allocations(), ends, size);
                    return multipass_sim::check_copy(runtime.allocations(), ends, kind);
                  });
}

hipError_t hipGraphAddMemsetNode(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* dependencies,
                                 std::size_t dependency_count, const hipMemsetParams* parameters) {
  return add_node({node, graph, dependencies, dependency_count}, hipGraphNodeTypeMemset,
                  [&](Runtime& runtime, GraphNode& made) {
                    if (parameters == nullptr) return hipErrorInvalidValue;
                    return multipass_sim::make_fill(runtime, *parameters, made);
                  });
}

hipError_t hipGraphAddHostNode(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* dependencies,
                               std::size_t dependency_count, const hipHostNodeParams* parameters) {
  return add_node({node, graph, dependencies, dependency_count}, hipGraphNodeTypeHost, [&](Runtime&, GraphNode& made) {
    if (parameters == nullptr || parameters->fn == nullptr) return hipErrorInvalidValue;
    made.work = [function = parameters->fn, data = parameters->userData] { function(data); };
    return hipSuccess;
  });
}

hipError_t hipGraphAddEmptyNode(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* dependencies,
                                std::size_t dependency_count) {
  return add_node({node, graph, dependencies, dependency_count}, hipGraphNodeTypeEmpty,
                  [](Runtime&, GraphNode&) { return hipSuccess; });
}

hipError_t hipGraphAddDependencies(hipGraph_t graph, const hipGraphNode_t* from, const hipGraphNode_t* to,
                                   std::size_t count) {
  return with_graph(graph, [&](Runtime&, Graph& found) {
    if (count != 0 && (from == nullptr || to == nullptr)) return hipErrorInvalidValue;
    for (std::size_t i = 0; i < count; ++i) {
      if (!found.add_dependency(multipass_sim::node_of(from[i]), multipass_sim::node_of(to[i]))) {
        return hipErrorInvalidValue;
      }
    }
    return hipSuccess;
  });
}

hipError_t hipGraphGetNodes(hipGraph_t graph, hipGraphNode_t* nodes, std::size_t* count) {
  return with_graph(graph, [&](Runtime&, const Graph& found) {
    if (count == nullptr) return hipErrorInvalidValue;
    multipass_sim::write_nodes(found.nodes(), nodes, count);
    return hipSuccess;
  });
}

hipError_t hipGraphGetRootNodes(hipGraph_t graph, hipGraphNode_t* nodes, std::size_t* count) {
  return with_graph(graph, [&](Runtime&, const Graph& found) {
    if (count == nullptr) return hipErrorInvalidValue;
    std::vector<const GraphNode*> roots = found.nodes();
    std::erase_if(roots, [](const GraphNode* node) { return !node->dependencies.empty(); });
    multipass_sim::write_nodes(roots, nodes, count);
    return hipSuccess;
  });
}

hipError_t hipGraphNodeGetType(hipGraphNode_t node, hipGraphNodeType* type) {
  return with_runtime([&](Runtime& runtime) {
    const auto found = runtime.graphs().type_of(node);
    if (!found || type == nullptr) return hipErrorInvalidValue;
    *type = *found;
    return hipSuccess;
  });
}

hipError_t hipGraphInstantiate(hipGraphExec_t* executable, hipGraph_t graph, hipGraphNode_t* error_node, char* log,
                               std::size_t log_size) {
  if (error_node != nullptr) *error_node = nullptr;
  if (log != nullptr && log_size != 0) *log = '\0';
  return multipass_sim::instantiate(executable, graph);
}

hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t* executable, hipGraph_t graph, unsigned long long flags) {
  if (flags != 0) return multipass_sim::note(hipErrorInvalidValue);
  return multipass_sim::instantiate(executable, graph);
}

hipError_t hipGraphLaunch(hipGraphExec_t executable, hipStream_t stream) {
  return multipass_sim::with_stream(stream, [&](Runtime& runtime, const StreamPtr& on) {
    const auto found = runtime.graphs().find(executable);
    if (found == nullptr) return hipErrorInvalidValue;
    if (const hipError_t error = runtime.refuse_capture(*on); error != hipSuccess) return error;
    for (const GraphNode& node : *found) {
      if (node.kernel) {
        runtime.submit(*node.kernel, on, true);
      } else if (node.copy) {
        runtime.enqueue_copy(*on, node.work, *node.copy);
      } else if (node.work) {
        runtime.enqueue(*on, node.work);
      }
    }
    return hipSuccess;
  });
}

hipError_t hipGraphExecDestroy(hipGraphExec_t executable) {
  return with_runtime(
      [&](Runtime& runtime) { return runtime.graphs().remove(executable) ? hipSuccess : hipErrorInvalidValue; });
}
