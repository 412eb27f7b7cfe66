# SPDX-License-Identifier: MIT
"""Executions without counters and permuted groups, as the three readers see them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import trace_tools as tools
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import rocprofsys_multipass as mp
from rocprofsys_multipass.report.passes import by_pass, window_of
from rocprofsys_multipass.report.statistics import whose_times
from rocprofsys_multipass.trace import Dispatch, Interval
from rocprofsys_multipass.trace.frame import rows

KINDS = ("journal", "db", "pftrace")
GOOD = replace(tools.sample_run(), warnings=(), launches=tools.sample_run().launches[:2])
EXTRAS = {"warm_up": (600, 700), "timing": (800, 850)}


def read(folder: Path, run: tools.Run, kind: str) -> list[Dispatch]:
    tools.write_run(folder, run, files=KINDS)
    (file,) = folder.glob(f"*.{kind}")
    return mp.open_trace(file).dispatches()


def with_extras(**extras: tuple[int, int]) -> tools.Run:
    run = tools.with_launch(GOOD, 0, **extras)
    return replace(run, launches=run.launches[:1], extras=tuple(f"{name}_pass" for name in extras))


@pytest.mark.parametrize("kind", KINDS)
def test_they_are_members_of_the_dispatch_and_no_passes(tmp_path: Path, kind: str):
    (d,) = read(tmp_path, with_extras(**EXTRAS), kind)
    assert (d.warm_up, d.timing) == (Interval(600, 700), Interval(800, 850))
    assert [p.index for p in d.passes] == [0, 1]
    assert d.passes_planned == 2


@pytest.mark.parametrize("kind", KINDS)
def test_the_dispatch_has_the_times_of_the_timing_pass_and_never_those_of_the_warm_up(tmp_path: Path, kind: str):
    (d,) = read(tmp_path / "both", with_extras(**EXTRAS), kind)
    assert (d.time_of, d.start_ns, d.end_ns, d.duration_ns) == ("timing pass", 800, 850, 50)
    (d,) = read(tmp_path / "warm", with_extras(warm_up=(600, 700)), kind)
    assert (d.time_of, d.start_ns, d.duration_ns) == ("pass 0", 1000, 100)


@pytest.mark.parametrize("kind", KINDS)
def test_a_dispatch_that_was_not_replayed_is_a_single_run(tmp_path: Path, kind: str):
    found = read(tmp_path, tools.sample_run(), kind)
    assert [d.time_of for d in found] == ["pass 0", "pass 0", "single run", "single run", "pass 0"]
    assert {(d.warm_up, d.timing) for d in found} == {(None, None)}


def test_a_timing_pass_without_length_gives_way_to_a_pass_that_lasted(tmp_path: Path):
    (d,) = read(tmp_path, with_extras(timing=(800, 800)), "journal")
    assert (d.time_of, d.start_ns) == ("pass 0", 1000)


def test_without_any_time_nothing_is_said(tmp_path: Path):
    one = tools.Execution(None, 0, 0, {}, group=0)
    (d,) = read(tmp_path, replace(GOOD, launches=(tools.Launch(1, (one,), outcome="filtered"),)), "journal")
    assert (d.time_of, d.start_ns, d.duration_ns) == ("", None, None)


def test_a_journal_of_an_older_version_has_none(tmp_path: Path):
    """One that lacks the fields altogether, as the run without options does."""
    tools.write_run(tmp_path, GOOD, files=("journal",))
    (process,) = mp.open_trace(tmp_path).processes
    assert (process.warm_up_pass, process.timing_pass, process.permute_groups) == (False, False, False)
    assert {(d.warm_up, d.timing) for d in process.dispatches} == {(None, None)}


def test_they_have_no_rows_in_the_frame(tmp_path: Path):
    tools.write_run(tmp_path, with_extras(**EXTRAS), files=("journal",))
    assert [row.pass_index for row in rows(mp.open_trace(tmp_path))] == [0, 0, 1, 1]


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(shift=st.integers(0, 3), extras=st.sets(st.sampled_from(["warm_up", "timing"])), start=st.integers(5000, 10**6))
def test_all_files_of_a_permuted_run_say_the_same_and_are_verified(
    tmp_path_factory: pytest.TempPathFactory, shift: int, extras: set[str], start: int
):
    folder = tmp_path_factory.mktemp("permuted")
    one = tools.replayed(1, start, hits=start)
    one = replace(one, **{name: (start - 900 + len(name), start - 800) for name in extras & {"warm_up"}})
    one = replace(one, **{name: (start - 500 + len(name), start - 400) for name in extras & {"timing"}})
    run = replace(GOOD, launches=(one,), extras=tuple(f"{name}_pass" for name in sorted(extras)))
    run = tools.shifted(run, shift)
    tools.write_run(folder, run)
    found = {kind: mp.open_trace(next(folder.glob(f"*.{kind}"))).dispatches()[0] for kind in KINDS}
    for d in found.values():
        assert [(p.index, p.group) for p in d.passes] == [(0, shift % 2), (1, (1 + shift) % 2)]
        assert {r.counter for p in d.passes for r in p.readings if p.group == 0} == {"SQ_WAVES", "GRBM_COUNT"}
        assert (d.counter("TCC_HIT"), d.counter("GRBM_COUNT"), d.counter("SQ_WAVES")) == (start, 100.5, 512)
        assert (d.warm_up is not None, d.timing is not None) == ("warm_up" in extras, "timing" in extras)
    assert [f for f in mp.verify(folder) if f.severity == "error"] == []


def test_a_window_begins_with_the_first_execution_and_counts_all_of_them(tmp_path: Path):
    (d,) = read(tmp_path, with_extras(**EXTRAS), "journal")
    window = window_of(d)
    assert window is not None
    assert (window.start_ns, window.end_ns, window.first_ns, window.kernel_ns) == (600, 1260, 100, 100 + 50 + 100 + 110)
    assert "".join(one.mark for one in window.executions) == "wt01"


def test_the_report_says_whose_times_it_shows(tmp_path: Path):
    timed = read(tmp_path / "timed", with_extras(**EXTRAS), "journal")
    assert whose_times(timed) == "kernel times of the timing pass, which read no counters"
    warm = read(tmp_path / "warm", with_extras(warm_up=(600, 700)), "journal")
    assert whose_times(warm) == "kernel times of pass 0 (after the warm-up pass)"
    plain = read(tmp_path / "plain", GOOD, "journal")
    assert whose_times(plain) == "kernel times of pass 0 (the GPU was idle, memory just copied)"


def test_a_pass_that_reads_another_group_each_time_has_the_counters_of_one(tmp_path: Path):
    run = replace(GOOD, launches=(GOOD.launches[0], tools.shifted(GOOD, 1).launches[1]), extras=("permute_groups",))
    found = read(tmp_path, run, "journal")
    assert [(p.index, p.counters) for p in by_pass(found)] == [(0, 2), (1, 2)]
