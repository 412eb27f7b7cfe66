// SPDX-License-Identifier: MIT
//
// NoReplayList: which kernels are never replayed, by name. A kernel that waits for another GPU or for the host hangs
// when its agent is drained and it runs again; kernels of the runtime itself are of no interest. They run once and read
// one group. Searched once for each kernel, when it becomes known. Immutable; any thread. Owned by the Session.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/status.hpp"
#include "replay/pattern.hpp"

namespace multipass::replay {

class NoReplayList final {
 public:
  // Collectives (NCCL, RCCL, MSCCL, rocSHMEM, and device kernels named like theirs) and what the HIP runtime launches
  // itself. A template's demangled name begins with its return type.
  static constexpr const char* kBuiltin = "^(void )?(nccl|rccl|msccl|rocshmem|__amd_rocclr_)|DevKernel";

  NoReplayList() = default;  // no kernel

  // `pattern`: of the user, may be empty; `builtin`: with kBuiltin too. An error names setting, text, column and fault.
  static Result<NoReplayList> create(const std::string& pattern, bool builtin);

  // Nothing: a pattern could not be searched in the name to the end.
  [[nodiscard]] std::optional<bool> contains(std::string_view demangled) const noexcept;

 private:
  std::optional<Pattern> user_;
  std::optional<Pattern> builtin_;
};

}  // namespace multipass::replay
