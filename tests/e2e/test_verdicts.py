# SPDX-License-Identifier: MIT
"""Same work, same clock, same caches: said alike by exporter and readers, and true of what the simulator did."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import trace_tools as tools
from e2e_tools import ROOT
from fault_tools import FAULTS_VARIABLE
from hypothesis import example, given, settings
from hypothesis import strategies as st

import rocprofsys_multipass as mp
from rocprofsys_multipass import Run
from rocprofsys_multipass.native import Native
from rocprofsys_multipass.trace import KernelVerdicts
from rocprofsys_multipass.verify import Finding

GROWS = ROOT / "tests" / "hip_sources" / "grows.cpp"
ONCE = ROOT / "tests" / "hip_sources" / "once.cpp"
THREE_PASSES = ("FETCH_SIZE", "WRITE_SIZE", "TCC_HIT", "TCC_MISS", "TCC_READ", "TCC_WRITE")
COUNTERS = ("SQ_INSTS_VALU", "SQ_INSTS_LDS", "SQ_WAVES", "GRBM_GUI_ACTIVE", "TCC_MISS", "FETCH_SIZE", "TCC_REQ")
VALUES = (0.0, 1.0, 1e6, 1e6 + 1, 1.05e6, 0.1, 3e300, float("inf"), float("nan"))
KERNELS = ("axpy(float*, int)", "init(int)")


@st.composite
def launches(draw: st.DrawFn) -> tuple[tools.Launch, ...]:
    """Some launches, replayed or not, with and without extra passes, that read some counters and have some times."""
    readings = st.dictionaries(st.sampled_from(COUNTERS), st.sampled_from(VALUES))
    found = []
    for number in range(1, draw(st.integers(1, 6)) + 1):
        in_loop = draw(st.booleans())
        same = draw(st.one_of(readings, st.just({"SQ_INSTS_VALU": 1e6})))
        executions = []
        for index in range(draw(st.integers(1, 4)) if in_loop else 1):
            start, length = 1000 * number + 100 * index, draw(st.sampled_from([0, 1, 50, 51, 99]))
            values = draw(st.one_of(st.just(same), readings))
            start = start if draw(st.booleans()) else start + length  # the end may lie before the start
            executions.append(
                tools.Execution(index if in_loop else None, start, 1000 * number + 100 * index + length, values)
            )
        outcome = "incomplete" if in_loop else "declined"
        times = (1000 * number - 50, 1000 * number - 10)
        warm_up, timing = (draw(st.sampled_from([None, None, times])) if in_loop else None for _ in range(2))
        kernel = draw(st.sampled_from(KERNELS))
        found.append(tools.Launch(number, tuple(executions), kernel, outcome, "x", warm_up=warm_up, timing=timing))
    return tuple(found)


def exported(native: Native, folder: Path, run: tools.Run) -> dict[str, Any]:
    """The summary that the exporter makes of a journal."""
    tools.write_run(folder, run, files=("journal",))
    command = [native.exporter, "--quiet", "--format", "summary", folder / f"multipass-{tools.PID}.journal"]
    subprocess.run(command, check=True, capture_output=True)
    summary = json.loads((folder / f"multipass-{tools.PID}.json").read_text(encoding="utf-8"))
    assert isinstance(summary, dict)
    return summary


def of_check(folder: Path, check: str = "verdicts") -> list[Finding]:
    return [f for f in mp.verify(folder) if f.check == check]


ALIKE = tuple(tools.Execution(index, 100 + index, 200, {"SQ_INSTS_VALU": 8}) for index in range(2))
PLAIN = tools.Launch(1, ALIKE, KERNELS[0])


@settings(max_examples=100)
@example(launches=(replace(PLAIN, warm_up=(10, 20)),), simulated=False)
@example(launches=(replace(PLAIN, timing=(0, 0)),), simulated=False)
@example(launches=(PLAIN, replace(PLAIN, id=2, timing=(10, 20))), simulated=False)
@example(launches=(PLAIN, replace(PLAIN, id=2, timing=(10, 20), executions=ALIKE[:1])), simulated=False)
@given(launches=launches(), simulated=st.booleans())
def test_the_exporter_and_the_readers_judge_every_run_alike(
    native: Native, launches: tuple[tools.Launch, ...], *, simulated: bool
) -> None:
    plan = (COUNTERS,) * 4
    with TemporaryDirectory() as folder:
        summary = exported(native, Path(folder), tools.Run(launches, plan=plan, simulated=simulated))
        assert of_check(Path(folder)) == []
        said = {one["kernel"]: one for one in summary["kernels_agreement"]}
        read = {one.kernel: one for one in mp.verdicts(folder)}
    assert said.keys() == read.keys() == {d.kernel for d in launches}
    for kernel, one in read.items():
        for name in ("work", "clock", "cache"):
            aspect = one.aspect(name)  # type: ignore[arg-type]
            assert said[kernel][name]["verdict"] == aspect.verdict
            assert said[kernel][name]["reason"] == aspect.reason
            assert said[kernel][name]["spread"] == aspect.spread
        assert said[kernel]["inputs_restored"] == one.inputs_restored


def test_kernels_beyond_some_thousand_are_judged_together(native: Native, tmp_path: Path) -> None:
    limit = 4096
    alike = (tools.Execution(0, 100, 200, {"SQ_INSTS_VALU": 8}), tools.Execution(1, 300, 400, {"SQ_INSTS_VALU": 8}))
    apart = (alike[0], tools.Execution(1, 300, 450, {"SQ_INSTS_VALU": 6}))
    found = [tools.Launch(n, alike if n <= limit + 1 else apart, f"kernel {n}") for n in range(1, limit + 4)]
    summary = exported(native, tmp_path, tools.Run(tuple(found), plan=(("SQ_INSTS_VALU",),) * 2))
    assert len(summary["kernels_agreement"]) == limit
    assert {one["work"]["verdict"] for one in summary["kernels_agreement"]} == {"exact"}
    rest = summary["kernels_agreement_rest"]
    assert (rest["dispatches"], rest["replayed"], rest["inputs_restored"]) == (3, 3, "no")
    assert rest["work"] == {"verdict": "not", "reason": "", "spread": 0.25, "compared": 3, "in_all_passes": 3}
    assert rest["time"]["passes"] == {"count": 6, "min": 100, "max": 150, "spread": 1 / 3}
    assert of_check(tmp_path) == []


Grow = Callable[..., tuple[Run, KernelVerdicts]]


@pytest.fixture
def grow(build: Callable[[Path], Path], environment: dict[str, str], tmp_path: Path) -> Grow:
    """Runs grows.cpp, whose kernel issues 100 vector instructions for each execution that it finds and its own."""

    def run(
        kind: str = "device", *, source: Path = GROWS, faults: str = "", **options: Any
    ) -> tuple[Run, KernelVerdicts]:
        done = mp.run(
            [build(source), kind],
            events=THREE_PASSES,
            simulate="gfx942",
            output=tmp_path / "out",
            env=environment | {FAULTS_VARIABLE: faults},
            capture=True,
            **({} if "replay" in options else {"unsafe": "all"}),  # memory that is not restored is what it is about
            **options,
        )
        assert done.exit_code == 0
        assert of_check(tmp_path / "out") == []
        (one,) = mp.verdicts(tmp_path / "out")
        return done, one

    return run


def work_of(folder: Path) -> list[float]:
    (dispatch,) = mp.open_trace(folder).dispatches()
    return [value for _, value in dispatch.by_counter["SQ_INSTS_VALU"]]


@pytest.mark.parametrize(
    ("where", "work", "verdict", "spread"),
    [
        ("device", [100, 100, 100], "exact", 0),
        ("pool", [100, 200, 300], "not", 2 / 3),
        ("managed", [100, 200, 300], "not", 2 / 3),
        ("device restore_skipped", [100, 200, 300], "not", 2 / 3),
        ("device restore_skipped:pass=2", [100, 100, 200], "not", 1 / 2),
        ("device restore_wrong", [100, 25_600, 25_600], "not", 1 - 1 / 256),
        # What was not restored is 0 before and after.
        ("device restore_partial", [100, 100, 100], "exact", 0),
    ],
)
def test_memory_that_is_not_restored_is_told_by_the_work(
    grow: Grow, where: str, work: list[float], verdict: str, spread: float
) -> None:
    kind, _, faults = where.partition(" ")
    done, one = grow(kind, faults=faults)
    folder = done.output_dir
    assert work_of(folder) == work
    assert (one.work.verdict, one.work.reason) == (verdict, "")
    assert one.work.spread == pytest.approx(spread)
    assert (one.replayed, one.work.compared, one.work.in_all_passes) == (1, 1, 1)
    assert one.inputs_restored == ("no" if verdict == "not" else "unknown")
    assert done.summary is not None
    (said,) = done.summary["kernels_agreement"]
    assert (said["work"]["verdict"], said["inputs_restored"]) == (verdict, one.inputs_restored)
    warned = [f for f in of_check(folder, "agreement") if f.severity == "warning"]
    assert len(warned) == (verdict == "not")
    assert all("--no-replay" in f.hint and "--replay rotate" in f.hint for f in warned)


EXTRAS = [{"warm_up_pass": True}, {"timing_pass": True}, {"warm_up_pass": True, "timing_pass": True}]


@pytest.mark.parametrize("extras", [{}, *EXTRAS], ids=lambda extras: "+".join(extras) or "none")
@pytest.mark.parametrize(
    ("source", "where", "work"),
    [(ONCE, "managed", [700, 100, 100]), (GROWS, "device restore_wrong", [100, 25_600, 25_600])],
    ids=["managed", "restore_wrong"],
)
def test_passes_that_agree_after_an_unread_execution_are_not_called_the_same_work(
    grow: Grow, source: Path, where: str, work: list[float], extras: dict[str, bool]
) -> None:
    kind, _, faults = where.partition(" ")
    done, one = grow(kind, source=source, faults=faults, **extras)
    # All passes that read counters are after the first execution where there is another before them.
    assert work_of(done.output_dir) == ([work[-1]] * len(work) if extras else work)
    expected = ("unknown", "first_unread", "unknown") if extras else ("not", "", "no")
    assert (one.work.verdict, one.work.reason, one.inputs_restored) == expected
    assert (one.work.spread is None, one.work.compared) == (bool(extras), 1)
    assert done.summary is not None
    (said,) = done.summary["kernels_agreement"]
    assert (said["work"]["verdict"], said["work"]["reason"], said["inputs_restored"]) == expected


@pytest.mark.parametrize("extras", EXTRAS, ids="+".join)
def test_work_that_differs_after_an_unread_execution_is_still_told(grow: Grow, extras: dict[str, bool]) -> None:
    done, one = grow("managed", **extras)
    found = work_of(done.output_dir)
    assert found == [100 * (len(extras) + n) for n in (1, 2, 3)]
    assert (one.work.verdict, one.work.spread, one.inputs_restored) == ("not", (found[2] - found[0]) / found[2], "no")


@pytest.mark.parametrize("extras", [{}, {"warm_up_pass": True, "timing_pass": True}], ids=["plain", "extras"])
def test_every_file_gives_the_same_verdicts(grow: Grow, extras: dict[str, bool]) -> None:
    done, _ = grow("device" if extras else "pool", faults="cache_warm:pass=1", **extras)
    files = [next(path for path in done.files if path.suffix == suffix) for suffix in (".journal", ".pftrace", ".db")]
    of_journal, of_trace, of_database = (
        [(v.kernel, v.work, v.clock, v.cache, v.pass_0, v.passes, v.spread) for v in mp.verdicts(file)]
        for file in files
    )
    assert of_trace == of_journal
    assert of_database == of_journal


def test_a_cache_that_is_warm_in_later_passes_is_told_and_is_no_other_work(grow: Grow) -> None:
    done, one = grow(faults="cache_warm")
    assert (one.work.verdict, one.cache.verdict, one.cache.spread) == ("exact", "not", 1)
    assert "TCC_MISS" in one.cache.counters
    assert one.inputs_restored == "unknown"
    assert done.summary is not None
    assert done.summary["kernels_agreement"][0]["cache"]["verdict"] == "not"
    _, cold = grow(overwrite=True)
    assert (cold.cache.verdict, cold.cache.spread) == ("exact", 0)


def test_a_sentinel_that_is_0_everywhere_makes_no_verdict(grow: Grow) -> None:
    done, one = grow("pool", sentinel=["SQ_INSTS_LDS"])
    assert (one.work.verdict, one.work.reason, one.inputs_restored) == ("unknown", "zero", "unknown")
    assert done.summary is not None
    assert done.summary["kernels_agreement"][0]["work"]["reason"] == "zero"


def test_without_replay_there_is_no_verdict(grow: Grow) -> None:
    done, one = grow("pool", replay="rotate")
    assert {one.work.reason, one.clock.reason, one.cache.reason} == {"not_replayed"}
    assert done.summary is not None
    assert done.summary["kernels_agreement"][0]["replayed"] == 0


def test_the_end_of_a_run_names_what_differs(
    build: Callable[[Path], Path], cli: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    words = ["run", "--simulate", "gfx942", "--events", ",".join(THREE_PASSES), "-o", tmp_path / "out"]
    lines = cli(*words, "--unsafe", "all", "--", build(GROWS), "pool").stderr.splitlines()
    differs = "passes of grow(int*): not the same work (66.7 %), same clock unknown (simulated), same caches exact"
    assert differs in lines
    assert any("--no-replay" in line for line in lines[lines.index(differs) :])
    assert any("pass 0 time" in line and "over passes" in line for line in lines)


def test_the_end_of_a_run_says_once_why_the_work_is_not_known(
    build: Callable[[Path], Path], cli: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    words = [
        "run",
        "--simulate",
        "gfx942",
        "--events",
        ",".join(THREE_PASSES),
        "--warm-up-pass",
        "--unsafe",
        "managed_memory",
        "-o",
        tmp_path / "out",
    ]
    lines = cli(*words, "--", build(ONCE), "managed").stderr.splitlines()
    assert any("passes of all kernels that were replayed: same work unknown (see below)" in line for line in lines)
    told = [line for line in lines if "read no counters" in line]
    assert len(told) == 1
    assert told[0].startswith("  same work is unknown: the first execution, the only one on the memory")
    text = cli("report", tmp_path / "out").stdout
    assert text.replace("\n", " ").count("Same work is unknown: the first execution") == 1
