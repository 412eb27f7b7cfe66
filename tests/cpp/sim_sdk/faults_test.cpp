// SPDX-License-Identifier: MIT
//
// The faults that ROCPROFSYS_MULTIPASS_SIM_FAULTS asks for, as a tool sees them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <vector>

#include "isolated.hpp"
#include "replay_fixture.hpp"

namespace sim_sdk_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

void ask_for(const char* faults) {
  setenv("ROCPROFSYS_MULTIPASS_SIM_FAULTS", faults, 1);
}

// Three passes that each count SQ_WAVES and write down what happens, records with their pass.
struct CountedReplay : ReplayFixture {
  rocprofiler_counter_config_id_t config{0};
  std::uint64_t pass = 99;  // of the launching thread
  std::vector<double> waves;

  CountedReplay() {
    pass_count = &passes<3>;
    also = [this](const auto& record, ReplayData& data, rocprofiler_user_data_t&) {
      if (record.operation == ROCPROFILER_KERNEL_REPLAY_PASS) pass = data.current_pass;
    };
    services.tracing = [this](const auto& record, rocprofiler_user_data_t&) {
      if (record.operation == ROCPROFILER_KERNEL_DISPATCH_COMPLETE) runtime.log.add("COMPLETE");
    };
    services.dispatch = [this](const CountingData&, rocprofiler_counter_config_id_t& choice,
                               rocprofiler_user_data_t& user_data) {
      choice = config;
      user_data.value = pass;
    };
    services.record = [this](const CountingData&, rocprofiler_counter_record_t* records, std::size_t count,
                             rocprofiler_user_data_t user_data) {
      waves.push_back(sum_of(records, count, "SQ_WAVES"));
      runtime.log.add("RECORD " + std::to_string(user_data.value));
    };
  }

  void start_counting() {
    start([this] {
      EXPECT_EQ(services.add_tracing(context, ROCPROFILER_CALLBACK_TRACING_KERNEL_DISPATCH), 0);
      EXPECT_EQ(services.add_counting(context), 0);
      config = make_config({"SQ_WAVES"});
    });
  }

  // From the start of the window until all that came has come.
  std::vector<std::string> events_of_one_launch() {
    launch_increment();
    runtime.synchronize();
    EXPECT_EQ(rocprofiler_stop_context(context), 0);
    return runtime.log.only({"CONFIG", "PASS", "COMPLETE", "RECORD"});
  }
};

std::vector<std::string> events_under(const char* faults) {
  ask_for(faults);
  CountedReplay replay;
  replay.start_counting();
  std::vector<std::string> events = replay.events_of_one_launch();
  end_tool();
  return events;
}

TEST(Faults, ANameThatDoesNotExistEndsTheProcessBeforeAnyToolRuns) {
  const Outcome outcome = isolated([] {
    ask_for("record_lost,nothing");
    ReplayFixture fixture;
    fixture.start([] { ADD_FAILURE(); });
  });
  EXPECT_EQ(outcome.code, kAborted);
  EXPECT_THAT(outcome.error, HasSubstr("ROCPROFSYS_MULTIPASS_SIM_FAULTS: no fault is called \"nothing\"; there are: "));
}

