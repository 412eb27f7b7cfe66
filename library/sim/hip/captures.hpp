// SPDX-License-Identifier: MIT
//
// Streams that record a graph instead of running what they are given. A capture begins on one stream; others join it
// when they wait for an event that was recorded in it. Owned by the runtime; any thread.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "sim/hip/graphs.hpp"
#include "sim/hip/streams.hpp"

namespace multipass_sim {

class StreamCapture final {
 public:
  explicit StreamCapture(const Stream* origin) : origin_(origin) { tails_[origin]; }

  // Appends a node behind the stream's newest.
  void add(const Stream* stream, GraphNode node);
  // What the next node of the stream would depend on.
  [[nodiscard]] std::vector<const GraphNode*> tail(const Stream* stream) const;
  // The stream's next node depends on these as well.
  void join(const Stream* stream, const std::vector<const GraphNode*>& nodes);
  void spoil();
  [[nodiscard]] bool spoilt() const;
  [[nodiscard]] const Stream* origin() const noexcept { return origin_; }
  // True: the origin's newest node depends, through others, on all there is.
  [[nodiscard]] bool all_joined() const;
  [[nodiscard]] std::shared_ptr<Graph> graph() const noexcept { return graph_; }

 private:
  const Stream* const origin_;
  mutable std::mutex mutex_;
  const std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
  std::map<const Stream*, std::vector<const GraphNode*>> tails_;
  bool spoilt_ = false;
};

class Captures final {
 public:
  // The capture that the stream is in, or null. Costs one atomic load when there is none at all.
  [[nodiscard]] std::shared_ptr<StreamCapture> of(const Stream* stream) const;
  // False: the stream is in one already.
  [[nodiscard]] bool begin(const Stream* stream);
  void join(const Stream* stream, const std::shared_ptr<StreamCapture>& capture);
  [[nodiscard]] bool is_active(const std::shared_ptr<StreamCapture>& capture) const;
  // Ends the capture for all its streams. Null: nothing.
  void end(const std::shared_ptr<StreamCapture>& capture);

 private:
  mutable std::mutex mutex_;
  std::map<const Stream*, std::shared_ptr<StreamCapture>> captures_;
  std::atomic<std::size_t> streams_{0};
};

}  // namespace multipass_sim
