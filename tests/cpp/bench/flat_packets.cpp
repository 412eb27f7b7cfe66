// SPDX-License-Identifier: MIT
#include "bench/flat_packets.hpp"

#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>
#include <stdexcept>
#include <utility>

#include "output/perfetto/fields.hpp"

namespace multipass::bench {
namespace {

using protozero::pbf_reader;
using protozero::pbf_writer;
namespace fields = output::perfetto::fields;

[[noreturn]] void unexpected(const char* where, std::uint32_t tag) {
  throw std::runtime_error(std::string("field ") + std::to_string(tag) + " of " + where +
                           " is not known to the bare loop");
}

// Nothing for a list of texts, which only the mark of the run has.
std::optional<FlatAnnotation> annotation_of(pbf_reader reader) {
  FlatAnnotation annotation;
  while (reader.next()) switch (reader.tag()) {
      case fields::annotation::kNameIid:
        annotation.key = reader.get_uint64();
        break;
      case fields::annotation::kBoolValue:
        annotation.value = reader.get_bool();
        break;
      case fields::annotation::kUintValue:
        annotation.value = reader.get_uint64();
        break;
      case fields::annotation::kIntValue:
        annotation.value = reader.get_int64();
        break;
      case fields::annotation::kDoubleValue:
        annotation.value = reader.get_double();
        break;
      case fields::annotation::kStringValue:
        annotation.value = reader.get_string();
        break;
      case fields::annotation::kArrayValues:
        return std::nullopt;
      default:
        unexpected("DebugAnnotation", reader.tag());
    }
  return annotation;
}

// False when it is the mark of the run.
bool read_event(pbf_reader reader, FlatEvent& event) {
  while (reader.next()) switch (reader.tag()) {
      case fields::event::kType:
        event.type = reader.get_enum();
        break;
      case fields::event::kTrackUuid:
        event.track = reader.get_uint64();
        break;
      case fields::event::kCategoryIids:
        event.category = reader.get_uint64();
        break;
      case fields::event::kNameIid:
        event.name = reader.get_uint64();
        break;
      case fields::event::kFlowIds:
        event.flows.push_back(reader.get_fixed64());
        break;
      case fields::event::kTerminatingFlowIds:
        event.flow_in = reader.get_fixed64();
        break;
      case fields::event::kCorrelationIdStrIid:
        event.colour = reader.get_uint64();
        break;
      case fields::event::kDebugAnnotations:
        if (std::optional<FlatAnnotation> annotation = annotation_of(reader.get_message()))
          event.annotations.push_back(std::move(*annotation));
        else
          return false;
        break;
      case fields::event::kDoubleCounterValue:
        event.value = reader.get_double();
        break;
      default:
        unexpected("TrackEvent", reader.tag());
    }
  return true;
}

// True when the packet is an event that can be held as one.
bool read_packet(pbf_reader reader, FlatEvent& event, std::uint32_t& sequence_id) {
  bool is_event = false;
  while (reader.next()) switch (reader.tag()) {
      case fields::packet::kTimestamp:
        event.at_ns = reader.get_uint64();
        break;
      case fields::packet::kTrustedPacketSequenceId:
        sequence_id = reader.get_uint32();
        break;
      case fields::packet::kInternedData:
        event.interned = reader.get_string();
        break;
      case fields::packet::kTrackEvent:
        is_event = read_event(reader.get_message(), event);
        break;
      default:
        reader.skip();
    }
  return is_event;
}

void add_annotation(pbf_writer& event, const FlatAnnotation& annotation) {
  pbf_writer writer(event, fields::event::kDebugAnnotations);
  writer.add_uint64(fields::annotation::kNameIid, annotation.key);
  switch (annotation.value.index()) {
    case 0:
      return writer.add_bool(fields::annotation::kBoolValue, std::get<0>(annotation.value));
    case 1:
      return writer.add_uint64(fields::annotation::kUintValue, std::get<1>(annotation.value));
    case 2:
      return writer.add_int64(fields::annotation::kIntValue, std::get<2>(annotation.value));
    case 3:
      return writer.add_double(fields::annotation::kDoubleValue, std::get<3>(annotation.value));
    default:
      return writer.add_string(fields::annotation::kStringValue, std::get<4>(annotation.value));
  }
}

void begin_packet(pbf_writer& packet, std::uint64_t at_ns, std::uint32_t sequence_id) {
  packet.add_uint64(fields::packet::kTimestamp, at_ns);
  packet.add_uint32(fields::packet::kTrustedPacketSequenceId, sequence_id);
  packet.add_uint32(fields::packet::kSequenceFlags, fields::sequence_flags::kNeedsIncrementalState);
}

}  // namespace

FlatPackets flatten(std::string_view trace) {
  FlatPackets packets;
  pbf_reader reader(trace.data(), trace.size());
  while (reader.next(fields::trace::kPacket)) {
    const protozero::data_view bytes = reader.get_view();
    FlatEvent event;
    if (!read_packet(pbf_reader(bytes), event, packets.sequence_id)) {
      packets.kinds.push_back(FlatPackets::Kind::kOther);
      packets.others.emplace_back(bytes.data(), bytes.size());
    } else if (event.value && event.interned.empty()) {
      packets.kinds.push_back(FlatPackets::Kind::kCounter);
      packets.counters.push_back({event.at_ns, event.track, event.category, *event.value});
    } else {
      packets.kinds.push_back(FlatPackets::Kind::kEvent);
      packets.events.push_back(std::move(event));
    }
  }
  return packets;
}

void encode_counter(const FlatCounter& counter, std::uint32_t sequence_id, std::string& block) {
  pbf_writer trace(block);
  pbf_writer packet(trace, fields::trace::kPacket);
  begin_packet(packet, counter.at_ns, sequence_id);
  pbf_writer writer(packet, fields::packet::kTrackEvent);
  writer.add_enum(fields::event::kType, fields::event_type::kCounter);
  writer.add_uint64(fields::event::kTrackUuid, counter.track);
  writer.add_uint64(fields::event::kCategoryIids, counter.category);
  writer.add_double(fields::event::kDoubleCounterValue, counter.value);
}

void encode_event(const FlatEvent& event, std::uint32_t sequence_id, std::string& block) {
  pbf_writer trace(block);
  pbf_writer packet(trace, fields::trace::kPacket);
  begin_packet(packet, event.at_ns, sequence_id);
  if (!event.interned.empty()) packet.add_message(fields::packet::kInternedData, event.interned);
  pbf_writer writer(packet, fields::packet::kTrackEvent);
  writer.add_enum(fields::event::kType, event.type);
  writer.add_uint64(fields::event::kTrackUuid, event.track);
  if (event.category != 0) writer.add_uint64(fields::event::kCategoryIids, event.category);
  if (event.name != 0) writer.add_uint64(fields::event::kNameIid, event.name);
  for (const std::uint64_t flow : event.flows) writer.add_fixed64(fields::event::kFlowIds, flow);
  if (event.flow_in != 0) writer.add_fixed64(fields::event::kTerminatingFlowIds, event.flow_in);
  if (event.colour != 0) writer.add_uint64(fields::event::kCorrelationIdStrIid, event.colour);
  if (event.value) writer.add_double(fields::event::kDoubleCounterValue, *event.value);
  for (const FlatAnnotation& annotation : event.annotations) add_annotation(writer, annotation);
}

void encode_other(const std::string& packet, std::string& block) {
  pbf_writer(block).add_message(fields::trace::kPacket, packet);
}

}  // namespace multipass::bench
