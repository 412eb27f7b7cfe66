// SPDX-License-Identifier: MIT
// What the SDK's records of memory, of calls of HSA and HIP, and of copies say to the listener.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "sdk/captured_tracing.hpp"
#include "sdk/memory_callbacks.hpp"
#include "sdk/quiet_listener.hpp"

namespace multipass::sdk {
namespace {

constexpr int kAllocations = 16, kCopies = 13, kHsa = 2, kHip = 5;
constexpr std::uint64_t kGpu = 100, kCpu = 200;  // handles of agents
constexpr std::uint64_t kAddress = 0x7f0000000000;
constexpr std::uint64_t kMark = 41;
using Texts = std::vector<std::string>;

std::string text(std::optional<AgentIndex> agent) {
  return agent ? std::to_string(agent->value) : "any";
}

// Writes down what it is told of memory.
class Written final : public sdk::QuietListener {
 public:
  void memory_allocated(const MemoryAllocated& memory) noexcept override {
    static constexpr std::array kNames{"device", "fine", "virtual", "pool", "managed", "pinned", "imported"};
    write() << kNames[static_cast<std::size_t>(memory.kind)] << " of " << text(memory.agent) << " at +"
            << memory.address - kAddress << ": " << memory.bytes;
  }
  std::uint64_t memory_call_begins() noexcept override { return kMark; }
  void memory_ended(MemoryEnd end, std::uint64_t address, std::uint64_t bytes, std::uint64_t begun) noexcept override {
    static constexpr std::array kNames{"freed", "released", "unmapped", "detached"};
    write() << kNames[static_cast<std::size_t>(end)] << " at +" << address - kAddress;
    if (bytes != 0) last() << ": " << bytes;
    if (begun != kMark) last() << ", begun " << begun;
  }
  void memory_exported(std::uint64_t address) noexcept override { write() << "exported +" << address - kAddress; }
  std::uint64_t copy_begins(std::optional<AgentIndex> from, std::optional<AgentIndex> to) noexcept override {
    write() << "copy from " << text(from) << " to " << text(to);
    return 77;
  }
  void copy_ends(std::uint64_t begun) noexcept override { write() << "copy " << begun << " ends"; }

  Texts take() {
    Texts texts;
    for (const std::ostringstream& line : lines_) texts.push_back(line.str());
    lines_.clear();
    return texts;
  }

 private:
  std::ostringstream& write() { return lines_.emplace_back(); }
  std::ostringstream& last() { return lines_.back(); }
  std::vector<std::ostringstream> lines_;
};

// An SDK whose numbers of operations are 1000 and more, to be found by name only.
MemoryKinds all_kinds() {
  MemoryKinds kinds{kAllocations, kCopies, HsaKind{}, HipKind{}};
  kinds.hsa->kind = kHsa;
  kinds.hip->kind = kHip;
  for (std::size_t i = 0; i < kinds.hsa->operations.size(); ++i)
    kinds.hsa->operations[i] = 1000 + static_cast<std::int32_t>(i);
  for (std::size_t i = 0; i < kinds.hip->operations.size(); ++i)
    kinds.hip->operations[i] = 2000 + static_cast<std::int32_t>(i);
  return kinds;
}

class Memory : public testing::Test {
 protected:
  explicit Memory(const MemoryKinds& kinds = all_kinds()) { configure(kinds); }

  void configure(const MemoryKinds& kinds) {
    callbacks.configure({}, kinds, [](std::uint64_t handle) -> MemoryCallbacks::Whose {
      if (handle == kGpu) return {MemoryCallbacks::Place::kGpu, AgentIndex{1}};
      if (handle == kCpu) return {MemoryCallbacks::Place::kHost, AgentIndex{0}};
      return {};
    });
  }

