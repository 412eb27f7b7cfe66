// SPDX-License-Identifier: MIT
#include "sim/hip/captures.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace multipass_sim {

void StreamCapture::add(const Stream* stream, GraphNode node) {
  const std::lock_guard lock(mutex_);
  std::vector<const GraphNode*>& tail = tails_[stream];
  node.dependencies = tail;
  tail = {graph_->add(std::move(node))};
}

std::vector<const GraphNode*> StreamCapture::tail(const Stream* stream) const {
  const std::lock_guard lock(mutex_);
  const auto found = tails_.find(stream);
  return found == tails_.end() ? std::vector<const GraphNode*>() : found->second;
}

void StreamCapture::join(const Stream* stream, const std::vector<const GraphNode*>& nodes) {
  const std::lock_guard lock(mutex_);
  std::vector<const GraphNode*>& tail = tails_[stream];
  for (const GraphNode* node : nodes) {
    if (std::find(tail.begin(), tail.end(), node) == tail.end()) tail.push_back(node);
  }
}

void StreamCapture::spoil() {
  const std::lock_guard lock(mutex_);
  spoilt_ = true;
}

bool StreamCapture::spoilt() const {
  const std::lock_guard lock(mutex_);
  return spoilt_;
}

bool StreamCapture::all_joined() const {
  const std::lock_guard lock(mutex_);
  std::vector<const GraphNode*> open = tails_.at(origin_);
  std::set<const GraphNode*> reached(open.begin(), open.end());
  while (!open.empty()) {
    const GraphNode* const node = open.back();
    open.pop_back();
    for (const GraphNode* needed : node->dependencies) {
      if (reached.insert(needed).second) open.push_back(needed);
    }
  }
  return reached.size() == graph_->nodes().size();
}

std::shared_ptr<StreamCapture> Captures::of(const Stream* stream) const {
  if (streams_.load(std::memory_order_acquire) == 0) return nullptr;
  const std::lock_guard lock(mutex_);
  const auto found = captures_.find(stream);
  return found == captures_.end() ? nullptr : found->second;
}

bool Captures::begin(const Stream* stream) {
  auto capture = std::make_shared<StreamCapture>(stream);
  const std::lock_guard lock(mutex_);
  const bool fresh = captures_.try_emplace(stream, std::move(capture)).second;
  streams_.store(captures_.size(), std::memory_order_release);
  return fresh;
}

void Captures::join(const Stream* stream, const std::shared_ptr<StreamCapture>& capture) {
  const std::lock_guard lock(mutex_);
  captures_[stream] = capture;
  streams_.store(captures_.size(), std::memory_order_release);
}

bool Captures::is_active(const std::shared_ptr<StreamCapture>& capture) const {
  const std::lock_guard lock(mutex_);
  return std::any_of(captures_.begin(), captures_.end(), [&](const auto& entry) { return entry.second == capture; });
}

void Captures::end(const std::shared_ptr<StreamCapture>& capture) {
  if (capture == nullptr) return;
  const std::lock_guard lock(mutex_);
  for (auto entry = captures_.begin(); entry != captures_.end();) {
    entry = entry->second == capture ? captures_.erase(entry) : std::next(entry);
  }
  streams_.store(captures_.size(), std::memory_order_release);
}

}  // namespace multipass_sim
