# SPDX-License-Identifier: MIT
"""Packets that are read by the form of earlier ones mean what they mean when each is parsed."""

import struct
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as pt

from rocprofsys_multipass.trace.perfetto_file import RawTrace, decode
from rocprofsys_multipass.trace.perfetto_forms import Forms

TRACKS = (2**63 + 5, 7)
SEQUENCES = (1, 2)
CLOCKS = [{"clock_id": 6, "timestamp": 0}, {"clock_id": 64, "timestamp": 0, "is_incremental": True}]
# A clock of sequence 1 whose times are added up, so that the same bytes mean another time.
START = [pt.TracePacket(trusted_packet_sequence_id=1, clock_snapshot={"clocks": CLOCKS}).SerializeToString()]


def parsed_singly(data: bytes, path: Path) -> RawTrace:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Forms, "read", lambda _self, _data, offset: offset)
        return decoded(data, path)


def decoded(data: bytes, path: Path) -> RawTrace:
    path.write_bytes(data)
    return decode(path)


def content(raw: RawTrace) -> dict[str, Any]:
    """All that the trace holds; values as their bytes, for what is no number equals nothing."""
    samples = {
        uuid: (of.times, struct.pack(f"<{len(of)}d", *of.values), of.other_clocks) for uuid, of in raw.samples.items()
    }
    return {
        "tracks": raw.tracks,
        "slices": raw.slices,
        "samples": samples,
        "as": raw.sampled_as,
        "problems": raw.problems,
    }


def event_last(one: pt.TracePacket) -> bytes:
    """The packet with its event at the end, where the exporter has it: a value is its last bytes then."""
    event = pt.TracePacket(track_event=one.track_event) if one.HasField("track_event") else pt.TracePacket()
    one.ClearField("track_event")
    return one.SerializeToString() + event.SerializeToString()


@st.composite
def states(draw: st.DrawFn) -> bytes:
    """A packet after which others mean something else."""
    one = pt.TracePacket(trusted_packet_sequence_id=draw(st.sampled_from(SEQUENCES)))
    kind = draw(st.sampled_from(["clear", "defaults", "clocks"]))
    if kind == "clear":
        one.sequence_flags = 1
    elif kind == "defaults":
        one.trace_packet_defaults.timestamp_clock_id = draw(st.sampled_from([0, 3, 6, 64]))
        one.trace_packet_defaults.track_event_defaults.track_uuid = draw(st.sampled_from(TRACKS))
    else:
        one.clock_snapshot.clocks.add(clock_id=6, timestamp=draw(st.integers(0, 9)))
        one.clock_snapshot.clocks.add(clock_id=64, timestamp=0, is_incremental=draw(st.booleans()))
    return one.SerializeToString()


@st.composite
def events(draw: st.DrawFn) -> bytes:
    one = pt.TracePacket(trusted_packet_sequence_id=draw(st.sampled_from(SEQUENCES)))
    one.timestamp = draw(st.sampled_from([0, 1, 127, 128, 2**42 - 1, 2**42, 2**63 - 1, 2**63, 2**64 - 1]))
    one.sequence_flags = draw(st.sampled_from([2] * 9 + [1]))
    if not draw(st.integers(0, 4)):
        one.timestamp_clock_id = draw(st.sampled_from([3, 64]))
    event = one.track_event
    event.type = draw(st.sampled_from([4, 4, 4, 2, 1]))
    if draw(st.integers(0, 9)):
        event.track_uuid = draw(st.sampled_from(TRACKS))
    if draw(st.booleans()) and event.type != 2:
        event.category_iids.append(1)
    if event.type == 4 and draw(st.integers(0, 9)):
        event.double_counter_value = draw(st.floats() | st.just(0.0))
    elif event.type == 4:
        event.counter_value = draw(st.integers(0, 9))
    elif not draw(st.integers(0, 4)):
        event.debug_annotations.add(name="late", uint_value=1)
    # At times a field that nobody knows, another flag, or a time that replaces the first.
    odd = draw(st.sampled_from([b""] * 5 + [b"\xf8\xff\x01\x05", b"\x68\x01", b"\x40\x05"]))
    return event_last(one) + odd


def same_both_ways(rows: list[bytes], path: Path) -> None:
    data = [b"\x0a" + bytes([len(row)]) + row for row in (*START, *rows)]
    # Twice, so that forms are known; what follows is there because a form needs room behind it.
    whole = b"".join([*data, *data, *(b"\x0a\x02\x50\x01" for _ in range(40))])
    for end in (len(whole), len(b"".join(data)) + 5):
        assert content(decoded(whole[:end], path)) == content(parsed_singly(whole[:end], path))


@settings(deadline=None, max_examples=300)
@given(rows=st.lists(events() | events() | events() | states(), min_size=1, max_size=60))
def test_a_trace_is_the_same_as_when_each_packet_is_parsed(rows: list[bytes], tmp_path_factory: pytest.TempPathFactory):
    same_both_ways(rows, tmp_path_factory.mktemp("forms") / "one.pftrace")


def row(kind: int, *, odd: bytes = b"", **fields: object) -> bytes:
    event = pt.TrackEvent(type=kind, track_uuid=TRACKS[1])
    if kind == pt.TrackEvent.TYPE_COUNTER:
        event.double_counter_value = 3
    return event_last(pt.TracePacket(trusted_packet_sequence_id=1, timestamp=9, track_event=event, **fields)) + odd


@pytest.mark.parametrize("kind", [pt.TrackEvent.TYPE_COUNTER, pt.TrackEvent.TYPE_SLICE_END])
@pytest.mark.parametrize(
    "rest",
    [
        {"timestamp_clock_id": 64},  # each time is added to the last
        {"timestamp_clock_id": 3},
        {"sequence_flags": 1},
        {"odd": b"\x40\x05"},  # another time, which is the one that counts
        {"odd": b"\xf8\xff\x01\x05"},  # a field that nobody knows
        {"odd": b"\x68\x01"},  # the flag that clears
    ],
)
def test_what_must_be_looked_at_each_time_is_no_form(kind: int, rest: dict[str, Any], tmp_path: Path):
    same_both_ways(
        [row(1), row(1), row(4), row(2), *([row(kind, **rest)] * 3), row(4), row(2)], tmp_path / "one.pftrace"
    )


def test_a_packet_that_clears_names_does_so_each_time(tmp_path: Path):
    names = pt.TracePacket(trusted_packet_sequence_id=1, interned_data={"event_names": [{"iid": 1, "name": "kernel"}]})
    named = pt.TracePacket(trusted_packet_sequence_id=1, timestamp=1, track_event={"type": 3, "name_iid": 1})
    clearing = row(4, sequence_flags=1)
    rows = [row(4), clearing, names.SerializeToString(), clearing, named.SerializeToString()]
    same_both_ways(rows, tmp_path / "one.pftrace")


def test_most_packets_of_counters_are_not_parsed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    value = pt.TracePacket(timestamp=2**41, trusted_packet_sequence_id=1, sequence_flags=2)
    value.track_event.CopyFrom(pt.TrackEvent(type=4, track_uuid=TRACKS[0], double_counter_value=1.5))
    parsed = []
    from_string = pt.TracePacket.FromString
    monkeypatch.setattr(pt.TracePacket, "FromString", lambda data: (parsed.append(data), from_string(data))[1])
    written = event_last(value)
    raw = decoded((b"\x0a" + bytes([len(written)]) + written) * 1000, tmp_path / "one.pftrace")
    assert list(raw.samples[TRACKS[0]].values) == [1.5] * 1000
    assert len(parsed) < 20
