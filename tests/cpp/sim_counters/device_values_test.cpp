// SPDX-License-Identifier: MIT
//
// What counters of gfx90a and gfx950 read after the worked example of support.hpp, worked out by hand from it, and what
// holds on every device. Counters that gfx942 has too are in read_test.cpp; here only the law that they agree.
#include <algorithm>
#include <set>

#include "sim/counters/device_file.hpp"
#include "support.hpp"

namespace multipass_sim {
namespace {

struct Expected {
  const char* device;
  const char* counter;
  double value;
};

std::ostream& operator<<(std::ostream& stream, const Expected& expected) {
  return stream << expected.device << ' ' << expected.counter;
}

std::string counter_name(const testing::TestParamInfo<Expected>& info) {
  return std::string(info.param.device) + "_" + info.param.counter;
}

Expected gfx90a(const char* counter, double value) {
  return {"gfx90a", counter, value};
}

Expected gfx950(const char* counter, double value) {
  return {"gfx950", counter, value};
}

class ArchBaseCounter : public testing::TestWithParam<Expected> {};

TEST_P(ArchBaseCounter, SumsToTheValueOfTheActivity) {
  const DeviceModel& model = device(GetParam().device);
  ASSERT_NE(model.find(GetParam().counter), nullptr);
  EXPECT_FALSE(model.find(GetParam().counter)->block.empty());
  EXPECT_EQ(sum_of(read_named(model, GetParam().counter, worked_example())), GetParam().value);
}

INSTANTIATE_TEST_SUITE_P(Gfx90a, ArchBaseCounter,
                         testing::Values(gfx90a("SQ_BUSY_CU_CYCLES", 26 * 1003), gfx90a("SQ_WAVE_CYCLES", 801),
                                         gfx90a("SQ_BUSY_CYCLES", 8 * 1003), gfx90a("GRBM_GUI_ACTIVE", 1003),
                                         gfx90a("SQ_LEVEL_WAVES", 801), gfx90a("SQ_WAIT_INST_ANY", 128),
                                         gfx90a("SQ_WAIT_INST_LDS", 40), gfx90a("SQ_INSTS_FLAT_LDS_ONLY", 0),
                                         gfx90a("TCC_EA_RDREQ", 60), gfx90a("TCC_EA_RDREQ_32B", 0),
                                         gfx90a("TCC_EA_RDREQ_DRAM", 60), gfx90a("TCC_EA_RDREQ_LEVEL", 36000),
                                         gfx90a("TCC_EA_WRREQ", 40), gfx90a("TCC_EA_WRREQ_64B", 40),
                                         gfx90a("TCC_EA_WRREQ_DRAM", 40), gfx90a("TCC_EA_WRREQ_LEVEL", 12000),
                                         gfx90a("TCC_EA_ATOMIC", 0), gfx90a("TCC_EA_RD_UNCACHED_32B", 0),
                                         gfx90a("TCC_EA_WRREQ_STALL", 932),
                                         gfx90a("TCP_TCC_READ_REQ_LATENCY", 19800),  // 66 reads of 300 cycles
                                         gfx90a("TCP_TCC_WRITE_REQ_LATENCY", 7800),  // 34 writes and 5 atomics of 200
                                         gfx90a("TCP_TCP_LATENCY", 10500)),
                         counter_name);

INSTANTIATE_TEST_SUITE_P(
    Gfx950, ArchBaseCounter,
    testing::Values(gfx950("SQ_BUSY_CU_CYCLES", 64 * 1003), gfx950("SQ_WAVE_CYCLES", 801),
                    gfx950("GRBM_GUI_ACTIVE", 8 * 1003), gfx950("SQ_INSTS_FLAT_NO_LDS", 53),
                    gfx950("SQ_INSTS_LDS_LOAD", 20), gfx950("SQ_INSTS_LDS_STORE", 20), gfx950("SQ_INSTS_LDS_ATOMIC", 0),
                    gfx950("SQ_INSTS_LDS_LOAD_BANDWIDTH", 80), gfx950("SQ_INSTS_LDS_STORE_BANDWIDTH", 80),
                    gfx950("SQ_INSTS_VALU_MFMA_MOPS_F6F4", 0), gfx950("SQ_LDS_CMD_FIFO_FULL", 32 * 15),
                    gfx950("SQ_INSTS_VALU_FLOPS_FP32", 484), gfx950("TCC_READ_SECTORS", 132),
                    gfx950("TCC_WRITE_SECTORS", 68), gfx950("TCC_ATOMIC_SECTORS", 10), gfx950("TCC_IB_REQ", 105),
                    gfx950("TCC_IB_STALL", 1540), gfx950("TCC_BYPASS_REQ", 0), gfx950("TCC_EA0_RDREQ_64B", 60),
                    gfx950("TCC_EA0_RDREQ_128B", 0), gfx950("TCC_EA0_RDREQ_DRAM_32B", 120),
                    gfx950("TCC_EA0_WRREQ_WRITE_DRAM", 40), gfx950("TCC_EA0_WRREQ_WRITE_DRAM_32B", 80),
                    gfx950("TCC_EA0_WRREQ_ATOMIC_DRAM", 0), gfx950("TCP_CACHE_MISS", 105),
                    gfx950("TCP_TAGRAM0_REQ", 27), gfx950("TCP_TAGRAM1_REQ", 26), gfx950("TCP_TAGRAM2_REQ", 26),
                    gfx950("TCP_TAGRAM3_REQ", 26), gfx950("TCP_TCC_READ_REQ_LATENCY", 19800),
                    gfx950("TCP_TCP_TA_ADDR_STALL_CYCLES", 288 * 62), gfx950("TCP_TCR_RDRET_STALL", 288 * 31),
                    gfx950("TCP_UTCL1_STALL_MULTI_MISS", 0), gfx950("TA_FLAT_COALESCEABLE_WAVEFRONTS", 33),
                    gfx950("TD_WRITE_ACKT_WAVEFRONT", 17), gfx950("TD_TD_SP_TRAFFIC", 33), gfx950("SPI_CS0_WAVE", 16),
                    gfx950("SPI_CS1_WAVE", 0), gfx950("SPI_CS0_NUM_THREADGROUPS", 4), gfx950("SPI_CS0_BUSY", 32 * 1003),
                    gfx950("SPI_CS3_WINDOW_VALID", 32 * 1003), gfx950("SPI_CSQ_P0_OCCUPANCY", 3204),
                    gfx950("SPI_CSQ_P0_Q0_OCCUPANCY", 3204), gfx950("SPI_CSQ_P0_Q1_OCCUPANCY", 0),
                    gfx950("SPI_CSQ_P2_OCCUPANCY", 0), gfx950("SPI_VWC0_VDATA_VALID_WR", 8),
                    gfx950("SPI_VWC1_VDATA_VALID_WR", 8), gfx950("CPC_ALWAYS_COUNT", 8 * 1003),
                    gfx950("CPC_TG_SEND", 4), gfx950("CPC_STALLED_BY_SE2_SPI", 8 * 15), gfx950("CPC_GD_BUSY", 116)),
    counter_name);

class TypedArithmetic : public testing::TestWithParam<const char*> {};

TEST_P(TypedArithmetic, CountsWhatTheKernelStatedWithItsType) {
  const std::vector<std::pair<const char*, double>> wanted = {
      {"ADD_F16", 10},   {"ADD_F32", 11},   {"ADD_F64", 12}, {"MUL_F16", 13}, {"MUL_F32", 14},
      {"MUL_F64", 15},   {"FMA_F16", 16},   {"FMA_F32", 17}, {"FMA_F64", 18}, {"TRANS_F16", 19},
      {"TRANS_F32", 20}, {"TRANS_F64", 21}, {"INT32", 22},   {"INT64", 23},   {"CVT", 24}};
  for (const auto& [type, count] : wanted) {
    const std::string name = std::string("SQ_INSTS_VALU_") + type;
    EXPECT_EQ(sum_of(read_named(device(GetParam()), name, worked_example())), count) << name;
  }
}

TEST_P(TypedArithmetic, OperationsAreThoseOfAWaveOf64AndAMultiplyAddIsTwo) {
  const DeviceModel& model = device(GetParam());
  EXPECT_EQ(sum_of(read_named(model, "TOTAL_16_OPS", worked_example())), 64.0 * (10 + 13 + 19 + 2 * 16));
  EXPECT_EQ(sum_of(read_named(model, "TOTAL_32_OPS", worked_example())), 64.0 * (11 + 14 + 20 + 2 * 17 + 22));
  EXPECT_EQ(sum_of(read_named(model, "TOTAL_64_OPS", worked_example())), 64.0 * (12 + 15 + 2 * 18 + 23));
}

INSTANTIATE_TEST_SUITE_P(Cdna, TypedArithmetic, testing::Values("gfx90a", "gfx942", "gfx950"), device_name);

class ArchDerivedCounter : public testing::TestWithParam<Expected> {};

TEST_P(ArchDerivedCounter, IsItsFormulaOfTheActivity) {
  const auto values = read_named(device(GetParam().device), GetParam().counter, worked_example());
  ASSERT_EQ(values.size(), 1U);
  EXPECT_DOUBLE_EQ(values[0].value, GetParam().value);
}

constexpr double kGpuCuCycles90a = 1003.0 * 104;
constexpr double kCoreCycles90a = 112.0 * 753;  // of the cores of 112 vector caches
constexpr double kGpuCuCycles950 = 1003.0 * 256;

INSTANTIATE_TEST_SUITE_P(
    Gfx90a, ArchDerivedCounter,
    testing::Values(gfx90a("CU_NUM", 104), gfx90a("SIMD_NUM", 416), gfx90a("SE_NUM", 8), gfx90a("FETCH_SIZE", 3.75),
                    gfx90a("FetchSize", 3.75), gfx90a("WRITE_SIZE", 2.5), gfx90a("WriteSize", 2.5),
                    gfx90a("WRITE_REQ_32B", 0), gfx90a("MemWrites32B", 80), gfx90a("BANDWIDTH_EA", 6400.0 / 1003),
                    gfx90a("TCC_EA_RDREQ_sum", 60), gfx90a("TA_BUSY_max", 501), gfx90a("TA_BUSY_min", 501),
                    gfx90a("TA_BUSY_avr", 501), gfx90a("TCC_WRREQ_STALL_max", 30),
                    gfx90a("ALUStalledByLDS", 16000.0 / (16 * 1003)), gfx90a("AggSysCycles", kGpuCuCycles90a),
                    gfx90a("AvgNumActiveThreads", 62.5), gfx90a("CpUtil", 100), gfx90a("EaUtil", 50100.0 / 1003),
                    gfx90a("SpiUtil", 100), gfx90a("TaUtil", 100), gfx90a("TcUtil", 100), gfx90a("GPUBusy", 100),
                    gfx90a("GpuUtil", 100), gfx90a("EaAtomicLatency", 0), gfx90a("EaRdLatency", 600),
                    gfx90a("EaWrLatency", 300), gfx90a("EaRdDramStallRate", 100.0 * 676 / (32 * 1003)),
                    gfx90a("EaWrIoStallRate", 100.0 * 676 / (32 * 1003)), gfx90a("EaWrStarveRate", 1500.0 / 1003),
                    gfx90a("FlatLDSInsts", 0), gfx90a("FlatVMemInsts", 53.0 / 16), gfx90a("GDSInsts", 0),
                    gfx90a("LDSInsts", 2.5), gfx90a("SALUInsts", 4), gfx90a("SFetchInsts", 3), gfx90a("VALUInsts", 20),
                    gfx90a("L1iCacheHitRate", 6800.0 / 84), gfx90a("sL1dCacheHitRate", 87.5),
                    gfx90a("L2CacheHit", 7000.0 / 105), gfx90a("L2CacheTagRamStallRate", 88400.0 / (32 * 1003))),
    counter_name);

INSTANTIATE_TEST_SUITE_P(
    Gfx90aUnits, ArchDerivedCounter,
    testing::Values(gfx90a("LdsPipeIssueUtil", 8000 / kGpuCuCycles90a), gfx90a("LdsUtil", 4000 / kGpuCuCycles90a),
                    gfx90a("ScaPipeIssueUtil", 13200 / kGpuCuCycles90a),
                    gfx90a("VmemPipeIssueUtil", 42400 / kGpuCuCycles90a), gfx90a("MemUnitBusy", 50100.0 / 1003),
                    gfx90a("MemUnitStalled", 6200.0 / (8 * 1003)), gfx90a("WriteUnitStalled", 100.0 * 30 / 1003),
                    gfx90a("WaveDepWait", 102400.0 / 3204), gfx90a("WaveExec", 54500.0 / 801),
                    gfx90a("WaveIssueWait", 51200.0 / 3204), gfx90a("WaveDuration", 200.25), gfx90a("Wavefronts", 16),
                    gfx90a("VALUBusy", 32000 / kGpuCuCycles90a),
                    gfx90a("OccupancyPercent", 320400 / (32 * kGpuCuCycles90a)),
                    gfx90a("MeanOccupancyPerCU", 3204 / kGpuCuCycles90a),
                    gfx90a("MeanOccupancyPerActiveCU", 3204 / kGpuCuCycles90a), gfx90a("SIMD_UTILIZATION", 100),
                    gfx90a("VmemLatency", 400), gfx90a("LdsLatency", 64),
                    gfx90a("vL1dAtomicTagConfStallRate", 300 / kCoreCycles90a),
                    gfx90a("vL1dRdTagConfStallRate", 3300 / kCoreCycles90a),
                    gfx90a("vL1dWrTagConfStallRate", 1700 / kCoreCycles90a),
                    gfx90a("vL1dBufCoalesceRate", 1600.0 * 53 / 953), gfx90a("vL1dCacheTcbHitRate", 100),
                    gfx90a("vL1dCacheUtil", 75300.0 / 1003), gfx90a("vL1dCacheWaveLatency", 656.25),
                    gfx90a("vL1dDataPendRate", 3600 / kCoreCycles90a), gfx90a("vL1dDataRetStallRate", 12500.0 / 501),
                    gfx90a("vL1dMissReqStallRate", 6200.0 / 753), gfx90a("vL1dReadFromL2Latency", 300),
                    gfx90a("vL1dWriteToL2Latency", 200)),
    counter_name);

INSTANTIATE_TEST_SUITE_P(
    Gfx950, ArchDerivedCounter,
    testing::Values(gfx950("CU_NUM", 256), gfx950("SIMD_NUM", 1024), gfx950("SE_NUM", 32), gfx950("FETCH_SIZE", 3.75),
                    gfx950("WRITE_SIZE", 2.5), gfx950("BANDWIDTH_EA", 6400.0 / 1003), gfx950("MemWrites32B", 80),
                    gfx950("TA_BUSY_max", 501), gfx950("TA_BUSY_min", 501), gfx950("TA_BUSY_avr", 501),
                    gfx950("TCC_READ_SECTORS_sum", 132), gfx950("TCP_TAGRAM0_REQ_sum", 27),
                    gfx950("VALUBusy", 32000 / kGpuCuCycles950), gfx950("VALUUtilization", 97.65625),
                    gfx950("SALUBusy", 6400 / kGpuCuCycles950), gfx950("GPU_UTIL", 100),
                    gfx950("SIMD_UTILIZATION", 100), gfx950("OccupancyPercent", 320400 / (32 * kGpuCuCycles950)),
                    gfx950("MeanOccupancyPerCU", 3204 / kGpuCuCycles950), gfx950("MfmaUtil", 0),
                    gfx950("MemUnitStalled", 6200.0 / (32 * 1003)), gfx950("SmemLatency", 200),
                    gfx950("LDSBankConflict", 500 / kGpuCuCycles950)),
    counter_name);

TEST(ArchDerived, IntegerOperationsOfGfx90aAddUp) {
  const auto values = read_named(device("gfx90a"), "ValuIops", worked_example());
  ASSERT_EQ(values.size(), 8U);
  EXPECT_EQ(sum_of(values), 64.0 * (22 + 23));
}

bool is_cdna(const std::string& name) {
  return name.starts_with("gfx9");
}

class EveryDevice : public testing::TestWithParam<const char*> {};

TEST_P(EveryDevice, SpreadsEachBaseCounterEvenly) {
  for (const Counter& counter : device(GetParam()).counters()) {
    if (counter.block.empty()) continue;
    const auto values = device(GetParam()).read(counter, worked_example(), kKernel);
    ASSERT_EQ(values.size(), counter.instances()) << counter.name;
    const auto descending = [](const InstanceValue& a, const InstanceValue& b) { return a.value > b.value; };
    EXPECT_TRUE(std::is_sorted(values.begin(), values.end(), descending)) << counter.name;
    EXPECT_LE(values.front().value - values.back().value, 1) << counter.name;
    EXPECT_GE(values.back().value, 0) << counter.name;
  }
}

TEST_P(EveryDevice, ReadsZeroAfterNoActivity) {
  const std::set<std::string> of_the_agent = {"CU_NUM", "SIMD_NUM", "SE_NUM", "MAX_WAVE_SIZE"};
  for (const Counter& counter : device(GetParam()).counters()) {
    if (counter.is_constant || of_the_agent.contains(counter.name)) continue;
    for (const InstanceValue& value : device(GetParam()).read(counter, {}, kKernel)) {
      EXPECT_EQ(value.value, 0) << counter.name;
    }
  }
}

TEST_P(EveryDevice, HasSumsThatAreTheSumOfTheInstances) {
  std::size_t sums = 0;
  for (const Counter& counter : device(GetParam()).counters()) {
    if (!counter.name.ends_with("_sum")) continue;
    const std::string part = counter.name.substr(0, counter.name.size() - 4);
    const auto values = read_named(device(GetParam()), counter.name, worked_example());
    ASSERT_EQ(values.size(), 1U) << counter.name;
    EXPECT_EQ(values[0].value, sum_of(read_named(device(GetParam()), part, worked_example()))) << counter.name;
    ++sums;
  }
  EXPECT_GT(sums, is_cdna(GetParam()) ? 100U : 1U);
}

TEST_P(EveryDevice, ReadsConstantsOfItsAgent) {
  const DeviceModel& model = device(GetParam());
  EXPECT_EQ(sum_of(read_named(model, "simd_count", worked_example())), model.agent().simd_count);
  EXPECT_EQ(sum_of(read_named(model, "simd_per_cu", worked_example())), model.agent().simd_per_cu);
}

INSTANTIATE_TEST_SUITE_P(Shipped, EveryDevice,
                         testing::Values("gfx1100", "gfx1201", "gfx90a", "gfx942", "gfx950", "tiny"), device_name);

// "TCC_EA_RDREQ" of gfx90a is "TCC_EA0_RDREQ" elsewhere.
std::string name_on_gfx942(std::string name) {
  if (name.starts_with("TCC_EA_")) name.insert(6, "0");
  return name;
}

class Relative : public testing::TestWithParam<const char*> {
 protected:
  // Counters of the time of waves count four cycles at a time on CDNA, each of them on RDNA.
  static double cycles_per_count(const std::string& counter) {
    const std::set<std::string> of_waves = {"SQ_WAVE_CYCLES", "SQ_WAIT_ANY", "SQ_WAIT_INST_ANY"};
    return !is_cdna(GetParam()) && of_waves.contains(counter) ? 4 : 1;
  }
};

TEST_P(Relative, OfGfx942ReadsTheSame) {
  std::size_t compared = 0;
  for (const FileCounter& entry : read_device_file(device_path(GetParam())).counters) {
    const std::string& name = entry.counter.name;
    const std::string other = name_on_gfx942(name);
    // The compute units are not as many, and the generic function knows the name.
    if (!entry.total || name == "SQ_BUSY_CU_CYCLES" || gfx942().find(other) == nullptr) continue;
    const auto values = read_named(device(GetParam()), name, worked_example());
    const auto others = read_named(gfx942(), other, worked_example());
    if (entry.is_each) {
      EXPECT_EQ(values.front().value, others.front().value) << name;
    } else {
      EXPECT_EQ(sum_of(values), sum_of(others) * cycles_per_count(name)) << name;
    }
    ++compared;
  }
  EXPECT_GT(compared, is_cdna(GetParam()) ? 190U : 14U);
}

INSTANTIATE_TEST_SUITE_P(Shipped, Relative, testing::Values("gfx1100", "gfx1201", "gfx90a", "gfx950"), device_name);

}  // namespace
}  // namespace multipass_sim
