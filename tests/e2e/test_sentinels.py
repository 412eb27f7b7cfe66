# SPDX-License-Identifier: MIT
"""Sentinels: counters that tell whether the passes of a launch did the same work."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

import pytest
from e2e_tools import ROOT, Cli
from fault_tools import FAULTS_VARIABLE

import rocprofsys_multipass as mp
from rocprofsys_multipass import Dispatch, Run
from rocprofsys_multipass.metrics import metrics_on, values_of
from rocprofsys_multipass.report.statistics import by_kernel
from rocprofsys_multipass.trace.frame import rows

GROWS = ROOT / "tests" / "hip_sources" / "grows.cpp"
# Nine registers of TCC, of which a pass has four.
THREE_PASSES = ("FETCH_SIZE", "WRITE_SIZE", "TCC_HIT", "TCC_MISS", "TCC_READ", "TCC_WRITE")
Grow = Callable[..., Run]


@pytest.fixture
def grow(build: Callable[[Path], Path], environment: dict[str, str], tmp_path: Path) -> Grow:
    """Runs grows.cpp, whose kernel issues 100 vector instructions for each execution that it finds and its own."""

    def run(kind: str, events: Sequence[str] = THREE_PASSES, *, faults: str = "", **options: object) -> Run:
        return mp.run(
            [build(GROWS), kind],
            events=events,
            simulate="gfx942",
            output=tmp_path / "out",
            env=environment | {FAULTS_VARIABLE: faults},
            capture=True,
            **({} if "replay" in options else {"unsafe": "all"}),  # memory that is not restored is what it is about
            **options,  # type: ignore[arg-type]
        )

    return run


def read_in_passes(dispatch: Dispatch, counter: str) -> list[float]:
    return [value for _, value in dispatch.by_counter.get(counter, [])]


def only_dispatch(path: Path) -> Dispatch:
    (dispatch,) = mp.open_trace(path).dispatches()
    return dispatch


def file_of(run: Run, suffix: str) -> Path:
    return next(path for path in run.files if path.suffix == suffix)


def test_passes_over_restored_memory_agree(grow: Grow, tmp_path: Path) -> None:
    run = grow("device")
    assert (run.exit_code, run.stdout) == (0, "device 1\n")
    dispatch = only_dispatch(tmp_path / "out")
    assert dispatch.outcome == "replayed"
    assert read_in_passes(dispatch, "SQ_INSTS_VALU") == [100, 100, 100]
    assert read_in_passes(dispatch, "GRBM_GUI_ACTIVE") == [read_in_passes(dispatch, "GRBM_GUI_ACTIVE")[0]] * 3
    assert [f for f in mp.verify(tmp_path / "out") if f.severity != "info"] == []


@pytest.mark.parametrize("kind", ["pool", "managed", "fine", "host"])
def test_memory_that_is_not_restored_is_told_by_the_work_of_the_passes(
    grow: Grow, cli: Cli, tmp_path: Path, kind: str
) -> None:
    run = grow(kind)
    assert run.stdout == f"{kind} 3\n"
    assert read_in_passes(only_dispatch(tmp_path / "out"), "SQ_INSTS_VALU") == [100, 200, 300]
    (found,) = (f for f in mp.verify(tmp_path / "out") if f.severity == "warning" and f.check == "agreement")
    assert found.where.endswith("dispatch 1, SQ_INSTS_VALU")
    assert found.message == "100 in pass 0, 300 in pass 2"
    assert "memory that is not restored" in found.hint
    assert cli("verify", tmp_path / "out").returncode == 0
    assert cli("verify", "--strict", tmp_path / "out").returncode == 6


def test_inputs_that_change_inside_the_window_are_told_by_the_work_of_the_passes(grow: Grow, tmp_path: Path) -> None:
    run = grow("device", faults="inputs_change:pass=1")
    assert run.stdout == "device 1\n", "the memory of the last pass"
    dispatch = only_dispatch(tmp_path / "out")
    assert read_in_passes(dispatch, "SQ_INSTS_VALU") == [100, 25600, 100], "it finds 255 in place of 0"
    (found,) = (f for f in mp.verify(tmp_path / "out") if f.severity == "warning" and f.check == "agreement")
    assert found.message == "100 in pass 0, 25600 in pass 1"


def test_a_sentinel_that_nobody_asked_for_is_no_counter_of_the_dispatch_in_any_file(grow: Grow, tmp_path: Path) -> None:
    run = grow("pool", formats="perfetto,rocpd,csv,json")
    for suffix in (".journal", ".pftrace", ".db"):
        dispatch = only_dispatch(file_of(run, suffix))
        assert set(dispatch.counters) == set(THREE_PASSES), suffix
        assert read_in_passes(dispatch, "SQ_INSTS_VALU") == [100, 200, 300], suffix
    with closing(sqlite3.connect(file_of(run, ".db"))) as database:
        names = {name for (name,) in database.execute("SELECT DISTINCT counter_name FROM counters_collection")}
        assert names == set(THREE_PASSES)
        conflicts = database.execute(
            "SELECT canonical_value FROM replay_conflicts WHERE counter_name = 'SQ_INSTS_VALU'"
        ).fetchall()
        assert conflicts == [(None,)]
    rows = [line.split(",") for line in file_of(run, ".csv").read_text(encoding="utf-8").splitlines()]
    counter, canonical = rows[0].index("counter"), rows[0].index("canonical")
    # The kernel's name has no comma.
    assert {row[canonical] for row in rows[1:] if row[counter] == "SQ_INSTS_VALU"} == {"false"}
    marked = [row[counter] for row in rows[1:] if row[canonical] == "true"]
    assert sorted(marked) == sorted(THREE_PASSES), "TCC_MISS is a sentinel, too, in another pass than its own"


def test_the_summary_and_the_report_name_them(grow: Grow, cli: Cli, tmp_path: Path) -> None:
    run = grow("device")
    assert run.summary is not None
    (agent,) = run.summary["agents"]
    assert agent["pass_count"] == len(agent["sentinels"]) == 3
    for counters, sentinels in zip(agent["passes"], agent["sentinels"], strict=True):
        assert {"GRBM_GUI_ACTIVE", "SQ_INSTS_VALU"} <= set(sentinels) <= set(counters)
    report = cli("report", tmp_path / "out").stdout
    assert "6 counters in 3 passes" in report
    table = report[report.index("Agreement of the passes") :]
    assert [line.split() for line in table.splitlines() if "SQ_INSTS_VALU" in line] == [
        ["SQ_INSTS_VALU", "0", "1", "1"]
    ]
    document = json.loads(cli("report", "--json", tmp_path / "out").stdout)
    kernels = document["processes"][0]["kernels"]
    assert set(kernels[0]["counters"]) == set(THREE_PASSES)


def test_a_requested_counter_keeps_the_reading_of_the_pass_that_it_was_planned_for(grow: Grow, tmp_path: Path) -> None:
    # The fuller pass comes first, and has it as a sentinel.
    groups = [["SQ_INSTS_VALU", "WRITE_SIZE"], ["FETCH_SIZE", "SQ_WAVES", "SQ_INSTS_SALU", "SQ_INSTS_SMEM"]]
    run = grow("pool", THREE_PASSES, groups=groups)
    own = next(k for k, p in enumerate(only_dispatch(tmp_path / "out").agent.passes) if "WRITE_SIZE" in p.counters)
    assert own > 0, "else it would be the lowest pass as well"
    for suffix in (".journal", ".pftrace", ".db"):
        dispatch = only_dispatch(file_of(run, suffix))
        assert dispatch.counter("SQ_INSTS_VALU") == 100 * (own + 1), suffix
        assert dispatch.canonical_pass["SQ_INSTS_VALU"] is dispatch.canonical_pass["WRITE_SIZE"], suffix
    assert [f for f in mp.verify(tmp_path / "out") if f.severity == "error"] == []


# The lower pass has both counters of a metric as sentinels, the higher one was planned for them.
TRANSLATION = ("TCP_UTCL1_REQUEST_sum", "TCP_UTCL1_TRANSLATION_HIT_sum")
HITS = ("TCC_HIT_sum", "TCC_MISS_sum")
NAMED = {"sets": "cache", "groups": [[*TRANSLATION, *HITS]], "sentinel": HITS}


@pytest.mark.parametrize(
    ("options", "faults"),
    [
        ({}, ""),
        ({"sentinel": ["SQ_WAVES", "TCC_HIT"]}, ""),
        ({}, "record_lost:pass=0"),
        ({}, "record_lost:pass=1"),
        ({"replay": "rotate"}, "record_lost"),
        ({"kernel_include": "nothing"}, ""),
        (NAMED, ""),
    ],
    ids=["default", "named", "first lost", "second lost", "lost without replay", "filtered", "named of a set"],
)
def test_every_file_says_the_same_of_each_reading(grow: Grow, options: dict[str, object], faults: str) -> None:
    run = grow("pool", faults=faults, **options)
    known = []
    for suffix in (".journal", ".pftrace", ".db"):
        trace = mp.open_trace(file_of(run, suffix))
        kernels = by_kernel(trace.dispatches())
        known.append(
            (
                list(rows(trace)),
                [(dict(d.counters), mp.metric_values(d)) for d in trace.dispatches()],
                {name: k.source(name) for k in kernels for name in k.counters},
                [a.passes for a in trace.agents],
                [(p.label, p.status, len(p.readings)) for d in trace.dispatches() for p in d.passes],
            )
        )
    journal, trace_file, database = known
    assert trace_file == journal
    assert database == journal


def test_a_pass_whose_record_was_lost_is_partial_in_every_file(grow: Grow) -> None:
    run = grow("device", faults="record_lost:pass=1")
    for suffix in (".journal", ".pftrace", ".db"):
        passes = only_dispatch(file_of(run, suffix)).passes
        assert [(p.index, p.status, bool(p.readings)) for p in passes] == [
            (0, "OK", True),
            (1, "PARTIAL", False),
            (2, "OK", True),
        ]


def test_a_metric_is_of_the_pass_that_its_counters_were_planned_for(grow: Grow, tmp_path: Path) -> None:
    grow("device", (), **NAMED)
    dispatch = only_dispatch(tmp_path / "out")
    both = [k for k, p in enumerate(dispatch.agent.passes) if set(HITS) <= set(p.counters)]
    own = [k for k in both if not set(HITS) & set(dispatch.agent.passes[k].sentinels)]
    (planned,) = (m for m in metrics_on("gfx942", ("cache",)) if m.name == "l2_hit_rate")
    (value,) = values_of(dispatch, (planned,))
    assert (both[0] < own[0], value.group) == (True, own[0])


def test_none_reads_nothing_beside_what_was_asked_for(grow: Grow, tmp_path: Path) -> None:
    grow("device", sentinel="none")
    dispatch = only_dispatch(tmp_path / "out")
    assert sorted(r.counter for p in dispatch.passes for r in p.readings) == sorted(THREE_PASSES)


def test_without_replay_there_are_none(grow: Grow, tmp_path: Path) -> None:
    run = grow("device", replay="off", sentinel=["SQ_WAVES", "NOPE"])
    assert "the sentinel SQ_WAVES is not read: no launch is replayed, by 'replay off'" in run.stderr
    assert "the sentinel 'NOPE' is left out: not a counter of gfx942" in run.stderr
    dispatch = only_dispatch(tmp_path / "out")
    assert all(not p.sentinels for p in dispatch.agent.passes)
    assert set(dispatch.by_counter) <= set(THREE_PASSES)


def test_named_ones_are_read_and_those_that_cannot_be_are_told(grow: Grow, tmp_path: Path) -> None:
    names = ["SQ_WAVES", "SQ_WAVS", "TCC_BUSY", "SE_NUM", "SQ_WAVES:device=4", "TCC_*"]
    run = grow("device", [*THREE_PASSES, "TCC_REQ", "TCC_ATOMIC", "TCC_WRITEBACK"], sentinel=names)
    dispatch = only_dispatch(tmp_path / "out")
    assert read_in_passes(dispatch, "SQ_WAVES") == [1, 1, 1]
    assert {s for p in dispatch.agent.passes for s in p.sentinels} == {"SQ_WAVES"}
    assert run.summary is not None
    no_room = "compares nothing and is left out: there is no room for it in any pass: no free TCC registers"
    assert sorted(run.summary["warnings"]) == [
        "'SE_NUM' is no sentinel: a constant of the agent, the same for every dispatch",
        f"GPU 0 (gfx942): the sentinel TCC_BUSY {no_room}",
        "the sentinel 'SQ_WAVES:device=4' is left out: there is only GPU 0",
        "the sentinel 'SQ_WAVS' is left out: not a counter of gfx942; did you mean SQ_WAVES?",
        "the sentinel 'TCC_*' is left out: there are no wildcards in an events list: name each counter in full",
    ]


def test_the_plan_on_paper_is_that_of_the_run_and_of_its_files(grow: Grow, tmp_path: Path) -> None:
    run = grow("device")
    planned = mp.plan("gfx942", THREE_PASSES).agents[0].passes
    for suffix in (".journal", ".pftrace", ".db"):
        seen = only_dispatch(file_of(run, suffix)).agent.passes
        assert [(p.counters, p.sentinel) for p in planned] == [(p.counters, p.sentinels) for p in seen]


def test_the_list_of_a_run_says_what_its_passes_are_compared_by(grow: Grow) -> None:
    run = grow("device", verbose=True)
    assert "GPU 0 (gfx942): 6 counters in 3 passes (lower bound 3), compared by GRBM_GUI_ACTIVE, SQ_INSTS_VALU" in (
        run.stderr
    )
