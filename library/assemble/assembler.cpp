// SPDX-License-Identifier: MIT
#include "assemble/assembler.hpp"

#include <algorithm>

namespace multipass::assemble {
namespace {

// A callback that does not know the launching thread or the correlation leaves them 0; another one fills them in.
void describe(DispatchRecord& record, const DispatchInfo& dispatch) {
  record.dispatch_id = dispatch.dispatch_id;
  record.agent = dispatch.agent;
  record.kernel = dispatch.kernel;
  record.queue_id = dispatch.queue_id;
  if (dispatch.thread_id != 0) record.thread_id = dispatch.thread_id;
  if (dispatch.correlation_id != 0) record.correlation_id = dispatch.correlation_id;
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

// The record of an execution, made at its first event.
PassRecord& execution_of(DispatchRecord& record, const Execution& execution) {
  if (PassRecord* known = find_execution(record, execution)) return *known;
  PassRecord& made = record.passes.emplace_back();
  made.pass = execution.pass;
  made.group = execution.group;
  return made;
}

}  // namespace

Assembler::Assembler(AgentExpectation expected, std::optional<DeclineReason> no_replay, Emit emit)
    : expected_(std::move(expected)), no_replay_(no_replay), emit_(std::move(emit)) {}

// Finds or opens the dispatch, changes it, and emits it when that finished it. `change` returns false when the event
// did not belong.
template <typename Change>
void Assembler::apply(const DispatchInfo& dispatch, IfUnknown if_unknown, Change&& change) noexcept {
  try {
    std::unique_lock lock(mutex_);
    auto found = open_.find(dispatch.dispatch_id);
    if (found == open_.end()) {
      if (if_unknown == IfUnknown::kStray) strays_.fetch_add(1, std::memory_order_relaxed);
      if (if_unknown != IfUnknown::kOpen) return;
      found = open_.try_emplace(dispatch.dispatch_id).first;
    }
    Open& open = found->second;
    describe(open.record, dispatch);
    if (!change(open)) strays_.fetch_add(1, std::memory_order_relaxed);
    std::optional<Open> done;
    if (finished(open)) {
      done = std::move(open);
      open_.erase(found);
    } else if (open_.size() > kMaxOpen && all_ended(open_.begin()->second)) {
      done = std::move(open_.begin()->second);
      open_.erase(open_.begin());
    }
    lock.unlock();
    if (done) emit_(conclude(*std::move(done)));
  } catch (...) {  // out of memory
    strays_.fetch_add(1, std::memory_order_relaxed);
  }
}

void Assembler::offered(const DispatchInfo& dispatch) noexcept {
  apply(dispatch, IfUnknown::kOpen, [](Open& open) {
    open.facts.offered = true;
    open.window_open = true;
    return true;
  });
}

void Assembler::filtered(const DispatchInfo& dispatch, FilterReason reason) noexcept {
  apply(dispatch, IfUnknown::kOpen, [reason](Open& open) {
    open.facts.filtered = reason;
    return true;
  });
}

void Assembler::pass_begun(const DispatchInfo& dispatch) noexcept {
  apply(dispatch, IfUnknown::kOpen, [](Open& open) {
    ++open.facts.passes_begun;
    return true;
  });
}

void Assembler::enqueued(const DispatchInfo& dispatch) noexcept {
  apply(dispatch, IfUnknown::kOpen, [](Open& open) {
    open.awaits_single_run = false;
    ++open.executions;
    return true;
  });
}

void Assembler::counters_chosen(const DispatchInfo& dispatch, const Execution& execution, bool any,
                                std::optional<DeclineReason> declined) noexcept {
  apply(dispatch, IfUnknown::kOpen, [&](Open& open) {
    open.facts.declined = declined;
    if (any) {
      open.facts.counters_chosen = true;
      ++open.counted;
      execution_of(open.record, execution).group = execution.group;
    }
    return true;
  });
}

void Assembler::window_closed(const DispatchInfo& dispatch) noexcept {
  // Unknown: a window that was not offered to us, by a record that was not understood.
  apply(dispatch, IfUnknown::kIgnore, [](Open& open) {
    open.window_open = false;
    open.awaits_single_run = open.facts.passes_begun == 0 && open.executions == 0;
    return true;
  });
}

void Assembler::completed(const DispatchInfo& dispatch, const Execution& execution, const Interval& times) noexcept {
  // After the counters of its last execution the dispatch is gone, and nothing is missed.
  apply(dispatch, IfUnknown::kIgnore, [&](Open& open) {
    PassRecord& record = execution_of(open.record, execution);
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
  apply(dispatch, IfUnknown::kStray, [&](Open& open) {
    PassRecord& record = execution_of(open.record, execution);
    if (!record.counters.empty()) return false;  // a second delivery: the first stays
    record.group = execution.group;
    if (times.end_ns != 0) {
      record.start_ns = times.start_ns;
      record.end_ns = times.end_ns;
    }
    record.counters = std::move(readings.counters);
    record.values = std::move(readings.values);
    ++open.delivered;
    return true;
  });
}

bool Assembler::finished(const Open& open) noexcept {
  if (open.window_open || open.awaits_single_run) return false;
  if (open.counted > 0) return open.delivered >= open.counted;
  return all_ended(open);
}

bool Assembler::all_ended(const Open& open) noexcept {
  return !open.window_open && !open.awaits_single_run && open.completed > 0 && open.completed >= open.executions;
}

DispatchRecord Assembler::conclude(Open&& open) const {
  DispatchRecord record = std::move(open.record);
  // An execution that was submitted and of which nothing was ever heard has nothing to record.
  std::erase_if(record.passes, [](const PassRecord& pass) { return pass.end_ns == 0 && pass.counters.empty(); });
  std::sort(record.passes.begin(), record.passes.end(),
            [](const PassRecord& a, const PassRecord& b) { return a.pass < b.pass; });
  record.passes_planned = static_cast<std::uint32_t>(expected_.groups.size());
  Verdict verdict = judge(expected_, no_replay_.load(std::memory_order_relaxed), open.facts, record.passes);
  record.outcome = verdict.outcome;
  record.reason = std::move(verdict.reason);
  return record;
}

void Assembler::flush() noexcept {
  try {
    Table rest;
    {
      const std::lock_guard lock(mutex_);
      rest.swap(open_);
    }
    for (auto& [id, open] : rest) emit_(conclude(std::move(open)));
  } catch (...) {  // out of memory
    strays_.fetch_add(1, std::memory_order_relaxed);
  }
}

}  // namespace multipass::assemble
