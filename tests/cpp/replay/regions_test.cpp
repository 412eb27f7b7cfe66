// SPDX-License-Identifier: MIT
//
// Which dispatches are inside of the regions that roctx calls make: single rules, and all of them against a model.
#include "replay/regions.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <latch>
#include <map>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "allocations.hpp"
#include "replay/kernel_filter.hpp"

namespace multipass::replay {
namespace {

constexpr std::uint64_t kThread = 1000;

std::shared_ptr<Regions> regions(const RegionConfig& config) {
  auto made = Regions::create(config);
  EXPECT_TRUE(made) << made.message();
  return *made;
}

std::shared_ptr<Regions> including(const char* pattern) {
  return regions({.roctx = false, .roctx_include = pattern, .roctx_exclude = "", .selected_regions = false});
}

std::shared_ptr<Regions> excluding(const char* pattern) {
  return regions({.roctx = false, .roctx_include = "", .roctx_exclude = pattern, .selected_regions = false});
}

DispatchInfo launch(std::uint64_t thread = kThread) {
  DispatchInfo dispatch;
  dispatch.kernel = KernelId{1};
  dispatch.thread_id = thread;
  return dispatch;
}

TEST(Regions, WantEveryDispatchByDefaultAndNoMarkersOfRanges) {
  const auto all = regions({});
  EXPECT_FALSE(all->by_range());
  EXPECT_EQ(all->decide(kThread), std::nullopt);
}

TEST(Regions, IncludeWantsWhatIsInsideOfAPushRangeThatMatches) {
  const auto some = including("sol");
  EXPECT_TRUE(some->by_range());
  EXPECT_EQ(some->decide(kThread), FilterReason::kOutsideRegion);
  const auto other = some->thread_range_begins("setup");
  EXPECT_EQ(some->decide(kThread), FilterReason::kOutsideRegion);
  const auto solve = some->thread_range_begins("solve");
  const auto inner = some->thread_range_begins("setup");
  EXPECT_EQ(some->decide(kThread), std::nullopt) << "of any range that is open, not of the innermost";
  some->thread_range_ends(inner);
  some->thread_range_ends(solve);
  EXPECT_EQ(some->decide(kThread), FilterReason::kOutsideRegion);
  some->thread_range_ends(other);
}

TEST(Regions, ExcludeGoesBeforeInclude) {
  const auto some = regions({.roctx = false, .roctx_include = "a", .roctx_exclude = "b", .selected_regions = false});
  const auto both = some->thread_range_begins("ab");
  EXPECT_EQ(some->decide(kThread), FilterReason::kOutsideRegion);
  some->thread_range_ends(both);
  const auto outer = some->thread_range_begins("b");
  const auto inner = some->thread_range_begins("a");
  EXPECT_EQ(some->decide(kThread), FilterReason::kOutsideRegion);
  some->thread_range_ends(inner);
  some->thread_range_ends(outer);
}

TEST(Regions, ExcludeAloneWantsWhatIsInNoRange) {
  const auto some = excluding("warm");
  EXPECT_EQ(some->decide(kThread), std::nullopt);
  const auto warm = some->process_range_begins("warm up");
  EXPECT_EQ(some->decide(kThread), FilterReason::kOutsideRegion);
  some->process_range_ends(warm);
  EXPECT_EQ(some->decide(kThread), std::nullopt);
}

TEST(Regions, AnyRangeWillDoForRoctxWithoutAPattern) {
  const auto any = regions({.roctx = true, .roctx_include = "", .roctx_exclude = "", .selected_regions = false});
  EXPECT_EQ(any->decide(kThread), FilterReason::kOutsideRegion);
  const auto unnamed = any->thread_range_begins(nullptr);
  EXPECT_EQ(any->decide(kThread), std::nullopt);
  any->thread_range_ends(unnamed);
}

TEST(Regions, PushRangesAreThoseOfTheirThreadAndStartRangesThoseOfTheProcess) {
  const auto some = including("a");
  std::optional<FilterReason> inside;
  std::optional<FilterReason> elsewhere;
  const auto push = some->thread_range_begins("a");
  inside = some->decide(kThread);
  std::thread([&] { elsewhere = some->decide(kThread + 1); }).join();
  EXPECT_EQ(inside, std::nullopt);
  EXPECT_EQ(elsewhere, FilterReason::kOutsideRegion);
  some->thread_range_ends(push);
  const auto start = some->process_range_begins("a");
  std::thread([&] {
    elsewhere = some->decide(kThread + 1);
    some->process_range_ends(start);
  }).join();
  EXPECT_EQ(elsewhere, std::nullopt);
  EXPECT_EQ(some->decide(kThread), FilterReason::kOutsideRegion);
}

TEST(Regions, EndsThatNobodyBeganChangeNothing) {
  const auto some = including("a");
  some->thread_range_ends(~0ULL);
  some->process_range_ends(~0ULL);
  const auto a = some->process_range_begins("a");
  EXPECT_EQ(some->decide(kThread), std::nullopt);
  some->process_range_ends(a);
  some->process_range_ends(a);
  const auto again = some->process_range_begins("a");
  EXPECT_EQ(some->decide(kThread), std::nullopt);
  some->process_range_ends(again);
}

TEST(Regions, MessagesOfAnyKindAreHarmless) {
  const auto some = including("needle");
  std::string all;
  for (int byte = 1; byte < 256; ++byte) all += static_cast<char>(byte);
  const std::string early = all + "needle" + std::string(1'000'000, 'x');
  const std::string late = std::string(1'000'000, 'x') + "needle";
  EXPECT_EQ(some->thread_range_begins(all.c_str()), 0U);
  EXPECT_EQ(some->thread_range_begins(late.c_str()), 0U) << "beyond what is searched";
  EXPECT_EQ(some->thread_range_begins(nullptr), 0U);
  const auto found = some->thread_range_begins(early.c_str());
  EXPECT_EQ(some->decide(kThread), std::nullopt);
  some->thread_range_ends(found);
}

TEST(Regions, NestingMayBeAsDeepAsAProgramLikes) {
  const auto some = including("a");
  std::vector<Regions::Mark> marks;
  for (int i = 0; i < 100'000; ++i) marks.push_back(some->thread_range_begins("a"));
  while (!marks.empty()) {
    EXPECT_EQ(some->decide(kThread), std::nullopt);
    some->thread_range_ends(marks.back());
    marks.pop_back();
  }
  EXPECT_EQ(some->decide(kThread), FilterReason::kOutsideRegion);
}

TEST(Regions, ASearchWithoutEndCountsAsNotFoundAndIsCounted) {
  const auto some = including("(a+)+$");
  const std::string hard = std::string(40, 'a') + "!";
  EXPECT_EQ(some->thread_range_begins(hard.c_str()), 0U);
  EXPECT_EQ(some->use().hard, 1U);
  EXPECT_EQ(some->use().found, 0U);
  EXPECT_EQ(some->use().ranges, 1U);
}

TEST(Regions, AWrongPatternNamesItsSettingAndColumn) {
  const auto made =
      Regions::create({.roctx = false, .roctx_include = "", .roctx_exclude = "a(", .selected_regions = false});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.message().rfind("roctx-exclude 'a(': column 3: ", 0), 0U) << made.message();
}

TEST(Pause, HoldsForAllThreadsOrOneUntilTheNextCallForIt) {
  const auto some = regions({});
  some->pause(0);
  EXPECT_EQ(some->decide(kThread), FilterReason::kPaused);
  some->pause(0);
  some->resume(0);
  EXPECT_EQ(some->decide(kThread), std::nullopt) << "pauses are not counted";
  some->pause(kThread);
  EXPECT_EQ(some->decide(kThread), FilterReason::kPaused);
  EXPECT_EQ(some->decide(kThread + 1), std::nullopt);
  some->resume(0);
  EXPECT_EQ(some->decide(kThread), std::nullopt) << "0 is every thread";
  some->pause(0);
  some->resume(kThread);
  EXPECT_EQ(some->decide(kThread), std::nullopt);
  EXPECT_EQ(some->decide(kThread + 1), FilterReason::kPaused);
}

TEST(Pause, SelectedRegionsBeginPaused) {
  const auto some = regions({.roctx = false, .roctx_include = "", .roctx_exclude = "", .selected_regions = true});
  EXPECT_FALSE(some->by_range());
  EXPECT_EQ(some->decide(kThread), FilterReason::kPaused);
  some->resume(kThread);
  EXPECT_EQ(some->decide(kThread), std::nullopt);
  EXPECT_EQ(some->decide(kThread + 1), FilterReason::kPaused);
  EXPECT_EQ(some->use().resumes, 1U);
}

TEST(Pause, ManyThreadsOneAfterTheOtherFindRoom) {
  const auto some = regions({});
  for (std::uint64_t thread = 1; thread <= 10'000; ++thread) {
    some->pause(thread);
    EXPECT_EQ(some->decide(thread), FilterReason::kPaused);
    some->resume(thread);
    EXPECT_EQ(some->decide(thread), std::nullopt);
  }
  EXPECT_EQ(some->use().refused, 0U);
}

// Threads of this process, which live until the object goes.
class Living {
 public:
  explicit Living(std::size_t count) {
    std::latch began(static_cast<std::ptrdiff_t>(count));
    ids.resize(count);
    for (std::uint64_t& id : ids)
      threads_.emplace_back([&, this] {
        id = static_cast<std::uint64_t>(::gettid());
        began.count_down();
        over_.wait();
      });
    began.wait();
  }
  ~Living() {
    over_.count_down();
    for (std::thread& thread : threads_) thread.join();
  }
  Living(const Living&) = delete;
  Living& operator=(const Living&) = delete;

