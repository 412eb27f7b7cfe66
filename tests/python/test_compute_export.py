# SPDX-License-Identifier: MIT
"""Which dispatches an export for rocprofiler-compute has, what it says of the others, and laws that it keeps."""

from __future__ import annotations

import random
import tracemalloc
from dataclasses import replace
from pathlib import Path

import pytest
from compute_tools import (
    MI300X,
    PLAN,
    SENTINELS,
    by_dispatch,
    content,
    export,
    exported,
    group,
    launch,
    only,
    rows,
    run_of,
    timed,
    with_values,
    write_journal,
)
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from trace_tools import Execution, Launch, Run, frame, journal_header

from rocprofsys_multipass.compute import ComputeExport
from rocprofsys_multipass.errors import OutputError, TraceError, UsageError
from rocprofsys_multipass.trace import journal_pb2 as pb

NAN = float("nan")


LEFT_OUT = {
    "declined: budget": group(2, 0),
    "declined: unknown": replace(group(2, 0), reason=""),
    "reads one group (single_pass) of 2": replace(group(2, 1), outcome="single_pass", reason=""),
    "incomplete: no pass 1": only(launch(2), 0),
    "incomplete: no pass 0": only(launch(2), 1),
    "incomplete: no passes 0, 1": only(launch(2)),
    "incomplete: pass 1 lacks counters": replace(with_values(launch(2), 1, SQ_INSTS=None), outcome="incomplete"),
    "incomplete: process_end": only(launch(2), 0, 1),
    "incomplete: no reading of SQ_INSTS": with_values(launch(2), 1, SQ_INSTS=NAN),
    "GRBM_GUI_ACTIVE is 0": launch(2, cycles=0),
    "its times are not known": timed(launch(2), 0, 0),
    "it ends before it starts": timed(launch(2), 500, 400),
    "it takes no time": replace(
        launch(2), executions=tuple(replace(one, start=500, end=500) for one in launch(2).executions)
    ),
}


@pytest.mark.parametrize("why_not", LEFT_OUT)
def test_what_is_not_whole_is_left_out_listed_and_told_of(tmp_path: Path, why_not: str):
    run = run_of(launch(1), LEFT_OUT[why_not], launch(3))
    done = export(write_journal(tmp_path / "a.journal", run), tmp_path / "compute")
    (model,) = done.models
    assert (model.dispatches, model.left_out) == (2, 1)
    side = rows(model.path, "dispatches.csv")
    assert [(one["Dispatch_ID"], one["exported"], one["why_not"], one["dispatch_id"]) for one in side] == [
        ("0", "yes", "", "1"),
        ("", "no", why_not, "2"),
        ("1", "yes", "", "3"),
    ]
    assert by_dispatch(model.path) == {
        k: {"GRBM_GUI_ACTIVE": 80, "SQ_BUSY_CU_CYCLES": 40, "SQ_WAVES": 512, "SQ_INSTS": 1001 + 2 * k} for k in (0, 1)
    }
    assert model.warnings[0].startswith(f"gfx942: 1 of 3 dispatches left out: {why_not} (1): see dispatches.csv")


def test_what_a_filter_kept_out_is_listed_without_a_warning(tmp_path: Path):
    run = run_of(launch(1), replace(group(2, 0), outcome="filtered", reason=""))
    done = export(write_journal(tmp_path / "a.journal", run), tmp_path / "compute")
    (model,) = done.models
    assert (model.dispatches, model.left_out, done.warnings) == (1, 0, ())
    assert [one["why_not"] for one in rows(model.path, "dispatches.csv")] == ["", "filtered"]


def test_a_plan_of_one_pass_is_whole_without_a_replay(tmp_path: Path):
    one = Launch(1, (Execution(None, 10, 30, {"SQ_WAVES": 5.0}),), outcome="single_pass")
    directory = exported(tmp_path, run_of(one, plan=(("SQ_WAVES",),), sentinels=()))
    assert by_dispatch(directory) == {0: {"SQ_WAVES": 5}}


def test_a_missing_sentinel_keeps_nothing_out(tmp_path: Path):
    directory = exported(tmp_path, run_of(with_values(launch(1), 1, SQ_WAVES=None)))
    assert len(by_dispatch(directory)[0]) == 4


