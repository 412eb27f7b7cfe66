// SPDX-License-Identifier: MIT
//
// What counters read after the worked example of support.hpp. Expected values are worked out by hand from it.
#include "sim/counters/device_file.hpp"
#include "sim/counters/evaluate.hpp"
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

class OrdinaryCounter : public testing::TestWithParam<Expected> {};

TEST_P(OrdinaryCounter, SumsToTheValueOfTheActivity) {
  EXPECT_EQ(sum_of(read_named(gfx942(), GetParam().counter, worked_example())), GetParam().value);
}

std::string counter_name(const testing::TestParamInfo<Expected>& info) {
  return info.param.counter;
}

INSTANTIATE_TEST_SUITE_P(
    Gfx942, OrdinaryCounter,
    testing::Values(Expected{"SQ_WAVES", 16}, Expected{"SQ_ITEMS", 1000}, Expected{"SQ_INSTS", 545},
                    Expected{"SQ_INSTS_VALU", 320}, Expected{"SQ_INSTS_SALU", 64}, Expected{"SQ_INSTS_SMEM", 48},
                    Expected{"SQ_INSTS_LDS", 40}, Expected{"SQ_INSTS_BRANCH", 20}, Expected{"SQ_INSTS_VMEM", 53},
                    Expected{"SQ_INSTS_VMEM_RD", 33}, Expected{"SQ_INSTS_VMEM_WR", 20}, Expected{"SQ_INSTS_FLAT", 53},
                    Expected{"SQ_INSTS_GDS", 0}, Expected{"SQ_WAVE_CYCLES", 801}, Expected{"SQ_BUSY_CYCLES", 32 * 1003},
                    Expected{"SQ_BUSY_CU_CYCLES", 76228}, Expected{"SQ_ACTIVE_INST_ANY", 545},
                    Expected{"SQ_ACTIVE_INST_VALU", 320}, Expected{"SQ_ACTIVE_INST_SCA", 132},
                    Expected{"SQ_ACTIVE_INST_VMEM", 53}, Expected{"SQ_ACTIVE_INST_LDS", 40},
                    Expected{"SQ_THREAD_CYCLES_VALU", 20000}, Expected{"SQ_WAIT_ANY", 256}, Expected{"SQ_IFETCH", 84},
                    Expected{"SQ_WAVES_EQ_64", 15}, Expected{"SQ_WAVES_LT_64", 1}, Expected{"SQ_LDS_BANK_CONFLICT", 5},
                    Expected{"SQ_LDS_IDX_ACTIVE", 40}, Expected{"SQC_ICACHE_REQ", 84}, Expected{"SQC_ICACHE_HITS", 68},
                    Expected{"SQC_ICACHE_MISSES", 16}, Expected{"SQC_DCACHE_REQ", 48}, Expected{"SQC_DCACHE_HITS", 42},
                    Expected{"SQC_DCACHE_MISSES", 6}, Expected{"GRBM_COUNT", 8 * 1003},
                    Expected{"GRBM_GUI_ACTIVE", 8 * 1003}, Expected{"GRBM_SPI_BUSY", 8 * 1003},
                    Expected{"GRBM_EA_BUSY", 8 * 501}, Expected{"CPC_CPC_STAT_BUSY", 8 * 1003},
                    Expected{"CPC_CPC_STAT_STALL", 8 * 62}, Expected{"CPF_CPF_STAT_BUSY", 8 * 1003},
                    Expected{"CPF_CPF_TCIU_IDLE", 8 * 502}, Expected{"SPI_CSN_BUSY", 32 * 1003},
                    Expected{"SPI_CSN_NUM_THREADGROUPS", 4}, Expected{"SPI_CSN_WAVE", 16}),
    counter_name);

