// SPDX-License-Identifier: MIT
//
// Properties of the bytes. What the content means to a reader is checked with Perfetto's own tools in
// tests/python/test_perfetto_writer.py; the numbers of fields in tests/python/test_perfetto_fields.py.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <protozero/pbf_reader.hpp>
#include <set>

#include "output/perfetto/fields.hpp"
#include "output/perfetto/perfetto_sink.hpp"
#include "output/perfetto/reorder_window.hpp"
#include "runs.hpp"
#include "temporary_folder.hpp"

namespace multipass::output::perfetto {
namespace {

using protozero::pbf_reader;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Packet {
  std::uint64_t sequence_id = 0;
  std::uint32_t flags = 0;
  bool first = false;
  std::uint32_t default_clock = 0;
  std::uint64_t declares = 0;  // track uuid
  std::uint64_t uses = 0;      // track uuid
  std::set<std::uint64_t> defined_names;
  std::uint64_t name = 0;
  std::vector<protozero::pbf_wire_type> flow_types;
};

void read_event(pbf_reader event, Packet& packet) {
  while (event.next()) {
    if (event.tag() == fields::event::kTrackUuid) {
      packet.uses = event.get_uint64();
    } else if (event.tag() == fields::event::kNameIid) {
      packet.name = event.get_uint64();
    } else {
      if (event.tag() == fields::event::kFlowIds || event.tag() == fields::event::kTerminatingFlowIds)
        packet.flow_types.push_back(event.wire_type());
      event.skip();
    }
  }
}

void read_interned(pbf_reader interned, Packet& packet) {
  while (interned.next(fields::interned::kEventNames)) {
    pbf_reader name = interned.get_message();
    while (name.next(fields::event_name::kIid)) packet.defined_names.insert(name.get_uint64());
  }
}

Packet read_packet(pbf_reader reader) {
  Packet packet;
  while (reader.next()) {
    switch (reader.tag()) {
      case fields::packet::kTrustedPacketSequenceId:
        packet.sequence_id = reader.get_uint32();
        break;
      case fields::packet::kSequenceFlags:
        packet.flags = reader.get_uint32();
        break;
      case fields::packet::kFirstPacketOnSequence:
        packet.first = reader.get_bool();
        break;
      case fields::packet::kTracePacketDefaults: {
        pbf_reader defaults = reader.get_message();
        while (defaults.next(fields::packet_defaults::kTimestampClockId)) packet.default_clock = defaults.get_uint32();
        break;
      }
      case fields::packet::kTrackDescriptor: {
        pbf_reader track = reader.get_message();
        while (track.next(fields::track::kUuid)) packet.declares = track.get_uint64();
        break;
      }
      case fields::packet::kInternedData:
        read_interned(reader.get_message(), packet);
        break;
      case fields::packet::kTrackEvent:
        read_event(reader.get_message(), packet);
        break;
      default:
        reader.skip();
    }
  }
  return packet;
}

std::vector<Packet> read_packets(const std::string& bytes) {
  std::vector<Packet> packets;
  pbf_reader trace(bytes);
  while (trace.next()) {
    EXPECT_EQ(trace.tag(), fields::trace::kPacket);
    packets.push_back(read_packet(trace.get_message()));
  }
  return packets;
}

class PerfettoSinkTest : public ::testing::Test {
 protected:
  static test::Run run() {
    test::Run result;
    result.gpus = {test::gpu(1, 0, {{"A", "B"}, {"C"}})};
    result.kernels = {test::kernel(1, "first"), test::kernel(2, "second")};
    for (std::uint64_t i = 0; i < 6; ++i)
      result.dispatches.push_back(test::dispatch(i + 1, 1 + i % 2, Outcome::kReplayed, 2,
                                                 {test::pass(0, 0, 1000 + i * 100, 1020 + i * 100, {{0, 1}, {1, 2}}),
                                                  test::pass(1, 1, 1040 + i * 100, 1060 + i * 100, {{2, 3}})}));
    return result;
  }