TEST(Faults, EmptyPartsAskForNothing) {
  const Outcome outcome = isolated([] {
    const std::vector<std::string> events = events_under(",,");
    EXPECT_EQ(std::count(events.begin(), events.end(), "CONFIG EXIT T"), 1);
    EXPECT_EQ(events.size(), 2U + 3 * 4U) << "all of three passes";
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(Faults, AnAbandonedPassHasNoExitAndItsRecordComesAfterTheWindow) {
  const Outcome outcome = isolated([] {
    EXPECT_THAT(events_under("pass_abandoned:pass=1,record_on_handler"),
                ElementsAre("CONFIG ENTER T", "PASS ENTER 0 T", "COMPLETE", "RECORD 0", "PASS EXIT 0 T",
                            "PASS ENTER 1 T", "CONFIG EXIT T", "COMPLETE", "RECORD 1"));
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(Faults, RecordsComeBeforeTheCompletionOfTheirPass) {
  const Outcome outcome = isolated([] {
    EXPECT_THAT(events_under("record_before_complete"),
                ElementsAre("CONFIG ENTER T", "PASS ENTER 0 T", "RECORD 0", "COMPLETE", "PASS EXIT 0 T",
                            "PASS ENTER 1 T", "RECORD 1", "COMPLETE", "PASS EXIT 1 T", "PASS ENTER 2 T", "RECORD 2",
                            "COMPLETE", "PASS EXIT 2 T", "CONFIG EXIT T"));
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(Faults, LateRecordsComeAfterTheWindowInTheirOrder) {
  const Outcome outcome = isolated([] {
    EXPECT_THAT(events_under("record_late"),
                ElementsAre("CONFIG ENTER T", "PASS ENTER 0 T", "COMPLETE", "PASS EXIT 0 T", "PASS ENTER 1 T",
                            "COMPLETE", "PASS EXIT 1 T", "PASS ENTER 2 T", "COMPLETE", "PASS EXIT 2 T", "CONFIG EXIT T",
                            "RECORD 0", "RECORD 1", "RECORD 2"));
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(Faults, ReversedRecordsComeLastPassFirst) {
  const Outcome outcome = isolated([] {
    const std::vector<std::string> events = events_under("record_reversed");
    EXPECT_THAT(std::vector(events.end() - 4, events.end()),
                ElementsAre("CONFIG EXIT T", "RECORD 2", "RECORD 1", "RECORD 0"));
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(Faults, RecordsComeTwiceOrNeverOrWhenCountingStops) {
  const Outcome outcome = isolated([] {
    ask_for("record_lost:pass=0,record_twice:pass=1,record_at_stop:pass=2");
    CountedReplay replay;
    replay.start_counting();
    replay.launch_increment();
    replay.launch_increment();
    replay.runtime.synchronize();
    EXPECT_EQ(rocprofiler_stop_context(replay.context), 0);
    std::map<std::string, int> counts;
    for (const std::string& event : replay.runtime.log.only({"RECORD"})) ++counts[event];
    EXPECT_EQ(counts, (std::map<std::string, int>{{"RECORD 1", 4}, {"RECORD 2", 2}}));
    EXPECT_THAT(replay.runtime.log.events().back(), "RECORD 2");
    end_tool();
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(Faults, RecordsComeAfterTheToolHasFinalised) {
  const Outcome outcome = isolated([] {
    static CountedReplay& replay = *std::make_unique<CountedReplay>().release();  // callbacks come at exit
    ask_for("record_after_finalize");
    replay.start(
        [] {
          EXPECT_EQ(replay.services.add_counting(replay.context), 0);
          replay.config = make_config({"SQ_WAVES"});
        },
        [] { replay.runtime.log.add("finalize"); });
    replay.launch_increment();
    replay.runtime.synchronize();
    end_tool();
    EXPECT_THAT(replay.runtime.log.only({"finalize", "RECORD"}),
                ElementsAre("finalize", "RECORD 0", "RECORD 1", "RECORD 2"));
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(Faults, AreLimitedToADispatchAndAGpu) {
  const Outcome outcome = isolated([] {
    setenv("ROCPROFSYS_MULTIPASS_SIMULATE", "tiny,tiny", 1);
    ask_for("snapshot_refused:every=2,several_packets:agent=1");
    ReplayFixture fixture;
    fixture.runtime.devices = 2;
    fixture.pass_count = &passes<2>;
    fixture.start();
    for (int i = 0; i < 2; ++i) fixture.launch_increment();
    fixture.runtime.synchronize();  // the other GPU works on the same memory
    fixture.launch_increment({.queue = 2, .device = 1});
    fixture.runtime.synchronize();
    EXPECT_THAT(fixture.runtime.log.only({"CONFIG", "PASS"}),
                ElementsAre("CONFIG ENTER T", "PASS ENTER 0 T", "PASS EXIT 0 T", "PASS ENTER 1 T", "PASS EXIT 1 T",
                            "CONFIG EXIT T", "CONFIG ENTER T", "CONFIG EXIT T"));
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

// What the block holds at the start of each of three passes; the kernel adds 1 to each int.
std::vector<std::array<int, 4>> blocks_under(const char* faults) {
  ask_for(faults);
  ReplayFixture fixture;
  std::vector<std::array<int, 4>> seen;
  fixture.pass_count = &passes<3>;
  fixture.start();
  fixture.runtime.launch([&](multipass_sim_activity&) {
    seen.push_back(fixture.block);
    for (int& value : fixture.block) ++value;
  });
  fixture.runtime.synchronize();
  return seen;
}

using Block = std::array<int, 4>;

TEST(Faults, MemoryIsNotRestoredForOnePass) {
  const Outcome outcome = isolated([] {
    EXPECT_THAT(blocks_under("restore_skipped:pass=1"),
                ElementsAre(Block{10, 20, 30, 40}, Block{11, 21, 31, 41}, Block{10, 20, 30, 40}));
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(Faults, HalfOfTheMemoryIsRestored) {
  const Outcome outcome = isolated([] {
    EXPECT_THAT(blocks_under("restore_partial"),
                ElementsAre(Block{10, 20, 30, 40}, Block{10, 20, 31, 41}, Block{10, 20, 32, 42}));
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(Faults, TheFirstByteOfTheMemoryIsRestoredWrongly) {
  const Outcome outcome = isolated([] {
    EXPECT_THAT(blocks_under("restore_wrong:pass=2"),
                ElementsAre(Block{10, 20, 30, 40}, Block{10, 20, 30, 40}, Block{10 ^ 0xFF, 20, 30, 40}));
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(Faults, InputsChangeRightBeforeOnePass) {
  const Outcome outcome = isolated([] {
    EXPECT_THAT(blocks_under("inputs_change:pass=0"),
                ElementsAre(Block{10 ^ 0xFF, 20, 30, 40}, Block{10, 20, 30, 40}, Block{10, 20, 30, 40}));
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(Faults, APassIsNotToldOrOneIsAdded) {
  const Outcome outcome = isolated([] {
    EXPECT_THAT(events_under("passes_untold:pass=1,record_on_handler"),
                ElementsAre("CONFIG ENTER T", "PASS ENTER 0 T", "COMPLETE", "RECORD 0", "PASS EXIT 0 T", "COMPLETE",
                            "RECORD 0", "PASS ENTER 2 T", "COMPLETE", "RECORD 2", "PASS EXIT 2 T", "CONFIG EXIT T"));
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  const Outcome added = isolated([] {
    const std::vector<std::string> events = events_under("pass_added,record_lost");
    EXPECT_EQ(std::count(events.begin(), events.end(), "PASS ENTER 3 T"), 1);
    EXPECT_EQ(std::count(events.begin(), events.end(), "PASS ENTER 4 T"), 0);
  });
  EXPECT_EQ(added.code, 0) << added.error;
}

TEST(Faults, AWaitEndsWhenItsSecondsAreOver) {
  const Outcome outcome = isolated([] {
    EXPECT_THAT(events_under("drain_waits:seconds=0,pass_waits:pass=1:seconds=0,record_on_handler"),
                ElementsAre("CONFIG ENTER T", "PASS ENTER 0 T", "COMPLETE", "RECORD 0", "PASS EXIT 0 T",
                            "PASS ENTER 1 T", "COMPLETE", "RECORD 1", "PASS EXIT 1 T", "PASS ENTER 2 T", "COMPLETE",
                            "RECORD 2", "PASS EXIT 2 T", "CONFIG EXIT T"));
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(Faults, ALongerPayloadSaysItsSizeAndATotalMayBeHidden) {
  const Outcome outcome = isolated([] {
    ask_for("payload_longer,total_hidden");
    ReplayFixture fixture;
    fixture.pass_count = &passes<2>;
    unsigned seen = 0;
    fixture.also = [&](const auto&, ReplayData& data, rocprofiler_user_data_t&) {
      EXPECT_EQ(data.size, 256U);
      EXPECT_EQ(data.total_passes, 0U);
      ++seen;
    };
    fixture.start();
    fixture.launch_increment();
    EXPECT_EQ(seen, 6U) << "CONFIG, two passes";
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_EQ(outcome.error, "");
}

TEST(Faults, OperationsBeyondPassAreReportedAroundTheCopyAndEachRestore) {
  const Outcome outcome = isolated([] {
    ask_for("more_operations");
    ReplayFixture fixture;
    fixture.pass_count = &passes<2>;
    std::vector<int> operations;
    fixture.also = [&](const auto& record, ReplayData&, rocprofiler_user_data_t&) {
      if (record.phase == ROCPROFILER_CALLBACK_PHASE_ENTER) operations.push_back(record.operation);
    };
    fixture.start();
    fixture.launch_increment();
    EXPECT_THAT(operations, ElementsAre(1, 3, 2, 4, 2));
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(Faults, APayloadOfAnotherOrderIsReadAtItsOwnPlaces) {
  const Outcome outcome = isolated([] {
    ask_for("payload_callbacks_first");
    ReplayFixture fixture;
    std::vector<std::uint64_t> sizes;
    fixture.services.replay = [&](const auto& record, ReplayData& data, rocprofiler_user_data_t&) {
      sizes.push_back(data.size);
      // In this layout the callbacks come first, where the known one has the pass.
      const rocprofiler_kernel_replay_pass_count_cb_t count = &passes<2>;
      if (record.operation == ROCPROFILER_KERNEL_REPLAY_CONFIG && record.phase == ROCPROFILER_CALLBACK_PHASE_ENTER) {
        std::memcpy(&data.current_pass, &count, sizeof(count));
      }
    };
    fixture.start();
    fixture.launch_increment();
    EXPECT_THAT(sizes, ElementsAre(184, 184, 184, 184, 184, 184)) << "CONFIG, two passes";
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_EQ(outcome.error, "");
}

TEST(Faults, AToolThatWritesToWrongPlacesOfAPayloadIsToldOf) {
  for (const char* fault : {"payload_callbacks_first", "payload_toggles_first", "payload_short"}) {
    const Outcome outcome = isolated([fault] {
      ask_for(fault);
      ReplayFixture fixture;  // writes to the known places
      fixture.pass_count = &passes<2>;
      fixture.start();
      fixture.launch_increment();
      fixture.runtime.synchronize();
    });
    EXPECT_EQ(outcome.code, 0) << fault;
    EXPECT_THAT(outcome.error, HasSubstr("a tool wrote to a place of the payload that is not its own")) << fault;
  }
}

TEST(Faults, APayloadWithoutTogglesIsReplayed) {
  const Outcome outcome = isolated([] {
    ask_for("payload_without_toggles");
    ReplayFixture fixture;
    std::vector<std::uint64_t> sizes;
    fixture.pass_count = &passes<2>;
    fixture.also = [&](const auto&, ReplayData& data, rocprofiler_user_data_t&) { sizes.push_back(data.size); };
    fixture.start();
    fixture.launch_increment();
    EXPECT_THAT(sizes, ElementsAre(168, 168, 168, 168, 168, 168));
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_EQ(outcome.error, "");
}

TEST(Truth, HasALineForEachCounterOfEachExecution) {
  const auto path = std::filesystem::temp_directory_path() / ("truth" + std::to_string(getpid()) + ".csv");
  const Outcome outcome = isolated([&] {
    setenv("ROCPROFSYS_MULTIPASS_SIM_TRUTH", path.c_str(), 1);
    ask_for("record_lost,several_packets:dispatch=2,restore_skipped");
    CountedReplay replay;
    replay.start_counting();
    replay.launch_increment();
    replay.pass = 99;
    replay.launch_increment();
    replay.config = {0};
    replay.launch_increment({.packets_in_write = 2});
    replay.runtime.synchronize();
    end_tool();
    EXPECT_THAT(replay.waves, testing::IsEmpty());
    const std::string name = replay.runtime.kernel().name;
    std::ifstream file(path);
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    EXPECT_EQ(text, "1,0,0," + name + ",SQ_WAVES,10\n1,1,0," + name + ",SQ_WAVES,11\n1,2,0," + name +
                        ",SQ_WAVES,12\n2,,0," + name + ",SQ_WAVES,13\n3,,0," + name + ",,\n");
  });
  std::filesystem::remove(path);
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

}  // namespace
}  // namespace sim_sdk_test