INSTANTIATE_TEST_SUITE_P(
    Gfx942Memory, OrdinaryCounter,
    testing::Values(Expected{"TA_TA_BUSY", 352 * 501}, Expected{"TA_TOTAL_WAVEFRONTS", 53},
                    Expected{"TA_FLAT_WAVEFRONTS", 53}, Expected{"TA_FLAT_READ_WAVEFRONTS", 33},
                    Expected{"TA_FLAT_WRITE_WAVEFRONTS", 17}, Expected{"TA_FLAT_ATOMIC_WAVEFRONTS", 3},
                    Expected{"TA_BUFFER_WAVEFRONTS", 0}, Expected{"TD_TD_BUSY", 352 * 501},
                    Expected{"TD_LOAD_WAVEFRONT", 53}, Expected{"TD_STORE_WAVEFRONT", 17},
                    Expected{"TD_ATOMIC_WAVEFRONT", 3}, Expected{"TCP_TOTAL_ACCESSES", 953},
                    Expected{"TCP_TOTAL_READ", 594}, Expected{"TCP_TOTAL_WRITE", 306},
                    Expected{"TCP_TOTAL_ATOMIC_WITHOUT_RET", 53}, Expected{"TCP_TCC_READ_REQ", 66},
                    Expected{"TCP_TCC_WRITE_REQ", 34}, Expected{"TCP_TCC_ATOMIC_WITHOUT_RET_REQ", 5},
                    Expected{"TCP_UTCL1_REQUEST", 105}, Expected{"TCP_GATE_EN1", 352 * 1003},
                    Expected{"TCP_GATE_EN2", 352 * 753}, Expected{"TCC_HIT", 70}, Expected{"TCC_MISS", 35},
                    Expected{"TCC_REQ", 105}, Expected{"TCC_READ", 66}, Expected{"TCC_WRITE", 34},
                    Expected{"TCC_ATOMIC", 5}, Expected{"TCC_EA0_RDREQ", 60}, Expected{"TCC_EA0_RDREQ_32B", 0},
                    Expected{"TCC_EA0_RDREQ_DRAM", 60}, Expected{"TCC_BUBBLE", 0}, Expected{"TCC_EA0_WRREQ", 40},
                    Expected{"TCC_EA0_WRREQ_64B", 40}, Expected{"TCC_EA0_WRREQ_DRAM", 40},
                    Expected{"TCC_WRITEBACK", 20}, Expected{"TCC_BUSY", 128 * 1003}, Expected{"TCA_BUSY", 256 * 1003}),
    counter_name);

class DerivedCounter : public testing::TestWithParam<Expected> {};

TEST_P(DerivedCounter, IsItsFormulaOfTheActivity) {
  const auto values = read_named(gfx942(), GetParam().counter, worked_example());
  ASSERT_EQ(values.size(), 1U);
  EXPECT_DOUBLE_EQ(values[0].value, GetParam().value);
}

INSTANTIATE_TEST_SUITE_P(
    Gfx942, DerivedCounter,
    testing::Values(Expected{"CU_NUM", 304}, Expected{"SIMD_NUM", 1216}, Expected{"SE_NUM", 32},
                    Expected{"MAX_WAVE_SIZE", 64}, Expected{"SQ_WAVES_sum", 16}, Expected{"TCC_HIT_sum", 70},
                    Expected{"TCP_TOTAL_READ_sum", 594}, Expected{"TA_BUSY_max", 501}, Expected{"TA_BUSY_min", 501},
                    Expected{"TA_BUSY_avr", 501}, Expected{"TCC_WRREQ_STALL_max", 12},  // 1508 over 128 instances
                    Expected{"FETCH_SIZE", 3.75}, Expected{"FetchSize", 3.75},          // 60 * 64 bytes
                    Expected{"WRITE_SIZE", 2.5}, Expected{"WriteSize", 2.5},            // 40 * 64 bytes
                    Expected{"WRITE_REQ_32B", 0}, Expected{"MemWrites32B", 80}, Expected{"BANDWIDTH_EA", 6400.0 / 1003},
                    Expected{"GPU_UTIL", 100}, Expected{"SIMD_UTILIZATION", 100}, Expected{"VALUUtilization", 97.65625},
                    Expected{"VALUBusy", 32000.0 / 304912}, Expected{"ValuPipeIssueUtil", 32000.0 / 304912},
                    Expected{"SALUBusy", 6400.0 / 304912}, Expected{"LdsBankConflict", 12.5},
                    Expected{"LDSBankConflict", 500.0 / 304912}, Expected{"MemUnitStalled", 6200.0 / 32096},
                    Expected{"OccupancyPercent", 320400.0 / 9757184}, Expected{"MeanOccupancyPerCU", 3204.0 / 304912},
                    Expected{"MeanOccupancyPerActiveCU", 3204.0 / 304912}, Expected{"VmemLatency", 400},
                    Expected{"SmemLatency", 200}, Expected{"LdsLatency", 64}, Expected{"InstrFetchLatency", 40},
                    Expected{"SerializedAtomicRatio", 300.0 / (352 * 1003)}, Expected{"VFetchInsts", 0},
                    Expected{"VWriteInsts", 0.1875}, Expected{"MfmaUtil", 0}),
    counter_name);

