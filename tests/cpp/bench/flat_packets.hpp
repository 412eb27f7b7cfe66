// SPDX-License-Identifier: MIT
//
// The packets of a trace as plain numbers in memory, and the bare protozero loop that writes them again: all that an
// encoder needs is known before it starts, so that it does nothing but encode. The reference of perfetto_bench.
// Some hundred packets are kept as bytes: declarations of tracks, and the mark of the run. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace multipass::bench {

struct FlatAnnotation {
  std::uint64_t key = 0;
  std::variant<bool, std::uint64_t, std::int64_t, double, std::string> value;
};

struct FlatCounter {
  std::uint64_t at_ns = 0;
  std::uint64_t track = 0;
  std::uint64_t category = 0;
  double value = 0;
};

struct FlatEvent {
  std::uint64_t at_ns = 0;
  std::int32_t type = 0;
  std::uint64_t track = 0;
  std::uint64_t category = 0;  // 0 here and below: none
  std::uint64_t name = 0;
  std::vector<std::uint64_t> flows;
  std::uint64_t flow_in = 0;
  std::uint64_t colour = 0;
  std::vector<FlatAnnotation> annotations;
  std::optional<double> value;
  std::string interned;  // the message that names what is new
};

struct FlatPackets {
  enum class Kind : std::uint8_t { kOther, kEvent, kCounter };
  std::uint32_t sequence_id = 0;
  std::vector<Kind> kinds;  // of the packets, in order; each takes the next one of its list
  std::vector<std::string> others;
  std::vector<FlatEvent> events;
  std::vector<FlatCounter> counters;
};

// Of a trace that our writer wrote: what it never writes is an exception (std::runtime_error).
[[nodiscard]] FlatPackets flatten(std::string_view trace);

// Encodes them; `block` is handed to `full` whenever it has `block_bytes` or more, and with the rest at the end.
template <class Full>
void encode_bare(const FlatPackets& packets, std::size_t block_bytes, std::string& block, Full&& full);

// One packet, appended to `block`.
void encode_counter(const FlatCounter& counter, std::uint32_t sequence_id, std::string& block);
void encode_event(const FlatEvent& event, std::uint32_t sequence_id, std::string& block);
void encode_other(const std::string& packet, std::string& block);

template <class Full>
void encode_bare(const FlatPackets& packets, std::size_t block_bytes, std::string& block, Full&& full) {
  std::size_t other = 0;
  std::size_t event = 0;
  std::size_t counter = 0;
  block.clear();
  for (const FlatPackets::Kind kind : packets.kinds) {
    if (kind == FlatPackets::Kind::kCounter)
      encode_counter(packets.counters[counter++], packets.sequence_id, block);
    else if (kind == FlatPackets::Kind::kEvent)
      encode_event(packets.events[event++], packets.sequence_id, block);
    else
      encode_other(packets.others[other++], block);
    if (block.size() < block_bytes) continue;
    full(block);
    block.clear();
  }
  full(block);
}

}  // namespace multipass::bench
