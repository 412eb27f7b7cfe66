// SPDX-License-Identifier: MIT
//
// What a tool is told of the memory that an application of the HIP subset uses: MEMORY_ALLOCATION, MEMORY_COPY and the
// calls of HSA and HIP.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hip/hip_runtime.h>
#include <unistd.h>

#include <cstring>
#include <mutex>
#include <string>
#include <vector>

#include "isolated.hpp"
#include "services.hpp"
#include "test_tool.hpp"

namespace sim_sdk_test {
namespace {

using testing::ElementsAre;

constexpr auto kAllocation = ROCPROFILER_CALLBACK_TRACING_MEMORY_ALLOCATION;
constexpr auto kCopy = ROCPROFILER_CALLBACK_TRACING_MEMORY_COPY;
constexpr auto kHsa = ROCPROFILER_CALLBACK_TRACING_HSA_AMD_EXT_API;
constexpr auto kHip = ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API;

std::string name_of(const rocprofiler_callback_tracing_record_t& record) {
  const char* name = nullptr;
  EXPECT_EQ(rocprofiler_query_callback_tracing_kind_operation_name(record.kind, record.operation, &name, nullptr), 0);
  return name == nullptr ? "?" : name;
}

// Status of the call, which stands behind the parameters of any function: found from the end.
std::uint32_t status_of(const rocprofiler_callback_tracing_record_t& record) {
  std::uint64_t size = 0;
  std::memcpy(&size, record.payload, sizeof(size));
  const std::uint64_t result = record.kind == kHsa ? MULTIPASS_HSA_RETVAL_SIZE : MULTIPASS_HIP_RETVAL_SIZE;
  std::uint32_t status = 0;
  std::memcpy(&status, static_cast<const char*>(record.payload) + size - result, sizeof(status));
  return status;
}

template <class Args>
Args args_of(const rocprofiler_callback_tracing_record_t& record) {
  Args args;
  std::memcpy(&args, static_cast<const char*>(record.payload) + MULTIPASS_API_ARGS_OFFSET, sizeof(args));
  return args;
}

// A tool that follows one or more kinds and writes down what it hears; `hears` adds to that, with the lock held.
struct Listener {
  Services services;
  rocprofiler_context_id_t context{0};
  const pid_t main_thread = gettid();
  std::mutex mutex;
  std::vector<std::string> events;
  std::function<std::string(const rocprofiler_callback_tracing_record_t&, rocprofiler_user_data_t&)> hears;

