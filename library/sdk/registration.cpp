// SPDX-License-Identifier: MIT
#include "sdk/registration.hpp"

#include <exception>
#include <string>

#include "sdk/abi/rocprofiler.h"
#include "sdk/status_text.hpp"

namespace multipass::sdk {
namespace {

// What initialize runs and what came of it; on the stack of run_registered.
struct Registered {
  const std::function<void()>* work = nullptr;
  bool ran = false;
  Status status;
};

// Called through C by the SDK: nothing may be thrown out of it.
int initialize(rocprofiler_client_finalize_t, void* data) noexcept {
  auto& registered = *static_cast<Registered*>(data);
  registered.ran = true;
  try {
    (*registered.work)();
  } catch (const std::exception& error) {
    registered.status = Status::error(error.what());
  } catch (...) {
    registered.status = Status::error("an unknown error");
  }
  return 0;
}

// The SDK hands no data to configure and keeps the pointer that it returns: the one mutable global of this file.
rocprofiler_tool_configure_result_t g_result{sizeof(rocprofiler_tool_configure_result_t), &initialize, nullptr,
                                             nullptr};

rocprofiler_tool_configure_result_t* configure(std::uint32_t, const char*, std::uint32_t,
                                               rocprofiler_client_id_t* client) noexcept {
  if (client != nullptr) client->name = "rocprofsys-multipass-counters";
  return &g_result;
}

}  // namespace

Status run_registered(const std::function<void()>& work) {
  Registered registered{&work, false, Status::ok()};
  g_result.tool_data = &registered;
  const rocprofiler_status_t status = rocprofiler_force_configure(&configure);
  g_result.tool_data = nullptr;
  if (status != ROCPROFILER_STATUS_SUCCESS)
    return Status::error("the SDK does not accept this program as a tool: " + status_text(status));
  if (!registered.ran) return Status::error("the SDK accepted this program as a tool and did not initialise it");
  return registered.status;
}

}  // namespace multipass::sdk
