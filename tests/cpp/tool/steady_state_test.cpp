// SPDX-License-Identifier: MIT
//
// What the launching threads allocate once the program has launched everything that it launches once.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "journal/decode.hpp"
#include "journal/reader.hpp"
#include "replay/allocations.hpp"
#include "tool/pipeline.hpp"

namespace multipass::tool {
namespace {

constexpr std::uint32_t kGroups = 3;
constexpr std::uint32_t kMostPasses = kGroups + 2;  // with a warm-up and a timing pass
constexpr std::uint32_t kAgents = 2;
constexpr std::uint64_t kPlain = 1, kExcluded = 2, kCollective = 3;  // kernels

// How a launch goes.
enum class Way : std::uint8_t {
  kReplayed,      // all records are there before its window closes: the launching thread finishes it
  kReplayedLate,  // all records come after that
  kDeclined,      // the SDK asks, and runs it once
  kGraph,         // the SDK does not ask
  kFiltered,      // the user does not want it
  kNotReplayed,   // it is on the no-replay list
  kNested,        // kReplayed, and pass 1 launches another one
  kBroken,        // its last pass does not run
  kCopyBefore,    // a copy is under way when it comes
  kCopyWithin,    // a copy begins while its first pass runs
};
constexpr std::array kWays{Way::kReplayed, Way::kReplayedLate, Way::kDeclined, Way::kGraph,
                           Way::kFiltered, Way::kNotReplayed,  Way::kNested,   Way::kBroken};
constexpr std::array kBesideCopies{Way::kReplayed, Way::kCopyBefore, Way::kCopyWithin, Way::kGraph};

struct Finished {
  DispatchInfo dispatch;
  Execution enqueued;
  sdk::Choice choice;
  bool copies = false;  // and then something is copied to its agent
};

// What an execution reads: of one counter, and of `instances` of its instances every other one.
Readings readings_of(std::uint32_t group, std::uint32_t instances) {
  Readings readings{{CounterIndex{group}}, {1.0}};
  if (instances == 0) return readings;
  InstanceValues& kept = readings.instances.emplace_back();
  for (std::uint32_t i = 0; i < instances; ++i) kept.positions.push_back(2 * i);
  kept.values.assign(instances, 1.0);
  return readings;
}

// The SDK's threads behind one launching thread: they bring what has finished. Memory of fixed size.
class SdkThread {
 public:
  SdkThread(Pipeline& pipeline, std::uint32_t instances)
      : pipeline_(pipeline), instances_(instances), thread_([this] { run(); }) {}
  ~SdkThread() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  SdkThread(const SdkThread&) = delete;
  SdkThread& operator=(const SdkThread&) = delete;

  void post(const Finished& finished) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return posted_ - done_ < ring_.size(); });
    ring_[posted_++ % ring_.size()] = finished;
    changed_.notify_all();
  }
  void drain() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return posted_ == done_; });
  }

 private:
  void run() {
    for (;;) {
      Finished next;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return over_ || posted_ != done_; });
        if (posted_ == done_) return;
        next = ring_[done_ % ring_.size()];
      }
      pipeline_.complete(next.dispatch, next.enqueued, {100, 200});
      if (next.choice.config != 0) {
        const auto group = static_cast<std::uint32_t>(next.choice.config - 1);
        pipeline_.record(next.dispatch, next.choice.execution, {100, 200}, readings_of(group, instances_));
      }
      if (next.copies) pipeline_.copy_ends(pipeline_.copy_begins({}, next.dispatch.agent));
      const std::lock_guard lock(mutex_);
      ++done_;
      changed_.notify_all();
    }
  }

  Pipeline& pipeline_;
  const std::uint32_t instances_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::array<Finished, 64> ring_{};
  std::size_t posted_ = 0, done_ = 0;
  bool over_ = false;
  std::thread thread_;
};

// One launching thread.
class Launcher {
 public:
  Launcher(Pipeline& pipeline, std::uint32_t instances, std::uint32_t number, std::uint32_t of)
      : pipeline_(pipeline), sdk_(pipeline, instances), agent_(number % kAgents), next_id_(number + 1), step_(of) {}

