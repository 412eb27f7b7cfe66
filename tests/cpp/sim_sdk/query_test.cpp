// SPDX-License-Identifier: MIT
//
// Agents, counters, configurations, names and ids: status codes as run against rocprofiler-sdk 1.0.0.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <vector>

#include "isolated.hpp"
#include "test_tool.hpp"

namespace sim_sdk_test {
namespace {

using testing::ElementsAre;

rocprofiler_status_t create_config(rocprofiler_agent_id_t agent, std::vector<rocprofiler_counter_id_t> ids,
                                   std::uint64_t& handle) {
  rocprofiler_counter_config_id_t config{handle};
  const rocprofiler_status_t status = rocprofiler_create_counter_config(agent, ids.data(), ids.size(), &config);
  handle = config.handle;
  return status;
}

TEST(Agents, AreOneCpuAndTheSimulatedGpus) {
  const Outcome outcome = isolated([] {
    setenv("ROCPROFSYS_MULTIPASS_SIMULATE", "tiny,tiny", 1);
    const auto all = agents();
    ASSERT_EQ(all.size(), 3U);
    for (std::uint32_t i = 0; i < 3; ++i) {
      EXPECT_EQ(all[i].size, 312U);
      EXPECT_EQ(all[i].node_id, i);
      EXPECT_EQ(all[i].id.handle, all[0].id.handle + i);
      EXPECT_EQ(all[i].type, i == 0 ? ROCPROFILER_AGENT_TYPE_CPU : ROCPROFILER_AGENT_TYPE_GPU);
    }
    EXPECT_STREQ(all[0].vendor_name, "CPU");
    EXPECT_STREQ(all[1].name, "tiny");
    EXPECT_EQ(all[2].logical_node_type_id, 1);
    EXPECT_EQ(all[1].simd_count, 8U);
    EXPECT_EQ(all[1].wave_front_size, 64U);
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

// query_available_agents: version must be 1, else 19; agent_size > sizeof 18, smaller is fine.
TEST(Agents, QueryChecksVersionAndSize) {
  const Outcome outcome = isolated([] {
    const auto call = [](int version, std::size_t size) {
      return rocprofiler_query_available_agents(
          static_cast<rocprofiler_agent_version_t>(version),
          [](auto, auto, auto, auto) { return ROCPROFILER_STATUS_ERROR_BUFFER_BUSY; }, size, nullptr);
    };
    EXPECT_EQ(call(0, 312), ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(call(2, 312), ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(call(1, 313), ROCPROFILER_STATUS_ERROR_INCOMPATIBLE_ABI);
    EXPECT_EQ(call(1, 100), ROCPROFILER_STATUS_ERROR_BUFFER_BUSY) << "the callback's value";
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(Agents, OfABrokenDeviceListAreTheCpuAndOneLine) {
  const Outcome outcome = isolated([] {
    setenv("ROCPROFSYS_MULTIPASS_SIMULATE", "no-such-gpu", 1);
    EXPECT_EQ(agents().size(), 1U);
  });
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.error, testing::HasSubstr("no-such-gpu"));
}

TEST(Counters, OfACpuAre39AndOfAnUnknownAgent7) {
  const Outcome outcome = isolated([] {
    const auto ask = [](rocprofiler_agent_id_t agent) {
      return rocprofiler_iterate_agent_supported_counters(
          agent, [](auto, auto, auto, auto) { return ROCPROFILER_STATUS_SUCCESS; }, nullptr);
    };
    EXPECT_EQ(ask(agents()[0].id), ROCPROFILER_STATUS_ERROR_AGENT_ARCH_NOT_SUPPORTED);
    EXPECT_EQ(ask({5}), ROCPROFILER_STATUS_ERROR_AGENT_NOT_FOUND);
    EXPECT_EQ(ask(first_gpu()), ROCPROFILER_STATUS_SUCCESS);
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

// query_counter_info: unknown counter 8; version 0 or >= 3 18.
TEST(Counters, InfoHasTheLayoutOfItsVersion) {
  const Outcome outcome = isolated([] {
    const rocprofiler_counter_id_t waves = counter("SQ_WAVES");
    const auto query = [](rocprofiler_counter_id_t id, int version, void* info) {
      return rocprofiler_query_counter_info(id, static_cast<rocprofiler_counter_info_version_id_t>(version), info);
    };
    rocprofiler_counter_info_v0_t old{};
    EXPECT_EQ(query(waves, 0, &old), ROCPROFILER_STATUS_ERROR_INCOMPATIBLE_ABI);
    EXPECT_EQ(query(waves, 3, &old), ROCPROFILER_STATUS_ERROR_INCOMPATIBLE_ABI);
    EXPECT_EQ(query({9999}, 1, &old), ROCPROFILER_STATUS_ERROR_COUNTER_NOT_FOUND);
    EXPECT_EQ(query(waves, 1, &old), ROCPROFILER_STATUS_SUCCESS);
    EXPECT_STREQ(old.name, "SQ_WAVES");
    EXPECT_STREQ(old.block, "SQ");
    EXPECT_STREQ(old.expression, "");
    EXPECT_EQ(old.is_derived, 0U);

    std::vector<unsigned char> area(256, 0);
    EXPECT_EQ(query(waves, 2, area.data()), ROCPROFILER_STATUS_SUCCESS);
    rocprofiler_counter_info_v1_t info{};
    std::memcpy(&info, area.data(), sizeof(info));
    EXPECT_EQ(info.size, 96U);
    EXPECT_EQ(info.id.handle, waves.handle);
    ASSERT_EQ(info.dimensions_count, 2U);
    EXPECT_STREQ(info.dimensions[0]->name, "DIMENSION_INSTANCE");
    EXPECT_STREQ(info.dimensions[1]->name, "DIMENSION_SHADER_ENGINE");
    EXPECT_EQ(info.dimensions[1]->instance_size, 2U);
    EXPECT_EQ(info.dimensions[1]->id, 3U);
    ASSERT_EQ(info.dimensions_instances_count, 2U);
    for (std::uint64_t i = 0; i < 2; ++i) {
      const auto* instance = info.dimensions_instances[i];
      EXPECT_EQ(instance->size, 40U);
      EXPECT_EQ(instance->counter_id, waves.handle);
      EXPECT_EQ(instance->instance_id, (waves.handle << 48U) | (i << 12U));
      ASSERT_EQ(instance->dimensions_count, 2U);
      EXPECT_EQ(instance->dimensions[0]->index, 0U);
      EXPECT_EQ(instance->dimensions[1]->index, i);
      EXPECT_EQ(instance->dimensions[1]->size, 24U);
    }
    EXPECT_EQ(area[96], 0U) << "nothing is written past the struct";
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(Counters, KnowTheirDimensionsAndInstances) {
  const Outcome outcome = isolated([] {
    const rocprofiler_counter_id_t hit = counter("TCC_HIT");
    std::size_t count = 0;
    EXPECT_EQ(rocprofiler_query_counter_instance_count(first_gpu(), hit, &count), 0);
    EXPECT_EQ(count, 4U);
    std::vector<std::string> names;
    EXPECT_EQ(rocprofiler_iterate_counter_dimensions(
                  hit,
                  [](auto, const rocprofiler_counter_record_dimension_info_t* list, std::size_t size, void* data) {
                    for (std::size_t i = 0; i < size; ++i) {
                      static_cast<std::vector<std::string>*>(data)->emplace_back(list[i].name);
                    }
                    return ROCPROFILER_STATUS_SUCCESS;
                  },
                  &names),
              0);
    EXPECT_THAT(names, ElementsAre("DIMENSION_INSTANCE"));
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

// The two worked examples of the instance id layout.
TEST(InstanceIds, AreTakenApartByArithmetic) {
  const auto position = [](std::uint64_t id, std::uint64_t dimension) {
    std::size_t result = 99;
    EXPECT_EQ(rocprofiler_query_record_dimension_position(id, dimension, &result), 0);
    return result;
  };
  rocprofiler_counter_id_t id{0};
  EXPECT_EQ(rocprofiler_query_record_counter_id(0x0aa7000000003007U, &id), 0);
  EXPECT_EQ(id.handle, 2727U);
  EXPECT_EQ(position(0x0aa7000000003007U, 3), 3U);
  EXPECT_EQ(position(0x0aa7000000003007U, 1), 7U);
  EXPECT_EQ(position(0x0de900f000000007U, 7), 15U);
  EXPECT_EQ(position(0x0de900f000000007U, 2), 0U);
  EXPECT_EQ(position(0x0aa7000000003007U, 0), 0x3007U);
}

// create_counter_config: handles 1, 2, 3, ...; counter 8, agent 7, other architecture or CPU 20, too many 38.
TEST(Configs, FollowTheRulesOfCreation) {
  const Outcome outcome = isolated([] {
    setenv("ROCPROFSYS_MULTIPASS_SIMULATE", "tiny,gfx942", 1);
    const rocprofiler_counter_id_t waves = counter("SQ_WAVES");
    std::uint64_t handle = 0;
    EXPECT_EQ(create_config({5}, {waves}, handle), ROCPROFILER_STATUS_ERROR_AGENT_NOT_FOUND);
    EXPECT_EQ(create_config(first_gpu(), {{60000}}, handle), ROCPROFILER_STATUS_ERROR_COUNTER_NOT_FOUND);
    EXPECT_EQ(create_config(agents()[0].id, {waves}, handle), ROCPROFILER_STATUS_ERROR_METRIC_NOT_VALID_FOR_AGENT);
    EXPECT_EQ(create_config(agents()[2].id, {waves}, handle), ROCPROFILER_STATUS_ERROR_METRIC_NOT_VALID_FOR_AGENT);
    EXPECT_EQ(create_config(first_gpu(), {waves, counter("SQ_ITEMS"), counter("SQ_INSTS_VALU")}, handle),
              ROCPROFILER_STATUS_ERROR_EXCEEDS_HW_LIMIT);
    EXPECT_EQ(handle, 0U) << "untouched by all of these";
    EXPECT_EQ(create_config(first_gpu(), {waves, waves, waves}, handle), 0) << "duplicates are dropped";
    EXPECT_EQ(handle, 1U);
    std::uint64_t empty = 0;
    EXPECT_EQ(create_config(first_gpu(), {}, empty), 0);
    EXPECT_EQ(empty, 2U);
    std::uint64_t constants = 0;
    EXPECT_EQ(create_config(first_gpu(), {counter("simd_count"), counter("simd_per_cu")}, constants), 0);
    EXPECT_EQ(rocprofiler_destroy_counter_config({1}), 0);
    EXPECT_EQ(rocprofiler_destroy_counter_config({1}), 0) << "always 0";
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(Configs, MergeWithTheConfigurationThatTheHandleNames) {
  const Outcome outcome = isolated([] {
    std::uint64_t handle = 0;
    EXPECT_EQ(create_config(first_gpu(), {counter("SQ_WAVES"), counter("SQ_ITEMS")}, handle), 0);
    std::uint64_t merged = handle;
    EXPECT_EQ(create_config(first_gpu(), {counter("SQ_INSTS_VALU")}, merged), ROCPROFILER_STATUS_ERROR_EXCEEDS_HW_LIMIT)
        << "two counters of the old one and the new one are three";
    EXPECT_EQ(merged, handle);
    EXPECT_EQ(create_config(first_gpu(), {counter("TCC_HIT")}, merged), 0);
    EXPECT_NE(merged, handle);
    std::uint64_t unknown = 500;
    EXPECT_EQ(create_config(first_gpu(), {counter("SQ_INSTS_VALU")}, unknown), 0) << "an unknown one is ignored";
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(Names, OfKindsFindKernelReplayAt25) {
  std::vector<std::string> kinds;
  EXPECT_EQ(rocprofiler_iterate_callback_tracing_kinds(
                [](rocprofiler_callback_tracing_kind_t kind, void* data) {
                  const char* name = nullptr;
                  std::uint64_t length = 0;
                  EXPECT_EQ(rocprofiler_query_callback_tracing_kind_name(kind, &name, &length), 0);
                  EXPECT_EQ(length, std::strlen(name));
                  static_cast<std::vector<std::string>*>(data)->emplace_back(name);
                  return 0;
                },
                &kinds),
            0);
  ASSERT_EQ(kinds.size(), 27U);
  EXPECT_EQ(kinds[0], "NONE");
  EXPECT_EQ(kinds[25], "KERNEL_REPLAY");
  EXPECT_EQ(kinds[12], "KERNEL_DISPATCH");
}

TEST(Names, OfOperationsCarryTheDomain) {
  const auto name_of = [](rocprofiler_callback_tracing_kind_t kind, int operation) -> std::string {
    const char* name = "untouched";
    std::uint64_t length = 1;
    const auto status = rocprofiler_query_callback_tracing_kind_operation_name(kind, operation, &name, &length);
    return name == nullptr ? "status " + std::to_string(status) : name;
  };
  EXPECT_EQ(name_of(ROCPROFILER_CALLBACK_TRACING_KERNEL_REPLAY, 1), "KERNEL_REPLAY_CONFIG");
  EXPECT_EQ(name_of(ROCPROFILER_CALLBACK_TRACING_KERNEL_REPLAY, 2), "KERNEL_REPLAY_PASS");
  EXPECT_EQ(name_of(ROCPROFILER_CALLBACK_TRACING_KERNEL_REPLAY, 3), "status 5");
  EXPECT_EQ(name_of(ROCPROFILER_CALLBACK_TRACING_KERNEL_DISPATCH, 0), "KERNEL_DISPATCH_NONE");
  EXPECT_EQ(name_of(ROCPROFILER_CALLBACK_TRACING_NONE, 0), "status 19");
  EXPECT_EQ(name_of(ROCPROFILER_CALLBACK_TRACING_LAST, 0), "status 4");
}

TEST(Names, OfUnknownKindsAreNull) {
  const char* name = "untouched";
  std::uint64_t length = 7;
  EXPECT_EQ(rocprofiler_query_callback_tracing_kind_name(ROCPROFILER_CALLBACK_TRACING_LAST, &name, &length),
            ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND);
  EXPECT_EQ(name, nullptr);
  EXPECT_EQ(length, 0U);
  int calls = 0;
  const auto count = [](auto, auto, void* data) {
    ++*static_cast<int*>(data);
    return 0;
  };
  EXPECT_EQ(rocprofiler_iterate_callback_tracing_kind_operations(ROCPROFILER_CALLBACK_TRACING_LAST, count, &calls), 0);
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(rocprofiler_iterate_callback_tracing_kind_operations(ROCPROFILER_CALLBACK_TRACING_NONE, count, &calls),
            ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(
      rocprofiler_iterate_callback_tracing_kind_operations(ROCPROFILER_CALLBACK_TRACING_KERNEL_REPLAY, count, &calls),
      0);
  EXPECT_EQ(calls, 3);
}

TEST(Names, OfStatusCodesEndAt41) {
  EXPECT_STREQ(rocprofiler_get_status_name(ROCPROFILER_STATUS_ERROR_EXCEEDS_HW_LIMIT),
               "ROCPROFILER_STATUS_ERROR_EXCEEDS_HW_LIMIT");
  EXPECT_STREQ(rocprofiler_get_status_name(static_cast<rocprofiler_status_t>(30)),
               "ROCPROFILER_STATUS_ERROR_CONFIG_NOT_FOUND");
  EXPECT_EQ(rocprofiler_get_status_name(static_cast<rocprofiler_status_t>(42)), nullptr);
  EXPECT_EQ(rocprofiler_get_status_string(static_cast<rocprofiler_status_t>(-1)), nullptr);
}

TEST(Version, Is141) {
  std::uint32_t patch = 0;
  EXPECT_EQ(rocprofiler_get_version(nullptr, nullptr, &patch), 0);
  rocprofiler_version_triplet_t triplet{};
  EXPECT_EQ(rocprofiler_get_version_triplet(&triplet), 0);
  EXPECT_EQ(triplet.major * 10000 + triplet.minor * 100 + triplet.patch, 10401U);
  EXPECT_EQ(patch, 1U);
}

}  // namespace
}  // namespace sim_sdk_test
