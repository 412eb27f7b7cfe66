/* SPDX-License-Identifier: MIT */

/* What static assertions cannot see of the ABI: bits of bit-fields, overlap of union arms, how arguments
 * travel, and which symbols stay visible. Sizes, offsets and values are in sdk/abi/pins.h. */

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "sdk/abi/rocprofiler.h"

namespace {

template <typename T>
std::array<unsigned char, sizeof(T)> bytes_of(const T& object) {
  std::array<unsigned char, sizeof(T)> bytes{};
  std::memcpy(bytes.data(), &object, sizeof(T));
  return bytes;
}

/* The bytes of T with one byte set, everything else zero. */
template <typename T>
T with_byte(std::size_t offset, unsigned char byte) {
  std::array<unsigned char, sizeof(T)> bytes{};
  bytes.at(offset) = byte;
  T object;
  std::memcpy(&object, bytes.data(), sizeof(T));
  return object;
}

TEST(BitFields, CounterInfoV0KeepsItsFlagsInByte40) {
  rocprofiler_counter_info_v0_t info{};
  info.is_constant = 1;
  EXPECT_EQ(bytes_of(info).at(40), 0x01);
  info.is_constant = 0;
  info.is_derived = 1;
  EXPECT_EQ(bytes_of(info).at(40), 0x02);
}

TEST(BitFields, CounterInfoV1KeepsItsFlagsInByte48) {
  rocprofiler_counter_info_v1_t info{};
  info.is_constant = 1;
  EXPECT_EQ(bytes_of(info).at(48), 0x01);
  info.is_constant = 0;
  info.is_derived = 1;
  EXPECT_EQ(bytes_of(info).at(48), 0x02);
}

TEST(BitFields, ReadingCounterFlagsIgnoresTheOtherBitsOfTheByte) {
  const auto v0 = with_byte<rocprofiler_counter_info_v0_t>(40, 0xFD);
  EXPECT_EQ(v0.is_constant, 1);
  EXPECT_EQ(v0.is_derived, 0);
  const auto v1 = with_byte<rocprofiler_counter_info_v1_t>(48, 0xFE);
  EXPECT_EQ(v1.is_constant, 0);
  EXPECT_EQ(v1.is_derived, 1);
}

TEST(BitFields, AgentVisibilityCountsUpFromBit0OfByte292) {
  const auto only = [](unsigned char byte) { return with_byte<rocprofiler_agent_v0_t>(292, byte).runtime_visibility; };
  EXPECT_EQ(only(0x01).hsa, 1U);
  EXPECT_EQ(only(0x02).hip, 1U);
  EXPECT_EQ(only(0x04).rccl, 1U);
  EXPECT_EQ(only(0x08).rocdecode, 1U);

  const auto none = only(0xF0);
  EXPECT_EQ(none.hsa + none.hip + none.rccl + none.rocdecode, 0U);
}

TEST(Unions, RecordHeaderHashHasTheCategoryInItsLowHalf) {
  rocprofiler_record_header_t header{};
  header.hash =
      (std::uint64_t{ROCPROFILER_COUNTER_RECORD_VALUE} << 32) | std::uint64_t{ROCPROFILER_BUFFER_CATEGORY_COUNTERS};
  std::uint32_t category = 0;
  std::uint32_t kind = 0;
  std::memcpy(&category, &header, sizeof(category));
  std::memcpy(&kind, reinterpret_cast<const char*>(&header) + 4, sizeof(kind));
  EXPECT_EQ(category, 3U);
  EXPECT_EQ(kind, 2U);
}

TEST(Unions, CodeObjectFileSharesItsPlaceWithTheMemoryBase) {
  rocprofiler_callback_tracing_code_object_load_data_t data{};
  EXPECT_EQ(static_cast<void*>(&data.storage_file), static_cast<void*>(&data.memory_base));
}

TEST(Enums, ANumberOfANewerLibraryIsAValidValue) {
  /* Not a constant expression unless the underlying type is fixed. */
  constexpr auto status = static_cast<rocprofiler_status_t>(1000);
  constexpr auto kind = static_cast<rocprofiler_callback_tracing_kind_t>(1000);
  static_assert(status == 1000 && kind == 1000);
  EXPECT_EQ(bytes_of(status), bytes_of(std::uint32_t{1000}));
}

/* ---- Argument passing: a callee of one type is called as if it had another. ----------------- */

template <typename To, typename From>
To as_function(From* function) {
  return reinterpret_cast<To>(reinterpret_cast<void*>(function));
}

/* The mismatch is what is tested, so the sanitizer's check of function types is off here. volatile keeps
 * the compiler from seeing through the pointer. */
template <typename Function, typename... Args>
__attribute__((no_sanitize("undefined"))) auto call(Function function, Args... args) {
  Function volatile opaque = function;
  return opaque(args...);
}

constexpr std::uint64_t kWord = 0x0123456789ABCDEFU;

template <typename T>
class HandleByValue : public testing::Test {};

using Handles = testing::Types<rocprofiler_context_id_t, rocprofiler_buffer_id_t, rocprofiler_agent_id_t,
                               rocprofiler_queue_id_t, rocprofiler_stream_id_t, rocprofiler_counter_id_t,
                               rocprofiler_counter_config_id_t, rocprofiler_callback_thread_t, hsa_agent_t>;
TYPED_TEST_SUITE(HandleByValue, Handles);

template <typename Handle>
std::uint64_t take_handle(Handle handle) {
  return handle.handle;
}

template <typename Handle>
Handle give_handle(std::uint64_t value) {
  return {value};
}

TYPED_TEST(HandleByValue, TravelsInARegisterLikeAWord) {
  using WordToWord = std::uint64_t (*)(std::uint64_t);
  EXPECT_EQ(call(as_function<WordToWord>(&take_handle<TypeParam>), kWord), kWord);
  EXPECT_EQ(call(as_function<WordToWord>(&give_handle<TypeParam>), kWord), kWord);
}

std::uint64_t take_user_data(rocprofiler_user_data_t user_data) {
  return user_data.value;
}

TEST(ByValue, UserDataTravelsInARegisterLikeAWordOrAPointer) {
  using WordToWord = std::uint64_t (*)(std::uint64_t);
  EXPECT_EQ(call(as_function<WordToWord>(&take_user_data), kWord), kWord);

  using PointerToPointer = void* (*)(void*);
  int target = 0;
  EXPECT_EQ(call(as_function<PointerToPointer>(&take_user_data), static_cast<void*>(&target)), &target);
}

struct Seen {
  std::uint64_t mark;
  const void* first;
  const void* second;
};

/* An argument in memory takes no register, so its place among the register arguments does not matter:
 * a callee that expects it first can be called with it last. */
template <typename T>
std::uint64_t take_in_front(T object, Seen* seen, const void* second) {
  std::uint64_t mark = 0;
  std::memcpy(&mark, reinterpret_cast<const char*>(&object) + sizeof(T) - sizeof(mark), sizeof(mark));
  *seen = {mark, seen, second};
  return mark;
}

template <typename T>
class RecordByValue : public testing::Test {};

using Records = testing::Types<rocprofiler_callback_tracing_record_t, rocprofiler_kernel_dispatch_info_t,
                               rocprofiler_dispatch_counting_service_data_t, rocprofiler_client_id_t>;
TYPED_TEST_SUITE(RecordByValue, Records);

TYPED_TEST(RecordByValue, TravelsInMemoryAndTakesNoRegister) {
  static_assert(std::is_trivially_copyable_v<TypeParam>);
  std::array<unsigned char, sizeof(TypeParam)> bytes{};
  std::memcpy(bytes.data() + sizeof(TypeParam) - sizeof(kWord), &kWord, sizeof(kWord));
  TypeParam object{};
  std::memcpy(static_cast<void*>(&object), bytes.data(), sizeof(TypeParam));

  Seen seen{};
  const int second = 0;
  using Behind = std::uint64_t (*)(Seen*, const void*, TypeParam);
  EXPECT_EQ(call(as_function<Behind>(&take_in_front<TypeParam>), &seen, static_cast<const void*>(&second), object),
            kWord);
  EXPECT_EQ(seen.first, &seen);
  EXPECT_EQ(seen.second, &second);
}

}  // namespace

