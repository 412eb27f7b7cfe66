// SPDX-License-Identifier: MIT
#include "assemble/assembler.hpp"

#include <algorithm>

namespace multipass::assemble {
namespace {

// Every callback of a dispatch says the same.
void describe(DispatchRecord& record, const DispatchInfo& dispatch) {
  record.agent = dispatch.agent;
  record.kernel = dispatch.kernel;
  record.queue_id = dispatch.queue_id;
  record.grid = dispatch.grid;
  record.workgroup = dispatch.workgroup;
  record.private_segment_size = dispatch.private_segment_size;
  record.group_segment_size = dispatch.group_segment_size;
}

PassRecord* find_execution(DispatchRecord& record, const Execution& execution) {
  const auto same = [&](const PassRecord& pass) { return pass.pass == execution.pass; };
  const auto found = std::find_if(record.passes.begin(), record.passes.end(), same);
  return found == record.passes.end() ? nullptr : &*found;
}

// Where the times of an execution that reads no counters by choice are kept; null for the others.
std::optional<Interval>* extra_of(DispatchRecord& record, const Execution& execution) {
  if (execution.kind == ExecutionKind::kWarmUp) return &record.warm_up;
  if (execution.kind == ExecutionKind::kTiming) return &record.timing;
  return nullptr;
}

// The record of an execution, made at its first event.
PassRecord& execution_of(OpenDispatch& open, const Execution& execution) {
  PassRecord* known = find_execution(open.record, execution);
  return known != nullptr ? *known : open.add_pass(execution);
}

// What was read outside of any pass that was told of, by a dispatch that ran more often than once, belongs to no pass
// that is known. Its times stay when there are no others. True when there was such an execution.
bool leave_out_untold(std::vector<PassRecord>& passes, std::uint32_t passes_begun, std::uint32_t executions) {
  if (executions < 2) return false;
  const auto untold = [](const PassRecord& pass) { return !pass.pass; };
  if (passes_begun > 0) return std::erase_if(passes, untold) != 0;
  for (PassRecord& pass : passes) {
    pass.counters.clear();
    pass.values.clear();
    pass.instances.clear();
  }
  return true;
}

}  // namespace

Assembler::Assembler(AgentExpectation expected, std::optional<DeclineReason> no_replay, Emit emit)
    : expected_(std::move(expected)), no_replay_(no_replay), emit_(std::move(emit)), open_(expected_.groups.size()) {}

// Finds or opens the dispatch, changes it, and emits it when that finished it. `change` returns false when the event
// did not belong.
template <typename Change>
void Assembler::apply(const DispatchInfo& dispatch, IfUnknown if_unknown, Change&& change) noexcept {
  OpenDispatch* done = nullptr;
  try {
    const std::lock_guard lock(mutex_);
    OpenDispatch* const open = find_or_open(dispatch, if_unknown);
    if (open == nullptr) return;
    // A callback that does not know the launching thread or the correlation leaves them 0; another one fills them in.
    if (dispatch.thread_id != 0) open->record.thread_id = dispatch.thread_id;
    if (dispatch.correlation_id != 0) open->record.correlation_id = dispatch.correlation_id;
    if (!change(*open)) strays_.fetch_add(1, std::memory_order_relaxed);
    done = settle(*open);
  } catch (...) {  // out of memory
    strays_.fetch_add(1, std::memory_order_relaxed);
  }
  if (done != nullptr) emit(*done);
}

OpenDispatch* Assembler::find_or_open(const DispatchInfo& dispatch, IfUnknown if_unknown) {
  OpenDispatch* open = open_.find(dispatch.dispatch_id);
  if (open != nullptr) return open;
  // What was emitted does not open again: a dispatch is in the capture once.
  const bool gone = if_unknown == IfUnknown::kOpen && dispatch.dispatch_id <= gone_up_to_;
  if (gone || if_unknown == IfUnknown::kStray) strays_.fetch_add(1, std::memory_order_relaxed);
  if (gone || if_unknown != IfUnknown::kOpen) return nullptr;
  open = &open_.open(dispatch.dispatch_id);
  opened_.store(opened_.load(std::memory_order_relaxed) + 1, std::memory_order_release);  // the lock has one writer
  describe(open->record, dispatch);
  return open;
}

OpenDispatch* Assembler::settle(OpenDispatch& changed) noexcept {
  OpenDispatch* done = &changed;
  if (!finished(changed)) {
    open_.set_ended(changed, all_ended(changed));
    done = one_too_many();
    if (done == nullptr) return nullptr;
    given_up_.fetch_add(1, std::memory_order_relaxed);
    if (!all_ended(*done) && gone_up_to_ < done->record.dispatch_id) gone_up_to_ = done->record.dispatch_id;
  }
  open_.take(*done);
  return done;
}

// Those that are still being launched are not many, one or a few for each thread: they stay.
OpenDispatch* Assembler::one_too_many() const noexcept {
  if (open_.ended() > kMaxOpen) return open_.first_ended();
  if (open_.size() <= kMaxRunning) return nullptr;
  constexpr int kTried = 256;
  OpenDispatch* open = open_.oldest();
  for (int i = 0; i < kTried && open != nullptr; ++i, open = OpenTable::newer(*open))
    if (!open->window_open && !open->awaits_single_run && open->executions > 0) return open;
  return nullptr;
}

void Assembler::emit(OpenDispatch& done) noexcept {
  try {
    conclude(done);
    emit_(done.record);
  } catch (...) {  // out of memory
    strays_.fetch_add(1, std::memory_order_relaxed);
  }
  done.clear();
  try {
    const std::lock_guard lock(mutex_);
    open_.give_back(done);
  } catch (...) {  // the lock is broken: the place is lost
  }
}

void Assembler::offered(const DispatchInfo& dispatch) noexcept {
  apply(dispatch, IfUnknown::kOpen, [](OpenDispatch& open) {
    open.facts.offered = true;
    open.window_open = true;
    return true;
  });
}

void Assembler::filtered(const DispatchInfo& dispatch, FilterReason reason) noexcept {
  apply(dispatch, IfUnknown::kOpen, [reason](OpenDispatch& open) {
    open.facts.filtered = reason;
    return true;
  });
}

void Assembler::pass_begun(const DispatchInfo& dispatch) noexcept {
  apply(dispatch, IfUnknown::kOpen, [](OpenDispatch& open) {
    ++open.facts.passes_begun;
    open.window_open = true;  // also when nothing told of the window: more passes may follow this one
    return true;
  });
}

void Assembler::enqueued(const DispatchInfo& dispatch, const Execution& execution) noexcept {
  apply(dispatch, IfUnknown::kOpen, [&execution](OpenDispatch& open) {
    open.awaits_single_run = false;
    ++open.executions;
    if (std::optional<Interval>* extra = extra_of(open.record, execution)) {
      ++open.extras;
      extra->emplace();
    }
    return true;
  });
}

void Assembler::counters_chosen(const DispatchInfo& dispatch, const Execution& execution, bool any,
                                std::optional<DeclineReason> declined) noexcept {
  apply(dispatch, IfUnknown::kOpen, [&](OpenDispatch& open) {
    open.facts.declined = declined;
    if (any) {
      open.facts.counters_chosen = true;
      ++open.counted;
      execution_of(open, execution).group = execution.group;
    }
    return true;
  });
}

void Assembler::window_closed(const DispatchInfo& dispatch, const SafetyReasons& despite,
                              std::optional<DeclineReason> ended) noexcept {
  // Unknown: a window that was not offered to us, by a record that was not understood.
  apply(dispatch, IfUnknown::kIgnore, [&](OpenDispatch& open) {
    open.facts.despite = despite;
    open.facts.ended = ended;
    open.window_open = false;
    open.awaits_single_run = open.facts.passes_begun == 0 && open.executions == 0;
    return true;
  });
}

void Assembler::completed(const DispatchInfo& dispatch, const Execution& execution, const Interval& times) noexcept {
  // After the counters of its last execution the dispatch is gone, and nothing is missed.
  apply(dispatch, IfUnknown::kIgnore, [&](OpenDispatch& open) {
    if (std::optional<Interval>* extra = extra_of(open.record, execution)) {
      *extra = times;
      ++open.completed;
      ++open.extras_ended;
      return true;
    }
    PassRecord& record = execution_of(open, execution);
    if (record.end_ns == 0) {
      record.start_ns = times.start_ns;
      record.end_ns = times.end_ns;
    }
    ++open.completed;
    return true;
  });
}

void Assembler::recorded(const DispatchInfo& dispatch, const Execution& execution, const Interval& times,
                         Readings&& readings) noexcept {
  apply(dispatch, IfUnknown::kStray, [&](OpenDispatch& open) {
    if (execution.kind != ExecutionKind::kCounters) return false;  // it was given nothing to read
    PassRecord& record = execution_of(open, execution);
    if (!record.counters.empty()) {  // a second delivery: the first stays
      const bool of_another_execution = !execution.pass && open.delivered < open.counted;
      if (of_another_execution) ++open.delivered;
      return of_another_execution;
    }
    record.group = execution.group;
    if (times.end_ns != 0) {
      record.start_ns = times.start_ns;
      record.end_ns = times.end_ns;
    }
    record.counters.swap(readings.counters);
    record.values.swap(readings.values);
    record.instances.swap(readings.instances);
    ++open.delivered;
    return true;
  });
  readings.counters.clear();
  readings.values.clear();
  readings.instances.clear();
}

bool Assembler::finished(const OpenDispatch& open) noexcept {
  if (open.window_open || open.awaits_single_run) return false;
  if (open.counted > 0) return open.delivered >= open.counted && open.extras_ended >= open.extras;
  return all_ended(open);
}

bool Assembler::all_ended(const OpenDispatch& open) noexcept {
  if (open.window_open || open.awaits_single_run) return false;
  // Counters come after the execution has ended; its own end may never be told.
  const bool delivered = open.counted > 0 && open.delivered >= open.counted;
  return delivered || (open.completed > 0 && open.completed >= open.executions);
}

void Assembler::conclude(OpenDispatch& open) {
  DispatchRecord& record = open.record;
  open.facts.untold = leave_out_untold(record.passes, open.facts.passes_begun, std::max(open.executions, open.counted));
  if (open.facts.untold) untold_.fetch_add(1, std::memory_order_relaxed);
  // An execution that was submitted and of which nothing was ever heard has nothing to record.
  std::erase_if(record.passes, [](const PassRecord& pass) { return pass.end_ns == 0 && pass.counters.empty(); });
  std::sort(record.passes.begin(), record.passes.end(),
            [](const PassRecord& a, const PassRecord& b) { return a.pass < b.pass; });
  record.passes_planned = static_cast<std::uint32_t>(expected_.groups.size());
  open.facts.warm_up_ran = record.warm_up.has_value();
  open.facts.timed = record.timing && record.timing->end_ns != 0;
  open.facts.window_open = open.window_open;
  const Judgement judgement = judge(expected_, no_replay_.load(std::memory_order_relaxed), open.facts, record.passes);
  record.outcome = judgement.outcome;
  record.reason = judgement.reason.text();
}

void Assembler::flush() noexcept {
  for (;;) {
    OpenDispatch* open = nullptr;
    try {
      const std::lock_guard lock(mutex_);
      open = open_.oldest();
      if (open != nullptr) open_.take(*open);
    } catch (...) {  // the lock is broken
    }
    if (open == nullptr) return;
    emit(*open);
  }
}

}  // namespace multipass::assemble
