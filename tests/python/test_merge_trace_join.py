# SPDX-License-Identifier: MIT
"""Counters of another run at the kernels of a trace of rocprof-sys."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from described_run import Run, replayed
from handmade_foreign_trace import rocprof_sys_trace
from merge_tools import Pair, call_of, host_run

from rocprofsys_multipass.errors import TraceError
from rocprofsys_multipass.merge.merged import Unmatched
from rocprofsys_multipass.trace import open_trace
from rocprofsys_multipass.trace.perfetto_file import decode

OWN = Run((replayed(1, 1000), replayed(2, 2000, waves=7, hits=0)))


def clean(folder: Path, *, pid: int = 5000, starts: tuple[int, ...] = (61000, 62000)) -> Pair:
    """A run without replay, in another process: dispatches 11, 12, ... from these times on, of 50 ns."""
    host = host_run(OWN)
    launches = []
    for n, start in enumerate(starts):
        first = host.launches[0].executions[0]
        launches.append(
            replace(
                host.launches[0], id=11 + n, stream=3 + n, executions=(replace(first, start=start, end=start + 50),)
            )
        )
    calls = tuple(map(call_of, launches))
    return Pair(folder, OWN, rocprof_sys_trace(replace(host, launches=tuple(launches), regions=calls, pid=pid)))


def test_counters_stand_over_the_slices_of_the_host_as_pulses(tmp_path: Path):
    both = clean(tmp_path)
    made = both.merge(join={11: 1, 12: 2})
    assert (made.matched, made.added, made.removed, made.unmatched) == (2, 0, 0, ())
    raw = decode(both.target)
    assert raw.problems == []
    drawn = {raw.path_of(uuid): list(zip(s.times, s.values, strict=True)) for uuid, s in raw.samples.items()}
    assert drawn == {
        "./app / GPU SQ_WAVES [0]": [(61000, 512), (61050, 0), (62000, 7), (62050, 0)],
        "./app / GPU GRBM_COUNT [0]": [(61000, 100.5), (61050, 0), (62000, 100.5), (62050, 0)],
        "./app / GPU TCC_HIT [0]": [(61000, 300), (61050, 0), (62000, 0), (62050, 0)],
    }
    assert set(raw.sampled_as.values()) == {"rocm_counter_collection"}


def test_slices_without_a_dispatch_id_get_none_and_it_is_said_why(tmp_path: Path):
    both = Pair(tmp_path, OWN, rocprof_sys_trace(replace(host_run(OWN), pid=5000), annotated=False))
    made = both.merge(join={1: 1, 2: 2})
    assert (made.matched, made.unmatched_count) == (0, 2)
    (note,) = made.notes
    assert note == (
        "slices of kernels of rocprof-sys have no dispatch_id (slices: 4): counters cannot be put at them; record with "
        "ROCPROFSYS_PERFETTO_ANNOTATIONS=ON"
    )


def test_slices_get_the_counters_and_nothing_of_the_passes(tmp_path: Path):
    both = clean(tmp_path)
    both.merge(join={11: 1, 12: 2})
    before, after = decode(both.host).slices, decode(both.target).slices
    assert [(s.name, s.category, s.start_ns, s.end_ns) for s in after] == [
        (s.name, s.category, s.start_ns, s.end_ns) for s in before
    ]
    more = [dict(a.annotations.items() - b.annotations.items()) for b, a in zip(before, after, strict=True)]
    assert [one for one in more if one] == [
        {"joined_dispatch_id": 1, "SQ_WAVES": 512, "GRBM_COUNT": 100.5, "TCC_HIT": 300},
        {"joined_dispatch_id": 2, "SQ_WAVES": 7, "GRBM_COUNT": 100.5, "TCC_HIT": 0},
    ]


def test_the_joined_trace_is_read_as_one_of_rocprof_sys_with_these_counters(tmp_path: Path):
    both = clean(tmp_path)
    both.merge(join={11: 1, 12: 2})
    trace = open_trace(both.target)
    assert [p.tool for p in trace.processes] == ["rocprof-sys"]
    assert [(d.dispatch_id, dict(d.counters)["SQ_WAVES"], d.outcome) for d in trace.dispatches()] == [
        (11, 512, "single_pass"),
        (12, 7, "single_pass"),
    ]


def test_slices_that_overlap_have_counters_on_tracks_of_their_own(tmp_path: Path):
    both = clean(tmp_path, starts=(61000, 61020))
    both.merge(join={11: 1, 12: 2})
    raw = decode(both.target)
    drawn = {raw.tracks[uuid].name: s.times for uuid, s in raw.samples.items() if "WAVES" in raw.tracks[uuid].name}
    assert drawn == {"GPU SQ_WAVES [0]": [61000, 61050], "GPU SQ_WAVES [0] (2)": [61020, 61070]}


def test_dispatches_without_a_partner_and_pairs_without_a_dispatch_are_reported(tmp_path: Path):
    both = clean(tmp_path)
    made = both.merge(join={11: 9, 13: 1})
    assert (made.matched, made.unmatched_count) == (0, 3)
    assert made.unmatched == (
        Unmatched(11, "its partner, dispatch 9, is not in the trace of this tool"),
        Unmatched(13, "it is not in the trace of rocprof-sys"),
        Unmatched(12, "no dispatch of the other run is its partner"),
    )
    assert both.target.read_bytes().startswith(both.host.read_bytes())


def test_which_process_of_several_is_meant_has_to_be_said(tmp_path: Path):
    both = clean(tmp_path)
    other = rocprof_sys_trace(replace(host_run(OWN), pid=6000), sequence=10, first_track=6000)
    both.host.write_bytes(both.host.read_bytes() + other)
    with pytest.raises(TraceError, match=r"it has the processes 5000, 6000; say which is meant"):
        both.merge(join={11: 1})
    assert both.merge(join={11: 1}, pid=5000).matched == 1