/* ---- Visibility: this file is compiled with -fvisibility=hidden. ---------------------------- */

rocprofiler_tool_configure_result_t* rocprofiler_configure(std::uint32_t, const char*, std::uint32_t,
                                                           rocprofiler_client_id_t*) {
  return nullptr;
}

rocprofiler_status_t rocprofiler_get_timestamp(rocprofiler_timestamp_t* ts) {
  *ts = 0;
  return ROCPROFILER_STATUS_SUCCESS;
}

extern "C" int multipass_abi_test_hidden() {
  return 0;
}

namespace {

TEST(Visibility, DefinitionsOfDeclaredFunctionsAreFoundByName) {
  EXPECT_EQ(dlsym(RTLD_DEFAULT, "rocprofiler_configure"), reinterpret_cast<void*>(&rocprofiler_configure));
  EXPECT_EQ(dlsym(RTLD_DEFAULT, "rocprofiler_get_timestamp"), reinterpret_cast<void*>(&rocprofiler_get_timestamp));
}

TEST(Visibility, OtherFunctionsOfTheSameFileAreNot) {
  EXPECT_EQ(multipass_abi_test_hidden(), 0);
  EXPECT_EQ(dlsym(RTLD_DEFAULT, "multipass_abi_test_hidden"), nullptr);
}

}  // namespace