  void start(const std::vector<rocprofiler_callback_tracing_kind_t>& kinds,
             const std::function<void()>& more_setup = {}) {
    setenv("ROCPROFILER_REGISTER_FORCE_LOAD", "1", 1);
    services.tracing = [this](const auto& record, rocprofiler_user_data_t& user_data) {
      const std::lock_guard lock(mutex);
      std::string event = name_of(record);
      event += record.phase == ROCPROFILER_CALLBACK_PHASE_ENTER ? " ENTER" : " EXIT";
      if (hears) event += hears(record, user_data);
      events.push_back(event);
    };
    register_tool({.configure = {},
                   .initialize =
                       [this, kinds, more_setup] {
                         context = make_context();
                         for (const auto kind : kinds) EXPECT_EQ(services.add_tracing(context, kind), 0);
                         if (more_setup) more_setup();
                         EXPECT_EQ(rocprofiler_start_context(context), 0);
                       },
                   .finalize = {}});
  }
  [[nodiscard]] std::vector<std::string> heard() {
    const std::lock_guard lock(mutex);
    return std::exchange(events, {});
  }
};

std::string agent_name(rocprofiler_agent_id_t id) {
  if (id.handle == 0) return "none";
  for (const auto& agent : agents()) {
    if (agent.id.handle == id.handle) return agent.type == ROCPROFILER_AGENT_TYPE_CPU ? "CPU" : "GPU";
  }
  return "unknown";
}

// " GPU 4096 at 0x..." with the address as it was told.
std::string allocation_text(const rocprofiler_callback_tracing_record_t& record, const void*& address) {
  const auto& data = *static_cast<const rocprofiler_callback_tracing_memory_allocation_data_t*>(record.payload);
  EXPECT_EQ(data.size, 48U);
  const bool exit = record.phase == ROCPROFILER_CALLBACK_PHASE_EXIT;
  EXPECT_EQ(data.start_timestamp != 0, exit);
  EXPECT_EQ(data.end_timestamp >= data.start_timestamp, true);
  address = data.address.ptr;
  return " " + agent_name(data.agent_id) + " " + std::to_string(data.allocation_size) +
         (data.address.handle == 0 ? "" : " at");
}

TEST(MemoryTold, DeviceAndHostAllocationsNameTheirAgentAndTheAddressAtTheEnd) {
  const Outcome outcome = isolated([] {
    Listener tool;
    const void* address = nullptr;
    tool.hears = [&](const auto& record, auto&) { return allocation_text(record, address); };
    tool.start({kAllocation});
    void* device = nullptr;
    void* host = nullptr;
    EXPECT_EQ(hipMalloc(&device, 5000), hipSuccess);
    EXPECT_EQ(address, device);
    EXPECT_THAT(tool.heard(), ElementsAre("MEMORY_ALLOCATION_ALLOCATE ENTER GPU 5000",
                                          "MEMORY_ALLOCATION_ALLOCATE EXIT GPU 5000 at"));
    EXPECT_EQ(hipHostMalloc(&host, 300, 0), hipSuccess);
    EXPECT_EQ(address, host);
    EXPECT_THAT(tool.heard(),
                ElementsAre("MEMORY_ALLOCATION_ALLOCATE ENTER CPU 300", "MEMORY_ALLOCATION_ALLOCATE EXIT CPU 300 at"));
    EXPECT_EQ(hipFree(device), hipSuccess);
    EXPECT_EQ(address, device);
    EXPECT_THAT(tool.heard(),
                ElementsAre("MEMORY_ALLOCATION_FREE ENTER none 0 at", "MEMORY_ALLOCATION_FREE EXIT none 0 at"));
    EXPECT_EQ(hipHostFree(host), hipSuccess);
    EXPECT_EQ(address, host);
    EXPECT_EQ(tool.heard().size(), 2U);
    end_tool();
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(MemoryTold, PoolMemoryIsVirtualMemoryUntilTheStreamFreesIt) {
  const Outcome outcome = isolated([] {
    Listener tool;
    std::uint64_t mapped_handle = 0;
    std::uint64_t told_handle = 0;
    const void* mapped = nullptr;
    tool.hears = [&](const auto& record, auto&) -> std::string {
      if (record.kind == kAllocation) {
        const auto& data = *static_cast<rocprofiler_callback_tracing_memory_allocation_data_t*>(record.payload);
        told_handle = data.address.handle;
        return data.allocation_size == 0 ? "" : " " + std::to_string(data.allocation_size);
      }
      if (name_of(record) == "hsa_amd_vmem_map") {
        const auto args = args_of<multipass_hsa_amd_vmem_map_args>(record);
        mapped_handle = args.memory_handle;
        mapped = args.va;
        return " " + std::to_string(args.size);
      }
      return "";
    };
    tool.start({kAllocation, kHsa, kHip});
    void* memory = nullptr;
    EXPECT_EQ(hipMallocAsync(&memory, 4096, nullptr), hipSuccess);
    EXPECT_THAT(tool.heard(),
                ElementsAre("hipMallocAsync ENTER", "hsa_amd_vmem_handle_create ENTER",
                            "MEMORY_ALLOCATION_VMEM_ALLOCATE ENTER 4096", "MEMORY_ALLOCATION_VMEM_ALLOCATE EXIT 4096",
                            "hsa_amd_vmem_handle_create EXIT", "hsa_amd_vmem_map ENTER 4096",
                            "hsa_amd_vmem_map EXIT 4096", "hipMallocAsync EXIT"));
    EXPECT_EQ(mapped, memory);
    EXPECT_NE(mapped_handle, 0U);
    EXPECT_EQ(mapped_handle, told_handle);
    EXPECT_EQ(hipFreeAsync(memory, nullptr), hipSuccess);
    EXPECT_EQ(hipStreamSynchronize(nullptr), hipSuccess);
    // The free itself is over before, while or after the stream comes to it.
    std::vector<std::string> events = tool.heard();
    std::erase_if(events, [](const std::string& event) { return event.rfind("hipFreeAsync", 0) == 0; });
    EXPECT_THAT(events, ElementsAre("hsa_amd_vmem_unmap ENTER", "hsa_amd_vmem_unmap EXIT",
                                    "hsa_amd_vmem_handle_release ENTER", "MEMORY_ALLOCATION_VMEM_FREE ENTER",
                                    "MEMORY_ALLOCATION_VMEM_FREE EXIT", "hsa_amd_vmem_handle_release EXIT"));
    EXPECT_EQ(told_handle, mapped_handle);
    end_tool();
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

// As programs set it that would rather keep memory than ask for it again.
TEST(MemoryTold, APoolWithAReleaseThresholdKeepsItsMappingUntilItIsTrimmed) {
  const Outcome outcome = isolated([] {
    Listener tool;
    tool.start({kAllocation, kHsa});
    hipMemPool_t pool = nullptr;
    EXPECT_EQ(hipDeviceGetDefaultMemPool(&pool, 0), hipSuccess);
    std::uint64_t threshold = UINT64_MAX;
    EXPECT_EQ(hipMemPoolSetAttribute(pool, hipMemPoolAttrReleaseThreshold, &threshold), hipSuccess);
    void* memory = nullptr;
    EXPECT_EQ(hipMallocAsync(&memory, 4096, nullptr), hipSuccess);
    EXPECT_EQ(tool.heard().size(), 6U);
    EXPECT_EQ(hipFreeAsync(memory, nullptr), hipSuccess);
    EXPECT_EQ(hipStreamSynchronize(nullptr), hipSuccess);
    EXPECT_EQ(hipFreeAsync(memory, nullptr), hipErrorInvalidValue);
    std::uint64_t used = 9;
    std::uint64_t reserved = 9;
    EXPECT_EQ(hipMemPoolGetAttribute(pool, hipMemPoolAttrUsedMemCurrent, &used), hipSuccess);
    EXPECT_EQ(hipMemPoolGetAttribute(pool, hipMemPoolAttrReservedMemCurrent, &reserved), hipSuccess);
    EXPECT_EQ(used, 0U);
    EXPECT_EQ(reserved, 4096U);
    void* again = nullptr;
    EXPECT_EQ(hipMallocAsync(&again, 4096, nullptr), hipSuccess);
    EXPECT_EQ(again, memory);
    EXPECT_EQ(hipFreeAsync(again, nullptr), hipSuccess);
    EXPECT_EQ(hipStreamSynchronize(nullptr), hipSuccess);
    EXPECT_TRUE(tool.heard().empty()) << "the mapping stays";
    EXPECT_EQ(hipMemPoolTrimTo(pool, 0), hipSuccess);
    EXPECT_THAT(tool.heard(), ElementsAre("hsa_amd_vmem_unmap ENTER", "hsa_amd_vmem_unmap EXIT",
                                          "hsa_amd_vmem_handle_release ENTER", "MEMORY_ALLOCATION_VMEM_FREE ENTER",
                                          "MEMORY_ALLOCATION_VMEM_FREE EXIT", "hsa_amd_vmem_handle_release EXIT"));
    end_tool();
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(MemoryTold, ManagedMemoryHasAttributesAndNoAllocation) {
  const Outcome outcome = isolated([] {
    Listener tool;
    multipass_hsa_amd_svm_attributes_set_args attributes{};
    multipass_hip_malloc_with_flags_args asked{};
    const void* freed = nullptr;
    tool.hears = [&](const auto& record, auto&) -> std::string {
      const std::string name = name_of(record);
      if (name == "hsa_amd_svm_attributes_set") {
        attributes = args_of<multipass_hsa_amd_svm_attributes_set_args>(record);
      }
      if (name == "hipMallocManaged") asked = args_of<multipass_hip_malloc_with_flags_args>(record);
      if (name == "hipFree") freed = args_of<multipass_hip_free_args>(record).ptr;
      return record.phase == ROCPROFILER_CALLBACK_PHASE_EXIT ? " " + std::to_string(status_of(record)) : "";
    };
    tool.start({kAllocation, kHsa, kHip});
    void* memory = nullptr;
    EXPECT_EQ(hipMallocManaged(&memory, 700, hipMemAttachGlobal), hipSuccess);
    EXPECT_THAT(tool.heard(), ElementsAre("hipMallocManaged ENTER", "hsa_amd_svm_attributes_set ENTER",
                                          "hsa_amd_svm_attributes_set EXIT 0", "hipMallocManaged EXIT 0"));
    EXPECT_EQ(attributes.ptr, memory);
    EXPECT_EQ(attributes.size, 700U);
    EXPECT_EQ(asked.ptr, &memory);
    EXPECT_EQ(asked.size, 700U);
    EXPECT_EQ(asked.flags, hipMemAttachGlobal);
    EXPECT_EQ(hipFree(memory), hipSuccess);
    EXPECT_THAT(tool.heard(), ElementsAre("hipFree ENTER", "hipFree EXIT 0"));
    EXPECT_EQ(freed, memory);
    EXPECT_EQ(hipMallocManaged(&memory, 700, 77), hipErrorInvalidValue);
    EXPECT_THAT(tool.heard(), ElementsAre("hipMallocManaged ENTER", "hipMallocManaged EXIT 1"));
    end_tool();
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(MemoryTold, FineGrainedMemoryIsKnownByItsFlagOnly) {
  const Outcome outcome = isolated([] {
    Listener tool;
    tool.hears = [&](const auto& record, auto&) -> std::string {
      if (record.kind != kHip) return "";
      return " " + std::to_string(args_of<multipass_hip_malloc_with_flags_args>(record).flags);
    };
    tool.start({kAllocation, kHip});
    void* memory = nullptr;
    EXPECT_EQ(hipExtMallocWithFlags(&memory, 64, hipDeviceMallocFinegrained), hipSuccess);
    EXPECT_THAT(tool.heard(), ElementsAre("hipExtMallocWithFlags ENTER 1", "MEMORY_ALLOCATION_ALLOCATE ENTER",
                                          "MEMORY_ALLOCATION_ALLOCATE EXIT", "hipExtMallocWithFlags EXIT 1"));
    end_tool();
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(MemoryTold, PinnedMemoryIsToldByTheNameOfItsFunction) {
  const Outcome outcome = isolated([] {
    Listener tool;
    tool.hears = [&](const auto& record, auto&) -> std::string {
      if (record.phase == ROCPROFILER_CALLBACK_PHASE_ENTER) return "";
      const std::string name = name_of(record);
      const bool allocates = name.find("Alloc") != std::string::npos || name.find("Malloc") != std::string::npos;
      const std::string status = " " + std::to_string(status_of(record));
      if (!allocates && name != "hipHostRegister") return status;
      return status + " of " + std::to_string(args_of<multipass_hip_malloc_host_args>(record).size);
    };
    tool.start({kHip});
    void* memory = nullptr;
    const auto told = [&](const std::string& name, const char* more) {
      EXPECT_THAT(tool.heard(), ElementsAre(name + " ENTER", name + " EXIT " + more));
    };
    EXPECT_EQ(hipHostMalloc(&memory, 64, 0), hipSuccess);
    told("hipHostMalloc", "0 of 64");
    EXPECT_EQ(hipHostFree(memory), hipSuccess);
    told("hipHostFree", "0");
    EXPECT_EQ(hipHostAlloc(&memory, 65, 0), hipSuccess);
    told("hipHostAlloc", "0 of 65");
    EXPECT_EQ(hipFreeHost(memory), hipSuccess);
    told("hipFreeHost", "0");
    EXPECT_EQ(hipMallocHost(&memory, 66), hipSuccess);
    told("hipMallocHost", "0 of 66");
    EXPECT_EQ(hipHostFree(memory), hipSuccess);
    told("hipHostFree", "0");
    EXPECT_EQ(hipMemAllocHost(&memory, 67), hipSuccess);
    told("hipMemAllocHost", "0 of 67");
    EXPECT_EQ(hipHostFree(memory), hipSuccess);
    told("hipHostFree", "0");
    int own[4];
    EXPECT_EQ(hipHostRegister(own, sizeof(own), 0), hipSuccess);
    told("hipHostRegister", "0 of 16");
    EXPECT_EQ(hipHostRegister(own, sizeof(own), 0), hipErrorHostMemoryAlreadyRegistered);
    told("hipHostRegister", "712 of 16");
    EXPECT_EQ(hipHostUnregister(own), hipSuccess);
    told("hipHostUnregister", "0");
    end_tool();
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

// memory_allocation.cpp @1b1610fc searches the list for the number of the HSA function.
TEST(MemoryTold, NothingComesForAListOfAllocationOperations) {
  const Outcome outcome = isolated([] {
    Listener tool;
    tool.start({}, [&] {
      const rocprofiler_tracing_operation_t wanted[] = {ROCPROFILER_MEMORY_ALLOCATION_ALLOCATE,
                                                        ROCPROFILER_MEMORY_ALLOCATION_FREE};
      EXPECT_EQ(rocprofiler_configure_callback_tracing_service(
                    tool.context, kAllocation, wanted, 2,
                    [](rocprofiler_callback_tracing_record_t, rocprofiler_user_data_t*, void* self) {
                      static_cast<Listener*>(self)->events.emplace_back("heard");
                    },
                    &tool),
                0);
    });
    void* memory = nullptr;
    EXPECT_EQ(hipMalloc(&memory, 64), hipSuccess);
    EXPECT_EQ(hipFree(memory), hipSuccess);
    EXPECT_TRUE(tool.heard().empty());
    end_tool();
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(MemoryTold, ACopyBeginsOnItsThreadAndEndsOnAnotherWithTimes) {
  const Outcome outcome = isolated([] {
    Listener tool;
    int host[4] = {1, 2, 3, 4};
    void* device = nullptr;
    tool.hears = [&](const auto& record, rocprofiler_user_data_t& user_data) -> std::string {
      const auto& data = *static_cast<rocprofiler_callback_tracing_memory_copy_data_t*>(record.payload);
      EXPECT_EQ(data.size, 64U);
      EXPECT_EQ(data.bytes, 16U);
      EXPECT_EQ(record.thread_id, static_cast<std::uint64_t>(tool.main_thread));
      const bool enter = record.phase == ROCPROFILER_CALLBACK_PHASE_ENTER;
      EXPECT_EQ(gettid() == tool.main_thread, enter);
      EXPECT_EQ(data.start_timestamp == 0 && data.end_timestamp == 0, enter);
      EXPECT_EQ(data.start_timestamp < data.end_timestamp, !enter);
      if (enter) {
        user_data.value = 41;
      } else {
        EXPECT_EQ(user_data.value, 41U);
      }
      EXPECT_EQ(data.dst_address.ptr == device || data.src_address.ptr == device, true);
      return " " + agent_name(data.src_agent_id) + " to " + agent_name(data.dst_agent_id);
    };
    tool.start({kCopy});
    EXPECT_EQ(hipMalloc(&device, 16), hipSuccess);
    EXPECT_EQ(hipMemcpyAsync(device, host, 16, hipMemcpyHostToDevice, nullptr), hipSuccess);
    EXPECT_EQ(hipStreamSynchronize(nullptr), hipSuccess);
    EXPECT_THAT(tool.heard(), ElementsAre("MEMORY_COPY_HOST_TO_DEVICE ENTER CPU to GPU",
                                          "MEMORY_COPY_HOST_TO_DEVICE EXIT CPU to GPU"));
    EXPECT_EQ(hipMemcpy(host, device, 16, hipMemcpyDefault), hipSuccess);
    EXPECT_THAT(tool.heard(), ElementsAre("MEMORY_COPY_DEVICE_TO_HOST ENTER GPU to CPU",
                                          "MEMORY_COPY_DEVICE_TO_HOST EXIT GPU to CPU"));
    EXPECT_EQ(hipMemset(device, 0, 16), hipSuccess);
    EXPECT_EQ(hipMemcpy(host, host + 2, 8, hipMemcpyHostToHost), hipSuccess);
    EXPECT_TRUE(tool.heard().empty()) << "a fill is a kernel, a copy of the CPU needs no engine";
    end_tool();
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

// PyTorch's expandable segments and its like.
TEST(MemoryTold, MappedMemoryIsAHandleThatIsMappedUnmappedAndReleasedWithItsLastHolder) {
  const Outcome outcome = isolated([] {
    Listener tool;
    std::uint64_t created = 0;
    std::uint64_t mapped = 0;
    std::uint64_t released = 0;
    tool.hears = [&](const auto& record, auto&) -> std::string {
      const std::string name = name_of(record);
      if (record.kind == kAllocation) {
        const auto& data = *static_cast<rocprofiler_callback_tracing_memory_allocation_data_t*>(record.payload);
        if (record.operation == ROCPROFILER_MEMORY_ALLOCATION_VMEM_ALLOCATE) created = data.address.handle;
        if (record.operation == ROCPROFILER_MEMORY_ALLOCATION_VMEM_FREE) released = data.address.handle;
        return " " + agent_name(data.agent_id);
      }
      if (name == "hsa_amd_vmem_map") mapped = args_of<multipass_hsa_amd_vmem_map_args>(record).memory_handle;
      return "";
    };
    tool.start({kAllocation, kHsa});
    constexpr std::size_t kSize = std::size_t{2} << 20U;
    hipMemAllocationProp properties{};
    properties.type = hipMemAllocationTypePinned;
    properties.requestedHandleType = hipMemHandleTypePosixFileDescriptor;
    properties.location = {hipMemLocationTypeDevice, 0};
    void* address = nullptr;
    hipMemGenericAllocationHandle_t handle = nullptr;
    EXPECT_EQ(hipMemAddressReserve(&address, kSize, 0, nullptr, 0), hipSuccess);
    EXPECT_EQ(hipMemCreate(&handle, kSize, &properties, 0), hipSuccess);
    EXPECT_EQ(hipMemMap(address, kSize, 0, handle, 0), hipSuccess);
    EXPECT_THAT(tool.heard(),
                ElementsAre("hsa_amd_vmem_handle_create ENTER", "MEMORY_ALLOCATION_VMEM_ALLOCATE ENTER GPU",
                            "MEMORY_ALLOCATION_VMEM_ALLOCATE EXIT GPU", "hsa_amd_vmem_handle_create EXIT",
                            "hsa_amd_vmem_map ENTER", "hsa_amd_vmem_map EXIT"));
    EXPECT_EQ(mapped, created);
    int descriptor = -1;
    EXPECT_EQ(hipMemExportToShareableHandle(&descriptor, handle, hipMemHandleTypePosixFileDescriptor, 0), hipSuccess);
    EXPECT_THAT(tool.heard(),
                ElementsAre("hsa_amd_vmem_export_shareable_handle ENTER", "hsa_amd_vmem_export_shareable_handle EXIT"));
    close(descriptor);
    EXPECT_EQ(hipMemRelease(handle), hipSuccess);
    EXPECT_TRUE(tool.heard().empty()) << "it is mapped still";
    EXPECT_EQ(hipMemUnmap(address, kSize), hipSuccess);
    EXPECT_THAT(tool.heard(), ElementsAre("hsa_amd_vmem_unmap ENTER", "hsa_amd_vmem_unmap EXIT",
                                          "hsa_amd_vmem_handle_release ENTER", "MEMORY_ALLOCATION_VMEM_FREE ENTER none",
                                          "MEMORY_ALLOCATION_VMEM_FREE EXIT none", "hsa_amd_vmem_handle_release EXIT"));
    EXPECT_EQ(released, created);
    end_tool();
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(MemoryTold, AnExportToAnotherProcessIsACallOfHsa) {
  const Outcome outcome = isolated([] {
    Listener tool;
    multipass_hsa_amd_ipc_memory_create_args exported{};
    tool.hears = [&](const auto& record, auto&) -> std::string {
      if (record.kind == kHsa) exported = args_of<multipass_hsa_amd_ipc_memory_create_args>(record);
      return "";
    };
    tool.start({kHsa});
    void* memory = nullptr;
    EXPECT_EQ(hipMalloc(&memory, 10'000), hipSuccess);
    EXPECT_EQ(tool.heard().size(), 2U);
    hipIpcMemHandle_t handle{};
    EXPECT_EQ(hipIpcGetMemHandle(&handle, memory), hipSuccess);
    EXPECT_THAT(tool.heard(), ElementsAre("hsa_amd_ipc_memory_create ENTER", "hsa_amd_ipc_memory_create EXIT"));
    EXPECT_EQ(exported.ptr, memory);
    EXPECT_EQ(exported.len, 10'000U);
    EXPECT_EQ(exported.handle, &handle);
    end_tool();
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

}  // namespace
}  // namespace sim_sdk_test