  std::vector<std::uint64_t> ids;

 private:
  std::latch over_{1};
  std::vector<std::thread> threads_;
};

TEST(Pause, MoreThreadsThanFitAtOnceAreCounted) {
  const auto some = regions({});
  const Living threads(257);
  const std::uint64_t fits = threads.ids[255], too_many = threads.ids[256];
  for (const std::uint64_t thread : threads.ids) some->pause(thread);
  EXPECT_EQ(some->use().refused, 1U);
  EXPECT_EQ(some->decide(fits), FilterReason::kPaused);
  EXPECT_EQ(some->decide(too_many), std::nullopt);
  some->resume(0);
  some->pause(too_many);
  EXPECT_EQ(some->decide(too_many), FilterReason::kPaused) << "what was said before is past";
  EXPECT_EQ(some->decide(fits), std::nullopt);
}

TEST(Pause, ThreadsThatHaveEndedTakeNoRoom) {
  const auto some = regions({.roctx = false, .roctx_include = "", .roctx_exclude = "", .selected_regions = true});
  for (int i = 0; i < 600; ++i)
    std::thread([&] {
      const auto self = static_cast<std::uint64_t>(::gettid());
      some->resume(self);
      EXPECT_EQ(some->decide(self), std::nullopt) << i;
    }).join();
  EXPECT_EQ(some->use().refused, 0U);
}

TEST(Pause, IsNotMissedByThreadsThatLaunch) {
  const auto some = regions({});
  std::atomic<bool> stop{false};
  std::atomic<std::uint64_t> wrong{0};
  std::thread others([&] {
    for (std::uint64_t i = 0; !stop.load(); ++i) {
      some->pause(2000 + i % 300);
      some->resume(2000 + i % 300);
    }
  });
  std::vector<std::thread> launching;
  for (std::uint64_t own = 1; own <= 3; ++own)
    launching.emplace_back([&, own] {
      for (int i = 0; i < 2000; ++i) {
        some->pause(own);
        if (some->decide(own) != FilterReason::kPaused) ++wrong;
        some->resume(own);
        if (some->decide(own)) ++wrong;
      }
    });
  for (std::thread& thread : launching) thread.join();
  stop.store(true);
  others.join();
  EXPECT_EQ(wrong.load(), 0U);
}

TEST(RegionsOfAFilter, AreLookedAtFirstAndRangesOfLaunchesCountInsideOfThemOnly) {
  const auto some = regions({.roctx = false, .roctx_include = "", .roctx_exclude = "", .selected_regions = true});
  auto filter = KernelFilter::create({.kernel_include = "", .kernel_exclude = "", .range = "1"}, 1);
  ASSERT_TRUE(filter);
  filter->follow(some);
  EXPECT_TRUE(filter->know(KernelId{1}, "axpy"));
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(filter->decide(launch()), FilterReason::kPaused);
  some->resume(0);
  EXPECT_EQ(filter->decide(launch()), std::nullopt) << "the first launch in the region";
  for (int i = 1; i < 100; ++i) ASSERT_EQ(filter->decide(launch()), FilterReason::kOutOfRange);
}

TEST(RegionsOfAFilter, DecideWithoutAnyOtherFilter) {
  const auto some = regions({});
  KernelFilter filter;
  EXPECT_FALSE(filter.active());
  filter.follow(some);
  EXPECT_TRUE(filter.active());
  EXPECT_TRUE(filter.know(KernelId{1}, "axpy"));
  EXPECT_EQ(filter.decide(launch()), std::nullopt);
  some->pause(0);
  EXPECT_EQ(filter.decide(launch()), FilterReason::kPaused);
}

TEST(Regions, AllocateNothingForADispatch) {
  const auto some = including("a");
  some->pause(kThread + 1);
  const auto a = some->thread_range_begins("a");
  const std::uint64_t before = allocations_of_this_thread();
  for (int i = 0; i < 100; ++i) (void)some->decide(kThread);
  EXPECT_EQ(allocations_of_this_thread(), before);
  some->thread_range_ends(a);
}

// ---- All rules at once
// -----------------------------------------------------------------------------------------------

// What the rules say, in the plainest way: lists of open ranges and of calls.
struct Model {
  RegionConfig config;
  std::map<std::uint64_t, std::vector<std::string>> pushed;  // by thread
  std::map<int, std::string> started;
  std::vector<std::pair<std::uint64_t, bool>> calls;  // thread, paused

