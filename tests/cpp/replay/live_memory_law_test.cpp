// SPDX-License-Identifier: MIT
// The law: after any sequence of events, footprint and presence are those of a model that keeps bytes, not extents.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <random>
#include <sstream>
#include <vector>

#include "replay/live_memory.hpp"

namespace multipass::replay {
namespace {

constexpr std::size_t kAgents = 3;
constexpr std::uint64_t kSpace = 24;  // addresses 1..kSpace

constexpr std::array kReasonOf{DeclineReason::kVirtualMemory,  // any of device, in its place
                               DeclineReason::kFineGrainedMemory, DeclineReason::kVirtualMemory,
                               DeclineReason::kPoolMemory,        DeclineReason::kManagedMemory,
                               DeclineReason::kPinnedMemory,      DeclineReason::kImportedMemory};

// Each class is a list of what was told of, in the order of events, looked through from end to end.
class Model {
 public:
  struct Told {
    std::uint64_t at, bytes;
    std::optional<AgentIndex> agent;
    std::uint64_t serial;
    [[nodiscard]] bool has(std::uint64_t address) const { return at <= address && address < at + std::max(bytes, one); }
    static constexpr std::uint64_t one = 1;
  };
  using List = std::vector<Told>;

  [[nodiscard]] std::uint64_t mark() const { return serial_; }

  void allocated(const MemoryAllocated& memory) {
    if (memory.kind == MemoryClass::kManaged)
      if (const Told* around = around_in(of(memory.kind), memory.address);
          around != nullptr && around->agent == memory.agent &&
          memory.address + memory.bytes <= around->at + around->bytes)
        return;
    const std::optional<AgentIndex> agent = memory.agent ? memory.agent : agent_around(memory.address);
    ++serial_;
    if (memory.kind == MemoryClass::kFineGrained) drop(of(MemoryClass::kDevice), memory.address, serial_);
    if (memory.kind == MemoryClass::kVirtual || memory.kind == MemoryClass::kImported)
      cut(of(memory.kind), memory.address, memory.bytes, serial_);
    drop(of(memory.kind), memory.address, serial_);
    of(memory.kind).push_back({memory.address, memory.bytes, agent, serial_});
  }

  void ended(MemoryEnd end, std::uint64_t address, std::uint64_t bytes, std::uint64_t mark) {
    if (end == MemoryEnd::kFreed) {
      std::uint64_t most = 1;
      for (const MemoryClass kind : {MemoryClass::kDevice, MemoryClass::kFineGrained, MemoryClass::kPinned})
        most = std::max(most, drop(of(kind), address, mark));
      cut(exports_, address, most, mark);
    } else if (end == MemoryEnd::kReleased) {
      for (const MemoryClass kind :
           {MemoryClass::kPool, MemoryClass::kManaged, MemoryClass::kFineGrained, MemoryClass::kPinned})
        drop(of(kind), address, mark);
    } else if (end == MemoryEnd::kDetached) {
      drop(of(MemoryClass::kImported), address, mark);
    } else {
      cut(of(MemoryClass::kVirtual), address, bytes, mark);
      cut(of(MemoryClass::kImported), address, bytes, mark);
      cut(exports_, address, bytes, mark);
    }
  }

  void exported(std::uint64_t address) {
    const std::optional<AgentIndex> agent = agent_around(address);
    drop(exports_, address, ++serial_);
    exports_.push_back({address, 1, agent, serial_});
  }

  [[nodiscard]] std::uint64_t footprint(AgentIndex agent) {
    std::uint64_t sum = 0;
    for (const Told& told : of(MemoryClass::kDevice))
      if (!told.agent || told.agent == agent) sum += told.bytes;
    return sum;
  }

  [[nodiscard]] std::uint64_t bytes_of(DeclineReason reason, AgentIndex agent) {
    std::uint64_t sum = 0;
    for (std::size_t kind = 1; kind < classes_.size(); ++kind)
      for (const Told& told : classes_[kind])
        if (kReasonOf[kind] == reason && (!told.agent || told.agent == agent)) sum += told.bytes;
    return sum;
  }

  [[nodiscard]] SafetyReasons present(AgentIndex agent) {
    const auto concerns = [agent](const Told& told) { return !told.agent || told.agent == agent; };
    SafetyReasons reasons;
    for (std::size_t kind = 1; kind < classes_.size(); ++kind)
      if (std::any_of(classes_[kind].begin(), classes_[kind].end(), concerns)) reasons.add(kReasonOf[kind]);
    if (std::any_of(exports_.begin(), exports_.end(), concerns)) reasons.add(DeclineReason::kExportedMemory);
    return reasons;
  }

