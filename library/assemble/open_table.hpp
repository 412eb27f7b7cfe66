// SPDX-License-Identifier: MIT
//
// OpenTable: the open dispatches of ONE agent, found by id, in the order in which they were opened, and those of them
// that have ended in the order in which they did. Owned by the Assembler, whose lock guards it; give_back() too.
//
// Places are made in chunks, used again, and never freed: once a program has had its largest number of open dispatches,
// opening, taking and giving back allocate nothing. A place keeps the memory of its readings as well.
// Throws std::bad_alloc from the constructor and open() only.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "assemble/outcome.hpp"
#include "model/dispatch_info.hpp"

namespace multipass::assemble {

struct OpenDispatch {
  DispatchRecord record;
  RunFacts facts;
  bool window_open = false;
  bool awaits_single_run = false;  // the window closed without a pass: the dispatch itself follows
  std::uint32_t executions = 0;    // submitted
  std::uint32_t completed = 0;     // of which ended
  std::uint32_t counted = 0;       // of which were given counters
  std::uint32_t delivered = 0;     // of which delivered them
  std::uint32_t extras = 0;        // submitted executions that read no counters by choice
  std::uint32_t extras_ended = 0;  // of which ended

  // A pass record with the memory of an earlier one.
  PassRecord& add_pass(const Execution& execution);
  // As new, with all memory kept.
  void clear() noexcept;

 private:
  friend class OpenTable;
  std::vector<Readings> spare_;  // empty, with the memory of readings
  OpenDispatch* next_in_bucket_ = nullptr;
  OpenDispatch *older_ = nullptr, *newer_ = nullptr;               // of all
  OpenDispatch *ended_before_ = nullptr, *ended_after_ = nullptr;  // of those that have ended
  bool ended_ = false;
};

class OpenTable final {
 public:
  // `passes`: how many a dispatch is expected to have.
  explicit OpenTable(std::size_t passes);
  OpenTable(const OpenTable&) = delete;
  OpenTable& operator=(const OpenTable&) = delete;
  ~OpenTable() = default;

  [[nodiscard]] OpenDispatch* find(DispatchId id) const noexcept;
  // Of a dispatch that is not in the table.
  OpenDispatch& open(DispatchId id);
  // Out of the table; its place stays in use until it is given back.
  void take(OpenDispatch& dispatch) noexcept;
  void give_back(OpenDispatch& dispatch) noexcept;  // cleared

  // All executions of it have ended, or not.
  void set_ended(OpenDispatch& dispatch, bool ended) noexcept;

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t ended() const noexcept { return ended_count_; }
  [[nodiscard]] OpenDispatch* oldest() const noexcept { return oldest_; }
  [[nodiscard]] static OpenDispatch* newer(const OpenDispatch& dispatch) noexcept { return dispatch.newer_; }
  [[nodiscard]] OpenDispatch* first_ended() const noexcept { return first_ended_; }
  [[nodiscard]] std::size_t places() const noexcept { return chunks_.size() * kChunk; }  // for tests

 private:
  static constexpr std::size_t kChunk = 64;
  void grow();
  [[nodiscard]] std::size_t bucket(DispatchId id) const noexcept;
  void put(OpenDispatch& dispatch) noexcept;  // into its bucket

  const std::size_t passes_;
  std::vector<std::unique_ptr<OpenDispatch[]>> chunks_;
  OpenDispatch* free_ = nullptr;        // linked by next_in_bucket_
  std::vector<OpenDispatch*> buckets_;  // a power of two of them
  unsigned bucket_bits_ = 0;
  OpenDispatch *oldest_ = nullptr, *newest_ = nullptr;
  OpenDispatch *first_ended_ = nullptr, *last_ended_ = nullptr;
  std::size_t size_ = 0;
  std::size_t ended_count_ = 0;
};

}  // namespace multipass::assemble
