// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <random>

#include "journal/encode.hpp"
#include "samples.hpp"

namespace multipass::journal {
namespace {

template <typename T>
T decoded(const std::string& bytes) {
  Result<Frame> frame = decode(bytes);
  EXPECT_TRUE(frame) << frame.message();
  const T* value = frame ? std::get_if<T>(&*frame) : nullptr;
  EXPECT_NE(value, nullptr) << "another kind of frame";
  return value == nullptr ? T{} : *value;
}

TEST(JournalCodec, KeepsEveryMemberOfARun) {
  EXPECT_EQ(decoded<RunMetadata>(encode(samples::run())), samples::run());
}

TEST(JournalCodec, RankZeroIsNotNoRank) {
  RunMetadata run = samples::run();
  EXPECT_EQ(decoded<RunMetadata>(encode(run)).rank, 0U);
  run.rank.reset();
  EXPECT_EQ(decoded<RunMetadata>(encode(run)).rank, std::nullopt);
}

TEST(JournalCodec, KeepsEveryMemberOfAnAgentItsCountersAndItsPlan) {
  const AgentFrame agent = samples::agent();
  const auto read = decoded<AgentFrame>(encode(agent.agent, agent.counters, agent.plan));
  EXPECT_EQ(read.agent, agent.agent);
  EXPECT_EQ(read.counters, agent.counters);
  EXPECT_EQ(read.plan, agent.plan);
}

TEST(JournalCodec, KeepsEveryMemberOfAKernel) {
  EXPECT_EQ(decoded<KernelSymbol>(encode(samples::kernel())), samples::kernel());
}

TEST(JournalCodec, KeepsEveryMemberOfADispatch) {
  EXPECT_EQ(decoded<DispatchRecord>(encode(samples::dispatch())), samples::dispatch());
}

TEST(JournalCodec, PassZeroIsNotNoPass) {
  const auto read = decoded<DispatchRecord>(encode(samples::dispatch()));
  ASSERT_EQ(read.passes.size(), 2U);
  EXPECT_EQ(read.passes[0].pass, PassIndex{0});
  EXPECT_EQ(read.passes[1].pass, std::nullopt);
}

TEST(JournalCodec, KeepsACheckpoint) {
  const CheckpointFrame checkpoint{.dispatches = 1ULL << 40U, .in_flight = 2, .dropped = 3, .at_ns = 4};
  EXPECT_EQ(decoded<CheckpointFrame>(encode(checkpoint)), checkpoint);
}

TEST(JournalCodec, KeepsWarningAndEnd) {
  EXPECT_EQ(decoded<WarningFrame>(encode_warning("careful")).text, "careful");
  const auto end = decoded<EndFrame>(encode_end(3, 99));
  EXPECT_EQ(end.dispatches, 3U);
  EXPECT_EQ(end.end_ns, 99U);
}

TEST(JournalCodec, TextThatIsNotUtf8IsMadeReadable) {
  RunMetadata run = samples::run();
  run.command = {"./app", "\xff", "a\xc3("};
  run.events = "SQ_WAVES,GRBM\xff";
  const auto read = decoded<RunMetadata>(encode(run));
  EXPECT_EQ(read.command, (std::vector<std::string>{"./app", "\xEF\xBF\xBD", "a\xEF\xBF\xBD("}));
  EXPECT_EQ(read.events, "SQ_WAVES,GRBM\xEF\xBF\xBD");
}

TEST(JournalCodec, TextThatIsNotUtf8InAFileIsReadAsText) {
  std::string bytes = encode_warning("x");
  bytes.back() = '\xff';
  EXPECT_EQ(decoded<WarningFrame>(bytes).text, "\xEF\xBF\xBD");
}

TEST(JournalCodec, AMessageWithoutContentIsStillWritten) {
  EXPECT_EQ(decoded<EndFrame>(encode_end(0, 0)).dispatches, 0U);
  EXPECT_EQ(decoded<WarningFrame>(encode_warning("")).text, "");
  DispatchRecord record = samples::dispatch();
  record.passes.emplace_back();  // ran once, group 0, nothing known
  EXPECT_EQ(decoded<DispatchRecord>(encode(record)), record);
}

TEST(JournalCodec, RefusesCountersWithoutValues) {
  DispatchRecord record = samples::dispatch();
  record.passes[0].values.pop_back();
  EXPECT_EQ(decode(encode(record)).message(), "a pass has counters without values");
}

TEST(JournalCodec, PositionsOfInstancesAreWrittenWhereOneIsMissingOnly) {
  DispatchRecord record = samples::dispatch();
  record.passes = {{PassIndex{0}, GroupIndex{0}, 0, 0, {CounterIndex{0}}, {6}, {{{0, 1, 2}, {1, 2, 3}}}}};
  const std::size_t whole = encode(record).size();
  record.passes[0].instances[0].positions = {0, 1, 3};
  EXPECT_EQ(encode(record).size(), whole + 5);  // tag, length and three positions
  EXPECT_EQ(decoded<DispatchRecord>(encode(record)), record);
  record.passes[0].instances[0].positions = {1, 2, 3};
  EXPECT_EQ(decoded<DispatchRecord>(encode(record)), record);
}

TEST(JournalCodec, InstancesThatDoNotFitAreLeftOutAndTheSumsStay) {
  DispatchRecord record = samples::dispatch();
  const std::vector<double> sums = record.passes[0].values;
  record.passes[0].instances = {{{4, 3}, {1, 2}}, {{5, 5}, {1, 2}}, {{0, 7, 9}, {1, 2}}, {{0}, {1}}};
  const auto read = decoded<DispatchRecord>(encode(record)).passes[0];
  EXPECT_EQ(read.values, sums);
  EXPECT_EQ(read.instances, (std::vector<InstanceValues>{{}, {}, {}}));  // the fourth is of no counter
}

TEST(JournalCodec, ADispatchNeedsNoMoreThanItsMostBytes) {
  DispatchRecord record = samples::dispatch();
  for (std::uint32_t most = 1; most < 2000; most = most * 3 + 1) {
    InstanceValues values;
    for (std::uint32_t i = 0; i < most; ++i) {
      values.positions.push_back(UINT32_MAX - most + i);
      values.values.push_back(1);
    }
    record.passes[0].instances = {values, values, values};
    EXPECT_LE(encode(record).size(), most_bytes(record)) << most;
  }
}

TEST(JournalCodec, NothingOfTheRecordBeforeIsLeftInTheNext) {
  Frame frame;
  ASSERT_TRUE(decode_to(encode(samples::dispatch()), frame));
  DispatchRecord plain;
  plain.passes = {{}};
  ASSERT_TRUE(decode_to(encode(plain), frame));
  EXPECT_EQ(std::get<DispatchRecord>(frame), plain);
  ASSERT_TRUE(decode_to(encode(samples::dispatch()), frame));
  EXPECT_EQ(std::get<DispatchRecord>(frame), samples::dispatch());
  ASSERT_TRUE(decode_to(encode(samples::kernel()), frame));
  EXPECT_EQ(std::get<KernelSymbol>(frame), samples::kernel());
}

TEST(JournalCodec, AFrameOfALaterVersionIsUnknownNotAnError) {
  const std::string later{"\x7a\x01\x00", 3};  // field 15, length 1
  Result<Frame> frame = decode(later);
  ASSERT_TRUE(frame) << frame.message();
  EXPECT_TRUE(std::holds_alternative<UnknownFrame>(*frame));
}

TEST(JournalCodec, SurvivesAnyBytes) {
  std::mt19937 random(1);
  const std::string good = encode(samples::dispatch());
  int refused = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes = good;
    for (int flips = 0; flips < 3; ++flips) bytes[random() % bytes.size()] = static_cast<char>(random());
    if (!decode(bytes)) ++refused;
  }
  EXPECT_GT(refused, 1000);  // most damage is noticed; what is not is another valid message
}

}  // namespace
}  // namespace multipass::journal
