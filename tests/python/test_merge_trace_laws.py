# SPDX-License-Identifier: MIT
"""Laws of merging traces, over runs and forms of rocprof-sys's traces as they may come."""

from __future__ import annotations

import tempfile
import zlib
from pathlib import Path
from random import Random
from typing import Any

from described_run import Execution, Launch, Run
from hypothesis import given, settings
from hypothesis import strategies as st
from merge_tools import Pair, contents, pair
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as pt

from rocprofsys_multipass.merge.trace.drawn import Drawn
from rocprofsys_multipass.merge.trace.survey import survey
from rocprofsys_multipass.trace.perfetto_file import decode
from rocprofsys_multipass.trace.wire import packet_at
from rocprofsys_multipass.trace.wire_fields import delimited, fields, framed, varint

FORMS = st.fixed_dictionaries(
    {
        "by": st.sampled_from(["stream", "queue"]),
        "interned": st.booleans(),
        "differences": st.booleans(),
        "unit": st.sampled_from([1, 10]),
        "regions": st.booleans(),
        "cleared_every": st.sampled_from([0, 3, 8]),
        "by_thread": st.booleans(),
        "service": st.booleans(),
        "compressed": st.booleans(),
    }
)


@st.composite
def runs(draw: st.DrawFn) -> Run:
    """Dispatches one after the other, replayed or not, of a few kernels."""
    launches, now = [], 1000
    for number in range(1, draw(st.integers(1, 6)) + 1):
        replayed = draw(st.booleans())
        executions = []
        for k in range(2 if replayed else 1):
            end = now + 10 * draw(st.integers(1, 50))
            values = {"SQ_WAVES": draw(st.integers(0, 2**40)), ("GRBM_COUNT", "TCC_HIT")[k]: 7}
            executions.append(Execution(k if replayed else None, now, end, values))
            now = end + 10 * draw(st.integers(1, 50))
        kernel = draw(st.sampled_from(["a(int)", "b<float>(float*)", "c"]))
        launches.append(Launch(number, tuple(executions), kernel, "replayed" if replayed else "declined"))
    return Run(tuple(launches))


def in_folder(run: Run, keep: frozenset[int], form: dict[str, Any], folder: str) -> Pair:
    return pair(Path(folder), run, lambda d: d.id in keep, **form)


def flat(path: Path) -> list[bytes]:
    """The packets, those too that are compressed."""
    found = []
    for content in contents(path):
        number, _, start, end = next(fields(content))
        if number == 50:
            found += [p.SerializeToString() for p in pt.Trace.FromString(zlib.decompress(content[start:end])).packet]
        else:
            found.append(content)
    return found


@settings(max_examples=40, deadline=None)
@given(run=runs(), form=FORMS)
def test_without_matching_dispatches_the_packets_of_the_host_come_as_they_were(run: Run, form: dict[str, Any]):
    with tempfile.TemporaryDirectory() as folder:
        both = in_folder(run, frozenset(), form, folder)
        both.merge()
        assert both.target.read_bytes().startswith(both.host.read_bytes())


@settings(max_examples=40, deadline=None)
@given(run=runs(), form=FORMS, keep=st.frozensets(st.integers(1, 6)))
def test_merging_is_deterministic_and_draws_each_dispatch_once(run: Run, form: dict[str, Any], keep: frozenset[int]):
    with tempfile.TemporaryDirectory() as folder:
        both = in_folder(run, keep, form, folder)
        made = both.merge()
        first = both.target.read_bytes()
        assert both.merge() == made
        assert both.target.read_bytes() == first
        raw = decode(both.target)
        assert raw.problems == []
        drawn = [s for s in raw.slices if s.category == "rocm_kernel_dispatch"]
        assert [(s.annotations["dispatch_id"], s.name) for s in drawn] == [(d.id, d.kernel) for d in run.launches]
        assert made.matched + made.added == len(run.launches)


@settings(max_examples=40, deadline=None)
@given(run=runs(), form=FORMS, keep=st.frozensets(st.integers(1, 6)))
def test_every_packet_of_the_host_is_there_in_order_and_what_it_says_for_later_ones_stays(
    run: Run, form: dict[str, Any], keep: frozenset[int]
):
    with tempfile.TemporaryDirectory() as folder:
        both = in_folder(run, keep, form, folder)
        both.merge()
        before, after = flat(both.host), flat(both.target)
        assert len(after) >= len(before)
        for old, new in zip(before, after, strict=False):
            one, other = pt.TracePacket.FromString(old), pt.TracePacket.FromString(new)
            if one.HasField("track_event"):
                one.ClearField("track_event")
                other.ClearField("track_event")
            assert one == other