  // ENTER and EXIT, with the address in both as of a free, or in the second only.
  void allocation(rocprofiler_memory_allocation_operation_t operation, std::uint64_t agent, std::uint64_t address,
                  std::uint64_t bytes, std::uint64_t size = sizeof(AllocationData)) {
    AllocationData data{};
    data.size = size;
    data.agent_id.handle = agent;
    data.allocation_size = bytes;
    if (operation >= ROCPROFILER_MEMORY_ALLOCATION_FREE) data.address.value = address;
    rocprofiler_user_data_t user_data{};
    const auto& service = sdk.services.at(kAllocations);
    service.call(operation, ROCPROFILER_CALLBACK_PHASE_ENTER, &data, &user_data);
    data.address.value = address;
    service.call(operation, ROCPROFILER_CALLBACK_PHASE_EXIT, &data, &user_data);
  }

  // A call with these parameters, in a payload whose list of parameters takes `room` bytes.
  template <class Call, class Args>
  void call(Call what, const Args& args, std::uint32_t status = 0, std::size_t room = 128,
            std::optional<std::uint64_t> size = {}) {
    constexpr bool kIsHip = std::is_same_v<Call, HipCall>;
    constexpr std::size_t kResult = kIsHip ? 24 : 8;
    std::vector<std::uint64_t> payload((8 + room + kResult) / 8, ~std::uint64_t{0});
    auto* bytes = reinterpret_cast<std::byte*>(payload.data());
    payload[0] = size.value_or(8 + room + kResult);
    std::memcpy(bytes + 8, &args, sizeof(args));
    rocprofiler_user_data_t user_data{};
    const std::int32_t operation = (kIsHip ? 2000 : 1000) + static_cast<std::int32_t>(what);
    const auto& service = sdk.services.at(kIsHip ? kHip : kHsa);
    service.call(operation, ROCPROFILER_CALLBACK_PHASE_ENTER, payload.data(), &user_data);
    std::memcpy(bytes + 8 + room, &status, sizeof(status));
    service.call(operation, ROCPROFILER_CALLBACK_PHASE_EXIT, payload.data(), &user_data);
  }

  void map(std::uint64_t handle, std::uint32_t status = 0) {
    call(HsaCall::kVmemMap, multipass_hsa_amd_vmem_map_args{pointer(kAddress), 64, 0, handle, 0}, status);
  }
  static void* pointer(std::uint64_t address) { return reinterpret_cast<void*>(address); }