  std::string written(const test::Run& run, const PerfettoOptions& options = {}) {
    const std::unique_ptr<Sink> sink = make_perfetto_sink(target_, options);
    EXPECT_TRUE(test::feed(*sink, run));
    const Status status = sink->finish();
    EXPECT_TRUE(status) << status.message();
    return test::read_file(target_);
  }

  std::string error_of(const DispatchRecord& dispatch) {
    test::Run bad = run();
    bad.dispatches = {dispatch};
    const std::unique_ptr<Sink> sink = make_perfetto_sink(target_);
    return test::feed(*sink, bad).message();
  }

  test::TemporaryFolder folder_;
  std::filesystem::path target_ = folder_.path() / "run.pftrace";
};

TEST_F(PerfettoSinkTest, TheFirstPacketClearsTheStateAndSetsTheClock) {
  const Packet first = read_packets(written(run())).front();
  EXPECT_TRUE(first.first);
  EXPECT_EQ(first.flags, fields::sequence_flags::kIncrementalStateCleared);
  EXPECT_EQ(first.default_clock, 6U);
}

TEST_F(PerfettoSinkTest, EveryPacketIsOnOneHighSequence) {
  std::set<std::uint64_t> ids;
  for (const Packet& packet : read_packets(written(run()))) ids.insert(packet.sequence_id);
  ASSERT_EQ(ids.size(), 1U);
  EXPECT_GE(*ids.begin(), 0xF0000000U);
}

TEST_F(PerfettoSinkTest, TracksAndNamesAreDeclaredBeforeTheyAreUsedAndOnlyOnce) {
  std::set<std::uint64_t> tracks;
  std::set<std::uint64_t> names{0};  // events without a name
  for (const Packet& packet : read_packets(written(run()))) {
    EXPECT_TRUE(packet.declares == 0 || tracks.insert(packet.declares).second);
    for (const std::uint64_t name : packet.defined_names) EXPECT_TRUE(names.insert(name).second);
    if (packet.uses == 0) continue;
    EXPECT_EQ(packet.flags, fields::sequence_flags::kNeedsIncrementalState);
    EXPECT_TRUE(tracks.contains(packet.uses));
    EXPECT_TRUE(names.contains(packet.name));
  }
  // Process, run, GPU, queue, two passes with their kernels, three counters.
  EXPECT_EQ(tracks.size(), 11U);
  // None, two kernels and the run.
  EXPECT_EQ(names.size(), 4U);
}

TEST_F(PerfettoSinkTest, FlowsAreFixed64) {
  std::size_t flows = 0;
  for (const Packet& packet : read_packets(written(run()))) {
    for (const protozero::pbf_wire_type type : packet.flow_types) EXPECT_EQ(type, protozero::pbf_wire_type::fixed64);
    flows += packet.flow_types.size();
  }
  EXPECT_EQ(flows, 24U);  // 6 dispatches, 2 passes, both ends
}

TEST_F(PerfettoSinkTest, TheSameRunGivesTheSameBytes) {
  const std::string first = written(run());
  EXPECT_EQ(written(run()), first);
}

TEST_F(PerfettoSinkTest, AnotherProcessSharesNoTrackWithThisOne) {
  std::set<std::uint64_t> tracks;
  std::size_t declared = 0;
  for (const std::uint64_t pid : {4242U, 4243U}) {
    test::Run process = run();
    process.metadata.pid = pid;
    for (const Packet& packet : read_packets(written(process))) {
      if (packet.declares == 0) continue;
      ++declared;
      tracks.insert(packet.declares);
    }
  }
  EXPECT_EQ(declared, 22U);
  EXPECT_EQ(tracks.size(), declared);
}

TEST_F(PerfettoSinkTest, WithoutCountersThereIsNoTraceOfThem) {
  const std::string bytes = written(run(), {.counters = false});
  std::set<std::uint64_t> tracks;
  for (const Packet& packet : read_packets(bytes)) tracks.insert(packet.declares);
  EXPECT_EQ(tracks.size(), 9U);  // none, process, run, GPU, queue, two passes with their kernels
  EXPECT_EQ(bytes.find("rocm_counter_collection"), std::string::npos);
}

TEST_F(PerfettoSinkTest, ProgressTellsTheSizeThatTheTraceIsGoingToHave) {
  const std::unique_ptr<Sink> sink = make_perfetto_sink(target_, {.size_limit = 10});
  ASSERT_TRUE(test::feed(*sink, run()));
  EXPECT_THAT(sink->progress(100, 1000), testing::Optional(HasSubstr("run.pftrace will have about ")));
  EXPECT_EQ(sink->progress(200, 1000), std::nullopt);
}

TEST_F(PerfettoSinkTest, DispatchesThatAreHeldBackAreInTheSizeToo) {
  const std::unique_ptr<Sink> sink = make_perfetto_sink(target_, {.size_limit = 2000});
  ASSERT_TRUE(test::feed(*sink, run()));
  EXPECT_THAT(sink->progress(1000, 1000), testing::Optional(HasSubstr("run.pftrace has ")));
  ASSERT_TRUE(sink->finish());
  EXPECT_EQ(test::read_file(target_), written(run()));
}

TEST_F(PerfettoSinkTest, AnUnfinishedSinkLeavesNoFile) {
  {
    const std::unique_ptr<Sink> sink = make_perfetto_sink(target_);
    ASSERT_TRUE(test::feed(*sink, run()));
  }
  EXPECT_THAT(folder_.content(), IsEmpty());
}

TEST_F(PerfettoSinkTest, AFinishedSinkLeavesTheFileOnly) {
  written(run());
  EXPECT_THAT(folder_.content(), ElementsAre("run.pftrace"));
}

TEST_F(PerfettoSinkTest, ADispatchOfAnUndeclaredAgentIsAnError) {
  DispatchRecord record = run().dispatches[0];
  record.agent = AgentIndex{9};
  EXPECT_EQ(error_of(record), "dispatch 1 names agent 9, which was not declared");
}

TEST_F(PerfettoSinkTest, ACounterThatTheAgentDoesNotHaveIsAnError) {
  DispatchRecord record = run().dispatches[0];
  record.passes[0].counters[0] = CounterIndex{3};
  EXPECT_EQ(error_of(record), "dispatch 1: counter 3 is not one of the 3 that the agent declared");
}

TEST_F(PerfettoSinkTest, CountersWithoutValuesAreAnError) {
  DispatchRecord record = run().dispatches[0];
  record.passes[0].values.pop_back();
  EXPECT_EQ(error_of(record), "dispatch 1: 2 counters but 1 values");
}

TEST_F(PerfettoSinkTest, AMissingFolderIsReportedByBegin) {
  const std::unique_ptr<Sink> sink = make_perfetto_sink(folder_.path() / "none" / "run.pftrace");
  EXPECT_THAT(sink->begin(test::run_metadata()).message(), HasSubstr("No such file or directory"));
}

TEST_F(PerfettoSinkTest, ADispatchThatComesFarTooLateGetsALaneOfItsOwn) {
  test::Run late = run();
  const DispatchRecord first = late.dispatches[0];
  late.dispatches.clear();
  for (std::uint64_t i = 0; i <= ReorderWindow::kCapacity; ++i)
    late.dispatches.push_back(
        test::dispatch(i + 2, 1, Outcome::kFiltered, 2, {test::pass({}, 0, 10'000 + i * 10, 10'005 + i * 10)}));
  late.dispatches.push_back(first);
  std::set<std::uint64_t> used;
  for (const Packet& packet : read_packets(written(late)))
    if (packet.uses != 0) used.insert(packet.uses);
  // Run, queue, second lane of the queue, kernels of two passes, three counters.
  EXPECT_EQ(used.size(), 8U);
}

}  // namespace
}  // namespace multipass::output::perfetto