  void launch(Way way) {
    std::uint64_t kernel = kPlain;
    if (way == Way::kFiltered) kernel = kExcluded;
    if (way == Way::kNotReplayed) kernel = kCollective;
    const DispatchInfo dispatch = next(kernel);
    ++launched_;
    if (way == Way::kGraph) return single(dispatch);
    const std::uint64_t copy = way == Way::kCopyBefore ? pipeline_.copy_begins({}, dispatch.agent) : 0;
    const std::uint64_t passes = pipeline_.config_enter(dispatch);
    pipeline_.copy_ends(copy);
    if (passes < 2 || way == Way::kDeclined) {
      pipeline_.config_exit(dispatch);
      single(dispatch);
      // A copy may have declined what otherwise waits for its records: then no more are under way than before.
      if (way == Way::kReplayed || way == Way::kCopyBefore || way == Way::kCopyWithin) sdk_.drain();
      return;
    }
    std::array<Finished, kMostPasses> runs{};
    for (std::uint32_t pass = 0; pass < passes; ++pass) {
      pipeline_.pass_enter(dispatch, PassIndex{pass});
      if (way == Way::kNested && pass == 1) launch(Way::kGraph);
      runs[pass] = submit(dispatch);
      runs[pass].copies = way == Way::kCopyWithin && pass == 0;
      if (way != Way::kReplayedLate) sdk_.post(runs[pass]);
      pipeline_.pass_exit(dispatch, PassIndex{pass});
      if (way == Way::kCopyWithin) sdk_.drain();  // the copy has begun, on another thread
      if (pass + 1 < passes && !pipeline_.goes_on(dispatch, PassIndex{pass})) {
        ++ended_;
        break;
      }
      if (way == Way::kBroken && pass == 1) break;
    }
    if (way != Way::kReplayedLate) sdk_.drain();
    pipeline_.config_exit(dispatch);
    if (way == Way::kReplayedLate)
      for (std::uint64_t pass = 0; pass < passes; ++pass) sdk_.post(runs[pass]);
  }
  void drain() { sdk_.drain(); }
  [[nodiscard]] std::uint64_t launched() const { return launched_; }
  [[nodiscard]] std::uint64_t ended() const { return ended_; }  // before their last pass

 private:
  DispatchInfo next(std::uint64_t kernel) {
    DispatchInfo info;
    info.dispatch_id = DispatchId{next_id_};
    next_id_ += step_;
    info.agent = AgentIndex{agent_};
    info.kernel = KernelId{kernel};
    info.thread_id = 7;
    info.grid = {64, 1, 1};
    info.workgroup = {64, 1, 1};
    return info;
  }
  Finished submit(const DispatchInfo& dispatch) {
    const Execution enqueued = pipeline_.enqueue(dispatch);
    return {dispatch, enqueued, pipeline_.choose(dispatch), false};
  }
  void single(const DispatchInfo& dispatch) { sdk_.post(submit(dispatch)); }

  Pipeline& pipeline_;
  SdkThread sdk_;
  const std::uint32_t agent_;
  std::uint64_t next_id_;
  const std::uint64_t step_;
  std::uint64_t launched_ = 0, ended_ = 0;
};

// A thread of the application that allocates and frees, from construction to destruction.
class Allocating {
 public:
  explicit Allocating(Pipeline& pipeline)
      : thread_([this, &pipeline] {
          for (std::uint64_t n = 0; !over_; ++n) {
            const std::uint64_t address = 0x1000 * (1 + n % 64);
            const std::uint64_t begun = pipeline.memory_call_begins();
            pipeline.memory_ended(MemoryEnd::kFreed, address, 0, begun);
            pipeline.memory_allocated(
                {MemoryClass::kDevice, AgentIndex{static_cast<std::uint32_t>(n % kAgents)}, address, 64 + n % 64});
          }
        }) {}
  ~Allocating() {
    over_ = true;
    thread_.join();
  }
  Allocating(const Allocating&) = delete;
  Allocating& operator=(const Allocating&) = delete;

 private:
  std::atomic<bool> over_{false};
  std::thread thread_;
};