  using AllocationData = rocprofiler_callback_tracing_memory_allocation_data_t;
  sdk_test::CapturedTracing sdk;
  Written listener;
  std::atomic<bool> detached{false};
  MemoryCallbacks callbacks{listener, detached};
};

TEST_F(Memory, OfAGpuIsToldWithItsAgentAndThatOfAHostIsNot) {
  allocation(ROCPROFILER_MEMORY_ALLOCATION_ALLOCATE, kGpu, kAddress, 64);
  allocation(ROCPROFILER_MEMORY_ALLOCATION_ALLOCATE, kCpu, kAddress + 64, 64);
  EXPECT_EQ(listener.take(), Texts{"device of 1 at +0: 64"});
  allocation(ROCPROFILER_MEMORY_ALLOCATION_ALLOCATE, 0, kAddress, 8);
  EXPECT_EQ(listener.take(), Texts{"device of any at +0: 8"}) << "the SDK does not know the agent either";
}

TEST_F(Memory, ThatCouldNotBeHadIsNotTold) {
  allocation(ROCPROFILER_MEMORY_ALLOCATION_ALLOCATE, kGpu, 0, 64);
  allocation(ROCPROFILER_MEMORY_ALLOCATION_ALLOCATE, kGpu, kAddress, 0);
  EXPECT_EQ(listener.take(), Texts{});
}

TEST_F(Memory, IsFreedWithTheMarkOfTheBeginningOfTheCall) {
  allocation(ROCPROFILER_MEMORY_ALLOCATION_FREE, 0, kAddress, 0);
  EXPECT_EQ(listener.take(), Texts{"freed at +0"});
  allocation(ROCPROFILER_MEMORY_ALLOCATION_FREE, 0, 0, 0);
  EXPECT_EQ(listener.take(), Texts{}) << "the null pointer";
}

TEST_F(Memory, ThatIsMappedBelongsToTheAgentOfItsHandle) {
  allocation(ROCPROFILER_MEMORY_ALLOCATION_VMEM_ALLOCATE, kGpu, 5, 64);
  allocation(ROCPROFILER_MEMORY_ALLOCATION_VMEM_ALLOCATE, kCpu, 6, 64);
  EXPECT_EQ(listener.take(), Texts{}) << "a handle is not mapped yet";
  map(5);
  EXPECT_EQ(listener.take(), Texts{"virtual of 1 at +0: 64"});
  map(6);
  EXPECT_EQ(listener.take(), Texts{}) << "of a host";
  map(7);
  EXPECT_EQ(listener.take(), Texts{"virtual of any at +0: 64"}) << "of an unknown handle";
  map(5, 4096);
  EXPECT_EQ(listener.take(), Texts{}) << "it has failed";
  allocation(ROCPROFILER_MEMORY_ALLOCATION_VMEM_FREE, 0, 5, 0);
  map(5);
  EXPECT_EQ(listener.take(), Texts{"virtual of any at +0: 64"}) << "the handle is released";
}

TEST_F(Memory, OfAHandleThatIsToldOfTwiceBelongsToAnyAgent) {
  allocation(ROCPROFILER_MEMORY_ALLOCATION_VMEM_ALLOCATE, kCpu, 5, 64);
  allocation(ROCPROFILER_MEMORY_ALLOCATION_VMEM_ALLOCATE, kGpu, 5, 64);
  map(5);
  EXPECT_EQ(listener.take(), Texts{"virtual of any at +0: 64"});
}

TEST_F(Memory, IsUnmapped) {
  call(HsaCall::kVmemUnmap, multipass_hsa_amd_vmem_unmap_args{pointer(kAddress + 8), 16});
  EXPECT_EQ(listener.take(), Texts{"unmapped at +8: 16"});
  call(HsaCall::kVmemUnmap, multipass_hsa_amd_vmem_unmap_args{pointer(kAddress), 16}, 4097);
  EXPECT_EQ(listener.take(), Texts{});
}

TEST_F(Memory, OfAnotherProcessIsImportedWhereItIsMapped) {
  std::uint64_t handle = 9;
  call(HsaCall::kVmemImport, multipass_hsa_amd_vmem_import_shareable_handle_args{3, &handle});
  EXPECT_EQ(listener.take(), Texts{});
  allocation(ROCPROFILER_MEMORY_ALLOCATION_VMEM_FREE, 0, handle, 0);
  map(handle);
  EXPECT_EQ(listener.take(), (Texts{"virtual of any at +0: 64", "imported of any at +0: 64"}));

  void* mapped = pointer(kAddress + 32);
  multipass_hsa_amd_ipc_memory_attach_args attach{nullptr, 64, 0, nullptr, &mapped};
  call(HsaCall::kIpcAttach, attach);
  call(HsaCall::kIpcDetach, multipass_hsa_amd_ipc_memory_detach_args{mapped});
  EXPECT_EQ(listener.take(), (Texts{"imported of any at +32: 64", "detached at +32"}));

  std::size_t bytes = 24;
  multipass_hsa_amd_interop_map_buffer_args interop{};
  interop.size = &bytes;
  interop.ptr = &mapped;
  call(HsaCall::kInteropMap, interop);
  call(HsaCall::kInteropUnmap, multipass_hsa_amd_interop_unmap_buffer_args{mapped});
  EXPECT_EQ(listener.take(), (Texts{"imported of any at +32: 24", "detached at +32"}));
}

TEST_F(Memory, IsExported) {
  int fd = 0;
  std::uint64_t offset = 0;
  call(HsaCall::kIpcCreate, multipass_hsa_amd_ipc_memory_create_args{pointer(kAddress), 64, nullptr});
  call(HsaCall::kVmemExport, multipass_hsa_amd_vmem_export_shareable_handle_args{&fd, kAddress + 1, 0});
  const multipass_hsa_amd_portable_export_dmabuf_args dmabuf{pointer(kAddress + 2), 64, &fd, &offset};
  call(HsaCall::kExportDmabuf, dmabuf);
  call(HsaCall::kExportDmabuf2, dmabuf);
  EXPECT_EQ(listener.take(), (Texts{"exported +0", "exported +1", "exported +2", "exported +2"}));
  call(HsaCall::kIpcCreate, multipass_hsa_amd_ipc_memory_create_args{pointer(kAddress), 64, nullptr}, 1);
  EXPECT_EQ(listener.take(), Texts{});
}

TEST_F(Memory, IsManagedUnlessItsAttributesOnlyTakeAccessAway) {
  std::array<std::uint64_t, 4> attributes{0x202, kGpu, 0x201, kGpu};
  const multipass_hsa_amd_svm_attributes_set_args two{pointer(kAddress), 64, attributes.data(), 2};
  call(HsaCall::kSvmAttributes, two);
  EXPECT_EQ(listener.take(), Texts{"managed of any at +0: 64"});
  auto one = two;
  one.attribute_count = 1;
  call(HsaCall::kSvmAttributes, one);
  EXPECT_EQ(listener.take(), Texts{});
}

TEST_F(Memory, OfHipIsToldByItsClass) {
  void* address = pointer(kAddress);
  call(HipCall::kMallocManaged, multipass_hip_malloc_with_flags_args{&address, 64, 1});
  call(HipCall::kMallocAsync, multipass_hip_malloc_async_args{&address, 65, nullptr});
  call(HipCall::kMallocFromPoolAsync, multipass_hip_malloc_from_pool_async_args{&address, 66, nullptr, nullptr});
  EXPECT_EQ(listener.take(), (Texts{"managed of any at +0: 64", "pool of any at +0: 65", "pool of any at +0: 66"}));
  for (unsigned flags = 0; flags < 5; ++flags)
    call(HipCall::kExtMallocWithFlags, multipass_hip_malloc_with_flags_args{&address, 100 + flags, flags});
  EXPECT_EQ(listener.take(), (Texts{"fine of any at +0: 101", "fine of any at +0: 103"}));
}

TEST_F(Memory, OfTheHostThatIsPinnedIsOfAllAgents) {
  void* address = pointer(kAddress);
  call(HipCall::kHostMalloc, multipass_hip_malloc_with_flags_args{&address, 64, 0});
  call(HipCall::kHostAlloc, multipass_hip_malloc_with_flags_args{&address, 65, 2});
  call(HipCall::kExtHostAlloc, multipass_hip_malloc_with_flags_args{&address, 66, 0});
  call(HipCall::kMallocHost, multipass_hip_malloc_host_args{&address, 67});
  call(HipCall::kMemAllocHost, multipass_hip_malloc_host_args{&address, 68});
  call(HipCall::kHostRegister, multipass_hip_host_register_args{pointer(kAddress + 8), 69, 0});
  EXPECT_EQ(listener.take(), (Texts{"pinned of any at +0: 64", "pinned of any at +0: 65", "pinned of any at +0: 66",
                                    "pinned of any at +0: 67", "pinned of any at +0: 68", "pinned of any at +8: 69"}));
  call(HipCall::kHostMalloc, multipass_hip_malloc_with_flags_args{&address, 64, 0}, 2);
  call(HipCall::kHostRegister, multipass_hip_host_register_args{address, 64, 0}, 712);
  EXPECT_EQ(listener.take(), Texts{});
  for (const HipCall end : {HipCall::kHostFree, HipCall::kFreeHost, HipCall::kHostUnregister})
    call(end, multipass_hip_free_args{address});
  EXPECT_EQ(listener.take(), (Texts{"released at +0", "released at +0", "released at +0"}));
}

TEST_F(Memory, OfHipIsReleased) {
  call(HipCall::kFree, multipass_hip_free_args{pointer(kAddress)});
  call(HipCall::kFreeAsync, multipass_hip_free_args{pointer(kAddress + 1)});
  EXPECT_EQ(listener.take(), (Texts{"released at +0", "released at +1"}));
  call(HipCall::kFree, multipass_hip_free_args{nullptr});
  call(HipCall::kFree, multipass_hip_free_args{pointer(kAddress)}, 1);
  EXPECT_EQ(listener.take(), Texts{});
}

TEST_F(Memory, OfACallThatFailedIsNotTold) {
  void* address = pointer(kAddress);
  call(HipCall::kMallocManaged, multipass_hip_malloc_with_flags_args{&address, 64, 1}, 2);
  call(HipCall::kMallocAsync, multipass_hip_malloc_async_args{nullptr, 64, nullptr});
  EXPECT_EQ(listener.take(), Texts{});
}

// The list of parameters grows as functions are added: the result is at the end.
TEST_F(Memory, IsUnderstoodHoweverLongTheListOfParametersIs) {
  void* address = pointer(kAddress);
  for (const std::size_t room : {24U, 64U, 256U, 1024U})
    call(HipCall::kMallocManaged, multipass_hip_malloc_with_flags_args{&address, room, 1}, 0, room);
  EXPECT_EQ(listener.take().size(), 4U);
}

TEST_F(Memory, OfARecordThatIsTooShortOrOddIsNotReadAndThatIsSaidOnce) {
  void* address = pointer(kAddress);
  testing::internal::CaptureStderr();
  allocation(ROCPROFILER_MEMORY_ALLOCATION_ALLOCATE, kGpu, kAddress, 64, sizeof(AllocationData) - 1);
  for (const std::uint64_t size : {0ULL, 8ULL, 48ULL, 161ULL, 5000ULL, ~0ULL})
    call(HipCall::kMallocManaged, multipass_hip_malloc_with_flags_args{&address, 64, 1}, 0, 128, size);
  call(HsaCall::kVmemUnmap, multipass_hsa_amd_vmem_unmap_args{address, 8}, 0, 128, 24);
  rocprofiler_user_data_t user_data{};
  sdk.services.at(kHip).call(2000, ROCPROFILER_CALLBACK_PHASE_EXIT, nullptr, &user_data);
  sdk.services.at(kAllocations)
      .call(ROCPROFILER_MEMORY_ALLOCATION_ALLOCATE, ROCPROFILER_CALLBACK_PHASE_EXIT, nullptr, &user_data);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(listener.take(), Texts{});
  const std::string what = "records of memory are laid out in another way";
  EXPECT_NE(said.find(what), std::string::npos) << said;
  EXPECT_EQ(said.find(what, said.find(what) + 1), std::string::npos) << said;
}

TEST_F(Memory, OfOperationsThatAreNotKnownIsLeftOut) {
  rocprofiler_user_data_t user_data{};
  std::array<std::uint64_t, 32> payload{256};
  for (const int kind : {kAllocations, kHsa, kHip})
    for (const std::int32_t operation : {-1, 0, 5, 999, 1012, 2015})
      for (const auto phase : {ROCPROFILER_CALLBACK_PHASE_ENTER, ROCPROFILER_CALLBACK_PHASE_EXIT})
        if (kind != kAllocations || operation < 0 || operation > 4)
          sdk.services.at(kind).call(operation, phase, payload.data(), &user_data);
  EXPECT_EQ(listener.take(), Texts{});
}

class Copy : public Memory {
 protected:
  void begins(std::uint64_t from, std::uint64_t to, rocprofiler_user_data_t& user_data,
              std::uint64_t size = sizeof(rocprofiler_callback_tracing_memory_copy_data_t)) {
    rocprofiler_callback_tracing_memory_copy_data_t data{};
    data.size = size;
    data.src_agent_id.handle = from;
    data.dst_agent_id.handle = to;
    sdk.services.at(kCopies).call(2, ROCPROFILER_CALLBACK_PHASE_ENTER, &data, &user_data);
  }
  void ends(rocprofiler_user_data_t& user_data) {
    sdk.services.at(kCopies).call(2, ROCPROFILER_CALLBACK_PHASE_EXIT, nullptr, &user_data);
  }
};

TEST_F(Copy, IsToldFromItsBeginningToItsEnd) {
  rocprofiler_user_data_t out{}, in{};
  begins(kGpu, kCpu, out);
  begins(kCpu, kGpu, in);
  EXPECT_EQ(listener.take(), (Texts{"copy from 1 to any", "copy from any to 1"}));
  ends(out);
  EXPECT_EQ(listener.take(), Texts{"copy 77 ends"});
}

TEST_F(Copy, OfARecordThatIsTooShortIsNotRead) {
  testing::internal::CaptureStderr();
  rocprofiler_user_data_t user_data{};
  begins(kGpu, kCpu, user_data, 32);
  EXPECT_NE(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(listener.take(), Texts{});
}

TEST_F(Copy, AndAllElseIsNotFollowedInAForkedChild) {
  detached = true;
  rocprofiler_user_data_t user_data{};
  begins(kGpu, kCpu, user_data);
  ends(user_data);
  allocation(ROCPROFILER_MEMORY_ALLOCATION_ALLOCATE, kGpu, kAddress, 64);
  call(HipCall::kFree, multipass_hip_free_args{pointer(kAddress)});
  map(5);
  EXPECT_EQ(listener.take(), Texts{});
}

TEST(MemoryServices, AskForAllOperationsOfMemoryAndForThoseCallsThatMatter) {
  sdk_test::CapturedTracing sdk;
  Written listener;
  const std::atomic<bool> detached{false};
  MemoryCallbacks callbacks(listener, detached);
  MemoryKinds kinds = all_kinds();
  kinds.hsa->operations.back() = HsaKind::kMissing;  // an older release
  callbacks.configure({}, kinds, [](std::uint64_t) { return MemoryCallbacks::Whose{}; });
  EXPECT_EQ(callbacks.why_not(), "");
  EXPECT_EQ(sdk.services.at(kAllocations).operations, std::vector<std::int32_t>{});
  EXPECT_EQ(sdk.services.at(kCopies).operations, std::vector<std::int32_t>{});
  EXPECT_EQ(sdk.services.at(kHsa).operations.size(), kHsaCallNames.size() - 1);
  EXPECT_EQ(sdk.services.at(kHip).operations,
            (std::vector<std::int32_t>(kinds.hip->operations.begin(), kinds.hip->operations.end())));
}

TEST(MemoryServices, SayWhatIsNotTracedAndWhy) {
  sdk_test::CapturedTracing sdk;
  sdk.refused = {{kHip, ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT}};
  Written listener;
  const std::atomic<bool> detached{false};
  MemoryCallbacks callbacks(listener, detached);
  MemoryKinds kinds = all_kinds();
  kinds.copies.reset();
  kinds.hsa->operations.fill(HsaKind::kMissing);
  callbacks.configure({}, kinds, [](std::uint64_t) { return MemoryCallbacks::Whose{}; });
  const std::string& why = callbacks.why_not();
  EXPECT_EQ(why.find("allocations"), std::string::npos) << why;
  EXPECT_NE(why.find("copies: this SDK does not trace them; calls of HSA"), std::string::npos) << why;
  EXPECT_NE(why.find("calls of HIP for managed, pool, fine-grained and pinned memory: "), std::string::npos) << why;
  EXPECT_FALSE(sdk.services.contains(kHsa));
}

}  // namespace
}  // namespace multipass::sdk
