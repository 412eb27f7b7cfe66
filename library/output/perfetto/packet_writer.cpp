// SPDX-License-Identifier: MIT
#include "output/perfetto/packet_writer.hpp"

#include <array>
#include <bit>
#include <type_traits>
#include <utility>
#include <variant>

#include "output/perfetto/fields.hpp"

namespace multipass::output::perfetto {
namespace {

using protozero::pbf_writer;

void add_clock(pbf_writer& snapshot, std::uint32_t id, std::uint64_t ns) {
  pbf_writer clock(snapshot, fields::clock_snapshot::kClocks);
  clock.add_uint32(fields::clock::kClockId, id);
  clock.add_uint64(fields::clock::kTimestamp, ns);
}

// As a field of type fixed64 or double holds it.
std::array<char, sizeof(double)> bytes_of(double value) noexcept {
  static_assert(std::endian::native == std::endian::little);
  return std::bit_cast<std::array<char, sizeof(double)>>(value);
}

bool has_digit(std::string_view text) noexcept {
  return text.find_first_of("0123456789") != std::string_view::npos;
}

void add_value(pbf_writer& annotation, const AnnotationValue& value) {
  std::visit(
      [&annotation](const auto& held) {
        using Held = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<Held, bool>) {
          annotation.add_bool(fields::annotation::kBoolValue, held);
        } else if constexpr (std::is_same_v<Held, std::uint64_t>) {
          annotation.add_uint64(fields::annotation::kUintValue, held);
        } else if constexpr (std::is_same_v<Held, std::int64_t>) {
          annotation.add_int64(fields::annotation::kIntValue, held);
        } else if constexpr (std::is_same_v<Held, double>) {
          annotation.add_double(fields::annotation::kDoubleValue, held);
        } else if constexpr (std::is_same_v<Held, std::string>) {
          annotation.add_string(fields::annotation::kStringValue, held);
        } else {
          for (const std::string& text : held) {
            pbf_writer item(annotation, fields::annotation::kArrayValues);
            item.add_string(fields::annotation::kStringValue, text);
          }
        }
      },
      value);
}

}  // namespace

PacketWriter::PacketWriter(TraceFile& file, std::uint32_t sequence_id) noexcept
    : file_(file),
      sequence_id_(sequence_id),
      categories_(fields::interned::kEventCategories),
      names_(fields::interned::kEventNames),
      keys_(fields::interned::kDebugAnnotationNames),
      colours_(fields::interned::kCorrelationIdStr) {}

std::uint64_t PacketWriter::Names::id_of(std::string_view text, std::string& pending) {
  if (const auto found = ids_.find(text); found != ids_.end()) return found->second;
  const std::uint64_t id = ids_.size() + 1;
  ids_.emplace(text, id);
  // EventCategory, EventName, DebugAnnotationName and InternedString have one layout.
  pbf_writer interned(pending);
  pbf_writer entry(interned, field_);
  entry.add_uint64(fields::event_name::kIid, id);
  entry.add_string(fields::event_name::kName, text.data(), text.size());
  return id;
}

Status PacketWriter::start(const RunMetadata& run) {
  body_.clear();
  {
    pbf_writer packet(body_);
    packet.add_uint32(fields::packet::kTrustedPacketSequenceId, sequence_id_);
    packet.add_uint32(fields::packet::kSequenceFlags, fields::sequence_flags::kIncrementalStateCleared);
    packet.add_bool(fields::packet::kFirstPacketOnSequence, true);
    pbf_writer defaults(packet, fields::packet::kTracePacketDefaults);
    defaults.add_uint32(fields::packet_defaults::kTimestampClockId, fields::builtin_clock::kBoottime);
  }
  if (Status status = packet(body_); !status) return status;
  if (run.boottime_ns == 0) return Status::ok();
  body_.clear();
  {
    pbf_writer packet(body_);
    packet.add_uint32(fields::packet::kTrustedPacketSequenceId, sequence_id_);
    pbf_writer snapshot(packet, fields::packet::kClockSnapshot);
    add_clock(snapshot, fields::builtin_clock::kBoottime, run.boottime_ns);
    if (run.monotonic_ns != 0) add_clock(snapshot, fields::builtin_clock::kMonotonic, run.monotonic_ns);
    if (run.realtime_ns != 0) add_clock(snapshot, fields::builtin_clock::kRealtime, run.realtime_ns);
    snapshot.add_enum(fields::clock_snapshot::kPrimaryTraceClock,
                      static_cast<std::int32_t>(fields::builtin_clock::kBoottime));
  }
  return packet(body_);
}

Status PacketWriter::process_track(std::uint64_t uuid, const std::string& name, const RunMetadata& run) {
  body_.clear();
  {
    pbf_writer packet(body_);
    packet.add_uint32(fields::packet::kTrustedPacketSequenceId, sequence_id_);
    pbf_writer descriptor(packet, fields::packet::kTrackDescriptor);
    descriptor.add_uint64(fields::track::kUuid, uuid);
    descriptor.add_enum(fields::track::kChildOrdering, fields::child_ordering::kExplicit);
    pbf_writer process(descriptor, fields::track::kProcess);
    process.add_int32(fields::process::kPid, static_cast<std::int32_t>(run.pid));
    for (const std::string& argument : run.command) process.add_string(fields::process::kCmdline, argument);
    if (!name.empty()) process.add_string(fields::process::kProcessName, name);
    if (run.rank) process.add_string(fields::process::kProcessLabels, "rank " + std::to_string(*run.rank));
    if (run.simulated) process.add_string(fields::process::kProcessLabels, "simulated GPU");
  }
  return packet(body_);
}

