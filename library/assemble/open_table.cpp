// SPDX-License-Identifier: MIT
#include "assemble/open_table.hpp"

#include <algorithm>
#include <utility>

namespace multipass::assemble {
namespace {

constexpr unsigned kFirstBucketBits = 7;

}  // namespace

PassRecord& OpenDispatch::add_pass(const Execution& execution) {
  PassRecord& made = record.passes.emplace_back();
  made.pass = execution.pass;
  made.group = execution.group;
  if (!spare_.empty()) {
    made.counters = std::move(spare_.back().counters);
    made.values = std::move(spare_.back().values);
    spare_.pop_back();
  }
  return made;
}

void OpenDispatch::clear() noexcept {
  for (PassRecord& pass : record.passes) {
    if (spare_.size() == spare_.capacity()) break;  // more passes than are planned: their memory is let go
    Readings& kept = spare_.emplace_back();
    kept.counters = std::move(pass.counters);
    kept.values = std::move(pass.values);
    kept.counters.clear();
    kept.values.clear();
  }
  std::vector<PassRecord> passes = std::move(record.passes);
  std::string reason = std::move(record.reason);
  passes.clear();
  reason.clear();
  record = DispatchRecord{};
  record.passes = std::move(passes);
  record.reason = std::move(reason);
  facts = RunFacts{};
  window_open = false;
  awaits_single_run = false;
  executions = completed = counted = delivered = extras = extras_ended = 0;
}

OpenTable::OpenTable(std::size_t passes)
    : passes_(passes), buckets_(std::size_t{1} << kFirstBucketBits), bucket_bits_(kFirstBucketBits) {
  grow();
}

// Ids are handed out in turn, and agents take every n-th: the product spreads them, its upper bits are the best.
std::size_t OpenTable::bucket(DispatchId id) const noexcept {
  return static_cast<std::size_t>((id.value * 0x9E3779B97F4A7C15U) >> (64U - bucket_bits_));
}

void OpenTable::put(OpenDispatch& dispatch) noexcept {
  OpenDispatch*& head = buckets_[bucket(dispatch.record.dispatch_id)];
  dispatch.next_in_bucket_ = head;
  head = &dispatch;
}

void OpenTable::grow() {
  auto chunk = std::make_unique<OpenDispatch[]>(kChunk);
  for (std::size_t i = 0; i < kChunk; ++i) {
    chunk[i].record.passes.reserve(passes_);
    chunk[i].record.reason.reserve(Reason::kMaxSize);
    chunk[i].spare_.reserve(passes_);
  }
  chunks_.reserve(chunks_.size() + 1);
  if ((chunks_.size() + 1) * kChunk > buckets_.size()) {
    buckets_.resize(buckets_.size() * 2);
    ++bucket_bits_;
    std::fill(buckets_.begin(), buckets_.end(), nullptr);
    for (OpenDispatch* each = oldest_; each != nullptr; each = each->newer_) put(*each);
  }
  chunks_.push_back(std::move(chunk));
  for (std::size_t i = kChunk; i-- > 0;) give_back(chunks_.back()[i]);
}

OpenDispatch* OpenTable::find(DispatchId id) const noexcept {
  OpenDispatch* at = buckets_[bucket(id)];
  while (at != nullptr && at->record.dispatch_id != id) at = at->next_in_bucket_;
  return at;
}

OpenDispatch& OpenTable::open(DispatchId id) {
  if (free_ == nullptr) grow();
  OpenDispatch& made = *std::exchange(free_, free_->next_in_bucket_);
  made.record.dispatch_id = id;
  put(made);
  made.older_ = newest_;
  made.newer_ = nullptr;
  (newest_ == nullptr ? oldest_ : newest_->newer_) = &made;
  newest_ = &made;
  ++size_;
  return made;
}

void OpenTable::take(OpenDispatch& dispatch) noexcept {
  OpenDispatch** at = &buckets_[bucket(dispatch.record.dispatch_id)];
  while (*at != &dispatch) at = &(*at)->next_in_bucket_;
  *at = dispatch.next_in_bucket_;
  set_ended(dispatch, false);
  (dispatch.older_ == nullptr ? oldest_ : dispatch.older_->newer_) = dispatch.newer_;
  (dispatch.newer_ == nullptr ? newest_ : dispatch.newer_->older_) = dispatch.older_;
  --size_;
}

void OpenTable::give_back(OpenDispatch& dispatch) noexcept {
  dispatch.next_in_bucket_ = free_;
  free_ = &dispatch;
}

void OpenTable::set_ended(OpenDispatch& dispatch, bool ended) noexcept {
  if (dispatch.ended_ == ended) return;
  dispatch.ended_ = ended;
  if (ended) {
    dispatch.ended_before_ = last_ended_;
    dispatch.ended_after_ = nullptr;
    (last_ended_ == nullptr ? first_ended_ : last_ended_->ended_after_) = &dispatch;
    last_ended_ = &dispatch;
    ++ended_count_;
    return;
  }
  (dispatch.ended_before_ == nullptr ? first_ended_ : dispatch.ended_before_->ended_after_) = dispatch.ended_after_;
  (dispatch.ended_after_ == nullptr ? last_ended_ : dispatch.ended_after_->ended_before_) = dispatch.ended_before_;
  --ended_count_;
}

}  // namespace multipass::assemble
