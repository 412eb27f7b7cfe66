# SPDX-License-Identifier: MIT
"""What a run prints at its end."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import trace_tools

import rocprofsys_multipass as mp
from rocprofsys_multipass.cli import command
from rocprofsys_multipass.cli.summary import show_run

OUTCOMES = ("replayed", "single_pass", "declined", "filtered", "incomplete")


def summary_of(run: trace_tools.Run, **changes: Any) -> dict[str, Any]:
    counts: dict[str, Any] = {name: sum(d.outcome == name for d in run.launches) for name in OUTCOMES}
    reasons = [d.reason for d in run.launches if d.outcome == "declined"]
    agent = {"index": 1, "device": 0, "name": "gfx942", "pass_count": 2, "lower_bound": 2, "proven_minimal": True}
    return {
        "schema": 1,
        "pid": run.pid,
        "sdk": {"simulated": False},
        "agents": [{**agent, "unplaceable": []}],
        "dispatches": {
            **counts,
            "seen": len(run.launches),
            "declined_reasons": {reason: reasons.count(reason) for reason in reasons},
        },
        "warnings": [],
        **changes,
    }


def shown(
    folder: Path, *runs: trace_tools.Run, summaries: list[dict[str, Any]] | None = None, **changes: Any
) -> list[str]:
    """The lines that are printed for a folder with these runs, blanks squeezed."""
    for run in runs:
        trace_tools.write_run(folder, run, files=("journal",))
    result = mp.Run(
        exit_code=0,
        child_exit_code=0,
        output_dir=folder,
        files=tuple(sorted(folder.glob("*.journal"))),
        summaries=tuple(summaries or [summary_of(run) for run in runs]),
        warnings=(),
        errors=(),
    )
    stream = io.StringIO()
    show_run(replace(result, **changes), stream)
    assert "\x1b" not in stream.getvalue()
    return [re.sub(" +", " ", line).strip() for line in stream.getvalue().splitlines()]


def of(*launches: trace_tools.Launch) -> trace_tools.Run:
    return trace_tools.Run(launches)


def test_the_reasons_of_filtered_dispatches_are_shown_where_the_summary_has_them(tmp_path: Path) -> None:
    run = trace_tools.sample_run()
    summary = summary_of(run)
    summary["dispatches"]["filtered_reasons"] = {"roctx": 2, "paused": 1}
    lines = shown(tmp_path, run, summaries=[summary])
    assert "5 dispatches: 2 replayed, 1 declined (1 graph), 1 filtered (1 paused, 2 roctx), 1 incomplete" in lines


def test_agents_outcomes_dispatches_and_files_are_shown(tmp_path: Path) -> None:
    journal = tmp_path / f"multipass-{trace_tools.PID}.journal"
    lines = shown(tmp_path, trace_tools.sample_run())
    assert lines == [
        "gfx942 (GPU 0): 2 passes (lower bound 2, proven minimal)",
        "5 dispatches: 2 replayed, 1 declined (1 graph), 1 filtered, 1 incomplete",
        "dispatch passes pass 0 time over passes outcome kernel",
        "1 2 100 ns 100-110 ns replayed axpy(float*, int)",
        "2 2 100 ns 100-110 ns replayed axpy(float*, int)",
        "3 1 90 ns - declined (graph) init(int)",
        "5 1 100 ns - incomplete (process_end) axpy(float*, int)",
        "1 filtered: not listed",
        "files:",
        f"{journal} ({journal.stat().st_size} bytes): what was captured; all other files can be made from it again",
        f"all counters of each kernel: rocprof-sys-multipass report {tmp_path}; as a page: --html FILE",
    ]


def test_a_long_table_ends_after_twenty_rows(tmp_path: Path) -> None:
    run = trace_tools.Run(tuple(trace_tools.replayed(i, 1000 * i) for i in range(1, 26)))
    lines = shown(tmp_path, run)
    rows = [line for line in lines if re.match(r"\d+ 2 100 ns 100-110 ns replayed", line)]
    assert [line.split()[0] for line in rows] == [str(i) for i in range(1, 21)]
    assert lines[lines.index(rows[-1]) + 1] == "... and 5 more"


def test_a_very_long_run_is_not_read_again(tmp_path: Path) -> None:
    run = trace_tools.sample_run()
    summary = summary_of(run)
    summary["dispatches"]["seen"] = 1_000_000
    lines = shown(tmp_path, run, summaries=[summary])
    assert f"the table is long: rocprof-sys-multipass report {tmp_path}" in lines
    assert not any(line.startswith("dispatch passes") for line in lines)


def test_each_process_has_its_own_lines(tmp_path: Path) -> None:
    first = trace_tools.sample_run()
    other = of(trace_tools.replayed(1, 1000))
    lines = shown(tmp_path, first, replace(other, pid=4712, guid=first.guid[:-1] + "2"))
    assert "process 4711:" in lines
    assert "process 4712:" in lines
    assert sum(line.startswith("files:") for line in lines) == 1
    assert lines[-1] == (
        f"all processes in one trace and one database: rocprof-sys-multipass merge {tmp_path} --combine"
    )


def ranks(*numbers: int) -> list[trace_tools.Run]:
    launches = (trace_tools.replayed(1, 1000),)
    return [trace_tools.Run(launches, pid=4000 + k, guid=f"{trace_tools.GUID[:-4]}{k:04x}", rank=k) for k in numbers]


def test_what_is_alike_in_many_processes_is_said_once(tmp_path: Path) -> None:
    runs = ranks(0, 1, 2, 3, 7)
    lines = shown(tmp_path, *runs, summaries=[summary_of(run, rank=run.rank) for run in runs])
    assert lines[:3] == [
        "5 processes (ranks 0-3, 7), each:",
        "gfx942 (GPU 0): 2 passes (lower bound 2, proven minimal)",
        "1 dispatch: 1 replayed",
    ]
    assert sum(line.startswith("1 dispatch") for line in lines) == 1


def test_files_of_many_processes_are_listed_by_kind(tmp_path: Path) -> None:
    runs = ranks(*range(17))
    lines = shown(tmp_path, *runs, summaries=[summary_of(run, rank=run.rank) for run in runs])
    size = sum(path.stat().st_size for path in tmp_path.glob("*.journal")) / 1024
    assert lines[lines.index("files:") + 1] == (
        f"{tmp_path}/multipass-*.journal (17 files, {size:.1f} KiB): what was captured"
    )


def of_rank(folder: Path, number: int, **changes: Any) -> str:
    """What the wrapper of this rank prints."""
    (run,) = ranks(number)
    trace_tools.write_run(folder, run, files=("journal",))
    result = mp.Run(
        exit_code=0,
        child_exit_code=0,
        output_dir=folder,
        files=(folder / f"multipass-rank{number}.journal",),
        summaries=(summary_of(run, rank=number),),
        warnings=(),
        errors=(),
    )
    stream = io.StringIO()
    show_run(replace(result, **changes), stream, number)
    return stream.getvalue()


def test_wrappers_of_ranks_above_0_say_one_line(tmp_path: Path) -> None:
    assert of_rank(tmp_path, 3) == f"rank 3: 1 dispatch: 1 replayed: {tmp_path}/multipass-rank3.*\n"
    assert of_rank(tmp_path, 0).startswith("process 4000 (rank 0):\ngfx942 (GPU 0): 2 passes")


def test_a_rank_that_is_other_than_hoped_says_all(tmp_path: Path) -> None:
    text = of_rank(tmp_path, 3, child_exit_code=9)
    assert text.startswith("the application ended with exit code 9\n")
    assert "process 4003 (rank 3):\n" in text


def test_dispatches_of_several_processes_are_told_apart(tmp_path: Path) -> None:
    first = trace_tools.Run((trace_tools.replayed(1, 1000),))
    lines = shown(tmp_path, first, replace(first, pid=4712, guid=first.guid[:-1] + "2"))
    start = lines.index("process dispatch passes pass 0 time over passes outcome kernel")
    assert lines[start + 1 : start + 3] == [
        "4711 1 2 100 ns 100-110 ns replayed axpy(float*, int)",
        "4712 1 2 100 ns 100-110 ns replayed axpy(float*, int)",
    ]


def test_a_file_that_has_gone_is_not_listed(tmp_path: Path) -> None:
    lines = shown(tmp_path, trace_tools.Run(()), files=(tmp_path / "multipass-1.db",))
    assert lines[-1] == "files:"


def test_what_could_not_be_placed_is_shown_as_it_is(tmp_path: Path) -> None:
    run = trace_tools.sample_run()
    summary = summary_of(run)
    summary["agents"][0]["unplaceable"] = [{"counter": "TOO_BIG[0]", "reason": "needs 9 SQ registers of 8"}]
    lines = shown(tmp_path, run, summaries=[summary])
    assert "cannot be placed: TOO_BIG[0]: needs 9 SQ registers of 8" in lines


def test_a_group_without_a_pass_is_not_called_a_counter(tmp_path: Path) -> None:
    run = trace_tools.sample_run()
    summary = summary_of(run)
    summary["agents"][0]["unplaceable"] = [{"counter": "A,B", "reason": "they need 9 SQ registers, a pass has 8"}]
    lines = shown(tmp_path, run, summaries=[summary])
    assert "not in one pass: A,B: they need 9 SQ registers, a pass has 8" in lines


def test_warnings_are_counted_once_for_all_processes(tmp_path: Path) -> None:
    """Those of the run and those that the plugin showed itself, not what stands in the summaries."""
    run = trace_tools.sample_run()
    summary = summary_of(run, warnings=["never shown"])
    lines = shown(tmp_path, run, summaries=[summary, summary], warnings=("a",), live_warnings=("b", "c"))
    assert [line for line in lines if " warning" in line] == ["3 warnings, see above"]


def test_without_a_warning_that_was_shown_none_is_announced(tmp_path: Path) -> None:
    run = trace_tools.sample_run()
    lines = shown(tmp_path, run, summaries=[summary_of(run, warnings=["never shown"])])
    assert not any(" warning" in line for line in lines)


def test_dispatches_of_other_processes_in_the_folder_are_not_shown(tmp_path: Path) -> None:
    """Those of another rank, which has a command of its own."""
    other = replace(trace_tools.sample_run(), pid=1, guid=trace_tools.GUID[:-1] + "3")
    trace_tools.write_run(tmp_path, other, files=("journal",))
    mine = replace(trace_tools.Run((trace_tools.replayed(1, 1000),)), pid=2)
    trace_tools.write_run(tmp_path, mine, files=("journal",))
    lines = shown(tmp_path, summaries=[summary_of(mine)], files=(tmp_path / "multipass-2.journal",))
    assert sum(" ns " in line for line in lines) == 1


def test_a_signal_without_a_name_has_its_number(tmp_path: Path) -> None:
    lines = shown(tmp_path, trace_tools.Run(()), child_signal=40)
    assert lines[0] == "the application was killed by signal 40"


def test_a_journal_that_cannot_be_read_is_a_warning_not_a_failure(tmp_path: Path) -> None:
    (tmp_path / "multipass-1.journal").write_bytes(b"not a journal")
    lines = shown(tmp_path, summaries=[summary_of(trace_tools.sample_run())])
    assert any(line.startswith("warning: the dispatches cannot be shown: ") for line in lines)
    assert "files:" in lines


def test_a_long_kernel_name_is_cut(tmp_path: Path) -> None:
    launch = replace(trace_tools.replayed(1, 1000), kernel="void " + "x" * 200 + "(float*)")
    lines = shown(tmp_path, trace_tools.Run((launch,)))
    row = next(line for line in lines if "replayed void" in line)
    assert row.endswith("xxx...")
    assert len(row) < 100


def test_a_run_without_dispatches_has_no_table(tmp_path: Path) -> None:
    lines = shown(tmp_path, trace_tools.Run(()))
    assert not any("report" in line for line in lines)
    assert "0 dispatches" in lines
    assert not any(line.startswith("dispatch passes") for line in lines)


def test_times_are_headed_with_the_execution_that_they_are_of(tmp_path: Path) -> None:
    launch = trace_tools.replayed(1, 1000)
    timed = replace(launch, timing=(900, 970))
    assert "dispatch passes timing pass over passes outcome kernel" in shown(tmp_path / "a", of(timed))
    assert "dispatch passes time over passes outcome kernel" in shown(tmp_path / "b", of(timed, replace(launch, id=2)))


def test_filtered_dispatches_are_counted_and_leave_the_table_to_others(tmp_path: Path) -> None:
    reasons = ["roctx"] * 25 + ["paused"] * 2
    filtered = [
        trace_tools.Launch(n, (trace_tools.Execution(None, n, n + 5, {}),), outcome="filtered", reason=reason)
        for n, reason in enumerate(reasons, 1)
    ]
    lines = shown(tmp_path, of(*filtered, trace_tools.replayed(28, 1000)))
    start = lines.index("dispatch passes pass 0 time over passes outcome kernel")
    assert lines[start + 1 : start + 4] == [
        "28 2 100 ns 100-110 ns replayed axpy(float*, int)",
        "2 filtered (paused): not listed",
        "25 filtered (roctx): not listed",
    ]


def test_extra_passes_are_told_only_where_something_was_replayed(tmp_path: Path) -> None:
    run = trace_tools.sample_run()
    lines = shown(tmp_path / "a", run, summaries=[summary_of(run, timing_pass=True)])
    assert "a replayed launch runs 2 passes + timing" in lines
    filtered = of(run.launches[3])
    lines = shown(tmp_path / "b", filtered, summaries=[summary_of(filtered, timing_pass=True)])
    assert not any("a replayed launch runs" in line for line in lines)


def test_a_simulated_gpu_is_called_so(tmp_path: Path) -> None:
    run = trace_tools.sample_run()
    lines = shown(tmp_path, run, summaries=[summary_of(run, sdk={"simulated": True})])
    assert "gfx942 (GPU 0): 2 passes (lower bound 2, proven minimal), simulated" in lines


HINT = "if it succeeds with --replay rotate, kernel replay did not restore memory that it needs"


@pytest.mark.parametrize(("changes", "hinted"), [({"child_exit_code": 3}, 1), ({"child_signal": 2}, 0), ({}, 0)])
def test_replay_is_suspected_where_the_application_failed(tmp_path: Path, changes: dict[str, int], hinted: int) -> None:
    assert shown(tmp_path, trace_tools.sample_run(), **changes).count(HINT) == hinted


def test_replay_is_not_suspected_where_nothing_was_replayed(tmp_path: Path) -> None:
    assert HINT not in shown(tmp_path, of(trace_tools.sample_run().launches[3]), child_exit_code=3)


@pytest.mark.parametrize("width", [80, 100, 160])
def test_numbers_stay_whole_and_names_give_way(tmp_path: Path, width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    launches = list(trace_tools.sample_run().launches)
    launches[0] = replace(launches[0], kernel="void " + "::".join(f"space{c}" for c in "abcdefghij") + "(float*)")
    monkeypatch.setattr(command, "_PLAIN_WIDTH", width)
    lines = shown(tmp_path, trace_tools.Run(tuple(launches)))
    start = next(n for n, line in enumerate(lines) if line.startswith("dispatch "))
    rows = lines[start + 1 : start + 5]
    assert [row.split()[0] for row in rows] == ["1", "2", "3", "5"]
    assert "declined (graph)" in rows[2]
    assert ("…" in rows[0]) == (width < 160)


def test_agreement_is_told_with_its_process_where_there_are_several(tmp_path: Path) -> None:
    same = {"verdict": "exact", "reason": "", "spread": 0.0, "compared": 1, "in_all_passes": 1}
    kernel = {"kernel": "k", "device": 0, "replayed": 1, "work": same, "clock": same, "cache": same}
    first = of(trace_tools.replayed(1, 1000))
    runs = (first, replace(first, pid=4712, guid=first.guid[:-1] + "2"))
    summaries = [summary_of(run, kernels_agreement=[kernel], kernels_agreement_rest=None) for run in runs]
    line = "passes of all kernels that were replayed: same work exact, same clock exact, same caches exact"
    both = shown(tmp_path / "both", *runs, summaries=summaries)
    assert [text for text in both if text.endswith(line)] == [f"2 processes (4711, 4712): {line}"]
    assert line in shown(tmp_path / "one", first, summaries=summaries[:1])