 private:
  List& of(MemoryClass kind) { return classes_[static_cast<std::size_t>(kind)]; }

  // The bytes of the one that begins here.
  static std::uint64_t drop(List& list, std::uint64_t address, std::uint64_t mark) {
    const auto found = std::find_if(list.begin(), list.end(), [&](const Told& told) { return told.at == address; });
    if (found == list.end() || found->serial > mark) return 0;
    const std::uint64_t bytes = found->bytes;
    list.erase(found);
    return bytes;
  }

  // One byte after the other: what is left of an extent falls into runs of bytes.
  static void cut(List& list, std::uint64_t address, std::uint64_t bytes, std::uint64_t mark) {
    List left;
    for (const Told& told : list) {
      if (told.serial > mark) {
        left.push_back(told);
        continue;
      }
      bool in_run = false;
      for (std::uint64_t byte = told.at; byte < told.at + told.bytes; ++byte) {
        const bool stays = byte < address || byte >= address + bytes;
        if (stays && in_run) ++left.back().bytes;
        if (stays && !in_run) left.push_back({byte, 1, told.agent, told.serial});
        in_run = stays;
      }
    }
    list = std::move(left);
  }

  std::optional<AgentIndex> agent_around(std::uint64_t address) {
    for (const MemoryClass kind :
         {MemoryClass::kDevice, MemoryClass::kFineGrained, MemoryClass::kVirtual, MemoryClass::kPool}) {
      if (const Told* around = around_in(of(kind), address)) return around->agent;
    }
    return std::nullopt;
  }

  // Of those that begin here or before, the last one, if it reaches so far.
  static const Told* around_in(const List& list, std::uint64_t address) {
    const Told* last = nullptr;
    for (const Told& told : list)
      if (told.at <= address && (last == nullptr || told.at > last->at)) last = &told;
    return last != nullptr && last->has(address) ? last : nullptr;
  }

  std::uint64_t serial_ = 0;
  std::array<List, 7> classes_;
  List exports_;
};

class LiveMemoryLaw : public testing::TestWithParam<unsigned> {};

TEST_P(LiveMemoryLaw, HoldsAfterEachEventOfARandomHistory) {
  std::mt19937 random(GetParam());
  const auto pick = [&random](std::uint64_t below) { return random() % below; };
  LiveMemory memory(kAgents);
  Model model;
  std::vector<std::uint64_t> marks{LiveMemory::kNow};
  std::ostringstream history;
  for (int event = 0; event < 400; ++event) {
    const std::uint64_t at = 1 + pick(kSpace);
    const std::uint64_t bytes = 1 + pick(8);
    const std::uint64_t what = pick(10);
    if (what < 5) {
      const auto kind = static_cast<MemoryClass>(pick(7));
      const std::uint64_t number = pick(kAgents + 1);
      const std::optional<AgentIndex> agent =
          number == kAgents ? std::nullopt : std::optional(AgentIndex{static_cast<std::uint32_t>(number)});
      memory.allocated({kind, agent, at, bytes});
      model.allocated({kind, agent, at, bytes});
      history << "allocated " << static_cast<int>(kind) << " agent " << number << " at " << at << " " << bytes << '\n';
    } else if (what < 8) {
      const auto end = static_cast<MemoryEnd>(pick(4));
      const std::uint64_t mark = marks[pick(marks.size())];
      memory.ended(end, at, bytes, mark);
      model.ended(end, at, bytes, mark);
      history << "ended " << static_cast<int>(end) << " at " << at << " " << bytes << " mark " << mark << '\n';
    } else if (what == 8) {
      memory.exported(at);
      model.exported(at);
      history << "exported " << at << '\n';
    } else {
      ASSERT_EQ(memory.mark(), model.mark());
      marks.push_back(memory.mark());
    }
    for (std::uint32_t agent = 0; agent < kAgents; ++agent) {
      ASSERT_EQ(memory.footprint(AgentIndex{agent}), model.footprint(AgentIndex{agent})) << history.str();
      ASSERT_EQ(memory.present(AgentIndex{agent}), model.present(AgentIndex{agent})) << history.str();
      for (const DeclineReason reason : kSafetyReasons)
        ASSERT_EQ(memory.bytes_of(reason, AgentIndex{agent}), model.bytes_of(reason, AgentIndex{agent}))
            << history.str();
    }
  }
  EXPECT_EQ(memory.unkept(), 0U);
}

INSTANTIATE_TEST_SUITE_P(Histories, LiveMemoryLaw, testing::Range(0U, 60U));

}  // namespace
}  // namespace multipass::replay
