# SPDX-License-Identifier: MIT
"""Reading Perfetto traces: what is decoded, what is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
import trace_tools as tools
from hypothesis import given, settings
from hypothesis import strategies as st
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as pt

from rocprofsys_multipass.errors import TraceError
from rocprofsys_multipass.trace import open_trace
from rocprofsys_multipass.trace.perfetto_file import RawTrace, decode
from rocprofsys_multipass.trace.perfetto_samples import Samples
from rocprofsys_multipass.verify import verify

if TYPE_CHECKING:
    from pathlib import Path

RUN = tools.sample_run()
WHOLE = tools.trace_bytes(RUN)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("traces")


def raw(folder: Path, data: bytes) -> RawTrace:
    path = folder / "one.pftrace"
    path.write_bytes(data)
    return decode(path)


def packet(**fields: object) -> pt.TracePacket:
    return pt.TracePacket(trusted_packet_sequence_id=77, **fields)


def event(track: int, kind: int, time: int, **fields: object) -> pt.TracePacket:
    return packet(timestamp=time, track_event=pt.TrackEvent(type=kind, track_uuid=track, **fields))


def declared(uuid: int, *, counter: bool = False) -> pt.TracePacket:
    one = packet(track_descriptor=pt.TrackDescriptor(uuid=uuid, name=f"track {uuid}"))
    if counter:
        one.track_descriptor.counter.SetInParent()
    return one


def of(*packets: pt.TracePacket) -> bytes:
    return pt.Trace(packet=packets).SerializeToString()


def problems(trace: RawTrace) -> list[tuple[str, str]]:
    return [(p.kind, p.text) for p in trace.problems]


def test_a_whole_trace_has_no_problems(folder: Path):
    trace = raw(folder, WHOLE)
    assert trace.problems == []
    assert trace.path_of(tools.KERNELS) == "app / GPU 0 [gfx942] / Replay pass 0 / Kernels"


def test_interned_names_are_those_of_their_sequence_until_it_is_cleared(folder: Path):
    names = packet(sequence_flags=1)
    names.interned_data.event_names.add(iid=1, name="kernel")
    names.interned_data.event_categories.add(iid=1, name="category")
    names.interned_data.debug_annotation_names.add(iid=1, name="key")
    names.interned_data.debug_annotation_string_values.add(iid=1, str=b"value")
    begin = event(5, 1, 10, name_iid=1, category_iids=[1])
    begin.track_event.debug_annotations.add(name_iid=1, string_value_iid=1)
    cleared = event(5, 3, 30, name_iid=1)
    cleared.sequence_flags = 1
    trace = raw(folder, of(declared(5), names, begin, event(5, 2, 20), cleared))
    one = trace.slices[0]
    assert (one.name, one.category, dict(one.annotations), one.start_ns, one.end_ns) == (
        "kernel",
        "category",
        {"key": "value"},
        10,
        20,
    )
    assert problems(trace) == [("names", "interned name 1 was not declared on its sequence")]


def test_events_are_taken_in_order_of_time_and_at_equal_times_of_the_file(folder: Path):
    packets = [event(5, 1, 20, name="second"), event(5, 2, 30), event(5, 1, 10, name="first"), event(5, 2, 20)]
    swapped = raw(folder, of(declared(5), *packets))
    assert [(s.name, s.depth) for s in swapped.slices] == [("first", 0), ("second", 1)]
    in_order = raw(folder, of(declared(5), *packets[2:], *packets[:2]))
    assert [(s.name, s.start_ns, s.end_ns, s.depth) for s in in_order.slices] == [
        ("first", 10, 20, 0),
        ("second", 20, 30, 0),
    ]


def test_track_and_clock_come_from_the_defaults_of_the_sequence(folder: Path):
    defaults = packet()
    defaults.trace_packet_defaults.timestamp_clock_id = 3
    defaults.trace_packet_defaults.track_event_defaults.track_uuid = 5
    begin = packet(timestamp=1, track_event=pt.TrackEvent(type=3, name="mark"))
    one = raw(folder, of(declared(5), defaults, begin)).slices[0]
    assert (one.track, one.clock, one.instant) == (5, 3, True)


@pytest.mark.parametrize(
    ("packets", "problem"),
    [
        ([event(5, 1, 10, name="k")], ("slice", "'k' from 10 on is never closed")),
        ([event(5, 2, 10)], ("slice", "an END at 10 closes nothing")),
        ([event(6, 3, 10)], ("track", "an event on track 0x6, which is not declared")),
        ([event(5, 4, 10, counter_value=1)], ("counter", "a counter value on a track of slices")),
        (
            [packet(track_descriptor=pt.TrackDescriptor(uuid=5, name="other"))],
            ("track", "track 0x5 is declared again as 'other', it was 'track 5'"),
        ),
    ],
)
def test_what_perfetto_drops_or_guesses_is_a_problem(
    folder: Path, packets: list[pt.TracePacket], problem: tuple[str, str]
):
    assert problems(raw(folder, of(declared(5), *packets))) == [problem]


@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_a_cut_trace_is_told_from_a_whole_one_at_every_byte(folder: Path, data: st.DataObject):
    ends = [0]
    for one in pt.Trace.FromString(WHOLE).packet:
        ends.append(ends[-1] + len(pt.Trace(packet=[one]).SerializeToString()))
    end = data.draw(st.integers(1, len(WHOLE)))
    kinds = {p.kind for p in raw(folder, WHOLE[:end]).problems}
    assert ("bytes" in kinds) == (end not in ends)


@pytest.mark.parametrize("garbage", [b"\x00", b"\n\x05abc", b"\n" + b"\xff" * 11, b"\x12\x00", b"\n\x03\xff\xff\xff"])
def test_garbage_at_the_end_is_refused(folder: Path, garbage: bytes):
    path = folder / "garbage.pftrace"
    path.write_bytes(WHOLE + garbage)
    with pytest.raises(TraceError, match=rf"garbage.pftrace: byte {len(WHOLE)}: .*export"):
        open_trace(path)


def test_a_field_that_does_not_exist_is_a_problem_at_any_depth(folder: Path):
    inner = pt.TrackEvent(type=3, track_uuid=5).SerializeToString() + b"\xfa\xff\x7f\x00"
    outer = b"\x5a" + bytes([len(inner)]) + inner  # track_event
    data = of(declared(5)) + b"\n" + bytes([len(outer)]) + outer
    assert ("fields", "field 262143 of track_event does not exist") in problems(raw(folder, data))


def test_a_trace_without_our_tracks_is_refused(folder: Path):
    path = folder / "other.pftrace"
    path.write_bytes(of(declared(5), event(5, 3, 1)))
    with pytest.raises(TraceError, match="not a trace of this tool"):
        open_trace(path)


def test_a_pulse_is_a_value_and_the_next_zero():
    samples = Samples()
    for time, value in [(1, 5.0), (2, 0.0), (2, 0.0), (3, 0.0), (4, 7.0), (5, 8.0)]:
        samples.add(time, value, 6)
    assert list(samples.pulses()) == [(1, 2, 5.0), (2, 3, 0.0), (4, None, 7.0), (5, None, 8.0)]


def test_dispatches_of_one_pass_have_counters_without_a_pass(tmp_path: Path):
    launch = tools.Launch(1, (tools.Execution(None, 10, 20, {"SQ_WAVES": 4}),), outcome="single_pass")
    run = replace(
        RUN,
        plan=(("SQ_WAVES",),),
        launches=(launch, replace(launch, id=2, executions=(tools.Execution(None, 20, 30, {"SQ_WAVES": 8}),))),
    )
    trace = open_trace(tools.write_run(tmp_path, run, files=("pftrace",)))
    assert [(d.counter("SQ_WAVES"), d.passes[0].index, d.passes[0].group) for d in trace.dispatches()] == [
        (4, None, 0),
        (8, None, 0),
    ]


def test_two_traces_in_a_row_are_two_processes(tmp_path: Path):
    other = replace(RUN, pid=9)
    shifted = pt.Trace.FromString(tools.trace_bytes(other))
    for one in shifted.packet:
        one.trusted_packet_sequence_id = 5
        if one.HasField("track_descriptor"):
            one.track_descriptor.uuid += 1 << 40
            if one.track_descriptor.HasField("parent_uuid"):
                one.track_descriptor.parent_uuid += 1 << 40
        if one.HasField("track_event"):
            one.track_event.track_uuid += 1 << 40
    (tmp_path / "both.pftrace").write_bytes(WHOLE + shifted.SerializeToString())
    trace = open_trace(tmp_path / "both.pftrace")
    assert [(p.pid, len(p.dispatches)) for p in trace.processes] == [(9, 5), (tools.PID, 5)]


def without(run: tools.Run, tmp_path: Path, *tracks: str) -> Path:
    """A trace that does not draw what is on the tracks with these name endings, as for executions without times."""
    file = tools.TraceFile(run).build()
    gone = {uuid for name, uuid in file.tracks.items() if name.endswith(tracks)}
    gone |= {tools.KERNELS + int(name[-1]) for name in tracks}
    all_gone = len(tracks) == len(run.plan)

    def change(one: pt.TracePacket) -> bool:
        if all_gone and one.track_event.track_uuid == tools.QUEUE:
            if one.track_event.type == pt.TrackEvent.TYPE_SLICE_END:
                return False
            one.track_event.type = pt.TrackEvent.TYPE_INSTANT
            one.track_event.categories[:] = ["rocm_kernel_dispatch_untimed"]
        return one.track_event.track_uuid not in gone and one.track_descriptor.uuid not in gone

    file.change = change
    (tmp_path / "x.pftrace").write_bytes(file.to_bytes())
    return tmp_path / "x.pftrace"


ONE = replace(RUN, launches=RUN.launches[:1])


def test_counters_of_an_execution_without_times_come_from_the_slice(tmp_path: Path):
    first = open_trace(without(ONE, tmp_path, "pass 1")).dispatches()[0]
    assert [(p.index, p.start_ns, p.status) for p in first.passes] == [(0, 1000, "OK"), (1, None, "PARTIAL")]
    assert first.counter("TCC_HIT") == 300
    assert first.canonical_pass["TCC_HIT"].index == 1


def test_of_several_executions_without_times_it_is_not_known_which_pass_read_what(tmp_path: Path):
    first = open_trace(without(ONE, tmp_path, "pass 0", "pass 1")).dispatches()[0]
    assert [(p.index, p.start_ns, p.status) for p in first.passes] == [(None, None, "PARTIAL")]
    assert dict(first.counters) == {"GRBM_COUNT": 100.5, "SQ_WAVES": 512, "TCC_HIT": 300}


@pytest.mark.parametrize("tracks", [("pass 1",), ("pass 0", "pass 1")])
def test_executions_that_are_not_drawn_are_no_loss(tmp_path: Path, tracks: tuple[str, ...]):
    assert [f for f in verify(without(ONE, tmp_path, *tracks)) if f.severity != "info"] == []