Status PacketWriter::track(const Track& track) {
  body_.clear();
  {
    pbf_writer packet(body_);
    packet.add_uint32(fields::packet::kTrustedPacketSequenceId, sequence_id_);
    pbf_writer descriptor(packet, fields::packet::kTrackDescriptor);
    descriptor.add_uint64(fields::track::kUuid, track.uuid);
    descriptor.add_uint64(fields::track::kParentUuid, track.parent_uuid);
    descriptor.add_string(fields::track::kName, track.name);
    if (!track.description.empty()) descriptor.add_string(fields::track::kDescription, track.description);
    descriptor.add_int32(fields::track::kSiblingOrderRank, track.rank);
    if (track.keep_separate) descriptor.add_enum(fields::track::kSiblingMergeBehavior, fields::merge_behavior::kNone);
    if (track.is_counter) {
      pbf_writer counter(descriptor, fields::track::kCounter);
      if (!track.category.empty()) counter.add_string(fields::counter::kCategories, track.category);
      if (!track.unit_name.empty()) counter.add_string(fields::counter::kUnitName, track.unit_name);
    } else {
      descriptor.add_enum(fields::track::kChildOrdering, fields::child_ordering::kExplicit);
    }
  }
  return packet(body_);
}

Status PacketWriter::slice(const Event& event, std::uint64_t start_ns, std::uint64_t end_ns) {
  begin_event(fields::event_type::kSliceBegin, event.track_uuid);
  add_details(event);
  if (Status status = event_packet(start_ns); !status) return status;
  begin_event(fields::event_type::kSliceEnd, event.track_uuid);
  return event_packet(end_ns);
}

Status PacketWriter::instant(const Event& event, std::uint64_t at_ns) {
  begin_event(fields::event_type::kInstant, event.track_uuid);
  add_details(event);
  return event_packet(at_ns);
}

Status PacketWriter::counter(CounterLine& line, std::uint64_t at_ns, double value) {
  if (line.constant.empty()) return first_value(line, at_ns, value);
  time_.clear();
  pbf_writer(time_).add_uint64(fields::packet::kTimestamp, at_ns);
  pbf_writer(file_.buffer()).add_bytes_vectored(fields::trace::kPacket, time_, line.constant, bytes_of(value));
  return file_.put();
}

Status PacketWriter::first_value(CounterLine& line, std::uint64_t at_ns, double value) {
  begin_event(fields::event_type::kCounter, line.track_uuid);
  pbf_writer writer(event_);
  writer.add_uint64(fields::event::kCategoryIids, categories_.id_of(line.category, interned_));
  writer.add_double(fields::event::kDoubleCounterValue, value);
  pbf_writer packet(line.constant);
  add_sequence(packet);
  packet.add_message(fields::packet::kTrackEvent, event_);
  line.constant.resize(line.constant.size() - sizeof value);  // it stands at the end
  return event_packet(at_ns);
}

// Of every event, after its time.
void PacketWriter::add_sequence(pbf_writer& packet) const {
  packet.add_uint32(fields::packet::kTrustedPacketSequenceId, sequence_id_);
  packet.add_uint32(fields::packet::kSequenceFlags, fields::sequence_flags::kNeedsIncrementalState);
}

void PacketWriter::begin_event(std::int32_t type, std::uint64_t track_uuid) {
  interned_.clear();
  event_.clear();
  pbf_writer writer(event_);
  writer.add_enum(fields::event::kType, type);
  writer.add_uint64(fields::event::kTrackUuid, track_uuid);
}

void PacketWriter::add_details(const Event& event) {
  pbf_writer writer(event_);
  writer.add_uint64(fields::event::kCategoryIids, categories_.id_of(event.category, interned_));
  writer.add_uint64(fields::event::kNameIid, names_.id_of(event.name, interned_));
  for (const std::uint64_t flow : event.flows_out) writer.add_fixed64(fields::event::kFlowIds, flow);
  if (event.flow_in != 0) writer.add_fixed64(fields::event::kTerminatingFlowIds, event.flow_in);
  if (event.colour_by_digits && has_digit(event.name))
    writer.add_uint64(fields::event::kCorrelationIdStrIid, colours_.id_of(event.name, interned_));
  if (event.annotations == nullptr) return;
  for (const Annotation& annotation : *event.annotations) add_annotation(annotation);
}

void PacketWriter::add_annotation(const Annotation& annotation) {
  annotation_.clear();
  pbf_writer writer(annotation_);
  std::uint64_t iid = annotation.iid != nullptr ? *annotation.iid : 0;
  if (iid == 0) iid = keys_.id_of(annotation.name, interned_);
  if (annotation.iid != nullptr) *annotation.iid = iid;
  writer.add_uint64(fields::annotation::kNameIid, iid);
  add_value(writer, annotation.value);
  pbf_writer(event_).add_message(fields::event::kDebugAnnotations, annotation_);
}

Status PacketWriter::event_packet(std::uint64_t at_ns) {
  body_.clear();
  {
    pbf_writer packet(body_);
    packet.add_uint64(fields::packet::kTimestamp, at_ns);
    add_sequence(packet);
    if (!interned_.empty()) packet.add_message(fields::packet::kInternedData, interned_);
    packet.add_message(fields::packet::kTrackEvent, event_);
  }
  return packet(body_);
}

Status PacketWriter::packet(std::string_view body) {
  pbf_writer(file_.buffer()).add_message(fields::trace::kPacket, body.data(), body.size());
  return file_.put();
}

}  // namespace multipass::output::perfetto
