// SPDX-License-Identifier: MIT
//
// The field numbers and enum values of Perfetto's trace format that this writer uses. Each line carries the name and
// the wire type that google/perfetto gives it; tests/python/test_perfetto_fields.py compares both with the descriptors
// of the `perfetto` Python package, so keep the form "constant; // name type" and one "message" or "enum" line above.
// Source: google/perfetto protos/perfetto/trace @ ec5d16b1. Threads: constants.
#pragma once

#include <cstdint>

namespace multipass::output::perfetto::fields {

using Tag = std::uint32_t;

namespace trace {                  // message Trace
inline constexpr Tag kPacket = 1;  // packet message
}  // namespace trace

namespace packet {                                   // message TracePacket
inline constexpr Tag kClockSnapshot = 6;             // clock_snapshot message
inline constexpr Tag kTimestamp = 8;                 // timestamp uint64
inline constexpr Tag kTrustedPacketSequenceId = 10;  // trusted_packet_sequence_id uint32
inline constexpr Tag kTrackEvent = 11;               // track_event message
inline constexpr Tag kInternedData = 12;             // interned_data message
inline constexpr Tag kSequenceFlags = 13;            // sequence_flags uint32
inline constexpr Tag kTracePacketDefaults = 59;      // trace_packet_defaults message
inline constexpr Tag kTrackDescriptor = 60;          // track_descriptor message
inline constexpr Tag kFirstPacketOnSequence = 87;    // first_packet_on_sequence bool
}  // namespace packet

namespace sequence_flags {                                    // enum TracePacket.SequenceFlags
inline constexpr std::uint32_t kIncrementalStateCleared = 1;  // SEQ_INCREMENTAL_STATE_CLEARED
inline constexpr std::uint32_t kNeedsIncrementalState = 2;    // SEQ_NEEDS_INCREMENTAL_STATE
}  // namespace sequence_flags

namespace packet_defaults {                   // message TracePacketDefaults
inline constexpr Tag kTimestampClockId = 58;  // timestamp_clock_id uint32
}  // namespace packet_defaults

namespace clock_snapshot {                    // message ClockSnapshot
inline constexpr Tag kClocks = 1;             // clocks message
inline constexpr Tag kPrimaryTraceClock = 2;  // primary_trace_clock enum
}  // namespace clock_snapshot

namespace clock {                     // message ClockSnapshot.Clock
inline constexpr Tag kClockId = 1;    // clock_id uint32
inline constexpr Tag kTimestamp = 2;  // timestamp uint64
}  // namespace clock

namespace builtin_clock {                       // enum BuiltinClock
inline constexpr std::uint32_t kRealtime = 1;   // BUILTIN_CLOCK_REALTIME
inline constexpr std::uint32_t kMonotonic = 3;  // BUILTIN_CLOCK_MONOTONIC
inline constexpr std::uint32_t kBoottime = 6;   // BUILTIN_CLOCK_BOOTTIME
}  // namespace builtin_clock

namespace track {                                 // message TrackDescriptor
inline constexpr Tag kUuid = 1;                   // uuid uint64
inline constexpr Tag kName = 2;                   // name string
inline constexpr Tag kProcess = 3;                // process message
inline constexpr Tag kParentUuid = 5;             // parent_uuid uint64
inline constexpr Tag kCounter = 8;                // counter message
inline constexpr Tag kChildOrdering = 11;         // child_ordering enum
inline constexpr Tag kSiblingOrderRank = 12;      // sibling_order_rank int32
inline constexpr Tag kDescription = 14;           // description string
inline constexpr Tag kSiblingMergeBehavior = 15;  // sibling_merge_behavior enum
}  // namespace track

namespace child_ordering {                    // enum TrackDescriptor.ChildTracksOrdering
inline constexpr std::int32_t kExplicit = 3;  // EXPLICIT
}  // namespace child_ordering

namespace merge_behavior {                // enum TrackDescriptor.SiblingMergeBehavior
inline constexpr std::int32_t kNone = 2;  // SIBLING_MERGE_BEHAVIOR_NONE
}  // namespace merge_behavior

namespace process {                       // message ProcessDescriptor
inline constexpr Tag kPid = 1;            // pid int32
inline constexpr Tag kCmdline = 2;        // cmdline string
inline constexpr Tag kProcessName = 6;    // process_name string
inline constexpr Tag kProcessLabels = 8;  // process_labels string
}  // namespace process

namespace counter {                    // message CounterDescriptor
inline constexpr Tag kCategories = 2;  // categories string
inline constexpr Tag kUnitName = 6;    // unit_name string
}  // namespace counter

namespace event {                                // message TrackEvent
inline constexpr Tag kCategoryIids = 3;          // category_iids uint64
inline constexpr Tag kDebugAnnotations = 4;      // debug_annotations message
inline constexpr Tag kType = 9;                  // type enum
inline constexpr Tag kNameIid = 10;              // name_iid uint64
inline constexpr Tag kTrackUuid = 11;            // track_uuid uint64
inline constexpr Tag kDoubleCounterValue = 44;   // double_counter_value double
inline constexpr Tag kFlowIds = 47;              // flow_ids fixed64
inline constexpr Tag kTerminatingFlowIds = 48;   // terminating_flow_ids fixed64
inline constexpr Tag kCorrelationIdStrIid = 54;  // correlation_id_str_iid uint64
}  // namespace event

namespace event_type {                          // enum TrackEvent.Type
inline constexpr std::int32_t kSliceBegin = 1;  // TYPE_SLICE_BEGIN
inline constexpr std::int32_t kSliceEnd = 2;    // TYPE_SLICE_END
inline constexpr std::int32_t kInstant = 3;     // TYPE_INSTANT
inline constexpr std::int32_t kCounter = 4;     // TYPE_COUNTER
}  // namespace event_type

namespace annotation {                   // message DebugAnnotation
inline constexpr Tag kNameIid = 1;       // name_iid uint64
inline constexpr Tag kBoolValue = 2;     // bool_value bool
inline constexpr Tag kUintValue = 3;     // uint_value uint64
inline constexpr Tag kIntValue = 4;      // int_value int64
inline constexpr Tag kDoubleValue = 5;   // double_value double
inline constexpr Tag kStringValue = 6;   // string_value string
inline constexpr Tag kArrayValues = 12;  // array_values message
}  // namespace annotation

namespace interned {                             // message InternedData
inline constexpr Tag kEventCategories = 1;       // event_categories message
inline constexpr Tag kEventNames = 2;            // event_names message
inline constexpr Tag kDebugAnnotationNames = 3;  // debug_annotation_names message
inline constexpr Tag kCorrelationIdStr = 43;     // correlation_id_str message
}  // namespace interned

namespace event_name {           // message EventName
inline constexpr Tag kIid = 1;   // iid uint64
inline constexpr Tag kName = 2;  // name string
}  // namespace event_name

namespace event_category {       // message EventCategory
inline constexpr Tag kIid = 1;   // iid uint64
inline constexpr Tag kName = 2;  // name string
}  // namespace event_category

namespace annotation_name {      // message DebugAnnotationName
inline constexpr Tag kIid = 1;   // iid uint64
inline constexpr Tag kName = 2;  // name string
}  // namespace annotation_name

namespace interned_string {     // message InternedString
inline constexpr Tag kIid = 1;  // iid uint64
inline constexpr Tag kStr = 2;  // str bytes
}  // namespace interned_string

}  // namespace multipass::output::perfetto::fields
