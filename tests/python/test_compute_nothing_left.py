# SPDX-License-Identifier: MIT
"""What an export for rocprofiler-compute says where nothing is left, or a capture lacks something."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from compute_tools import (
    content,
    export,
    exported,
    group,
    launch,
    only,
    run_of,
    write_journal,
)
from trace_tools import Execution, frame, journal_frames, journal_header

from rocprofsys_multipass.errors import OutputError, TraceError, UsageError
from rocprofsys_multipass.trace import journal_pb2 as pb


def test_nothing_left_says_why_by_reason_and_what_to_do(tmp_path: Path):
    run = run_of(group(1, 0), group(2, 1), only(launch(3), 0), replace(group(4, 0), outcome="filtered", reason=""))
    journal = write_journal(tmp_path / "a.journal", run)
    with pytest.raises(OutputError) as caught:
        export(journal, tmp_path / "compute")
    assert str(caught.value) == (
        f"{tmp_path}/compute: nothing is left to export for rocprofiler-compute: declined: budget (2), filtered (1), "
        "incomplete: no pass 1 (1): run again with --replay-budget none, or give --kernel-medians for medians of their "
        "launch shapes, or --include-partial for what was read of them"
    )
    assert content(tmp_path).keys() == {"a.journal"}


@pytest.mark.parametrize(
    ("reasons", "again"),
    [
        (["max_replays"], "run again with --max-replays none, or give --kernel-medians"),
        (["budget", "max_replays"], "run again with --max-replays none --replay-budget none, or give --kernel-medians"),
        (["rotate_mode"], "run again with --replay kernel, or give --kernel-medians"),
        (["no_kernel_replay"], "see dispatches.csv; give --kernel-medians"),
    ],
)
def test_what_a_run_would_replay_when_asked_to_is_said_first(tmp_path: Path, reasons: list[str], again: str):
    left_out = [replace(group(2 + k, k), reason=reason) for k, reason in enumerate(reasons)]
    journal = write_journal(tmp_path / "a.journal", run_of(launch(1), *left_out))
    (warning,) = export(journal, tmp_path / "compute").warnings
    assert again in warning


@pytest.mark.parametrize("option", ["", "include_partial", "kernel_medians"])
def test_where_no_launch_read_anything_no_option_is_advised(tmp_path: Path, option: str):
    """As beside another tool that counts."""
    nothing = replace(launch(1), executions=(Execution(None, 100, 200, {}),), outcome="incomplete")
    journal = write_journal(tmp_path / "a.journal", run_of(nothing))
    with pytest.raises(OutputError) as caught:
        export(journal, tmp_path / "compute", **dict.fromkeys([option] if option else [], True))
    assert str(caught.value).endswith(
        "(1): no launch has a reading of any counter: see what the run warned of (`rocprof-sys-multipass report`)"
    )


def test_no_medians_are_advised_of_launches_that_all_read_the_same_group(tmp_path: Path):
    run = run_of(*(replace(group(1 + k, 0), outcome="single_pass", reason="") for k in range(2)))
    with pytest.raises(
        OutputError, match=r" of 2 \(2\): run again with --replay kernel, or give --include-partial for "
    ):
        export(write_journal(tmp_path / "a.journal", run), tmp_path / "compute")


def test_a_capture_without_dispatches_says_so(tmp_path: Path):
    journal = write_journal(tmp_path / "a.journal", run_of())
    with pytest.raises(OutputError, match=r"compute: nothing is left .*: no dispatch was recorded"):
        export(journal, tmp_path / "compute")


def test_no_journal_and_an_unknown_release_are_usage_errors(tmp_path: Path):
    with pytest.raises(UsageError, match=r"^journals: there is none"):
        export((), tmp_path / "compute")
    with pytest.raises(UsageError, match=r"^release: '3\.4' is not one of 3\.3, 3\.6, 3\.9$"):
        export(tmp_path / "a.journal", tmp_path / "compute", release="3.4")


def test_what_is_no_journal_cannot_be_exported(tmp_path: Path):
    (tmp_path / "a.journal").write_text("no journal", encoding="utf-8")
    with pytest.raises(TraceError, match=r"a\.journal"):
        export(tmp_path / "a.journal", tmp_path / "compute")


def test_a_capture_that_died_or_lost_records_is_told_of(tmp_path: Path):
    frames = journal_frames(run_of(launch(1), closed=False))
    frames.append(pb.Frame(checkpoint=pb.Checkpoint(dispatches=1, in_flight=2, dropped=3)))
    journal = tmp_path / "a.journal"
    journal.write_bytes(journal_header(lost=3) + b"".join(map(frame, frames)))
    done = export(journal, tmp_path / "compute")
    assert done.warnings[0] == f"{journal}: 3 records lost at least, dispatches among them may be: run again"
    assert done.warnings[1] == (
        f"{journal}: the process died or still runs (2 dispatches in flight at its last checkpoint): what it recorded "
        "until then is exported"
    )
    assert "Warning: " + done.warnings[0] in (done.models[0].path / "notes.txt").read_text(encoding="utf-8")


def test_what_the_runs_warned_of_is_in_the_notes_once(tmp_path: Path):
    """Such as the metrics that are lost: who is handed the directory did not see the run."""
    lost, other = "3 metrics are left out: 7.2 Wavefront Occupancy (SQ_LEVEL_WAVES_ACCUM)", "another thing\x1b"
    journals = [
        write_journal(tmp_path / f"{k}.journal", replace(run_of(launch(1), warnings=said), pid=k, guid=f"g{k}"))
        for k, said in enumerate(((lost,), (lost, other), tuple(f"w{n:02}" for n in range(20))), 1)
    ]
    done = export(journals, tmp_path / "compute")
    assert done.warnings == ()  # they were told of then
    assert (
        f"During the runs these warnings were given:\n  {lost}\n  another thing␛\n"
        + "".join(f"  w{n:02}\n" for n in range(14))
        + "  and 6 more\n\n"
    ) in (done.models[0].path / "notes.txt").read_text(encoding="utf-8")
    assert "During the runs" not in (exported(tmp_path / "b", run_of(launch(1))) / "notes.txt").read_text("utf-8")