TEST(DerivedPerInstance, SumsAsItsParts) {
  // Generic totals of _Z4axpyPfPKffi.kd: ADD 644, MUL 1044, TRANS 1444, FMA 612 (twice), INT32 356.
  const auto ops = read_named(gfx942(), "TOTAL_32_OPS", worked_example());
  ASSERT_EQ(ops.size(), 32U);
  EXPECT_EQ(sum_of(ops), 64.0 * (11 + 14 + 20 + 2 * 17 + 22));
  EXPECT_EQ(ops[0].value, 64.0 * (1 + 1 + 1 + 2 * 1 + 1));
  const auto rate = read_named(gfx942(), "RDC_OPS_32_PER_SIMDCYCLE", worked_example());
  ASSERT_EQ(rate.size(), 32U);
  EXPECT_NEAR(sum_of(rate), 64.0 * 101 / (1003.0 * 1216), 1e-12);
}

TEST(GenericTotal, IsAFunctionOfCounterKernelAndGeometry) {
  EXPECT_EQ(generic_total("TCC_TAG_STALL", kKernel, worked_example()), 16U * 55 + 4);
  EXPECT_EQ(generic_total("TCC_TAG_STALL", "other.kd", worked_example()), 16U * 70 + 4);
  EXPECT_EQ(sum_of(read_named(gfx942(), "TCC_TAG_STALL", worked_example())), 884);
  EXPECT_EQ(sum_of(read_named(tiny(), "SQ_IFETCH", worked_example())), 660);
}

TEST(Constants, ReadTheirAgentProperty) {
  EXPECT_EQ(sum_of(read_named(gfx942(), "simd_count", worked_example())), 1216);
  EXPECT_EQ(sum_of(read_named(tiny(), "simd_per_cu", worked_example())), 2);
}

TEST(AccumPrev, ReadsZero) {
  EXPECT_EQ(sum_of(read_named(gfx942(), "SQ_ACCUM_PREV", worked_example())), 0);
  EXPECT_EQ(sum_of(read_named(gfx942(), "SQ_ACCUM_PREV_HIRES", worked_example())), 0);
}

TEST(Totals, ADifferenceBelowZeroIsZero) {
  multipass_sim_activity activity{};
  activity.waves = 3;
  activity.work_items = 640;
  EXPECT_EQ(sum_of(read_named(gfx942(), "SQ_WAVES_EQ_64", activity)), 10);
  EXPECT_EQ(sum_of(read_named(gfx942(), "SQ_WAVES_LT_64", activity)), 0);
}

TEST(ForeignCounter, ReadsNothing) {
  EXPECT_TRUE(gfx942().read(*tiny().find("SQ_WAVES"), worked_example(), kKernel).empty());
}

TEST(Coverage, AtLeastSeventyBaseCountersHaveANonZeroMeaning) {
  std::size_t with_meaning = 0;
  for (const FileCounter& entry : read_device_file(device_path("gfx942")).counters) {
    if (entry.total && *entry.total != "0") ++with_meaning;
  }
  EXPECT_GE(with_meaning, 70U);
}

class TinyCounter : public testing::TestWithParam<Expected> {};

TEST_P(TinyCounter, SumsToTheValueWorkedOutByHand) {
  EXPECT_DOUBLE_EQ(sum_of(read_named(tiny(), GetParam().counter, worked_example())), GetParam().value);
}

INSTANTIATE_TEST_SUITE_P(Tiny, TinyCounter,
                         testing::Values(Expected{"GRBM_COUNT", 1003}, Expected{"SQ_WAVES", 16},
                                         Expected{"SQ_INSTS_VMEM_WR", 20}, Expected{"TCC_HIT", 70},
                                         Expected{"TCC_HIT_sum", 70}, Expected{"SQ_WAVES_sum", 16},
                                         Expected{"L2HitPercent", 7000.0 / 105}, Expected{"MemorySize", 6.25},
                                         Expected{"MeanOccupancyPerCU", 3204.0 / 4012}),
                         counter_name);

}  // namespace
}  // namespace multipass_sim
