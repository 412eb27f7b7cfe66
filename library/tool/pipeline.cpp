// SPDX-License-Identifier: MIT
#include "tool/pipeline.hpp"

#include <string>

#include "base/text.hpp"
#include "journal/encode.hpp"
#include "journal/format.hpp"

namespace multipass::tool {
namespace {

std::vector<replay::AgentConfigs> configs_of(const std::vector<PreparedAgent>& agents, ReplayMode mode) {
  std::vector<replay::AgentConfigs> all;
  for (const PreparedAgent& agent : agents) {
    replay::AgentConfigs& configs = all.emplace_back();
    configs.handles = agent.configs;
    if (mode == ReplayMode::kOff && configs.handles.size() > 1)
      configs.handles.erase(configs.handles.begin() + 1, configs.handles.end());
  }
  return all;
}

// "groups 1, 2 of 3 were never read (1 launch)"
std::string describe(const assemble::Gap& gap, std::uint32_t groups) {
  std::string launched = counted(gap.launches, "launch", "launches");
  if (gap.shapes > 1) launched += " in " + std::to_string(gap.shapes) + " shapes";
  if (gap.groups.empty()) return "each launch shape lacks a group of " + std::to_string(groups) + " (" + launched + ")";
  std::vector<std::string> numbers;
  for (const std::uint32_t group : gap.groups) numbers.push_back(std::to_string(group));
  return (numbers.size() == 1 ? "group " : "groups ") + joined(numbers) + " of " + std::to_string(groups) +
         (numbers.size() == 1 ? " was" : " were") + " never read (" + launched + ")";
}

}  // namespace

Pipeline::Pipeline(const std::vector<PreparedAgent>& agents, Wishes wishes, journal::JournalWriter& journal)
    : journal_(journal),
      of_agent_(agents.size()),
      regions_(wishes.regions),
      clock_(wishes.clock),
      memory_(agents.size()),
      copies_(agents.size()),
      collectives_(wishes.ranks),
      session_(configs_of(agents, wishes.mode), wishes.mode != ReplayMode::kOff, filter_of(wishes),
               std::move(wishes.limits), wishes.extras, {wishes.clock, &memory_, &copies_}) {
  session_.admission().share_memory_by(wishes.ranks.here);
  look_for_collectives();
  for (const PreparedAgent& agent : agents) {
    assemble::AgentExpectation expected;
    expected.groups = agent.groups;
    expected.single_pass = wishes.mode == ReplayMode::kOff;
    expected.left_out = agent.left_out;
    expected.warm_up = wishes.extras.warm_up;
    expected.timing = wishes.extras.timing;
    Count& count = of_agent_[assemblers_.size()];
    const bool in_turn = wishes.mode != ReplayMode::kOff;
    coverage_.push_back(
        std::make_unique<assemble::Coverage>(in_turn ? static_cast<std::uint32_t>(agent.groups.size()) : 0));
    journal::Lane& lane = journal_.add_agent_lane();
    const auto write = [this, &count, &lane, coverage = coverage_.back().get()](const DispatchRecord& dispatch) {
      count.launched.fetch_add(1, std::memory_order_relaxed);
      coverage->add(dispatch);
      if (assemble::is_uncounted(dispatch)) uncounted_.fetch_add(1, std::memory_order_relaxed);
      append(dispatch, lane);
    };
    assemblers_.push_back(std::make_unique<assemble::Assembler>(std::move(expected), wishes.no_replay, write));
  }
}

void Pipeline::append(const DispatchRecord& dispatch, journal::Lane& to) noexcept {
  using journal::Instances;
  Instances which = Instances::kWritten;
  std::size_t most = journal::most_bytes(dispatch, which);
  if (most + journal::kFrameHeaderSize > kMostFrame) {
    which = Instances::kLeftOut;
    const std::size_t of_sums = journal::most_bytes(dispatch, which);
    if (of_sums != most) without_instances_.fetch_add(1, std::memory_order_relaxed);
    most = of_sums;
  }
  journal_.append(to, most, [&dispatch, which](std::string& queue) { journal::encode_to(dispatch, queue, which); });
}

replay::KernelFilter Pipeline::filter_of(Wishes& wishes) noexcept {
  wishes.filter.follow(wishes.regions);
  return std::move(wishes.filter);
}

void Pipeline::replay_unusable() noexcept {
  give_up_replay(DeclineReason::kReplayUnusable);
}

void Pipeline::replay_refused() noexcept {
  give_up_replay(DeclineReason::kReplayRefused);
}

void Pipeline::give_up_replay(DeclineReason why) noexcept {
  for (const auto& assembler : assemblers_) assembler->no_replay(why);
}

assemble::Assembler* Pipeline::assembler(const DispatchInfo& dispatch) noexcept {
  if (detached() || dispatch.agent.value >= assemblers_.size()) return nullptr;
  return assemblers_[dispatch.agent.value].get();
}

void Pipeline::tell_that_it_is_detached() noexcept {
  if (told_detached_.first())
    log_literal(LogLevel::kWarning,
                "this process was forked from one that is profiled, after the profiling had begun: its kernels are not "
                "recorded; a program that is started anew (exec, spawn) is profiled");
}

std::uint64_t Pipeline::config_enter(const DispatchInfo& dispatch) noexcept {
  assemble::Assembler* to = assembler(dispatch);
  if (to == nullptr) return 1;
  to->offered(dispatch);
  const replay::Offer offer = session_.config_enter(dispatch);
  if (offer.decision.filtered) to->filtered(dispatch, *offer.decision.filtered);
  if (offer.passes > 1) windows_.open(dispatch);
  return offer.passes;
}

void Pipeline::config_exit(const DispatchInfo& dispatch) noexcept {
  if (detached()) return;
  windows_.close(dispatch.dispatch_id);
  const replay::WindowEnd end = session_.config_exit(dispatch);
  if (assemble::Assembler* to = assembler(dispatch)) to->window_closed(dispatch, end.despite, end.ended_early);
}

bool Pipeline::goes_on(const DispatchInfo& dispatch, PassIndex) noexcept {
  return detached() || session_.goes_on(dispatch);
}

void Pipeline::pass_enter(const DispatchInfo& dispatch, PassIndex pass) noexcept {
  if (detached()) return;
  windows_.reached(dispatch.dispatch_id, replay::in_pass(pass));
  session_.pass_enter(dispatch, pass);
  if (assemble::Assembler* to = assembler(dispatch)) to->pass_begun(dispatch);
}

void Pipeline::pass_exit(const DispatchInfo& dispatch, PassIndex pass) noexcept {
  if (detached()) return;
  windows_.reached(dispatch.dispatch_id, replay::behind_pass(pass));
  session_.pass_exit(dispatch);
}

Execution Pipeline::enqueue(const DispatchInfo& dispatch) noexcept {
  if (detached()) {
    tell_that_it_is_detached();
    return {};
  }
  const Execution execution = session_.current(dispatch);
  if (assemble::Assembler* to = assembler(dispatch)) to->enqueued(dispatch, execution);
  return execution;
}

sdk::Choice Pipeline::choose(const DispatchInfo& dispatch) noexcept {
  assemble::Assembler* to = assembler(dispatch);
  if (to == nullptr) return {};
  const replay::Selection selection = session_.choose(dispatch);
  if (selection.decision.filtered) {
    to->filtered(dispatch, *selection.decision.filtered);
    return {};
  }
  to->counters_chosen(dispatch, selection.execution, selection.config != 0, selection.decision.declined);
  return {selection.config, selection.execution};
}

void Pipeline::complete(const DispatchInfo& dispatch, const Execution& execution, const Interval& times) noexcept {
  assemble::Assembler* to = assembler(dispatch);
  if (to == nullptr) return;
  session_.admission().executed(dispatch, times);
  to->completed(dispatch, execution, times);
}

void Pipeline::record(const DispatchInfo& dispatch, const Execution& execution, const Interval& times,
                      Readings&& readings) noexcept {
  if (assemble::Assembler* to = assembler(dispatch)) to->recorded(dispatch, execution, times, std::move(readings));
}

void Pipeline::look_for_collectives() noexcept {
  if (collectives_.look()) session_.admission().collectives(true);
}

void Pipeline::kernel(KernelSymbol&& symbol) noexcept {
  if (detached()) return;
  look_for_collectives();
  try {
    symbol.demangled = demangled(symbol.name);
    names_.add(symbol.id, symbol.demangled);
    const replay::Session::Known known = session_.know(symbol.id, symbol.demangled);
    if (!known.filter_searched && hard_name_.first())
      log_warning("kernel-include or kernel-exclude takes too many steps for the kernel '" + symbol.demangled +
                  "' and counts as not found in it; simplify the pattern");
    if (!known.list_searched && hard_list_.first())
      log_warning("no-replay takes too many steps for the kernel '" + symbol.demangled +
                  "', which is not replayed; simplify the pattern");
    journal_.append(journal::encode(symbol));
  } catch (...) {  // out of memory: the kernel is shown by its number
  }
}

void Pipeline::kernel_unloaded(KernelId kernel) noexcept {
  if (!detached()) session_.forget(kernel);
}

// A forked child may hold a lock of theirs for ever.
replay::Regions* Pipeline::regions() noexcept {
  return detached() ? nullptr : regions_.get();
}

void Pipeline::profiler_paused(std::uint64_t thread) noexcept {
  if (replay::Regions* to = regions()) to->pause(thread);
}

void Pipeline::profiler_resumed(std::uint64_t thread) noexcept {
  if (replay::Regions* to = regions()) to->resume(thread);
}

std::uint64_t Pipeline::range_begins(sdk::RangeOwner owner, const char* message) noexcept {
  replay::Regions* to = regions();
  if (to == nullptr) return 0;
  return owner == sdk::RangeOwner::kThread ? to->thread_range_begins(message) : to->process_range_begins(message);
}

void Pipeline::range_ends(sdk::RangeOwner owner, std::uint64_t begun) noexcept {
  replay::Regions* to = regions();
  if (to == nullptr) return;
  if (owner == sdk::RangeOwner::kThread) {
    to->thread_range_ends(begun);
  } else {
    to->process_range_ends(begun);
  }
}

// A forked child may hold the lock of the memory's maps for ever.
void Pipeline::memory_allocated(const MemoryAllocated& memory) noexcept {
  if (!detached()) memory_.allocated(memory);
}

std::uint64_t Pipeline::memory_call_begins() noexcept {
  return memory_.mark();
}

void Pipeline::memory_ended(MemoryEnd end, std::uint64_t address, std::uint64_t bytes, std::uint64_t begun) noexcept {
  if (!detached()) memory_.ended(end, address, bytes, begun);
}

void Pipeline::memory_exported(std::uint64_t address) noexcept {
  if (!detached()) memory_.exported(address);
}

std::uint64_t Pipeline::copy_begins(std::optional<AgentIndex> from, std::optional<AgentIndex> to) noexcept {
  // In its own window a launching thread is the SDK, which copies memory to the host and back.
  return detached() || replay::Session::in_window() ? 0 : copies_.begins(from, to, clock_());
}

void Pipeline::copy_ends(std::uint64_t begun) noexcept {
  if (!detached()) copies_.ends(begun);
}

void Pipeline::seal() noexcept {
  for (const auto& assembler : assemblers_) assembler->flush();
}

std::uint64_t Pipeline::launched() const noexcept {
  std::uint64_t sum = 0;
  for (const Count& count : of_agent_) sum += count.launched.load(std::memory_order_relaxed);
  return sum;
}

std::uint64_t Pipeline::launched(AgentIndex agent) const noexcept {
  return agent.value < of_agent_.size() ? of_agent_[agent.value].launched.load(std::memory_order_relaxed) : 0;
}

std::uint64_t Pipeline::seen() const noexcept {
  std::uint64_t sum = 0;
  for (const auto& assembler : assemblers_) sum += assembler->opened();
  return sum;
}

Pipeline::Gaps Pipeline::gaps(AgentIndex agent) const {
  Gaps gaps;
  if (agent.value >= coverage_.size()) return gaps;
  const assemble::Coverage& coverage = *coverage_[agent.value];
  for (const assemble::Gap& gap : coverage.gaps())
    gaps.kernels.push_back(names_.of(gap.kernel) + ": " + describe(gap, coverage.groups()));
  gaps.unfollowed = coverage.unfollowed();
  return gaps;
}

std::uint64_t Pipeline::strays() const noexcept {
  std::uint64_t sum = 0;
  for (const auto& assembler : assemblers_) sum += assembler->strays();
  return sum;
}

std::uint64_t Pipeline::given_up() const noexcept {
  std::uint64_t sum = 0;
  for (const auto& assembler : assemblers_) sum += assembler->given_up();
  return sum;
}

std::uint64_t Pipeline::untold() const noexcept {
  std::uint64_t sum = 0;
  for (const auto& assembler : assemblers_) sum += assembler->untold();
  return sum;
}

}  // namespace multipass::tool