def padded(event: bytes) -> bytes:
    """The same event with its track and category, and the tags of these, in more bytes than they need."""
    parts = []
    for number, start, content, end in fields(event):
        if number in (3, 11):
            parts += [longer(event[start:content]), longer(event[content:end])]
        else:
            parts.append(event[start:end])
    return b"".join(parts)


def longer(number: bytes) -> bytes:
    return number[:-1] + bytes([number[-1] | 0x80, 0x80, 0x00])


def with_events_padded(path: Path) -> None:
    packets = []
    for content in contents(path):
        parts = []
        for number, start, inner, end in fields(content):
            parts.append(delimited(11, padded(content[inner:end])) if number == 11 else content[start:end])
        packets.append(framed(b"".join(parts)))
    path.write_bytes(b"".join(packets))


def test_packets_that_need_no_change_are_passed_as_bytes(tmp_path: Path):
    """In a form that no writer of today has, among those of kernels that do change."""
    passes = tuple(Execution(k, 1000 + 100 * k, 1050 + 100 * k, {"SQ_WAVES": 1}) for k in range(2))
    run = Run((Launch(1, passes), Launch(2, (Execution(None, 2000, 2050, {"SQ_WAVES": 1}),), outcome="declined")))
    both = pair(tmp_path, run, regions=True, by="queue")
    with_events_padded(both.host)
    frames = [b"\x0a" + longer(varint(len(one))) + one for one in contents(both.host)]
    both.host.write_bytes(b"".join(frames))
    assert (both.merge().matched, both.merge().removed) == (2, 1)
    merged, at, changed = both.target.read_bytes(), 0, 0
    for frame in frames:
        if merged.startswith(frame, at):
            at += len(frame)
        else:
            _, at = packet_at(merged, at)
            changed += 1
    assert changed == 2 + 2, "beginnings of the dispatches, both ends of the execution that is taken out"


@settings(max_examples=40, deadline=None)
@given(run=runs(), form=FORMS, pad=st.booleans())
def test_the_survey_finds_the_slices_that_a_full_reader_finds(run: Run, form: dict[str, Any], *, pad: bool):
    with tempfile.TemporaryDirectory() as folder:
        both = in_folder(run, frozenset(range(1, 7)), form, folder)
        if pad:
            with_events_padded(both.host)
        found = survey(both.host.read_bytes(), both.host, frozenset({"rocm_kernel_dispatch", "rocm_hip_stream"}))
        there = [s for s in decode(both.host).slices if "dispatch_id" in s.annotations]
        assert [(d.name, d.dispatch_id, d.start_ns, d.end_ns) for d in sorted(found.drawn, key=_start)] == [
            (s.name, s.annotations["dispatch_id"], s.start_ns, s.end_ns) for s in there
        ]


@settings(max_examples=20, deadline=None)
@given(run=runs(), order=st.randoms(use_true_random=False), compressed=st.booleans())
def test_the_survey_orders_events_that_are_not_in_order_of_time(run: Run, order: Random, *, compressed: bool):
    with tempfile.TemporaryDirectory() as folder:
        both = pair(Path(folder), run, interned=False, differences=False, by="queue", regions=True)
        packets = [*pt.Trace.FromString(both.host.read_bytes()).packet]
        events = [one for one in packets if one.HasField("track_event")]
        others = [one for one in packets if not one.HasField("track_event")]
        order.shuffle(events)
        if compressed:
            inner = zlib.compress(pt.Trace(packet=events).SerializeToString())
            events = [pt.TracePacket(compressed_packets=inner)]
        both.host.write_bytes(pt.Trace(packet=[*others, *events]).SerializeToString())
        found = survey(both.host.read_bytes(), both.host, frozenset({"rocm_kernel_dispatch", "rocm_hip_stream"}))
        there = [s for s in decode(both.host).slices if "dispatch_id" in s.annotations]
        assert [(d.name, d.dispatch_id, d.start_ns, d.end_ns) for d in sorted(found.drawn, key=_start)] == [
            (s.name, s.annotations["dispatch_id"], s.start_ns, s.end_ns) for s in there
        ]
        made = both.merge()
        assert (made.matched, made.unmatched_count) == (len(run.launches), 0)


def _start(drawn: Drawn) -> int:
    return drawn.start_ns


def test_a_packet_is_framed_as_perfetto_frames_it():
    packet = pt.TracePacket(timestamp=2**40, trusted_packet_sequence_id=7)
    packet.track_event.name = "x" * 300
    assert framed(packet.SerializeToString()) == pt.Trace(packet=[packet]).SerializeToString()