@given(data=st.data())
@settings(deadline=None, max_examples=25)
def test_without_one_pass_of_one_dispatch_exactly_that_is_left_out(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
):
    folder = tmp_path_factory.mktemp("law")
    count = data.draw(st.integers(2, 6))
    hit = data.draw(st.integers(1, count))
    gone = data.draw(st.integers(0, 1))
    launches = [launch(k, 1000 * k) for k in range(1, count + 1)]
    whole = exported(folder / "a", run_of(*launches))
    launches[hit - 1] = only(
        launches[hit - 1], 1 - gone, outcome=data.draw(st.sampled_from(["replayed", "incomplete"]))
    )
    torn = exported(folder / "b", run_of(*launches))
    side = rows(torn, "dispatches.csv")
    assert {int(one["dispatch_id"]): one["why_not"] for one in side if one["exported"] == "no"} == {
        hit: f"incomplete: no pass {gone}"
    }
    expected = {str(k): values for k, values in by_dispatch(whole).items() if k != hit - 1}
    assert list(by_dispatch(torn).values()) == list(expected.values())


@given(seed=st.integers(0, 2**32))
@settings(deadline=None, max_examples=15)
def test_neither_order_of_passes_nor_of_dispatches_nor_of_journals_shows(
    seed: int, tmp_path_factory: pytest.TempPathFactory
):
    folder = tmp_path_factory.mktemp("law")
    runs = [
        run_of(
            launch(1),
            group(2, 1, 2000),
            launch(3, 3000, waves=3.5),
            launch(7, 100),
            pid=10 + k,
            rank=rank,
            guid=f"g{k}",
        )
        for k, rank in enumerate((1, 0, None))
    ]
    journals = [write_journal(folder / f"{k}.journal", run) for k, run in enumerate(runs)]
    first = export(journals, folder / "compute", release="3.9", include_partial=seed % 2 == 0)
    before = content(folder / "compute")
    shuffle = random.Random(seed)
    for path, run in zip(journals, runs, strict=True):
        _write_shuffled(path, run, shuffle)
    shuffle.shuffle(journals)
    again = export(journals, folder / "compute", release="3.9", include_partial=seed % 2 == 0)
    assert content(folder / "compute") == before
    assert again == first


def _write_shuffled(path: Path, run: Run, shuffle: random.Random) -> None:
    frames: list[pb.Frame] = []

    write_journal(path, run, frames.append)
    places = [k for k, one in enumerate(frames) if one.HasField("dispatch")]
    moved = [frames[k] for k in places]
    shuffle.shuffle(moved)
    for one in moved:
        passes = list(one.dispatch.passes)
        shuffle.shuffle(passes)
        del one.dispatch.passes[:]
        one.dispatch.passes.extend(passes)
    for k, one in zip(places, moved, strict=True):
        frames[k] = one
    path.write_bytes(journal_header() + b"".join(map(frame, frames)))


def test_processes_with_the_same_ids_are_told_apart_and_come_by_rank(tmp_path: Path):
    runs = (
        run_of(launch(1, waves=1), launch(2, waves=2), pid=30, rank=1, guid="a"),
        run_of(launch(1, waves=3), launch(2, waves=4), pid=40, rank=0, guid="b"),
        run_of(launch(1, waves=5), pid=20, guid="c"),
    )
    journals = [write_journal(tmp_path / f"{run.pid}.journal", run) for run in runs]
    (model,) = export(journals, tmp_path / "compute").models
    assert [one["SQ_WAVES"] for one in by_dispatch(model.path).values()] == [3, 4, 1, 2, 5]
    side = [(one["pid"], one["rank"], one["dispatch_id"]) for one in rows(model.path, "dispatches.csv")]
    assert side == [("40", "0", "1"), ("40", "0", "2"), ("30", "1", "1"), ("30", "1", "2"), ("20", "", "1")]


def test_the_side_table_says_what_is_behind_a_number(tmp_path: Path):
    run = run_of(launch(4, 1000), rank=3)
    assert rows(exported(tmp_path, run), "dispatches.csv") == [
        {
            "Dispatch_ID": "0",
            "kind": "dispatch",
            "exported": "yes",
            "why_not": "",
            "pid": "4711",
            "rank": "3",
            "hostname": "host",
            "agent": "0",
            "GPU_ID": "0",
            "dispatch_id": "4",
            "kernel": "axpy(float*, int)",
            "outcome": "replayed",
            "reason": "",
            "passes": "2",
            "start": "1000",
            "end": "1100",
            "sentinels": "unknown",
            "caches": "unknown",
            "launches": "1",
        }
    ]


def test_two_captures_of_one_process_are_refused(tmp_path: Path):
    journals = [write_journal(tmp_path / name, run_of(launch(1))) for name in ("b.journal", "a.journal")]
    with pytest.raises(UsageError, match=r"b\.journal: it is of the same process as .*a\.journal: give one of them"):
        export(journals, tmp_path / "compute")


