// SPDX-License-Identifier: MIT
//
// What fits one configuration, against 1500 answers of the SDK and of the packet builder for each architecture.
#include <map>

#include "data/verdict_file.hpp"
#include "support.hpp"

namespace multipass_sim {
namespace {

Fit fit_of(const DeviceModel& model, const std::vector<std::string>& names) {
  return model.fit(ids_of(model, names));
}

using multipass::test_data::read_verdict_file;
using multipass::test_data::VerdictLine;

Fit expected_fit(const VerdictLine& verdict) {
  if (!verdict.accepted()) return Fit::kRefused;
  return verdict.works() ? Fit::kFits : Fit::kOverflows;
}

struct Answers {
  const char* name;
  std::size_t fits, refused, overflows;
};

class Verdicts : public testing::TestWithParam<Answers> {};

TEST_P(Verdicts, OfTheSdkAreThoseOfTheModel) {
  const DeviceModel& model = device(GetParam().name);
  std::map<Fit, std::size_t> seen;
  for (const VerdictLine& verdict : read_verdict_file(GetParam().name).lines) {
    EXPECT_EQ(fit_of(model, verdict.counters), expected_fit(verdict)) << testing::PrintToString(verdict.counters);
    ++seen[expected_fit(verdict)];
  }
  EXPECT_EQ(seen[Fit::kFits], GetParam().fits);
  EXPECT_EQ(seen[Fit::kRefused], GetParam().refused);
  EXPECT_EQ(seen[Fit::kOverflows], GetParam().overflows);
}

TEST_P(Verdicts, AreTheSameInAnyOrderAndWithDuplicates) {
  const DeviceModel& model = device(GetParam().name);
  for (const VerdictLine& verdict : read_verdict_file(GetParam().name).lines) {
    std::vector<std::string> twice(verdict.counters.rbegin(), verdict.counters.rend());
    twice.insert(twice.end(), verdict.counters.begin(), verdict.counters.end());
    ASSERT_EQ(fit_of(model, twice), expected_fit(verdict)) << testing::PrintToString(verdict.counters);
  }
}

INSTANTIATE_TEST_SUITE_P(Shipped, Verdicts,
                         testing::Values(Answers{"gfx90a", 771, 695, 34}, Answers{"gfx942", 814, 650, 36},
                                         Answers{"gfx950", 805, 648, 47}, Answers{"gfx1100", 927, 554, 19},
                                         Answers{"gfx1201", 670, 534, 296}),
                         [](const auto& instance) { return std::string(instance.param.name); });

TEST(Fit, FetchSizeAndWriteSizeNeedFiveOfFourRegisters) {
  EXPECT_EQ(fit_of(gfx942(), {"FETCH_SIZE"}), Fit::kFits);
  EXPECT_EQ(fit_of(gfx942(), {"WRITE_SIZE"}), Fit::kFits);
  EXPECT_EQ(fit_of(gfx942(), {"FETCH_SIZE", "WRITE_SIZE"}), Fit::kRefused);
}

TEST(Fit, FetchSizeAndWriteSizeFitOnGfx90aAndNotOnGfx950) {
  EXPECT_EQ(fit_of(device("gfx90a"), {"FETCH_SIZE", "WRITE_SIZE"}), Fit::kFits);
  EXPECT_EQ(fit_of(device("gfx90a"), {"FETCH_SIZE", "WRITE_SIZE", "L2CacheHit"}), Fit::kRefused);
  EXPECT_EQ(fit_of(device("gfx950"), {"FETCH_SIZE", "WRITE_SIZE"}), Fit::kRefused);
}

TEST(Fit, FetchSizeAndWriteSizeNeedSixOfFourRegistersOnGfx1100) {
  EXPECT_EQ(fit_of(device("gfx1100"), {"FETCH_SIZE"}), Fit::kFits);
  EXPECT_EQ(fit_of(device("gfx1100"), {"WRITE_SIZE"}), Fit::kFits);
  EXPECT_EQ(fit_of(device("gfx1100"), {"FETCH_SIZE", "WRITE_SIZE"}), Fit::kRefused);
}

// The SDK advertises 16 SQ registers for gfx1201, aqlprofile has 8 (ROCm/rocm-systems @1b1610fc).
TEST(Fit, TheSdkBelievesInMoreRegistersOfGfx1201ThanThereAre) {
  const DeviceModel& model = device("gfx1201");
  std::vector<std::string> request;
  for (const Counter& counter : model.counters()) {
    if (counter.block != "SQ" || request.size() == 17) continue;
    request.push_back(counter.name);
    const Fit expected = request.size() <= 8 ? Fit::kFits : request.size() <= 16 ? Fit::kOverflows : Fit::kRefused;
    EXPECT_EQ(fit_of(model, request), expected) << request.size();
  }
  EXPECT_EQ(request.size(), 17U);
}

TEST(Fit, HiddenRegistersOverflowOnEveryDevice) {
  for (const char* name : {"gfx90a", "gfx942", "gfx950"}) {
    SCOPED_TRACE(name);
    EXPECT_EQ(fit_of(device(name), {"LdsLatency", "TOTAL_32_OPS"}), Fit::kOverflows);
    EXPECT_EQ(fit_of(device(name), {"LdsLatency", "InstrFetchLatency", "VmemLatency"}), Fit::kOverflows);
    EXPECT_EQ(fit_of(device(name), {"LdsLatency", "InstrFetchLatency"}), Fit::kFits);
  }
}

TEST(Fit, APlainCounterServesOneAccumulation) {
  EXPECT_EQ(fit_of(tiny(), {"MeanOccupancyPerCU", "SQ_LEVEL_WAVES"}), Fit::kFits);
  EXPECT_EQ(fit_of(tiny(), {"MeanOccupancyPerCU", "SQ_WAVES"}), Fit::kOverflows);
  EXPECT_EQ(fit_of(tiny(), {"MeanOccupancyPerCU", "SQ_LEVEL_WAVES", "SQ_WAVES"}), Fit::kRefused);
}

TEST(Fit, BothAccumulationsOfOneCounterAreAccepted) {
  EXPECT_EQ(fit_of(gfx942(), {"MeanOccupancyPerCU", "MeanOccupancyPerActiveCU"}), Fit::kFits);
  // 2 accumulations + SQ_BUSY_CU_CYCLES + 4 = 7 keys; with one hidden register for each accumulation 9 of 8 ...
  std::vector<std::string> request = {
      "MeanOccupancyPerCU", "MeanOccupancyPerActiveCU", "SQ_WAVES", "SQ_ITEMS", "SQ_INSTS", "SQ_INSTS_VALU"};
  EXPECT_EQ(fit_of(gfx942(), request), Fit::kOverflows);
  // ... and the plain counter takes the place of one of them, so still 9.
  request.emplace_back("SQ_LEVEL_WAVES");
  EXPECT_EQ(fit_of(gfx942(), request), Fit::kOverflows);
}

TEST(Fit, ConstantsAndAnEmptyRequestCostNothing) {
  EXPECT_EQ(gfx942().fit({}), Fit::kFits);
  std::vector<std::uint32_t> ids = ids_of(gfx942(), {"TCC_HIT", "TCC_MISS", "TCC_REQ", "TCC_READ"});
  for (const Counter& counter : gfx942().counters()) {
    if (counter.is_constant) ids.push_back(counter.id);
  }
  for (const char* name : {"CU_NUM", "SIMD_NUM", "SE_NUM", "MAX_WAVE_SIZE"}) ids.push_back(gfx942().find(name)->id);
  EXPECT_EQ(gfx942().fit(ids), Fit::kFits);
}

TEST(Fit, AccumPrevTakesOneRegister) {
  const std::vector<std::string> seven = {"SQ_WAVES",      "SQ_ITEMS",      "SQ_INSTS",    "SQ_INSTS_VALU",
                                          "SQ_INSTS_SALU", "SQ_INSTS_SMEM", "SQ_INSTS_LDS"};
  std::vector<std::string> request = seven;
  request.emplace_back("SQ_ACCUM_PREV");
  EXPECT_EQ(fit_of(gfx942(), request), Fit::kFits);
  request.emplace_back("SQ_ACCUM_PREV_HIRES");
  EXPECT_EQ(fit_of(gfx942(), request), Fit::kRefused);
}

}  // namespace
}  // namespace multipass_sim
