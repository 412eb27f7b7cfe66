// SPDX-License-Identifier: MIT
#include "sdk/tracing_kinds.hpp"

#include <cstring>

#include "sdk/abi/rocprofiler.h"

namespace multipass::sdk {
namespace {

struct KindSearch {
  const char* name;
  std::optional<int> found;
};

int match_kind(rocprofiler_callback_tracing_kind_t kind, void* search) noexcept {
  auto& wanted = *static_cast<KindSearch*>(search);
  const char* name = nullptr;
  if (rocprofiler_query_callback_tracing_kind_name(kind, &name, nullptr) != ROCPROFILER_STATUS_SUCCESS) return 0;
  if (name == nullptr || std::strcmp(name, wanted.name) != 0) return 0;
  wanted.found = static_cast<int>(kind);
  return 1;
}

struct OperationSearch {
  const char* name;
  std::optional<std::int32_t> found;
};

int match_operation(rocprofiler_callback_tracing_kind_t kind, rocprofiler_tracing_operation_t operation,
                    void* search) noexcept {
  auto& wanted = *static_cast<OperationSearch*>(search);
  const char* name = nullptr;
  if (rocprofiler_query_callback_tracing_kind_operation_name(kind, operation, &name, nullptr) !=
          ROCPROFILER_STATUS_SUCCESS ||
      name == nullptr || std::strcmp(name, wanted.name) != 0)
    return 0;
  wanted.found = operation;
  return 1;
}

}  // namespace

std::optional<int> find_kind(const char* name) noexcept {
  KindSearch search{name, {}};
  if (rocprofiler_iterate_callback_tracing_kinds(match_kind, &search) != ROCPROFILER_STATUS_SUCCESS)
    return std::nullopt;
  return search.found;
}

std::optional<std::int32_t> find_operation(int kind, const char* name) noexcept {
  OperationSearch search{name, {}};
  if (rocprofiler_iterate_callback_tracing_kind_operations(static_cast<rocprofiler_callback_tracing_kind_t>(kind),
                                                           match_operation, &search) != ROCPROFILER_STATUS_SUCCESS)
    return std::nullopt;
  return search.found;
}

}  // namespace multipass::sdk
