// SPDX-License-Identifier: MIT
#include "sdk/memory_kinds.hpp"

#include "sdk/tracing_kinds.hpp"

namespace multipass::sdk {
namespace {

static_assert(static_cast<std::size_t>(HsaCall::kExportDmabuf2) + 1 == kHsaCallNames.size());
static_assert(static_cast<std::size_t>(HipCall::kHostUnregister) + 1 == kHipCallNames.size());

template <class Kind, std::size_t N>
std::optional<Kind> find_calls(const char* kind_name, const std::array<const char*, N>& names) noexcept {
  const std::optional<int> number = find_kind(kind_name);
  if (!number) return std::nullopt;
  Kind kind;
  kind.kind = *number;
  for (std::size_t i = 0; i < N; ++i) kind.operations[i] = find_operation(*number, names[i]).value_or(Kind::kMissing);
  return kind;
}

}  // namespace

MemoryKinds find_memory_kinds() noexcept {
  MemoryKinds kinds;
  kinds.allocations = find_kind("MEMORY_ALLOCATION");
  kinds.copies = find_kind("MEMORY_COPY");
  kinds.hsa = find_calls<HsaKind>("HSA_AMD_EXT_API", kHsaCallNames);
  kinds.hip = find_calls<HipKind>("HIP_RUNTIME_API", kHipCallNames);
  return kinds;
}

}  // namespace multipass::sdk
