// SPDX-License-Identifier: MIT
//
// Gives the kernels of the program their ids and tells the tools about them: LOAD of the code object, then per kernel
// the device symbol followed by the host symbol; when the library finalises, the same again as UNLOAD. As on the real
// thing, every GPU loads its own copy of a code object, with object and kernel ids of its own. Owner: Sdk. Any thread;
// tools are called with no lock held.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "sim/interface/runtime_table.h"
#include "sim/sdk/agents.hpp"
#include "sim/sdk/contexts.hpp"

namespace multipass_sim {

class CodeObjects final {
 public:
  CodeObjects(Agents& agents, const Contexts& contexts) : agents_(agents), contexts_(contexts) {}

  void add_kernel(const multipass_sim_kernel& kernel);

  // Raises UNLOAD for everything that is loaded, in the order of loading, to the contexts that saw it loaded. Once.
  void unload_all();

  // From 1. A kernel that the runtime did not report before is reported now.
  [[nodiscard]] rocprofiler_kernel_id_t kernel_id(std::size_t device, const multipass_sim_kernel& kernel);

  [[nodiscard]] std::mutex& mutex() noexcept { return mutex_; }

 private:
  struct Symbol {
    multipass_sim_kernel kernel{};
    rocprofiler_kernel_id_t id = 0;
    std::uint64_t address = 0;
  };
  struct Object {  // one code object on one GPU
    const Agent* agent = nullptr;
    std::uint64_t id = 0;
    std::string uri;                   // tools may keep the pointer
    std::vector<ContextPtr> contexts;  // those that were active when it was loaded
    std::vector<Symbol> symbols;
  };
  struct News {
    std::shared_ptr<const Object> object;
    Symbol symbol;
    bool loaded = false;  // the object itself is new
  };
  struct Event {  // what stays the same in the callbacks of one object
    const Object& object;
    rocprofiler_callback_phase_t phase;
  };

  [[nodiscard]] std::vector<News> register_everywhere(const multipass_sim_kernel& kernel);
  void raise(const Event& event, rocprofiler_tracing_operation_t operation, void* payload) const;
  void raise_object(const Event& event) const;
  void raise_device_symbol(const Event& event, const Symbol& symbol) const;
  void raise_host_symbol(const Event& event, const Symbol& symbol) const;

  Agents& agents_;
  const Contexts& contexts_;
  std::mutex mutex_;
  std::map<std::pair<std::size_t, std::uint64_t>, std::shared_ptr<Object>> objects_;  // by device and runtime's number
  std::map<std::pair<std::size_t, const multipass_sim_kernel*>, rocprofiler_kernel_id_t> kernels_;
  std::uint64_t last_object_ = 0;
  rocprofiler_kernel_id_t last_kernel_ = 0;
};

}  // namespace multipass_sim
