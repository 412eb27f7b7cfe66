// SPDX-License-Identifier: MIT
#include "tool/pipeline.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <string>

#include "journal/encode.hpp"

namespace multipass::tool {
namespace {

std::vector<replay::AgentConfigs> configs_of(const std::vector<PreparedAgent>& agents, ReplayMode mode) {
  std::vector<replay::AgentConfigs> all;
  for (const PreparedAgent& agent : agents) {
    replay::AgentConfigs& configs = all.emplace_back();
    configs.handles = agent.configs;
    if (mode == ReplayMode::kOff && configs.handles.size() > 1) configs.handles.resize(1);
  }
  return all;
}

// "_Z4axpyPf.kd" -> "axpy(float*)". A name that is not mangled stays.
std::string demangle(const std::string& name) {
  std::string symbol = name;
  if (symbol.ends_with(".kd")) symbol.resize(symbol.size() - 3);
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status),
                                                         &std::free);
  return status == 0 && text ? std::string(text.get()) : symbol;
}

}  // namespace

Pipeline::Pipeline(const std::vector<PreparedAgent>& agents, ReplayMode mode, bool replay, replay::KernelFilter filter,
                   journal::JournalWriter& journal)
    : journal_(journal),
      of_agent_(agents.size()),
      session_(configs_of(agents, mode), mode != ReplayMode::kOff, std::move(filter)) {
  for (const PreparedAgent& agent : agents) {
    assemble::AgentExpectation expected;
    expected.groups = agent.groups;
    expected.single_pass = mode == ReplayMode::kOff;
    std::atomic<std::uint64_t>& of_agent = of_agent_[assemblers_.size()];
    const auto write = [this, &of_agent](DispatchRecord&& dispatch) {
      if (journal_.append(journal::encode(dispatch))) of_agent.fetch_add(1, std::memory_order_relaxed);
    };
    assemblers_.push_back(std::make_unique<assemble::Assembler>(std::move(expected), replay, write));
  }
}

void Pipeline::replay_unusable() noexcept {
  for (const auto& assembler : assemblers_) assembler->replay_refused();
}

assemble::Assembler* Pipeline::assembler(const DispatchInfo& dispatch) noexcept {
  if (detached_.load(std::memory_order_relaxed) || dispatch.agent.value >= assemblers_.size()) return nullptr;
  return assemblers_[dispatch.agent.value].get();
}

std::uint64_t Pipeline::config_enter(const DispatchInfo& dispatch) noexcept {
  assemble::Assembler* to = assembler(dispatch);
  if (to == nullptr) return 1;
  to->offered(dispatch);
  if (const auto reason = session_.filtered(dispatch)) {
    to->filtered(dispatch, *reason);
    return 1;
  }
  return session_.config_enter(dispatch);
}

void Pipeline::config_exit(const DispatchInfo& dispatch) noexcept {
  session_.config_exit(dispatch);
  if (assemble::Assembler* to = assembler(dispatch)) to->window_closed(dispatch);
}

void Pipeline::pass_enter(const DispatchInfo& dispatch, PassIndex pass) noexcept {
  session_.pass_enter(dispatch, pass);
  if (assemble::Assembler* to = assembler(dispatch)) to->pass_begun(dispatch);
}

void Pipeline::pass_exit(const DispatchInfo& dispatch, PassIndex) noexcept {
  session_.pass_exit(dispatch);
}

Execution Pipeline::enqueue(const DispatchInfo& dispatch) noexcept {
  if (assemble::Assembler* to = assembler(dispatch)) to->enqueued(dispatch);
  const auto pass = session_.current_pass(dispatch.dispatch_id);
  return {pass, GroupIndex{pass ? pass->value : 0}};
}

sdk::Choice Pipeline::choose(const DispatchInfo& dispatch) noexcept {
  assemble::Assembler* to = assembler(dispatch);
  if (to == nullptr) return {};
  if (const auto reason = session_.filtered(dispatch)) {
    to->filtered(dispatch, *reason);
    return {};
  }
  const replay::Selection selection = session_.select(dispatch);
  to->counters_chosen(dispatch, selection.execution, selection.config != 0);
  return {selection.config, selection.execution};
}

void Pipeline::complete(const DispatchInfo& dispatch, const Execution& execution, const Interval& times) noexcept {
  if (assemble::Assembler* to = assembler(dispatch)) to->completed(dispatch, execution, times);
}

void Pipeline::record(const DispatchInfo& dispatch, const Execution& execution, const Interval& times,
                      Readings&& readings) noexcept {
  if (assemble::Assembler* to = assembler(dispatch)) to->recorded(dispatch, execution, times, std::move(readings));
}

void Pipeline::kernel(KernelSymbol&& symbol) noexcept {
  if (detached_.load(std::memory_order_relaxed)) return;
  try {
    symbol.demangled = demangle(symbol.name);
    if (!session_.know(symbol.id, symbol.demangled) && hard_name_.first())
      log_warning("kernel-include or kernel-exclude takes too many steps for the kernel '" + symbol.demangled +
                  "' and counts as not found in it; simplify the pattern");
    journal_.append(journal::encode(symbol));
  } catch (...) {  // out of memory: the kernel is shown by its number
  }
}

void Pipeline::seal() noexcept {
  for (const auto& assembler : assemblers_) assembler->flush();
}

std::uint64_t Pipeline::dispatches() const noexcept {
  std::uint64_t sum = 0;
  for (const auto& of_agent : of_agent_) sum += of_agent.load(std::memory_order_relaxed);
  return sum;
}

std::uint64_t Pipeline::dispatches(AgentIndex agent) const noexcept {
  return agent.value < of_agent_.size() ? of_agent_[agent.value].load(std::memory_order_relaxed) : 0;
}

std::uint64_t Pipeline::strays() const noexcept {
  std::uint64_t sum = 0;
  for (const auto& assembler : assemblers_) sum += assembler->strays();
  return sum;
}

}  // namespace multipass::tool
