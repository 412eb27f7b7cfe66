# SPDX-License-Identifier: MIT
"""Same work, same clock, same caches: what is said of the passes of a kernel, and what is not."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import trace_tools as tools
from hypothesis import given
from hypothesis import strategies as st

import rocprofsys_multipass as mp
from rocprofsys_multipass.cli.agreement_lines import agreement_lines
from rocprofsys_multipass.report import report
from rocprofsys_multipass.trace import KernelVerdicts, Process, Tolerances, Trace
from rocprofsys_multipass.trace.agent import Agent
from rocprofsys_multipass.trace.agreement import verdicts_of
from rocprofsys_multipass.trace.model import Dispatch, Interval, Kernel, Pass, Reading
from rocprofsys_multipass.trace.nature import kind_of_counter, nature_of
from rocprofsys_multipass.verify import verify
from rocprofsys_multipass.verify.verdicts import KERNELS, REST

AGENT = Agent(index=1, device=0, name="gfx942")
Readings = Mapping[str, float]
NS = 1000


def launch(*passes: Readings, number: int = 1, kernel: str = "k", times: Sequence[int] | None = None) -> Dispatch:
    """A replayed dispatch; each pass takes 1000 ns, or as `times` says, 0 for unknown."""
    lengths = times or [NS] * len(passes)
    return Dispatch(
        process=1,
        dispatch_id=number,
        agent=AGENT,
        symbol=Kernel(id=hash(kernel) % 97, name=kernel, demangled=kernel),
        outcome="replayed",
        passes=tuple(
            Pass(
                index,
                index,
                10_000 * index if length else None,
                10_000 * index + length if length else None,
                tuple(Reading(counter, value) for counter, value in read.items()),
            )
            for index, (read, length) in enumerate(zip(passes, lengths, strict=True))
        ),
    )


def process_of(*dispatches: Dispatch, simulated: bool | None = False) -> Process:
    return Process(path=Path("x"), kind="journal", pid=1, agents=(AGENT,), dispatches=dispatches, simulated=simulated)


def judged(*dispatches: Dispatch, simulated: bool | None = False, **options: Any) -> KernelVerdicts:
    (one,) = mp.verdicts(Trace((process_of(*dispatches, simulated=simulated),)), **options)
    return one


def passes_of(counter: str, *values: float) -> list[Readings]:
    return [{counter: value} for value in values]


@pytest.mark.parametrize(
    ("aspect", "counter"),
    [("work", "SQ_INSTS_VALU"), ("work", "SQ_WAVE32_INSTS"), ("clock", "GRBM_GUI_ACTIVE"), ("cache", "TCC_MISS")],
)
@pytest.mark.parametrize(
    ("values", "verdict", "spread"),
    [
        ((1000, 1000), "exact", 0),
        ((10_000, 10_005), "within", 5 / 10_005),
        ((1000, 500, 1000), "not", 0.5),
        ((0, 7), "not", 1),
        ((float("inf"), 7), "not", 1),
    ],
)
def test_values_of_passes_are_exact_within_the_tolerance_or_not(
    aspect: Any, counter: str, values: Sequence[float], verdict: str, spread: float
) -> None:
    one = judged(launch(*passes_of(counter, *values))).aspect(aspect)
    assert (one.verdict, one.reason, one.counters) == (verdict, "", (counter,))
    assert one.spread == pytest.approx(spread)
    assert (one.compared, one.in_all_passes, one.worst) == (1, 1, 1 if spread else None)


def test_each_verdict_has_a_tolerance_of_its_own() -> None:
    values = (1000, 1040)
    both = launch(*({"SQ_INSTS_VALU": v, "TCC_MISS": v, "GRBM_GUI_ACTIVE": v} for v in values))
    one = judged(both)
    assert [one.aspect(name).verdict for name in ("work", "clock", "cache")] == ["not", "within", "within"]
    one = judged(both, tolerances=Tolerances(work=0.04, clock=0.01, cache=0.039))
    assert [one.aspect(name).verdict for name in ("work", "clock", "cache")] == ["within", "not", "within"]


@pytest.mark.parametrize("name", ["work", "clock", "cache"])
@pytest.mark.parametrize("value", [-0.01, math.nan])
def test_a_tolerance_that_nothing_can_meet_is_refused(name: str, value: float) -> None:
    with pytest.raises(ValueError, match=f"^tolerance {name} is {value!r}: give 0 or more"):
        mp.Tolerances(**{name: value})


def test_counters_that_are_0_in_all_passes_prove_nothing() -> None:
    one = judged(launch(*({"SQ_INSTS_VALU": 0, "TCC_MISS": 0, "GRBM_GUI_ACTIVE": 0} for _ in range(2))))
    for aspect in (one.work, one.clock, one.cache):
        assert (aspect.verdict, aspect.reason, aspect.spread, aspect.compared) == ("unknown", "zero", None, 0)


def test_what_was_read_in_one_pass_only_is_not_compared() -> None:
    one = judged(launch({"SQ_INSTS_VALU": 5, "TCC_MISS": 5}, {"GRBM_GUI_ACTIVE": 5}))
    assert {(a.verdict, a.reason) for a in (one.work, one.clock, one.cache)} == {("unknown", "not_read")}


def test_waves_can_show_different_work_and_never_the_same() -> None:
    alike = judged(launch(*passes_of("SQ_WAVES", 8, 8))).work
    assert (alike.verdict, alike.reason, alike.compared) == ("unknown", "waves_only", 0)
    apart = judged(launch(*passes_of("SQ_WAVES", 8, 6))).work
    assert (apart.verdict, apart.spread, apart.worst) == ("not", 0.25, 1)


READ_NOTHING = Interval(1, 2)


@pytest.mark.parametrize("extra", ["warm_up", "timing"])
def test_passes_after_an_execution_that_read_nothing_are_never_called_the_same_work(extra: str) -> None:
    def work_of(*values: float, counter: str = "SQ_INSTS_VALU") -> tuple[str, str, float | None]:
        one = judged(replace(launch(*passes_of(counter, *values)), **{extra: READ_NOTHING}))  # type: ignore[arg-type]
        return one.work.verdict, one.work.reason, one.work.spread

    assert work_of(8, 8) == ("unknown", "first_unread", None)
    assert work_of(10_000, 10_005) == ("unknown", "first_unread", None)
    assert work_of(8, 6) == ("not", "", 0.25)
    assert work_of(0, 0) == ("unknown", "zero", None)
    assert work_of(8, 8, counter="SQ_WAVES") == ("unknown", "waves_only", None)


def test_an_unread_first_execution_says_nothing_of_clock_and_caches() -> None:
    plain = launch(*({"GRBM_GUI_ACTIVE": 7, "TCC_MISS": 8} for _ in range(2)))
    one, of_plain = judged(replace(plain, warm_up=READ_NOTHING)), judged(plain)
    assert (one.clock, one.cache) == (of_plain.clock, of_plain.cache)
    assert (one.clock.verdict, one.cache.verdict) == ("exact", "exact")


def test_one_launch_whose_first_execution_was_not_read_leaves_the_work_of_its_kernel_unknown() -> None:
    plain = launch(*passes_of("SQ_INSTS_VALU", 8, 8))
    unread = replace(launch(*passes_of("SQ_INSTS_VALU", 8, 8), number=2), warm_up=READ_NOTHING)
    one = judged(plain, unread)
    assert (one.work.verdict, one.work.reason, one.work.compared) == ("unknown", "first_unread", 2)
    of_one_pass = replace(launch({"SQ_INSTS_VALU": 8}, number=3), warm_up=READ_NOTHING)
    assert judged(plain, of_one_pass).work.verdict == "exact"
    assert judged(unread, launch(*passes_of("SQ_INSTS_VALU", 8, 6), number=4)).inputs_restored == "no"


def test_requests_to_a_cache_say_nothing_of_its_state() -> None:
    assert judged(launch(*passes_of("TCC_REQ", 8, 8))).cache.reason == "not_read"


@pytest.mark.parametrize(
    ("counter", "kind"),
    [
        ("SQ_INSTS_VALU_FMA_F32", "instructions"),
        ("SQ_WAVES_sum", "waves"),
        ("SQ_WAVES_RESTORED", "time"),
        ("SQ_INSTS_VALU_MFMA_BUSY", "time"),
        ("SQ_BUSY_CYCLES", "time"),
        ("GRBM_COUNT", "time"),
        ("GRBM_GUI_ACTIVE", "clock"),
        ("TCC_EA0_RDREQ", "cache"),
        ("TCC_EA0_RDREQ_LEVEL", "time"),
        ("GL2C_MISS_sum", "cache"),
        ("TCC_HIT[3]", "cache"),
        ("FETCH_SIZE", "cache"),
        ("WRITE_SIZE", "traffic"),
        ("TCP_TOTAL_READ", "traffic"),
        ("MemUnitStalled", "time"),
        ("VALUUtilization", "time"),
        ("TA_TOTAL_WAVEFRONTS", "other"),
    ],
)
def test_a_counter_speaks_for_one_thing(counter: str, kind: str) -> None:
    assert kind_of_counter(counter) == kind
    assert nature_of(counter) == {"clock": "time", "traffic": "cache", "cache": "cache", "time": "time"}.get(
        kind, "work"
    )


def test_the_clock_is_cycles_over_the_time_of_their_own_pass() -> None:
    cycles = passes_of("GRBM_GUI_ACTIVE", 1000, 2000)
    same = judged(launch(*cycles, times=(500, 1000)))
    assert (same.clock.verdict, same.clock.spread) == ("exact", 0)
    assert (same.pass_0.total, same.passes.low, same.passes.high, same.spread) == (500, 500, 1000, 0.5)  # type: ignore[union-attr]
    half = judged(launch(*cycles, times=(1000, 1000))).clock
    assert (half.verdict, half.spread) == ("not", 0.5)


def test_cycles_without_times_say_nothing_of_the_clock() -> None:
    one = judged(launch(*passes_of("GRBM_GUI_ACTIVE", 7, 7), times=(1000, 0)))
    assert (one.clock.verdict, one.clock.reason) == ("unknown", "no_times")


def test_the_times_of_a_simulation_are_not_called_a_clock() -> None:
    one = judged(launch(*passes_of("GRBM_GUI_ACTIVE", 7, 7)), simulated=True)
    assert (one.clock.verdict, one.clock.reason, one.clock.compared) == ("unknown", "simulated", 1)


def test_launches_that_ran_once_are_counted_and_not_compared() -> None:
    single = replace(launch({"SQ_INSTS_VALU": 1}), outcome="declined", dispatch_id=2)
    one = judged(launch(*passes_of("SQ_INSTS_VALU", 4, 4)), single)
    assert (one.dispatches, one.replayed, one.work.compared) == (2, 1, 1)
    alone = judged(single)
    assert (alone.replayed, alone.work.reason, alone.pass_0, alone.spread) == (0, "not_replayed", None, 0)


def test_verdicts_are_shown_in_one_short_line(tmp_path: Path) -> None:
    trace = mp.open_trace(tools.write_run(tmp_path, UNEQUAL, files=("journal",)))
    assert repr(mp.verdicts(trace)) == (
        "[<KernelVerdicts 'axpy(float*, int)' on GPU 0 [gfx942]: work not, clock within, cache unknown; replayed 1>]"
    )


def test_a_verdict_says_in_how_many_launches_every_pass_was_compared() -> None:
    most = launch({"SQ_INSTS_VALU": 4}, {"SQ_INSTS_VALU": 4}, {})
    whole = launch(*passes_of("SQ_INSTS_VALU", 4, 4, 4), number=2)
    none = launch({}, {}, number=3)
    one = judged(most, whole, none)
    assert (one.replayed, one.work.compared, one.work.in_all_passes, one.work.verdict) == (3, 2, 1, "exact")


def test_inputs_are_never_called_restored() -> None:
    assert judged(launch(*passes_of("SQ_INSTS_VALU", 4, 4))).inputs_restored == "unknown"
    assert judged(launch(*passes_of("SQ_INSTS_VALU", 4, 5))).inputs_restored == "no"
    assert judged(launch(*passes_of("SQ_WAVES", 4, 4))).inputs_restored == "unknown"


def test_kernels_are_told_apart_and_chosen_by_name() -> None:
    trace = Trace((process_of(launch(*passes_of("SQ_INSTS_VALU", 4, 4)), launch({}, {}, number=2, kernel="other")),))
    assert [one.kernel for one in mp.verdicts(trace)] == ["k", "other"]
    assert [one.kernel for one in mp.verdicts(trace, kernel="oth")] == ["other"]


def test_a_dispatch_tells_how_its_passes_spread() -> None:
    spread = launch({}, {}, {}, times=(100, 80, 0)).duration_spread
    assert spread is not None
    assert (spread.passes, spread.low_ns, spread.high_ns, spread.relative) == (2, 80, 100, 0.2)
    assert launch({}, {}, times=(100, 0)).duration_spread is None


COUNTERS = ("SQ_INSTS_VALU", "SQ_WAVES", "TCC_MISS", "GRBM_GUI_ACTIVE")
read = st.dictionaries(st.sampled_from(COUNTERS), st.sampled_from([0.0, 1.0, 1000.0, 1000.5, 3e9]))
passes = st.lists(st.tuples(read, st.sampled_from([0, 100, 101, 5000])), min_size=1, max_size=4)


@given(launches=st.lists(passes, min_size=1, max_size=4), data=st.data(), simulated=st.booleans())
def test_verdicts_do_not_depend_on_the_order_of_launches_or_passes(
    launches: list[list[tuple[Readings, int]]], data: st.DataObject, *, simulated: bool
) -> None:
    def made(of: list[list[tuple[Readings, int]]]) -> Process:
        found = (launch(*(r for r, _ in one), times=[ns for _, ns in one], number=n) for n, one in enumerate(of, 1))
        return process_of(*found, simulated=simulated)

    def said(process: Process) -> object:
        (one,) = verdicts_of(process, process.dispatches)
        aspects = [replace(one.aspect(name), worst=None) for name in ("work", "clock", "cache")]
        return one.dispatches, one.replayed, aspects, one.passes, one.spread, one.inputs_restored

    mixed = [data.draw(st.permutations(one)) for one in data.draw(st.permutations(launches))]
    assert said(made(launches)) == said(made(mixed))


# -- What the files and the printed texts say --

UNEQUAL = replace(
    tools.sample_run(),
    plan=(("SQ_INSTS_VALU", "GRBM_GUI_ACTIVE"), ("SQ_INSTS_VALU", "GRBM_GUI_ACTIVE", "TCC_MISS")),
    launches=(
        tools.Launch(
            1,
            (
                tools.Execution(0, 1000, 1100, {"SQ_INSTS_VALU": 100, "GRBM_GUI_ACTIVE": 300}),
                tools.Execution(1, 1150, 1350, {"SQ_INSTS_VALU": 200, "GRBM_GUI_ACTIVE": 594, "TCC_MISS": 9}),
            ),
        ),
    ),
    simulated=False,
)
ENTRY = {
    "agent": 1,
    "device": 0,
    "kernel_id": 1,
    "kernel": "axpy(float*, int)",
    "dispatches": 1,
    "replayed": 1,
    "work": {"verdict": "not", "reason": "", "spread": 0.5, "compared": 1, "in_all_passes": 1},
    "clock": {"verdict": "within", "reason": "", "spread": (3 - 2.97) / 3, "compared": 1, "in_all_passes": 1},
    "cache": {"verdict": "unknown", "reason": "not_read", "spread": None, "compared": 0, "in_all_passes": 0},
    "inputs_restored": "no",
    "time": {
        "pass_0": {"count": 1, "total": 100, "min": 100, "max": 100},
        "passes": {"count": 2, "min": 100, "max": 200, "spread": 0.5},
    },
}
WITHOUT_NAME = {name: ENTRY[name] for name in list(ENTRY)[4:]}


def findings(folder: Path, listed: object, rest: object) -> list[tuple[str, str]]:
    tools.write_run(folder, UNEQUAL)
    file = folder / f"multipass-{tools.PID}.json"
    content = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps(content | {KERNELS: listed, REST: rest}), encoding="utf-8")
    return [(f.where.partition(": ")[2], f.message) for f in verify(folder) if f.check == "verdicts"]


def test_the_summary_is_compared_with_the_readings(tmp_path: Path) -> None:
    assert findings(tmp_path / "right", [ENTRY], None) == []
    assert findings(tmp_path / "rest", [], WITHOUT_NAME) == []
    where = f"{KERNELS}, kernel 1 of agent 1, inputs_restored"
    assert findings(tmp_path / "wrong", [ENTRY | {"inputs_restored": "unknown"}], None) == [
        (where, "it is 'unknown', the journal has 'no'")
    ]
    ((where, message),) = findings(tmp_path / "missing", [], None)
    assert (where, message[:23]) == (REST, "it is None, the journal")
    assert findings(tmp_path / "more", [ENTRY, ENTRY | {"kernel_id": 8}], None) == [
        (KERNELS, "kernel 8 of agent 1 was not launched")
    ]


def test_a_report_has_the_verdicts_in_every_form(tmp_path: Path) -> None:
    trace = mp.open_trace(tools.write_run(tmp_path, UNEQUAL, files=("journal",)))
    (entry,) = json.loads(report(trace, "json"))["processes"][0]["verdicts"]
    assert entry["work"] == ENTRY["work"] | {"counters": ["SQ_INSTS_VALU"], "worst": 1}  # type: ignore[operator]
    assert (entry["inputs_restored"], entry["passes"]["max"], entry["spread"]) == ("no", 200, 0.5)
    row = "| `axpy(float*, int)` | 0 | 1 | not: 50.0 % | within 1.0 % | unknown | 50.0 % | no |"
    markdown = report(trace, "markdown").splitlines()
    assert row in markdown
    assert "Same caches is unknown: no counter of it was in two passes." in markdown
    text = report(trace)
    assert "0  not: 50.0 %  within 1.0 %  unknown            50.0 %  no               axpy(float*, int)" in text
    assert "--no-replay with the kernel's name, or --replay rotate" in text
    verdicts = re.findall(r'<span class="(\w+)">([^<]*)</span>', report(trace, "html").partition(">Times differ<")[2])
    assert verdicts[:4] == [("bad", "not: 50.0 %"), ("good", "within 1.0 %"), ("dim", "unknown"), ("bad", "no")]
    assert report(trace, "csv").splitlines()[1].endswith(",64,1,1,not,within,unknown,100,pass 0")


def test_a_run_names_the_kernels_whose_passes_differ() -> None:
    good = ENTRY | {"work": {**ENTRY["work"], "verdict": "exact", "spread": 0.0}, "kernel_id": 2}  # type: ignore[dict-item]
    of_others = "same clock within 1.0 %, same caches unknown (not read in two passes)"
    assert list(agreement_lines({KERNELS: [good, good], REST: None})) == [
        f"passes of all kernels that were replayed: same work exact, {of_others}"
    ]
    lines = list(agreement_lines({KERNELS: [ENTRY, good], REST: WITHOUT_NAME}))
    unlike = f"not the same work (50.0 %), {of_others}"
    assert lines[1:3] == [f"passes of axpy(float*, int): {unlike}", f"passes of all further kernels: {unlike}"]
    assert "--no-replay" in lines[3]
    cold = good | {"cache": {**ENTRY["cache"], "verdict": "not", "reason": "", "spread": 0.9}}  # type: ignore[dict-item]
    hint = "  not the same caches: --warm-up-pass lets all passes run warm"
    assert hint in agreement_lines({KERNELS: [cold], REST: None, "warm_up_pass": False})
    assert hint not in agreement_lines({KERNELS: [cold], REST: None, "warm_up_pass": True})
    assert hint not in lines
    assert list(agreement_lines({KERNELS: [ENTRY | {"replayed": 0}], REST: None})) == []


def test_why_the_first_execution_tells_nothing_is_said_once() -> None:
    work = {"verdict": "unknown", "reason": "first_unread", "spread": None, "compared": 1, "in_all_passes": 1}
    cache = {**work, "verdict": "not", "reason": "", "spread": 0.9}
    alike, apart = ENTRY | {"work": work}, ENTRY | {"work": work, "cache": cache}
    lines = list(agreement_lines({KERNELS: [alike, alike, apart, apart], REST: None}))
    assert [line.count("same work unknown (see below)") for line in lines[:3]] == [1, 1, 1]
    assert lines[-1] == (
        "  same work is unknown: the first execution, the only one on the memory that the program left, read no "
        "counters; a run without --warm-up-pass and --timing-pass can tell"
    )
    assert sum("read no counters" in line for line in lines) == 1
    not_shown = [ENTRY] * 10 + [apart]
    assert not any(
        "see below" in line or "read no" in line for line in agreement_lines({KERNELS: not_shown, REST: None})
    )


SILENT = replace(
    UNEQUAL,
    launches=(
        tools.Launch(
            1, tuple(replace(e, values={**e.values, "SQ_INSTS_VALU": 0}) for e in UNEQUAL.launches[0].executions)
        ),
    ),
)


@pytest.mark.parametrize("simulated", [True, False])
def test_a_simulated_kernel_that_states_no_work_is_told_where_to_state_it(tmp_path: Path, *, simulated: bool) -> None:
    """On a GPU zeros are what was counted."""
    run = replace(SILENT, simulated=simulated)
    text = report(mp.open_trace(tools.write_run(tmp_path, run, files=("journal",))))
    assert "Same work is unknown: its counters are 0 in every pass" in text
    place = "its work by <multipass/count.h>: docs/simulator.md#what-a-kernel-states"
    assert (place in text) == simulated
    none = {"verdict": "unknown", "reason": "zero", "spread": None, "compared": 1, "in_all_passes": 1}
    summary = {"sdk": {"simulated": simulated}, KERNELS: [ENTRY | {"work": none}], REST: None}
    assert any(place in line for line in agreement_lines(summary)) == simulated
