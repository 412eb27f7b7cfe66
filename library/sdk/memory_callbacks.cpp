// SPDX-License-Identifier: MIT
#include "sdk/memory_callbacks.hpp"

#include <cstddef>
#include <utility>

#include "sdk/in_callback.hpp"
#include "sdk/status_text.hpp"
#include "sdk/tap.hpp"

namespace multipass::sdk {
namespace {

using AllocationPayload = rocprofiler_callback_tracing_memory_allocation_data_t;
using CopyPayload = rocprofiler_callback_tracing_memory_copy_data_t;

constexpr std::uint64_t kAllocationNeeded =
    offsetof(AllocationPayload, allocation_size) + sizeof(AllocationPayload::allocation_size);
constexpr std::uint64_t kCopyNeeded = offsetof(CopyPayload, src_agent_id) + sizeof(CopyPayload::src_agent_id);
// Whether `payload` of `needed` bytes may be read.
template <class Payload>
bool is_whole(const Payload* payload, std::uint64_t needed) noexcept {
  return payload != nullptr && payload->size >= needed;
}

using Method = void (MemoryCallbacks::*)(const rocprofiler_callback_tracing_record_t&,
                                         rocprofiler_user_data_t*) noexcept;

// What the SDK calls. `self`: the MemoryCallbacks.
template <Method kMethod>
void forward(rocprofiler_callback_tracing_record_t record, rocprofiler_user_data_t* user_data, void* self) noexcept {
  const InCallback here;
  const TracingTap tap(record, user_data);
  (static_cast<MemoryCallbacks*>(self)->*kMethod)(record, user_data);
}

}  // namespace

std::string MemoryCallbacks::configure_one(const char* what, std::optional<int> kind,
                                           const std::vector<std::int32_t>& operations,
                                           rocprofiler_callback_tracing_cb_t callback) {
  if (!kind) return std::string(what) + ": this SDK does not trace them";
  const rocprofiler_status_t status = rocprofiler_configure_callback_tracing_service(
      context_, static_cast<rocprofiler_callback_tracing_kind_t>(*kind),
      operations.empty() ? nullptr : operations.data(), operations.size(), callback, this);
  return status == ROCPROFILER_STATUS_SUCCESS ? std::string() : std::string(what) + ": " + status_text(status);
}

void MemoryCallbacks::configure(rocprofiler_context_id_t context, const MemoryKinds& kinds, Find find) {
  context_ = context;
  find_ = std::move(find);
  const auto add = [this](const std::string& why) { why_not_ += (why_not_.empty() || why.empty() ? "" : "; ") + why; };
  const auto calls = [&add, this](const char* what, const auto& kind, auto& own, const auto& names,
                                  rocprofiler_callback_tracing_cb_t callback) {
    std::vector<std::int32_t> operations;
    if (kind) {
      own = *kind;
      for (std::size_t i = 0; i < names.size(); ++i)
        if (own.operations[i] != own.kMissing) operations.push_back(own.operations[i]);
    }
    // No list would be all operations.
    add(configure_one(what, operations.empty() ? std::nullopt : std::optional(kind->kind), operations, callback));
  };
  // All operations of the first two: the SDK compares what is asked for with numbers of HSA's functions there
  // (hsa/memory_allocation.cpp @1b1610fc), so that a list of operations would let nothing through.
  add(configure_one("allocations", kinds.allocations, {}, forward<&MemoryCallbacks::on_allocation>));
  add(configure_one("copies", kinds.copies, {}, forward<&MemoryCallbacks::on_copy>));
  calls("calls of HSA for virtual, shared and managed memory", kinds.hsa, hsa_, kHsaCallNames,
        forward<&MemoryCallbacks::on_hsa>);
  calls("calls of HIP for managed, pool, fine-grained and pinned memory", kinds.hip, hip_, kHipCallNames,
        forward<&MemoryCallbacks::on_hip>);
}

void MemoryCallbacks::not_understood() noexcept {
  if (odd_record_.first())
    log_literal(
        LogLevel::kWarning,
        "the SDK's records of memory are laid out in another way than the known one: what the program has of "
        "managed, pooled, mapped, pinned and shared memory may not be seen, and kernels are replayed in spite of it; "
        "--replay rotate is safe");
}

void MemoryCallbacks::allocated(MemoryClass kind, std::optional<AgentIndex> agent, const void* address,
                                std::uint64_t bytes) noexcept {
  if (address != nullptr && bytes != 0)
    listener_.memory_allocated({kind, agent, reinterpret_cast<std::uintptr_t>(address), bytes});
}

// A call that frees or releases may fail, and its record does not tell: that it ends what it names is as good as sure.
void MemoryCallbacks::on_allocation(const rocprofiler_callback_tracing_record_t& record,
                                    rocprofiler_user_data_t* user_data) noexcept {
  if (detached_.load(std::memory_order_relaxed) || user_data == nullptr) return;
  const auto* payload = static_cast<const AllocationPayload*>(record.payload);
  if (!is_whole(payload, kAllocationNeeded)) {
    not_understood();
    return;
  }
  const bool enter = record.phase == ROCPROFILER_CALLBACK_PHASE_ENTER;
  const bool exit = record.phase == ROCPROFILER_CALLBACK_PHASE_EXIT;
  const std::uint64_t address = payload->address.value;
  if (record.operation == ROCPROFILER_MEMORY_ALLOCATION_ALLOCATE && exit) {
    const Whose whose = find_(payload->agent_id.handle);
    if (whose.place == Place::kHost) return;
    allocated(MemoryClass::kDevice, whose.place == Place::kGpu ? std::optional(whose.agent) : std::nullopt,
              payload->address.ptr, payload->allocation_size);
  } else if (record.operation == ROCPROFILER_MEMORY_ALLOCATION_FREE) {
    if (enter) user_data->value = listener_.memory_call_begins();
    if (exit && address != 0) listener_.memory_ended(MemoryEnd::kFreed, address, 0, user_data->value);
  } else if (record.operation == ROCPROFILER_MEMORY_ALLOCATION_VMEM_ALLOCATE && exit) {
    const Whose whose = find_(payload->agent_id.handle);
    using Owner = VmemHandles::Owner;
    const Owner owner = whose.place == Place::kGpu    ? Owner::kAgent
                        : whose.place == Place::kHost ? Owner::kHost
                                                      : Owner::kUnknown;
    handles_.created(payload->address.handle, {owner, whose.agent});
  } else if (record.operation == ROCPROFILER_MEMORY_ALLOCATION_VMEM_FREE && enter) {
    handles_.released(payload->address.handle);  // before another one may be called the same
  }
}

void MemoryCallbacks::on_copy(const rocprofiler_callback_tracing_record_t& record,
                              rocprofiler_user_data_t* user_data) noexcept {
  if (detached_.load(std::memory_order_relaxed) || user_data == nullptr) return;
  if (record.phase == ROCPROFILER_CALLBACK_PHASE_EXIT) {
    listener_.copy_ends(user_data->value);
    return;
  }
  if (record.phase != ROCPROFILER_CALLBACK_PHASE_ENTER) return;
  const auto* payload = static_cast<const CopyPayload*>(record.payload);
  if (!is_whole(payload, kCopyNeeded)) {
    not_understood();
    return;
  }
  const auto gpu = [this](rocprofiler_agent_id_t id) {
    const Whose whose = find_(id.handle);
    return whose.place == Place::kGpu ? std::optional(whose.agent) : std::nullopt;
  };
  user_data->value = listener_.copy_begins(gpu(payload->src_agent_id), gpu(payload->dst_agent_id));
}

}  // namespace multipass::sdk
