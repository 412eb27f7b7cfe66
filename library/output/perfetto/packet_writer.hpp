// SPDX-License-Identifier: MIT
//
// Forms Perfetto packets and appends them to a TraceFile, each whole: one packet sequence with cleared state first,
// BOOTTIME as its clock, and names written once and then referred to by number.
// Owner: the Perfetto sink. One thread. Errors are those of the file. Memory: the distinct names, nothing per event.
#pragma once

#include <cstdint>
#include <functional>
#include <protozero/pbf_writer.hpp>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/status.hpp"
#include "model/run.hpp"
#include "output/perfetto/annotation.hpp"
#include "output/perfetto/trace_file.hpp"

namespace multipass::output::perfetto {

struct Track {
  std::uint64_t uuid = 0;
  std::uint64_t parent_uuid = 0;
  std::string name{};
  std::string description{};  // shown by the UI in the track's help
  std::int32_t rank = 0;      // among its siblings
  bool is_counter = false;
  std::string category{};      // counters only
  std::string unit_name{};     // counters only
  bool keep_separate = false;  // never shown as one with a sibling of the same name
};

struct Event {
  std::uint64_t track_uuid = 0;
  std::string_view category{};
  std::string_view name{};
  const std::vector<Annotation>* annotations = nullptr;  // borrowed, may be null
  std::vector<std::uint64_t> flows_out{};
  std::uint64_t flow_in = 0;  // 0: none
  // A UI makes a slice's colour of its name without the digits, by which instances of a template often differ.
  bool colour_by_digits = false;
};

// A counter track as its values need it.
struct CounterLine {
  std::uint64_t track_uuid = 0;
  std::string_view category{};
  std::string constant{};  // what all values have between their time and their number; filled with the first one
};

class PacketWriter final {
 public:
  PacketWriter(TraceFile& file, std::uint32_t sequence_id) noexcept;
  PacketWriter(const PacketWriter&) = delete;
  PacketWriter& operator=(const PacketWriter&) = delete;
  ~PacketWriter() = default;

  // First: clears the sequence's state, sets its clock, and relates the three clocks when they were read.
  Status start(const RunMetadata& run);

  Status process_track(std::uint64_t uuid, const std::string& name, const RunMetadata& run);
  Status track(const Track& track);

  Status slice(const Event& event, std::uint64_t start_ns, std::uint64_t end_ns);
  Status instant(const Event& event, std::uint64_t at_ns);
  // Nearly all packets of a trace are these; so they are put together from what they have in common.
  Status counter(CounterLine& line, std::uint64_t at_ns, double value);

 private:
  // Texts that one field of InternedData numbers from 1.
  class Names final {
   public:
    explicit Names(std::uint32_t field) noexcept : field_(field) {}
    // The number of `text`; a new one is added to `pending`, a partial InternedData.
    std::uint64_t id_of(std::string_view text, std::string& pending);

   private:
    struct Hash {
      using is_transparent = void;
      std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>{}(text); }
    };
    std::uint32_t field_;
    std::unordered_map<std::string, std::uint64_t, Hash, std::equal_to<>> ids_;
  };

  Status first_value(CounterLine& line, std::uint64_t at_ns, double value);
  Status event_packet(std::uint64_t at_ns);
  Status packet(std::string_view body);
  void begin_event(std::int32_t type, std::uint64_t track_uuid);
  void add_sequence(protozero::pbf_writer& packet) const;
  void add_details(const Event& event);
  void add_annotation(const Annotation& annotation);

  TraceFile& file_;
  std::uint32_t sequence_id_;
  Names categories_;
  Names names_;
  Names keys_;
  Names colours_;
  // Reused from packet to packet, so that a steady state allocates nothing.
  std::string interned_;
  std::string event_;
  std::string annotation_;
  std::string body_;
  std::string time_;
};

}  // namespace multipass::output::perfetto