def test_captures_of_processes_that_died_at_once_are_in_nobodys_way(tmp_path: Path):
    journals = [
        write_journal(tmp_path / "a.journal", run_of(launch(1))),
        tmp_path / "b.journal",
        tmp_path / "c.journal",
    ]
    for path in journals[1:]:
        path.write_bytes(journal_header())
    done = export(journals, tmp_path / "compute")
    assert done.models[0].dispatches == 1
    assert [text.split(":")[0] for text in done.warnings] == [str(journals[1])] * 2 + [str(journals[2])] * 2


@settings(deadline=None, max_examples=30, phases=(Phase.explicit, Phase.generate))
@given(st.data())
def test_damage_of_a_capture_takes_dispatches_away_loudly_and_changes_none(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
):
    """Cut anywhere, or with bits that are not as they were; beside it stands a whole capture."""
    folder = tmp_path_factory.mktemp("damage")
    whole = write_journal(folder / "a.journal", run_of(launch(1, waves=1)))
    damaged = write_journal(
        folder / "b.journal", replace(run_of(*(launch(k, waves=k) for k in range(2, 6))), pid=9, guid="g")
    )
    before = {
        one["SQ_WAVES"]: one for one in by_dispatch(export((whole, damaged), folder / "a").models[0].path).values()
    }
    content = bytearray(damaged.read_bytes())
    for at in data.draw(st.lists(st.integers(0, len(content) - 1), max_size=3)):
        content[at] ^= data.draw(st.integers(1, 255))
    damaged.write_bytes(content[: data.draw(st.sampled_from((None, *range(len(content)))))])
    try:
        done = export((whole, damaged), folder / "a")
    except TraceError:
        return  # it is no journal any more
    after = [one for model in done.models for one in by_dispatch(model.path).values()]
    assert all(one == before.pop(one["SQ_WAVES"]) for one in after)
    assert 1 not in before  # that of the whole one is there
    assert not before or done.warnings


def test_a_dispatch_that_is_there_twice_is_exported_once(tmp_path: Path):
    directory = exported(tmp_path, run_of(launch(1, waves=5), launch(1, waves=6)))
    assert [one["SQ_WAVES"] for one in by_dispatch(directory).values()] == [5]
    assert [one["why_not"] for one in rows(directory, "dispatches.csv")] == ["", "the capture has it twice"]


def test_passes_that_did_different_work_are_exported_and_told_of(tmp_path: Path):
    runs = run_of(*(with_values(launch(k), 1, SQ_WAVES=900) for k in (1, 2, 3, 4)), launch(5), simulated=False)
    done = export(write_journal(tmp_path / "a.journal", runs), tmp_path / "compute")
    (model,) = done.models
    assert model.dispatches == 5
    assert [one["sentinels"] for one in rows(model.path, "dispatches.csv")] == ["not"] * 4 + ["unknown"]
    assert done.warnings == (
        (
            "gfx942: the passes of 4 dispatches did different work (dispatch 1 of process 4711, dispatch 2 of process "
            "4711, dispatch 3 of process 4711, ...): see column sentinels of dispatches.csv"
        ),
    )


COMPARED = ("SQ_INSTS_VALU", "TCC_MISS")
CACHED = {"plan": (COMPARED, COMPARED), "sentinels": ((), COMPARED)}


def cached(dispatch_id: int, *misses: float) -> Launch:
    """Two passes with the same work, that miss the L2 cache so often."""
    passes = (
        Execution(k, 1000 * k, 1000 * k + 90, {"SQ_INSTS_VALU": 8, "TCC_MISS": one}) for k, one in enumerate(misses)
    )
    return Launch(dispatch_id, tuple(passes))


@pytest.mark.parametrize(
    ("medians", "caches", "counted"),
    [(False, ["exact", "not", "not"], "2 dispatches"), (True, ["not"], "1 launch shape")],
)
def test_passes_that_found_other_caches_are_in_the_side_table_and_the_notes_and_no_warning(
    tmp_path: Path,
    medians: bool,  # noqa: FBT001
    caches: list[str],
    counted: str,
):
    run = run_of(cached(1, 70, 70), cached(2, 70, 0), cached(3, 70, 10), **CACHED)
    done = export(write_journal(tmp_path / "a.journal", run), tmp_path / "compute", kernel_medians=medians)
    (model,) = done.models
    assert [(one["sentinels"], one["caches"]) for one in rows(model.path, "dispatches.csv")] == [
        ("exact", one) for one in caches
    ]
    assert done.warnings == ()  # it is so on every GPU
    notes = (model.path / "notes.txt").read_text(encoding="utf-8")
    assert f"The sentinels of the caches say that they did in {counted}: column caches of dispatches.csv." in notes
    same = exported(tmp_path / "b", run_of(cached(1, 70, 70), **CACHED), kernel_medians=medians)
    assert "they did" not in (same / "notes.txt").read_text(encoding="utf-8")


