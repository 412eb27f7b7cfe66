# SPDX-License-Identifier: MIT
"""Warm-up pass, timing pass and permuted groups, against the simulator's record of what every execution did."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pytest
from e2e_tools import Finished, alone
from fault_tools import EVENTS, PASSES, FaultyRun, StartFaulty, read_executions, read_truth, readings_of

import rocprofsys_multipass as mp
from rocprofsys_multipass.trace.model import Dispatch

LAUNCHES = 3  # of each thread: all groups in each pass
EXIT_CODE = 5  # of the application
SHAPES = [(1, 1), (2, 1), (1, 4), (2, 4)]
"""GPUs and threads."""
EXTRAS = 2  # with warm-up and timing pass
ALL = {"warm_up_pass": True, "timing_pass": True, "permute_groups": True}


@pytest.fixture(scope="module")
def unprofiled(faults_application: Path, environment: dict[str, str]) -> Callable[[int, int], Finished]:
    """The application alone."""

    @cache
    def run(gpus: int, threads: int) -> Finished:
        devices = {"ROCPROFSYS_MULTIPASS_SIMULATE": ",".join(["tiny"] * gpus)}
        return alone(faults_application, str(threads), str(LAUNCHES), env=environment | devices)

    return run


def assert_attributed(faulty: FaultyRun, extras: int) -> None:
    """Each reading is of the execution that it is said to be of; the SDK numbers those without counters first."""
    truth = read_truth(faulty.truth)
    found = {
        (dispatch, None if index is None else index + extras, device, counter): value
        for (dispatch, index, device, counter), value in readings_of(faulty.trace.dispatches()).items()
    }
    assert {key: value for key, value in found.items() if truth.get(key) != value} == {}


def assert_clean(faulty: FaultyRun) -> None:
    """verify finds no error, so journal, database and trace say the same."""
    assert [finding for finding in mp.verify(faulty.run.output_dir) if finding.severity == "error"] == []


def assert_groups(d: Dispatch) -> None:
    """The planned groups, each once, with the counters that are planned in it."""
    assert sorted(p.group for p in d.passes) == list(range(PASSES))
    for p in d.passes:
        assert {r.counter for r in p.readings} == set(d.agent.passes[p.group].counters)


# ---------------------------------------------------------------------------------------------------------------------
# Whatever the SDK does


@dataclass(frozen=True)
class Case:
    """What becomes of every dispatch: outcome, reason, passes with readings, whether warm-up and timing are there."""

    faults: str
    outcome: str = "replayed"
    reason: str = ""
    passes: frozenset[int | None] = field(default_factory=lambda: frozenset(range(PASSES)))
    extras: tuple[bool, bool] = (True, True)


NOT_REPLAYED = (frozenset({None}), (False, False))

CASES = [
    Case(""),
    Case("record_before_complete"),
    Case("record_after_passes"),
    Case("record_late"),
    Case("record_reversed"),
    Case("record_twice,record_reversed"),
    Case("record_on_handler"),
    Case("record_at_stop"),
    Case("record_lost:pass=0"),  # of the warm-up: there is none to lose
    Case("record_lost:pass=1"),
    Case("record_lost:pass=2", "incomplete", "pass 0 delivered no counters", frozenset({1, 2})),
    Case("record_lost:pass=4", "incomplete", "pass 2 delivered no counters", frozenset({0, 1})),
    Case("pass_abandoned:pass=0", "incomplete", "the timing pass delivered no times", frozenset(), (True, False)),
    Case("pass_abandoned:pass=1", "incomplete", "pass 0 did not run", frozenset()),
    Case("pass_abandoned:pass=2,record_late", "incomplete", "pass 1 did not run", frozenset({0})),
    Case("pass_abandoned:pass=4"),  # the last: all have run, and all deliver
    Case("snapshot_refused", "declined", "unknown", *NOT_REPLAYED),
    Case("not_offered", "declined", "not_offered", *NOT_REPLAYED),
    Case("replay_owned", "declined", "replay_refused", *NOT_REPLAYED),
    Case("sdk_1_0_0", "declined", "no_kernel_replay", *NOT_REPLAYED),
]


@pytest.mark.parametrize(("gpus", "threads"), SHAPES)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.faults or "none")
def test_executions_without_counters_are_apart_from_the_passes_whatever_the_sdk_does(
    case: Case, gpus: int, threads: int, start_faulty: StartFaulty, unprofiled: Callable[[int, int], Finished]
) -> None:
    faulty = start_faulty(case.faults, threads, LAUNCHES, devices=["tiny"] * gpus, **ALL)
    assert (faulty.run.stdout, faulty.run.exit_code) == (unprofiled(gpus, threads).stdout, EXIT_CODE)
    assert faulty.run.errors == ()
    assert_attributed(faulty, EXTRAS)
    assert_clean(faulty)
    dispatches = faulty.trace.dispatches()
    assert len(dispatches) == threads * LAUNCHES
    for d in dispatches:
        assert (d.outcome, d.reason) == (case.outcome, case.reason)
        assert frozenset(p.index for p in d.passes if p.readings) == case.passes
        assert (d.warm_up is not None, d.timing is not None) == case.extras
        assert d.passes_planned == PASSES
        if d.outcome == "replayed":
            assert_groups(d)
            assert d.time_of == "timing pass"


# ---------------------------------------------------------------------------------------------------------------------
# What they are


@pytest.mark.parametrize(
    ("options", "extras"),
    [
        ({"warm_up_pass": True}, [0]),
        ({"timing_pass": True}, [0]),
        ({"warm_up_pass": True, "timing_pass": True}, [0, 1]),
        ({"permute_groups": True}, []),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else "",
)
def test_they_run_before_the_passes_and_read_nothing(
    options: dict[str, bool], extras: list[int], start_faulty: StartFaulty
) -> None:
    faulty = start_faulty("", 1, LAUNCHES, **options)
    counted = {(dispatch, index) for dispatch, index, _, _ in read_truth(faulty.truth)}
    passes = range(len(extras), len(extras) + PASSES)
    assert counted == {(d, k) for d in range(1, LAUNCHES + 1) for k in passes}
    assert read_executions(faulty.truth) == dict.fromkeys(range(1, LAUNCHES + 1), len(extras) + PASSES)
    assert_attributed(faulty, len(extras))
    assert_clean(faulty)
    for d in faulty.trace.dispatches():
        there = {"warm_up_pass": d.warm_up, "timing_pass": d.timing}
        assert {name for name, one in there.items() if one is not None} == set(options) - {"permute_groups"}
        executions = [one for one in (d.warm_up, d.timing, *d.passes) if one is not None]
        edges = [edge for one in executions for edge in (one.start_ns or 0, one.end_ns or 0)]
        assert edges == sorted(edges)
        assert edges[0] > 0


def test_every_file_says_whose_times_a_dispatch_has(start_faulty: StartFaulty) -> None:
    faulty = start_faulty("snapshot_refused:dispatch=2", 1, LAUNCHES, formats="perfetto,rocpd,csv,json", **ALL)
    out = faulty.run.output_dir
    for suffix in ("journal", "db", "pftrace"):
        (file,) = out.glob(f"multipass-*.{suffix}")
        found = mp.open_trace(file).dispatches()
        assert [d.time_of for d in found] == ["timing pass", "single run", "timing pass"], suffix
        for d, right in zip(found, faulty.trace.dispatches(), strict=True):
            assert (d.warm_up, d.timing) == (right.warm_up, right.timing)
            assert (d.start_ns, d.end_ns) == (right.start_ns, right.end_ns)
            assert [p.group for p in d.passes] == [p.group for p in right.passes]
            assert d.counters == right.counters
    first = faulty.trace.dispatches()[0]
    assert first.timing is not None
    assert (first.start_ns, first.duration_ns) == (first.timing.start_ns, first.timing.duration_ns)


def test_the_table_of_readings_has_no_line_for_them(start_faulty: StartFaulty) -> None:
    faulty = start_faulty("", 1, 1, **ALL)
    (d,) = faulty.trace.dispatches()
    frame = faulty.trace.to_pandas()
    assert len(frame) == sum(len(p.readings) for p in d.passes)
    assert sorted(frame["pass"].unique()) == list(range(PASSES))


def test_a_launch_whose_counters_fit_one_pass_is_replayed_for_its_timing_pass(start_faulty: StartFaulty) -> None:
    faulty = start_faulty("snapshot_refused:dispatch=2", 1, LAUNCHES, events=["SQ_INSTS_VALU"], timing_pass=True)
    assert_attributed(faulty, 1)
    assert_clean(faulty)
    assert [(d.outcome, d.time_of, [p.index for p in d.passes]) for d in faulty.trace.dispatches()] == [
        ("replayed", "timing pass", [0]),
        ("single_pass", "single run", [None]),
        ("replayed", "timing pass", [0]),
    ]


def test_limits_and_filters_hold_as_without_them(start_faulty: StartFaulty) -> None:
    faulty = start_faulty("", 1, 4, range="2-4", max_replays=2, **ALL)
    assert_attributed(faulty, EXTRAS)
    assert_clean(faulty)
    found = [(d.outcome, d.reason, d.warm_up is not None, d.timing is not None) for d in faulty.trace.dispatches()]
    assert found == [
        ("filtered", "range", False, False),
        ("replayed", "", True, True),
        ("replayed", "", True, True),
        ("declined", "max_replays", False, False),
    ]
    assert read_executions(faulty.truth) == {1: 1, 2: EXTRAS + PASSES, 3: EXTRAS + PASSES, 4: 1}


# ---------------------------------------------------------------------------------------------------------------------
# Permuted groups


def test_groups_move_on_by_one_with_each_replayed_launch(start_faulty: StartFaulty) -> None:
    faulty = start_faulty("snapshot_refused:dispatch=2", 1, 5, permute_groups=True)
    replayed = [d for d in faulty.trace.dispatches() if d.outcome == "replayed"]
    assert [[p.group for p in d.passes] for d in replayed] == [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 1, 2]]
    assert_clean(faulty)


@pytest.mark.parametrize(("gpus", "threads"), SHAPES)
def test_each_pass_reads_each_group_equally_often(gpus: int, threads: int, start_faulty: StartFaulty) -> None:
    launches = 2 * PASSES  # of each thread on a GPU
    faulty = start_faulty("record_reversed", threads, launches * gpus, devices=["tiny"] * gpus, permute_groups=True)
    read = Counter((d.agent.device, p.index, p.group) for d in faulty.trace.dispatches() for p in d.passes)
    each = launches * threads // PASSES
    assert read == {(gpu, k, g): each for gpu in range(gpus) for k in range(PASSES) for g in range(PASSES)}


def test_without_the_option_a_pass_reads_its_own_group(start_faulty: StartFaulty) -> None:
    faulty = start_faulty("", 1, LAUNCHES)
    assert [[p.group for p in d.passes] for d in faulty.trace.dispatches()] == [list(range(PASSES))] * LAUNCHES


# ---------------------------------------------------------------------------------------------------------------------
# Where nothing is replayed


@pytest.mark.parametrize(
    ("faults", "options", "reason"),
    [
        ("", {"replay": "rotate"}, " with replay rotate"),
        ("", {"replay": "off"}, " with replay off"),
        ("sdk_1_0_0", {}, ": SDK 1.0.0 has no kernel replay (1.4.1 and later have it)"),
        ("replay_owned", {}, ": another tool of this process owns kernel replay: "),
    ],
    ids=["rotate", "off", "old", "owned"],
)
def test_that_they_have_no_effect_is_said_once(
    faults: str, options: dict[str, str], reason: str, start_faulty: StartFaulty
) -> None:
    faulty = start_faulty(faults, 1, LAUNCHES, warm_up_pass=True, timing_pass=True, **options)
    said = "warm-up-pass, timing-pass have no effect: kernels are not replayed"
    told = [text for text in faulty.run.warnings if text.startswith(said)]
    assert len(told) == 1
    assert told[0].removeprefix(said).startswith(reason)
    assert read_executions(faulty.truth) == dict.fromkeys(range(1, LAUNCHES + 1), 1)
    assert [(d.warm_up, d.timing, d.time_of) for d in faulty.trace.dispatches()] == [
        (None, None, "single run")
    ] * LAUNCHES


def test_where_they_have_an_effect_nothing_is_said(start_faulty: StartFaulty) -> None:
    assert start_faulty("", 1, 1, **ALL).run.warnings == ()


def test_the_variables_ask_for_the_same(start_faulty: StartFaulty) -> None:
    names = ("WARM_UP_PASS", "TIMING_PASS", "PERMUTE_GROUPS")
    faulty = start_faulty("", 1, 1, env={f"ROCPROFSYS_MULTIPASS_{name}": "on" for name in names})
    (d,) = faulty.trace.dispatches()
    assert (d.warm_up is not None, d.timing is not None) == (True, True)
    assert set(EVENTS) <= set(d.counters)
