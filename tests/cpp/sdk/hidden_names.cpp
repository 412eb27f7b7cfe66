// SPDX-License-Identifier: MIT
#include "sdk/hidden_names.hpp"

#include <dlfcn.h>

#include "sdk/abi/rocprofiler.h"

namespace multipass::sdk_test {

std::set<std::string>& hidden_names() {
  static std::set<std::string> names;
  return names;
}

namespace {

template <class Function>
Function* behind(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

rocprofiler_status_t hide(const char** name, rocprofiler_status_t status, rocprofiler_status_t if_hidden) {
  if (*name == nullptr || !hidden_names().contains(*name)) return status;
  *name = nullptr;
  return if_hidden;
}

}  // namespace
}  // namespace multipass::sdk_test

using multipass::sdk_test::behind;
using multipass::sdk_test::hide;

rocprofiler_status_t rocprofiler_query_callback_tracing_kind_name(rocprofiler_callback_tracing_kind_t kind,
                                                                  const char** name, uint64_t* name_len) {
  static auto* const behind_it =
      behind<decltype(rocprofiler_query_callback_tracing_kind_name)>("rocprofiler_query_callback_tracing_kind_name");
  return hide(name, behind_it(kind, name, name_len), ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND);
}

rocprofiler_status_t rocprofiler_query_callback_tracing_kind_operation_name(rocprofiler_callback_tracing_kind_t kind,
                                                                            rocprofiler_tracing_operation_t operation,
                                                                            const char** name, uint64_t* name_len) {
  static auto* const behind_it = behind<decltype(rocprofiler_query_callback_tracing_kind_operation_name)>(
      "rocprofiler_query_callback_tracing_kind_operation_name");
  return hide(name, behind_it(kind, operation, name, name_len), ROCPROFILER_STATUS_ERROR_OPERATION_NOT_FOUND);
}