def test_dispatches_that_were_replayed_although_unsafe_are_told_of(tmp_path: Path):
    run = run_of(launch(1, reason="pinned_memory"), launch(2))
    done = export(write_journal(tmp_path / "a.journal", run), tmp_path / "compute")
    assert done.warnings == (
        (
            "gfx942: 1 dispatch was replayed although it was not safe (pinned_memory (1)): check their results without "
            "--unsafe"
        ),
    )


# --- what is there in part ------------------------------------------------------------------------------------------


def test_partial_dispatches_are_exported_only_when_asked_for_and_loudly(tmp_path: Path):
    run = run_of(launch(1), group(2, 1), only(launch(3), 0), launch(4, cycles=0), timed(only(launch(5), 0), 0, 0))
    done = export(write_journal(tmp_path / "a.journal", run), tmp_path / "compute", include_partial=True)
    (model,) = done.models
    assert [sorted(one) for one in by_dispatch(model.path).values()] == [
        ["GRBM_GUI_ACTIVE", "SQ_BUSY_CU_CYCLES", "SQ_INSTS", "SQ_WAVES"],
        ["SQ_INSTS", "SQ_WAVES"],
        ["GRBM_GUI_ACTIVE", "SQ_BUSY_CU_CYCLES", "SQ_WAVES"],
    ]
    assert [one["why_not"] for one in rows(model.path, "dispatches.csv")] == [
        *("", "", "", "GRBM_GUI_ACTIVE is 0", "its times are not known"),
    ]
    assert "2 of 3 exported dispatches without all counters (--include-partial): analyze averages" in model.warnings[1]
    assert "Warning: gfx942" not in (model.path / "notes.txt").read_text(encoding="utf-8")
    assert "Warning: 2 of 3 exported dispatches without" in (model.path / "notes.txt").read_text(encoding="utf-8")


SPLIT = {"plan": (("GRBM_GUI_ACTIVE", "SQ_WAVES"), ("SQ_BUSY_CU_CYCLES",)), "sentinels": ()}


def split(dispatch_id: int, read: int) -> Launch:
    values = ({"GRBM_GUI_ACTIVE": 8.0, "SQ_WAVES": 1.0}, {"SQ_BUSY_CU_CYCLES": 4.0})[read]
    one = Execution(None, 100, 200, values, group=read)
    return Launch(dispatch_id, (one,), outcome="declined", reason="rotate_mode")


def test_a_directory_on_which_analyze_would_end_is_not_written(tmp_path: Path):
    journal = write_journal(tmp_path / "a.journal", run_of(split(1, 0), split(2, 1), **SPLIT))
    with pytest.raises(
        OutputError, match=r"gfx942: GRBM_GUI_ACTIVE and SQ_BUSY_CU_CYCLES are both there, but no disp.*"
    ):
        export(journal, tmp_path / "compute", include_partial=True)
    assert content(tmp_path).keys() == {"a.journal"}


def test_captures_that_read_other_counters_are_told_of(tmp_path: Path):
    one = write_journal(tmp_path / "a.journal", run_of(launch(1)))
    plan = (PLAN[0], ("SQ_WAVES",))
    other = write_journal(
        tmp_path / "b.journal",
        run_of(with_values(launch(1), 1, SQ_INSTS=None), plan=plan, sentinels=SENTINELS, pid=9, guid="g"),
    )
    done = export((one, other), tmp_path / "compute")
    assert done.models[0].dispatches == 2
    assert done.warnings[0].startswith("gfx942: SQ_INSTS: not in every dispatch, since other counters were planned")


# --- size -----------------------------------------------------------------------------------------------------------


def test_a_long_capture_takes_no_more_memory_than_a_short_one(tmp_path: Path):
    names = [f"SQ_C{k}" for k in range(50)]

    def peak(count: int) -> int:
        one = Execution(0, 100, 200, dict.fromkeys(names, 2.0))
        launches = tuple(Launch(k, (one,), outcome="single_pass") for k in range(count))
        run = Run(launches, plan=(tuple(names),), described=MI300X)
        journal = write_journal(tmp_path / "a.journal", run)
        tracemalloc.start()
        done: ComputeExport = export(journal, tmp_path / "compute")
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert done.models[0].dispatches == count
        return most

    peak(5)  # what is loaded and cached once
    assert peak(500) < peak(50) + 200_000  # 25,000 rows
