// SPDX-License-Identifier: MIT
//
// What fits one configuration, against 1500 answers of the SDK and of the packet builder.
#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>

#include "support.hpp"

namespace multipass_sim {
namespace {

Fit fit_of(const DeviceModel& model, const std::vector<std::string>& names) {
  return model.fit(ids_of(model, names));
}

struct Verdict {
  Fit expected = Fit::kFits;
  std::vector<std::string> counters;
};

std::string next_line(std::istream& stream) {
  std::string line;
  while (std::getline(stream, line) && line.starts_with('#')) {
  }
  return line;
}

std::size_t next_count(std::istream& stream, const std::string& word) {
  std::istringstream line(next_line(stream));
  std::string found;
  std::size_t count = 0;
  line >> found >> count;
  EXPECT_EQ(found, word);
  return count;
}

Verdict parse_verdict(const std::string& text, const std::vector<std::string>& names) {
  Verdict verdict;
  std::istringstream line(text);
  int status = -1;
  std::string packets;
  line >> status >> packets;
  if (status == 38) {
    verdict.expected = Fit::kRefused;
  } else {
    EXPECT_EQ(status, 0) << text;
    verdict.expected = packets == "0" ? Fit::kFits : Fit::kOverflows;
  }
  for (std::size_t index = 0; line >> index;) verdict.counters.push_back(names.at(index));
  return verdict;
}

std::vector<Verdict> read_verdicts() {
  std::ifstream stream(std::string(MULTIPASS_TEST_DATA) + "/verdicts/gfx942.txt");
  std::vector<std::string> names(next_count(stream, "names"));
  for (std::string& name : names) name = next_line(stream);
  std::vector<Verdict> verdicts(next_count(stream, "requests"));
  for (Verdict& verdict : verdicts) verdict = parse_verdict(next_line(stream), names);
  return verdicts;
}

TEST(Fit, AgreesWithEveryVerdictOfTheSdk) {
  std::map<Fit, std::size_t> seen;
  for (const Verdict& verdict : read_verdicts()) {
    EXPECT_EQ(fit_of(gfx942(), verdict.counters), verdict.expected) << testing::PrintToString(verdict.counters);
    ++seen[verdict.expected];
  }
  EXPECT_EQ(seen[Fit::kFits], 814U);
  EXPECT_EQ(seen[Fit::kRefused], 650U);
  EXPECT_EQ(seen[Fit::kOverflows], 36U);
}

TEST(Fit, OrderAndDuplicatesDoNotMatter) {
  for (Verdict& verdict : read_verdicts()) {
    const std::vector<std::string> twice = verdict.counters;
    verdict.counters.insert(verdict.counters.end(), twice.rbegin(), twice.rend());
    ASSERT_EQ(fit_of(gfx942(), verdict.counters), verdict.expected) << testing::PrintToString(twice);
  }
}

TEST(Fit, FetchSizeAndWriteSizeNeedFiveOfFourRegisters) {
  EXPECT_EQ(fit_of(gfx942(), {"FETCH_SIZE"}), Fit::kFits);
  EXPECT_EQ(fit_of(gfx942(), {"WRITE_SIZE"}), Fit::kFits);
  EXPECT_EQ(fit_of(gfx942(), {"FETCH_SIZE", "WRITE_SIZE"}), Fit::kRefused);
}

TEST(Fit, HiddenRegistersOverflowWhatTheSdkAccepts) {
  EXPECT_EQ(fit_of(gfx942(), {"LdsLatency", "TOTAL_32_OPS"}), Fit::kOverflows);
  EXPECT_EQ(fit_of(gfx942(), {"LdsLatency", "InstrFetchLatency", "VmemLatency"}), Fit::kOverflows);
  EXPECT_EQ(fit_of(gfx942(), {"LdsLatency", "InstrFetchLatency"}), Fit::kFits);
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
