// SPDX-License-Identifier: MIT
//
// What counters of the simulated RDNA devices read after the worked example of support.hpp, worked out by hand.
#include <string>
#include <utility>

#include "support.hpp"

namespace multipass_sim {
namespace {

struct Expected {
  const char* counter;
  double value;
};

void PrintTo(const Expected& expected, std::ostream* stream) {
  *stream << expected.counter;
}

std::string counter_name(const testing::TestParamInfo<Expected>& info) {
  return info.param.counter;
}

const DeviceModel& gfx1100() {
  return device("gfx1100");
}

const DeviceModel& gfx1201() {
  return device("gfx1201");
}

class Gfx1100Counter : public testing::TestWithParam<Expected> {};

TEST_P(Gfx1100Counter, SumsToTheValueWorkedOutByHand) {
  EXPECT_DOUBLE_EQ(sum_of(read_named(gfx1100(), GetParam().counter, worked_example())), GetParam().value);
}

INSTANTIATE_TEST_SUITE_P(
    Base, Gfx1100Counter,
    testing::Values(Expected{"SQ_WAVES", 16}, Expected{"SQ_WAVE_CYCLES", 3204}, Expected{"SQ_BUSY_CYCLES", 24 * 1003},
                    Expected{"SQ_INSTS_VALU", 320}, Expected{"SQ_INSTS_SALU", 64}, Expected{"SQ_INSTS_SMEM", 48},
                    Expected{"SQ_INSTS_LDS", 40}, Expected{"SQ_INSTS_FLAT", 53}, Expected{"SQ_INSTS_TEX_LOAD", 33},
                    Expected{"SQ_INSTS_TEX_STORE", 20}, Expected{"SQ_INSTS_GDS", 0}, Expected{"SQ_INSTS_WAVE32", 545},
                    Expected{"SQ_INSTS_WAVE32_LDS", 40}, Expected{"SQ_INSTS_WAVE32_VALU", 320},
                    Expected{"SQ_WAVE32_INSTS", 545}, Expected{"SQ_WAVE64_INSTS", 0},
                    Expected{"SQ_INST_CYCLES_VMEM", 53}, Expected{"SQ_INST_LEVEL_LDS", 640},
                    Expected{"SQ_INST_LEVEL_GDS", 0}, Expected{"SQ_WAIT_ANY", 1024}, Expected{"SQ_WAIT_INST_ANY", 512},
                    Expected{"SQ_WAIT_INST_LDS", 40}, Expected{"SQ_ACCUM_PREV", 0},
                    Expected{"SQC_LDS_BANK_CONFLICT", 5}, Expected{"SQC_LDS_IDX_ACTIVE", 40}, Expected{"GL2C_HIT", 70},
                    Expected{"GL2C_MISS", 35}, Expected{"GL2C_EA_RDREQ_32B", 0}, Expected{"GL2C_EA_RDREQ_64B", 60},
                    Expected{"GL2C_EA_RDREQ_96B", 0}, Expected{"GL2C_EA_RDREQ_128B", 0},
                    Expected{"GL2C_EA_WRREQ_64B", 40}, Expected{"GL2C_MC_RDREQ", 60}, Expected{"GL2C_MC_WRREQ", 40},
                    Expected{"GL2C_MC_WRREQ_STALL", 32 * 62}, Expected{"GRBM_COUNT", 1003},
                    Expected{"GRBM_GUI_ACTIVE", 1003}, Expected{"TA_TA_BUSY", 96 * 501},
                    Expected{"TA_BUFFER_LOAD_WAVEFRONTS", 0}, Expected{"TA_BUFFER_STORE_WAVEFRONTS", 0}),
    counter_name);

INSTANTIATE_TEST_SUITE_P(
    Derived, Gfx1100Counter,
    testing::Values(Expected{"CU_NUM", 48}, Expected{"SIMD_NUM", 192}, Expected{"SE_NUM", 6},
                    Expected{"MAX_WAVE_SIZE", 32}, Expected{"wave_front_size", 32}, Expected{"SQ_WAVES_sum", 16},
                    Expected{"Wavefronts", 16}, Expected{"VALUInsts", 20}, Expected{"SALUInsts", 4},
                    Expected{"SFetchInsts", 3}, Expected{"GDSInsts", 0}, Expected{"GL2C_HIT_sum", 70},
                    Expected{"L2CacheHit", 7000.0 / 105}, Expected{"FETCH_SIZE", 3.75},  // 60 * 64 bytes
                    Expected{"WRITE_SIZE", 2.5},                                         // 40 * 64 bytes
                    Expected{"LDSBankConflict", 12.5}, Expected{"LdsLatency", 64},
                    Expected{"ALUStalledByLDS", 4000.0 / 16048}, Expected{"GPUBusy", 100}, Expected{"GPU_UTIL", 100},
                    Expected{"MemUnitBusy", 50100.0 / 1003}, Expected{"MeanOccupancyPerCU", 3204.0 / 48144},
                    Expected{"MeanOccupancyPerActiveCU", 3204.0 / 48144},
                    Expected{"OccupancyPercent", 320400.0 / 1540608}, Expected{"WAVE_DEP_WAIT", 102400.0 / 3204},
                    Expected{"WAVE_ISSUE_WAIT", 51200.0 / 3204}, Expected{"WriteUnitStalled", 6200.0 / 1003},
                    Expected{"GL2C_WRREQ_STALL_max", 62}, Expected{"TA_BUSY_max", 501}, Expected{"TA_BUSY_min", 501},
                    Expected{"TA_BUSY_avr", 501}),
    counter_name);

class Gfx1201Counter : public testing::TestWithParam<Expected> {};

TEST_P(Gfx1201Counter, SumsToTheValueWorkedOutByHand) {
  EXPECT_DOUBLE_EQ(sum_of(read_named(gfx1201(), GetParam().counter, worked_example())), GetParam().value);
}

INSTANTIATE_TEST_SUITE_P(All, Gfx1201Counter,
                         testing::Values(Expected{"SQ_WAVES", 16}, Expected{"SQ_WAVE32_INSTS", 545},
                                         Expected{"SQ_WAVE64_INSTS", 0}, Expected{"SQ_INSTS_TEX_STORE", 20},
                                         Expected{"GL2C_HIT", 70}, Expected{"GL2C_MISS", 35},
                                         Expected{"GL2C_EA_RDREQ", 60}, Expected{"GL2C_EA_RDREQ_64B", 60},
                                         Expected{"GL2C_EA_WRREQ", 40}, Expected{"GL2C_EA_WRREQ_64B", 40},
                                         Expected{"GL2C_EA_WRREQ_STALL", 16 * 62}, Expected{"GRBM_COUNT", 1003},
                                         Expected{"CU_NUM", 32}, Expected{"wave_front_size", 32},
                                         Expected{"FETCH_SIZE", 3.75}, Expected{"L2CacheHit", 7000.0 / 105},
                                         Expected{"LDSBankConflict", 12.5}, Expected{"GL2C_EA_WRREQ_STALL_max", 62},
                                         Expected{"TA_BUSY_max", 501}, Expected{"TA_BUSY_min", 501},
                                         Expected{"WAVE_DEP_WAIT", 102400.0 / 3204}),
                         counter_name);

TEST(RdnaCounters, ReadsOfAllSizesAreTheReadsOfTheMemoryInterface) {
  double sizes = 0;
  for (const char* name : {"GL2C_EA_RDREQ_32B", "GL2C_EA_RDREQ_64B", "GL2C_EA_RDREQ_96B", "GL2C_EA_RDREQ_128B"}) {
    sizes += sum_of(read_named(gfx1100(), name, worked_example()));
  }
  EXPECT_EQ(sizes, sum_of(read_named(gfx1100(), "GL2C_MC_RDREQ", worked_example())));
}

TEST(RdnaCounters, ReadTheSameWorkAsTheL2CountersOfGfx942) {
  for (const auto& [rdna, cdna] : {std::pair{"GL2C_HIT", "TCC_HIT"},
                                   {"GL2C_MISS", "TCC_MISS"},
                                   {"FETCH_SIZE", "FETCH_SIZE"},
                                   {"WRITE_SIZE", "WRITE_SIZE"}}) {
    EXPECT_EQ(sum_of(read_named(gfx1100(), rdna, worked_example())),
              sum_of(read_named(gfx942(), cdna, worked_example())))
        << rdna;
  }
}

// WGP 1, SHADER_ARRAY 1, SHADER_ENGINE 5 is the last of 24: 6 bits each at 30, 24 and 12.
TEST(RdnaCounters, NumberTheirInstancesByWgpArrayAndEngine) {
  const auto values = read_named(gfx1100(), "SQ_WAVES", worked_example());
  ASSERT_EQ(values.size(), 24U);
  const std::uint64_t id = static_cast<std::uint64_t>(gfx1100().find("SQ_WAVES")->id) << 48U;
  EXPECT_EQ(values.front().instance_id, id);
  EXPECT_EQ(values[1].instance_id, id | (std::uint64_t{1} << 30U));
  EXPECT_EQ(values[2].instance_id, id | (std::uint64_t{1} << 24U));
  EXPECT_EQ(values.back().instance_id,
            id | (std::uint64_t{1} << 30U) | (std::uint64_t{1} << 24U) | (std::uint64_t{5} << 12U));
}

}  // namespace
}  // namespace multipass_sim
