# SPDX-License-Identifier: MIT
"""Dispatches one after another are the dispatches of the trace."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import pytest
import trace_tools as tools
from hypothesis import given, settings
from hypothesis import strategies as st
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as pt

from rocprofsys_multipass.errors import TraceError
from rocprofsys_multipass.trace import Dispatch, open_trace
from rocprofsys_multipass.trace.stream import open_streams

T = TypeVar("T")
RUN = tools.sample_run()
NAME = f"multipass-{tools.PID}"


@pytest.mark.parametrize("file", ["journal", "db", "pftrace"])
def test_the_stream_of_a_file_has_what_the_trace_has(tmp_path: Path, file: str):
    tools.write_run(tmp_path, RUN, files=(file,))
    (process,) = open_trace(tmp_path).processes
    with open_streams(tmp_path / f"{NAME}.{file}") as (stream,):
        assert tuple(stream.dispatches()) == process.dispatches
        assert tuple(stream.dispatches()) == process.dispatches  # as often as wanted
        assert stream.count == 5
        assert stream.process == replace(process, dispatches=())


def test_dispatches_come_in_order_of_their_id(tmp_path: Path):
    run = replace(RUN, launches=(RUN.launches[4], RUN.launches[0], RUN.launches[2]))
    tools.write_run(tmp_path, run, files=("journal",))
    with open_streams(tmp_path / f"{NAME}.journal") as (stream,):
        assert [d.dispatch_id for d in stream.dispatches()] == [1, 3, 5]


def outcome_of(action: Callable[[], T]) -> T | TraceError:
    try:
        return action()
    except TraceError as error:
        return error


def dispatches_of(path: Path) -> list[Dispatch]:
    with open_streams(path) as (stream,):
        return list(stream.dispatches())


@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_a_cut_or_damaged_journal_is_streamed_as_it_is_read(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
):
    content = bytearray(tools.journal_bytes(RUN))
    end = data.draw(st.integers(17, len(content)))
    content = content[:end]
    content[data.draw(st.integers(16, end - 1))] ^= data.draw(st.integers(0, 255))
    path = tmp_path_factory.mktemp("cut") / "x.journal"
    path.write_bytes(content)
    process = outcome_of(lambda: open_trace(path).processes[0])
    if isinstance(process, TraceError):
        assert str(outcome_of(lambda: dispatches_of(path))) == str(process)
        return
    with open_streams(path) as (stream,):
        assert tuple(stream.dispatches()) == process.dispatches
        assert stream.process.closed == process.closed
        assert set(stream.process.notes) <= set(process.notes)


@pytest.mark.parametrize("content", [b"", b"RSMPJRNL", b"RSMPJRNL\x01" + bytes(23), b"PK\x03\x04"])
def test_what_is_no_journal_is_refused_as_by_open_trace(tmp_path: Path, content: bytes):
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(TraceError) as expected:
        open_trace(tmp_path / "x")
    with pytest.raises(TraceError) as caught, open_streams(tmp_path / "x"):
        pass
    assert str(caught.value) == str(expected.value)


def test_two_processes_in_one_file_are_two_streams(tmp_path: Path):
    path = tmp_path / "x.pftrace"
    other = replace(RUN, pid=99, launches=RUN.launches[:2])
    path.write_bytes(tools.trace_bytes(RUN) + _with_other_ids(tools.trace_bytes(other)))
    with open_streams(path) as streams:
        assert sorted((s.process.pid, s.count, len(list(s.dispatches()))) for s in streams) == [
            (99, 2, 2),
            (tools.PID, 5, 5),
        ]


def _with_other_ids(data: bytes) -> bytes:
    trace = pt.Trace.FromString(data)
    for packet in trace.packet:
        packet.trusted_packet_sequence_id += 1
        for holder, name in (
            (packet.track_descriptor, "uuid"),
            (packet.track_descriptor, "parent_uuid"),
            (packet.track_event, "track_uuid"),
        ):
            if holder.HasField(name):
                setattr(holder, name, getattr(holder, name) + 100_000)
    return trace.SerializeToString()


def test_of_a_journal_only_an_index_is_held(tmp_path: Path):
    """3000 dispatches take some 10 MB as objects."""
    run = replace(RUN, launches=tuple(tools.replayed(n, 1000 * n) for n in range(1, 3001)))
    tools.write_run(tmp_path, run, files=("journal",))
    path = tmp_path / f"{NAME}.journal"
    with open_streams(path):
        pass  # loads what is loaded once
    tracemalloc.start()
    try:
        with open_streams(path) as (stream,):
            count = sum(1 for _ in stream.dispatches())
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert count == 3000
    assert peak < 2_000_000