class SteadyState : public ::testing::TestWithParam<std::uint32_t> {
 protected:
  SteadyState()
      : path_(std::filesystem::temp_directory_path() / ("steady-" + std::to_string(::getpid()) + ".journal")) {
    std::filesystem::remove(path_);
    bool exists = false;
    auto writer = journal::JournalWriter::create(path_.string(), exists);
    EXPECT_TRUE(writer) << writer.message();
    journal_ = *std::move(writer);
  }
  ~SteadyState() override { std::filesystem::remove(path_); }

  void make(Pipeline::Wishes wishes) {
    auto filter = replay::KernelFilter::create({.kernel_exclude = "skipped"}, kAgents);
    auto list = replay::NoReplayList::create("", true);
    ASSERT_TRUE(filter && list);
    wishes.filter = *std::move(filter);
    wishes.limits = {*std::move(list), 1'000'000'000, {.copy_wait = std::chrono::microseconds(100)}};
    std::vector<PreparedAgent> agents(kAgents);
    for (std::uint32_t index = 0; index < kAgents; ++index) {
      agents[index].agent.info.index = AgentIndex{index};
      for (std::uint32_t group = 0; group < kGroups; ++group) {
        agents[index].configs.push_back(group + 1);
        agents[index].groups.push_back({CounterIndex{group}});
      }
    }
    pipeline_ = std::make_unique<Pipeline>(agents, std::move(wishes), *journal_);
    const std::map<std::uint64_t, std::string> names{
        {kPlain, "_Z4axpyPf.kd"}, {kExcluded, "_Z7skippedv.kd"}, {kCollective, "ncclDevKernel_AllReduce.kd"}};
    for (const auto& [id, name] : names) {
      KernelSymbol symbol;
      symbol.id = KernelId{id};
      symbol.name = name;
      pipeline_->kernel(std::move(symbol));
    }
  }

  // What each launching thread allocates in `rounds` of all ways, after as many that do not count; and launches.
  struct Measured {
    std::uint64_t allocations = 0;
    std::uint64_t launched = 0;
    std::uint64_t ended = 0;
  };
  Measured measure(std::uint32_t threads, int rounds, std::span<const Way> ways = kWays) {
    std::vector<Measured> each(threads);
    std::vector<std::thread> running;
    for (std::uint32_t t = 0; t < threads; ++t)
      running.emplace_back([&, t] {
        Launcher launcher(*pipeline_, instances_, t, threads);
        const auto all_ways = [&] {
          for (int round = 0; round < rounds; ++round)
            for (const Way way : ways) launcher.launch(way);
        };
        all_ways();
        launcher.drain();
        const std::uint64_t before = replay::allocations_of_this_thread();
        all_ways();
        each[t].allocations = replay::allocations_of_this_thread() - before;
        launcher.drain();
        each[t].launched = launcher.launched();
        each[t].ended = launcher.ended();
      });
    for (std::thread& thread : running) thread.join();
    Measured sum;
    for (const Measured& of : each) {
      sum.allocations += of.allocations;
      sum.launched += of.launched;
      sum.ended += of.ended;
    }
    return sum;
  }

  // Closes the capture: its dispatches by outcome.
  std::map<Outcome, std::uint64_t> captured() {
    pipeline_->seal();
    EXPECT_TRUE(journal_->close(std::chrono::seconds(10)));
    std::map<Outcome, std::uint64_t> outcomes;
    auto reader = journal::JournalReader::open(path_.string());
    EXPECT_TRUE(reader) << reader.message();
    while (auto frame = reader->next())
      if (const auto* record = std::get_if<DispatchRecord>(&*frame)) ++outcomes[record->outcome];
    return outcomes;
  }

  std::filesystem::path path_;
  std::unique_ptr<journal::JournalWriter> journal_;
  std::unique_ptr<Pipeline> pipeline_;
  std::uint32_t instances_ = 0;  // that are kept
};

constexpr int kRounds = 200;

TEST_P(SteadyState, ALaunchingThreadAllocatesNothing) {
  make({});
  const Measured measured = measure(GetParam(), kRounds);
  EXPECT_EQ(measured.allocations, 0U);
  // And all of it was recorded, each way as what it is.
  const std::uint64_t each = 2U * kRounds * GetParam();
  EXPECT_EQ(measured.launched, 9 * each);
  EXPECT_EQ(measured.ended, 0U);
  EXPECT_EQ(captured(), (std::map<Outcome, std::uint64_t>{{Outcome::kReplayed, 3 * each},
                                                          {Outcome::kDeclined, 4 * each},
                                                          {Outcome::kFiltered, each},
                                                          {Outcome::kIncomplete, each}}));
  EXPECT_EQ(pipeline_->strays(), 0U);
}

TEST_P(SteadyState, WithInstancesKeptALaunchingThreadAllocatesNothing) {
  instances_ = 352;
  make({});
  const Measured of = measure(GetParam(), kRounds / 4);
  EXPECT_EQ(of.allocations, 0U) << "in " << of.launched / 2 << " launches";
  std::uint64_t written = 0;
  for (const auto& [outcome, dispatches] : captured()) written += dispatches;
  EXPECT_EQ(written, of.launched);
}

TEST_P(SteadyState, WithoutReplayALaunchingThreadAllocatesNothing) {
  make({.mode = ReplayMode::kRotate, .no_replay = DeclineReason::kNoKernelReplay});
  const Measured measured = measure(GetParam(), kRounds);
  EXPECT_EQ(measured.allocations, 0U);
  EXPECT_EQ(captured()[Outcome::kFiltered], 2U * kRounds * GetParam());
}

// A copy of one thread meets the replays of another on its GPU, so that only of one thread it is known how many.
TEST_P(SteadyState, BesideCopiesAndAllocationsALaunchingThreadAllocatesNothing) {
  make({});
  Measured measured;
  {
    const Allocating other(*pipeline_);
    measured = measure(GetParam(), kRounds, kBesideCopies);
  }
  EXPECT_EQ(measured.allocations, 0U);
  const std::uint64_t each = 2U * kRounds * GetParam();
  auto outcomes = captured();
  EXPECT_EQ(outcomes[Outcome::kIncomplete], measured.ended);
  EXPECT_EQ(outcomes[Outcome::kReplayed] + outcomes[Outcome::kIncomplete] + outcomes[Outcome::kDeclined], 4 * each);
  EXPECT_GE(outcomes[Outcome::kDeclined], 2 * each);
  if (GetParam() == 1) {
    EXPECT_EQ(measured.ended, each);
    EXPECT_EQ(outcomes[Outcome::kReplayed], each);
  }
}

// With all that may be asked for of a replayed launch, a budget and a limit, inside of a range of the program.
TEST_P(SteadyState, WithExtraPassesAndRegionsALaunchingThreadAllocatesNothing) {
  auto regions = replay::Regions::create({.roctx = true, .roctx_include = "solve"});
  ASSERT_TRUE(regions);
  Pipeline::Wishes wishes;
  wishes.extras = {.warm_up = true, .timing = true, .permute = true};
  wishes.regions = *regions;
  wishes.limits.max_replays = 1'000'000;
  wishes.limits.admission.budget = kDefaultReplayBudget;
  make(std::move(wishes));
  const replay::Regions::Mark mark = (*regions)->process_range_begins("solve");
  const Measured measured = measure(GetParam(), kRounds);
  (*regions)->process_range_ends(mark);
  EXPECT_EQ(measured.allocations, 0U);
  const std::uint64_t each = 2U * kRounds * GetParam();
  EXPECT_EQ(captured(), (std::map<Outcome, std::uint64_t>{{Outcome::kReplayed, 3 * each},
                                                          {Outcome::kDeclined, 4 * each},
                                                          {Outcome::kFiltered, each},
                                                          {Outcome::kIncomplete, each}}));
}

INSTANTIATE_TEST_SUITE_P(Threads, SteadyState, ::testing::Values(1U, 4U));

TEST(Allocations, AreCounted) {
  const std::uint64_t before = replay::allocations_of_this_thread();
  const std::vector<int> some(static_cast<std::size_t>(::getpid() % 7 + 1));
  EXPECT_EQ(replay::allocations_of_this_thread(), before + 1) << some.size();
}

}  // namespace
}  // namespace multipass::tool
