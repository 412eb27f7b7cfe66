// SPDX-License-Identifier: MIT
//
// The registers that a request can touch on one agent, and the rule by which a pass holds them.
//
// The rule (measured against rocprofiler-sdk 1.0.0 and aqlprofile, ROCm/rocm-systems @1b1610fc): a block programs one
// register per distinct key, and fits when there are no more keys than slots. A key X@FLAG (an accumulation) needs the
// plain X in the register before it, so it brings a hidden register unless X is in the pass anyway, and one X serves
// one accumulation. Two accumulations of one X never share a pass: the second would accumulate the wrong register.
//
// Since they never do, "a hidden register per accumulation, unless X is there" is the same as "an accumulation costs
// X@FLAG and X": costs here are closed in that sense, and a pass fits when for every pool the union of its costs is no
// larger than the capacity and no X has two flags. A pool is a block, or several blocks that share registers.
//
// Immutable once made; threads: any. Errors: none but std::bad_alloc.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "model/agent.hpp"

namespace multipass::planner {

using RegisterId = std::uint32_t;
using PoolId = std::uint32_t;
// A whole pool, in the unit of shares: divisible by every capacity up to 16. Integers, so that every machine packs
// alike.
inline constexpr std::uint64_t kWholePool = 720'720;
inline constexpr RegisterId kNoRegister = std::numeric_limits<RegisterId>::max();

struct Register {
  PoolId pool = 0;
  RegisterId accumulates = kNoRegister;  // of X@FLAG: the register X
  std::vector<RegisterId> accumulators;  // of X: every X@FLAG
};

struct Pool {
  std::string name;
  std::uint32_t capacity = 0;
};

// What an item programs: closed, sorted, without duplicates. Ids are ordered by pool, so each pool is one stretch.
using Cost = std::vector<RegisterId>;

class RegisterModel final {
 public:
  // Knows the registers of `counters` only; names that the catalogue does not have are passed over.
  RegisterModel(const AgentCatalogue& catalogue, const std::set<std::string>& counters);

  [[nodiscard]] const std::vector<Register>& registers() const noexcept { return registers_; }
  [[nodiscard]] const std::vector<Pool>& pools() const noexcept { return pools_; }

  // What part of its pool a register takes; of a pool without slots: more than all of it.
  [[nodiscard]] std::uint64_t share(RegisterId id) const noexcept {
    const std::uint32_t capacity = pools_[registers_[id].pool].capacity;
    return capacity == 0 ? 2 * kWholePool : kWholePool / capacity;
  }

  // The cost of counters together. All must have been named to the constructor.
  [[nodiscard]] Cost cost_of(const std::vector<std::string>& counters) const;

 private:
  struct Key {
    std::string pool;
    RegisterKey key;
    friend auto operator<=>(const Key&, const Key&) = default;
  };

  [[nodiscard]] Key key_of(const RegisterKey& key) const;
  void collect(const std::set<std::string>& counters);
  void make_pools();
  void make_registers();

  const AgentCatalogue& catalogue_;
  std::map<Key, RegisterId> ids_;
  std::vector<Register> registers_;
  std::vector<Pool> pools_;
};

// "SQ_LEVEL_WAVES" of "SQ_LEVEL_WAVES@HIGH_RES"; empty when the key is a plain one.
[[nodiscard]] std::string accumulated_counter(const std::string& key_name);

}  // namespace multipass::planner