  [[nodiscard]] std::optional<FilterReason> decide(std::uint64_t thread) const {
    bool paused = config.selected_regions;
    for (const auto& [whom, pause] : calls)
      if (whom == 0 || whom == thread) paused = pause;
    if (paused) return FilterReason::kPaused;
    std::vector<std::string> open;
    if (const auto own = pushed.find(thread); own != pushed.end()) open = own->second;
    for (const auto& [id, message] : started) open.push_back(message);
    bool included = !config.roctx && config.roctx_include.empty();
    bool excluded = false;
    for (const std::string& message : open) {
      included = included || message.find(config.roctx_include) != std::string::npos;
      excluded = excluded || (!config.roctx_exclude.empty() && message.find(config.roctx_exclude) != std::string::npos);
    }
    if (!included || excluded) return FilterReason::kOutsideRegion;
    return std::nullopt;
  }
};

// Runs steps on three threads one at a time, each on its own thread, so that the order is known. With condition
// variables and not std::atomic::wait, which yields before it sleeps: where others want the processor, that takes
// minutes.
class Threads {
 public:
  void on(std::size_t thread, const std::function<void()>& step) {
    std::unique_lock lock(mutex_);
    step_ = &step;
    turn_ = static_cast<int>(thread);
    begins_[thread].notify_one();
    ended_.wait(lock, [this] { return turn_ == kIdle; });
  }
  Threads() {
    for (int own = 0; own < kThreads; ++own)
      threads_.emplace_back([this, own] {
        std::unique_lock lock(mutex_);
        for (;;) {
          begins_[static_cast<std::size_t>(own)].wait(lock, [this, own] { return turn_ == own || turn_ == kEnd; });
          if (turn_ == kEnd) return;
          (*step_)();
          turn_ = kIdle;
          ended_.notify_one();
        }
      });
  }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;
  ~Threads() {
    {
      const std::lock_guard lock(mutex_);
      turn_ = kEnd;
      for (std::condition_variable& begins : begins_) begins.notify_one();
    }
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  static constexpr int kThreads = 3, kIdle = -1, kEnd = -2;
  std::mutex mutex_;
  std::array<std::condition_variable, kThreads> begins_;
  std::condition_variable ended_;
  int turn_ = kIdle;
  const std::function<void()>* step_ = nullptr;
  std::vector<std::thread> threads_;
};

TEST(Regions, AgreeWithAPlainModelWhateverAProgramDoes) {
  const std::vector<std::string> messages = {"solve", "setup", "solve setup", "", "so"};
  const std::vector<std::string> patterns = {"", "so", "setup", "nothing"};
  for (unsigned seed = 0; seed < 150; ++seed) {
    std::mt19937 random(seed);
    const auto pick = [&random](std::size_t below) { return random() % below; };
    Model model;
    model.config = {.roctx = pick(4) == 0,
                    .roctx_include = patterns[pick(4)],
                    .roctx_exclude = patterns[pick(4)],
                    .selected_regions = pick(4) == 0};
    const auto some = regions(model.config);
    std::map<std::uint64_t, std::vector<Regions::Mark>> push_marks;
    std::map<int, Regions::Mark> start_marks;
    Threads threads;  // new ones for each program: push ranges that stay open belong to them
    for (int step = 0; step < 120; ++step) {
      const std::size_t index = pick(3);
      const std::uint64_t thread = kThread + index;
      const std::string& message = messages[pick(messages.size())];
      const std::uint64_t whom = pick(2) == 0 ? 0 : kThread + pick(3);
      const std::size_t what = pick(8);
      threads.on(index, [&] {
        if (what <= 1) {
          push_marks[thread].push_back(some->thread_range_begins(message.c_str()));
          model.pushed[thread].push_back(message);
        } else if (what <= 3) {
          if (push_marks[thread].empty()) return;  // the SDK delivers nothing
          some->thread_range_ends(push_marks[thread].back());
          push_marks[thread].pop_back();
          model.pushed[thread].pop_back();
        } else if (what == 4) {
          start_marks[step] = some->process_range_begins(message.c_str());
          model.started[step] = message;
        } else if (what == 5) {
          if (start_marks.empty()) return;
          const auto which = std::next(start_marks.begin(), static_cast<long>(pick(start_marks.size())));
          some->process_range_ends(which->second);
          model.started.erase(which->first);
          start_marks.erase(which);
        } else {
          what == 6 ? some->pause(whom) : some->resume(whom);
          model.calls.emplace_back(whom, what == 6);
        }
      });
      for (std::size_t asked = 0; asked < 3; ++asked)
        threads.on(asked, [&] {
          ASSERT_EQ(some->decide(kThread + asked), model.decide(kThread + asked))
              << "program " << seed << ", step " << step << ", thread " << asked;
        });
    }
  }
}

}  // namespace
}  // namespace multipass::replay
