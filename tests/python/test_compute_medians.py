# SPDX-License-Identifier: MIT
"""Launch shapes with the medians of their launches, in place of dispatches, for rocprofiler-compute."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from compute_tools import (
    by_dispatch,
    export,
    exported,
    group,
    launch,
    rows,
    run_of,
    timed,
    write_journal,
)

import rocprofsys_multipass as mp


def test_a_launch_shape_has_the_medians_that_the_trace_has(tmp_path: Path):
    run = run_of(
        *(group(k, k % 2, 1000 * k) for k in range(1, 8)),
        launch(8, waves=3),
        launch(9, grid=(64, 1, 1), waves=7),
        launch(10, kernel="other", waves=9, cycles=6),
        replace(group(11, 0), outcome="filtered", reason=""),
    )
    directory = exported(tmp_path, run, kernel_medians=True)
    assert directory.name == "gfx942-kernel-medians"
    shapes: dict[tuple[str, int], dict[str, float]] = {}
    for row in mp.open_trace(tmp_path / f"multipass-{run.pid}.journal").kernel_counters():
        assert row.grid is not None
        if row.median is not None:
            shapes.setdefault((row.kernel, row.grid[0]), {})[row.counter] = row.median
    assert list(by_dispatch(directory).values()) == [shapes[key] for key in sorted(shapes)]
    side = rows(directory, "dispatches.csv")
    assert [(one["kind"], one["kernel"], one["launches"], one["end"]) for one in side] == [
        ("kernel_median", "axpy(float*, int)", "1", "100"),
        ("kernel_median", "axpy(float*, int)", "8", "105"),
        ("kernel_median", "other", "1", "100"),
    ]
    assert {one["Start_Timestamp"] for one in rows(directory)} == {"0"}
    assert (directory / "notes.txt").read_text(encoding="utf-8").startswith("Medians of launch shapes: ")


def test_times_that_are_none_are_no_part_of_a_median(tmp_path: Path):
    run = run_of(timed(launch(1), 500, 400), timed(launch(2), 0, 0), timed(launch(3), 0, 31), timed(launch(4), 0, 40))
    directory = exported(tmp_path, run, kernel_medians=True)
    assert {(one["Start_Timestamp"], one["End_Timestamp"]) for one in rows(directory)} == {("0", "35")}
    assert by_dispatch(directory)[0]["SQ_INSTS"] == 1002.5
    none = exported(tmp_path / "a", run_of(launch(9, kernel="k"), timed(launch(1), 500, 400)), kernel_medians=True)
    assert [one["why_not"] for one in rows(none, "dispatches.csv")] == ["its times are not known", ""]


def test_a_launch_shape_that_lacks_a_counter_is_left_out_and_listed(tmp_path: Path):
    run = run_of(launch(1), group(2, 0, kernel="rare"))
    done = export(write_journal(tmp_path / "a.journal", run), tmp_path / "compute", kernel_medians=True)
    (model,) = done.models
    assert (model.dispatches, model.left_out) == (1, 1)
    side = rows(model.path, "dispatches.csv")
    assert [(one["kernel"], one["Dispatch_ID"], one["why_not"]) for one in side] == [
        ("axpy(float*, int)", "0", ""),
        ("rare", "", "incomplete: no launch has a reading of SQ_INSTS"),
    ]
    assert "1 of 2 launch shapes left out" in done.warnings[0]
    partial = export(tmp_path / "a.journal", tmp_path / "compute", kernel_medians=True, include_partial=True)
    assert [len(one) for one in by_dispatch(partial.models[0].path).values()] == [4, 3]
