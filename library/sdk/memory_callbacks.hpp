// SPDX-License-Identifier: MIT
//
// MemoryCallbacks: what the SDK tells of the application's memory and copies, to the Listener.
//
// Owned by SdkServices. Configured while the tool initialises; the callbacks come on the threads that allocate, free
// and copy, and on a thread of the SDK when a copy has ended. Nothing is asked of HSA or HIP: it is all in the records.
// memory_callbacks.cpp has allocations and copies, memory_calls.cpp the calls of HSA and HIP.
// Errors: what is not traced, or told in a way that is not understood, is not seen; why_not() and one warning say so.
//
// Limits. An allocation's record has no result: one that failed is told with whatever stood in the caller's variable,
// and counts for as long as nothing is freed there. Fine-grained memory is known by HIP's flags only. Seen is what goes
// through HSA and HIP: memory that a GPU reaches without a call, by page faults (XNACK), is not.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/log.hpp"
#include "sdk/abi/rocprofiler.h"
#include "sdk/listener.hpp"
#include "sdk/memory_kinds.hpp"
#include "sdk/vmem_handles.hpp"

namespace multipass::sdk {

class MemoryCallbacks final {
 public:
  // What an agent's handle stands for: an agent that is a GPU, a CPU (no memory of a GPU), or not known.
  enum class Place : std::uint8_t { kUnknown, kHost, kGpu };
  struct Whose {
    Place place = Place::kUnknown;
    AgentIndex agent{};  // of a GPU
  };
  using Find = std::function<Whose(std::uint64_t handle)>;

  // `detached`: from then on no callback does anything. Both must outlive this object.
  MemoryCallbacks(Listener& listener, const std::atomic<bool>& detached) : listener_(listener), detached_(detached) {}

  void configure(rocprofiler_context_id_t context, const MemoryKinds& kinds, Find find);
  // What is not traced, and why; empty: everything is.
  [[nodiscard]] const std::string& why_not() const noexcept { return why_not_; }

  // What the C callbacks forward to.
  void on_allocation(const rocprofiler_callback_tracing_record_t& record, rocprofiler_user_data_t* user_data) noexcept;
  void on_copy(const rocprofiler_callback_tracing_record_t& record, rocprofiler_user_data_t* user_data) noexcept;
  void on_hsa(const rocprofiler_callback_tracing_record_t& record, rocprofiler_user_data_t* user_data) noexcept;
  void on_hip(const rocprofiler_callback_tracing_record_t& record, rocprofiler_user_data_t* user_data) noexcept;

 private:
  [[nodiscard]] std::string configure_one(const char* what, std::optional<int> kind,
                                          const std::vector<std::int32_t>& operations,
                                          rocprofiler_callback_tracing_cb_t callback);
  // Of a call of `kind`, whose payload ends in `result` bytes of result.
  template <class Kind>
  void on_call(const Kind& kind, std::uint64_t result, const rocprofiler_callback_tracing_record_t& record,
               rocprofiler_user_data_t* user_data) noexcept;
  void succeeded(HsaCall call, const void* args, std::uint64_t mark) noexcept;
  void succeeded(HipCall call, const void* args, std::uint64_t mark) noexcept;
  void mapped(const multipass_hsa_amd_vmem_map_args& args) noexcept;
  void allocated(MemoryClass kind, std::optional<AgentIndex> agent, const void* address, std::uint64_t bytes) noexcept;
  void not_understood() noexcept;

  Listener& listener_;
  const std::atomic<bool>& detached_;
  rocprofiler_context_id_t context_{};  // immutable after configure, as those that follow
  HsaKind hsa_;
  HipKind hip_;
  Find find_;
  std::string why_not_;
  VmemHandles handles_;
  OnceFlag odd_record_;
};

}  // namespace multipass::sdk
