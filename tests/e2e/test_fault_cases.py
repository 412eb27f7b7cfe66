# SPDX-License-Identifier: MIT
"""Single faults looked at closely: what people are told, what stays on disk, and large numbers."""

from __future__ import annotations

import re
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from e2e_tools import ROOT, Cli, by_hand
from fault_tools import (
    DEATHS,
    EVENTS,
    FAULTS_VARIABLE,
    PASSES,
    StartFaulty,
    assert_attributed,
    assert_sound,
    deadly,
    read_executions,
    readings_of,
)

import rocprofsys_multipass as mp
from rocprofsys_multipass.native import Native

TWO_GROUPS = ("SQ_INSTS_VALU", "SQ_INSTS_VMEM_RD", "SQ_INSTS_VMEM_WR", "TCC_HIT")
"""Two passes on the device `tiny`."""

CAPTURED_S = 60
"""How long four dispatches may take to be in the capture, on a machine with other work."""

# ---------------------------------------------------------------------------------------------------------------------
# Which launches, which passes


def test_a_range_takes_whole_dispatches(start_faulty: StartFaulty) -> None:
    faulty = start_faulty("", 1, 5, events=TWO_GROUPS, range="2-3")
    assert_sound(faulty)
    dispatches = faulty.trace.dispatches()
    found = {(one.dispatch_id, part.index) for one in dispatches for part in one.passes if part.readings}
    assert found == {(2, 0), (2, 1), (3, 0), (3, 1)}
    assert read_executions(faulty.truth) == {1: 1, 2: 2, 3: 2, 4: 1, 5: 1}
    assert faulty.counts == {"seen": 5, "replayed": 2, "filtered": 3}


@pytest.mark.parametrize("faults", ["not_offered:every=2", "snapshot_refused:every=2", "several_packets:dispatch=2"])
def test_a_range_counts_launches_that_are_not_replayed_too(faults: str, start_faulty: StartFaulty) -> None:
    faulty = start_faulty(faults, 1, 5, events=TWO_GROUPS, range="2-3")
    assert_sound(faulty)
    found = [
        (one.dispatch_id, one.outcome, [part.index for part in one.passes if part.readings])
        for one in faulty.trace.dispatches()
    ]
    assert found == [
        (1, "filtered", []),
        (2, "declined", [None]),
        (3, "replayed", [0, 1]),
        (4, "filtered", []),
        (5, "filtered", []),
    ]


@pytest.mark.parametrize("faults", ["", "record_at_stop", "record_reversed", "queue_stuck", "pass_abandoned"])
def test_replay_off_reads_the_first_group_whatever_replay_would_do(faults: str, start_faulty: StartFaulty) -> None:
    faulty = start_faulty(faults, 4, 4, devices=["tiny", "tiny"], replay="off")
    assert_sound(faulty)
    assert faulty.counts == {"seen": 16, "single_pass": 16}
    assert {part.group for one in faulty.trace.dispatches() for part in one.passes} == {0}


def test_launches_of_a_graph_read_one_group_each(start_faulty: StartFaulty) -> None:
    faulty = start_faulty("", "graph", events=TWO_GROUPS)
    assert faulty.run.stdout == "wrong: 0\n"
    assert_sound(faulty)
    sets = [
        (one.dispatch_id, part.index, one.outcome)
        for one in faulty.trace.dispatches()
        for part in one.passes
        if part.readings
    ]
    normal = [(number, index, "replayed") for number in (1, 2, 3) for index in (0, 1)]
    assert sets == [*normal, *((number, None, "declined") for number in range(4, 9))]
    assert faulty.counts == {"seen": 8, "replayed": 3, "declined": 5}


def test_declined_launches_of_a_kernel_read_its_groups_in_turn(start_faulty: StartFaulty) -> None:
    faulty = start_faulty("snapshot_refused", 1, 12)
    turns = [part.group for one in faulty.trace.dispatches() for part in one.passes]
    assert turns == [0, 1, 2, 0, 2, 1, 2, 0, 1, 2, 1, 0], "a permutation in each cycle (docs/rotation.md)"


# ---------------------------------------------------------------------------------------------------------------------
# Large numbers


def test_ten_thousand_dispatches_without_a_wait_between_them(start_faulty: StartFaulty) -> None:
    faulty = start_faulty("", 1, 10_000, formats=["rocpd"])
    assert faulty.run.stdout == "thread 0 GPU 0 wrong: 0\n"
    assert faulty.counts == {"seen": 10_000, "replayed": 10_000}
    assert faulty.run.warnings == ()
    assert_attributed(faulty)
    found = readings_of(faulty.trace.dispatches())
    read = {(dispatch, counter) for dispatch, _, _, counter in found}
    assert read >= {(dispatch, counter) for dispatch in range(1, 10_001) for counter in EVENTS}


def test_record_callbacks_of_eight_gpus_that_wait_for_each_other_go_on(start_faulty: StartFaulty) -> None:
    faulty = start_faulty("records_meet", 8, 8, devices=["tiny"] * 8)
    assert "have not met" not in faulty.run.stderr
    assert_sound(faulty)
    assert faulty.counts == {"seen": 64, "replayed": 64}


def test_sixty_four_gpus(start_faulty: StartFaulty) -> None:
    faulty = start_faulty("ids_tagged", 2, 64, devices=["tiny"] * 64)
    assert_sound(faulty)
    assert Counter(one.agent.device for one in faulty.trace.dispatches()) == dict.fromkeys(range(64), 2)
    assert faulty.counts == {"seen": 128, "replayed": 128}


def test_counters_of_gpus_of_two_kinds_with_tagged_ids(start_faulty: StartFaulty) -> None:
    faulty = start_faulty("ids_tagged", 2, 6, devices=["tiny", "gfx942", "tiny"])
    assert_sound(faulty)
    assert faulty.counts == {"seen": 12, "replayed": 8, "single_pass": 4}


# ---------------------------------------------------------------------------------------------------------------------
# What people are told


@pytest.mark.parametrize(
    ("faults", "told"),
    [
        ("not_offered", "no kernel was replayed: of 4 launches the SDK offered none for replay; "),
        ("several_packets", "no kernel was replayed: of 4 launches the SDK offered none for replay; "),
        ("snapshot_refused", "no kernel was replayed: the SDK was asked for passes of 4 launches and ran each once; "),
        ("copies_in_flight", "no kernel was replayed: the SDK was asked for passes of 4 launches and ran each once; "),
        ("payload_callbacks_first", "no kernel was replayed: the SDK was asked for passes of 4 launches and did not "),
        ("replay_owned", "kernels are not replayed: another tool of this process owns kernel replay: ROCPROFILER_"),
        ("payload_short", "kernels are not replayed: the replay record of this SDK is shorter than the known one; "),
        ("payload_toggles_first", "kernels are not replayed: the replay record of this SDK is laid out in another "),
        ("counting_conflict", "no counters are collected: another tool of this process collects dispatch counters "),
        ("start_denied", "no counters are collected: counting does not start: ROCPROFILER_STATUS_ERROR_PERMISSION_"),
        ("record_twice", "12 readings came twice, or for a dispatch that had ended: left out"),
    ],
)
def test_the_summary_says_why_counters_are_missing(faults: str, told: str, start_faulty: StartFaulty) -> None:
    faulty = start_faulty(faults, 1, 4)
    (warning,) = faulty.run.warnings
    assert warning.startswith(told)
    assert faulty.run.summary is not None
    assert faulty.run.summary["warnings"] == [warning]
    assert faulty.run.stderr.count(told) == 1


def test_executions_whose_pass_is_not_told_are_counted_and_named(start_faulty: StartFaulty) -> None:
    faulty = start_faulty("passes_untold", 1, 4)
    assert faulty.counts == {"seen": 4, "incomplete": 4}
    assert faulty.incomplete_reasons() == {"it ran several times, and the SDK did not say in which pass": 4}
    told, unread = faulty.run.warnings
    assert told.startswith("4 dispatches ran several times, and the SDK did not say in which pass: what was read is ")
    assert "groups 0, 1, 2 of 3 were never read (4 launches)" in unread


@pytest.mark.parametrize(
    ("faults", "kept", "told"),
    [
        (
            "instance_misplaced:every=2",
            [2, 1, 2, 1],
            "the single instances of a counter are left out 2 times (first: SQ_WAVES), for the SDK gave some a place ",
        ),
        (
            "dimensions_hidden",
            [0, 0, 0, 0],
            "of SQ_WAVES, TCC_HIT sums are recorded and no single instances: the SDK does not say how these are ",
        ),
    ],
)
def test_single_instances_that_are_left_out_cost_no_sum_and_are_told(
    faults: str, kept: list[int], told: str, start_faulty: StartFaulty
) -> None:
    faulty = start_faulty(faults, 1, 4, events=["SQ_WAVES", "TCC_HIT"], instances="keep", replay="off")
    assert_sound(faulty)
    (warning,) = faulty.run.warnings
    assert warning.startswith(f"GPU 0 (tiny): {told}")
    passes = [one.passes[0] for one in faulty.trace.dispatches()]
    assert [len(one.readings) for one in passes] == [2] * 4
    assert [len(one.instances or {}) for one in passes] == kept


@pytest.mark.parametrize("faults", ["not_offered:every=2", "snapshot_refused:every=2", "record_late", "not_lockable"])
def test_nothing_is_told_where_most_is_well(faults: str, start_faulty: StartFaulty) -> None:
    assert start_faulty(faults, 1, 4).run.warnings == ()


def test_a_permission_that_lacks_is_named(start_faulty: StartFaulty) -> None:
    faulty = start_faulty("config_denied:agent=1", 1, 4, devices=["tiny", "tiny"], events=["SQ_WAVES"])
    assert faulty.run.warnings == (
        "GPU 1 (tiny): SQ_WAVES is not collected: the SDK refuses it: ROCPROFILER_STATUS_ERROR_PERMISSION_DENIED (40)",
    )


def test_a_permission_that_lacks_for_every_counter_is_told_of_once_for_each_gpu(start_faulty: StartFaulty) -> None:
    names = ", ".join(sorted(EVENTS))
    denied = "the SDK refuses them: ROCPROFILER_STATUS_ERROR_PERMISSION_DENIED (40)"
    faulty = start_faulty("config_denied", 1, 4, devices=["tiny", "tiny"])
    assert faulty.run.warnings[:2] == tuple(
        f"GPU {gpu} (tiny): 6 counters are not collected: {denied}: {names}" for gpu in (0, 1)
    )
    assert faulty.run.exit_code == 5


def test_lite_trace_is_named_and_the_application_runs_unprofiled(start_faulty: StartFaulty) -> None:
    faulty = start_faulty("lite_trace", 1, 4, env={"ROCPROF_LITE_TRACE": "1"})
    assert (faulty.run.stdout, faulty.run.exit_code) == ("thread 0 GPU 0 wrong: 0\n", 5)
    (line,) = faulty.run.stderr.splitlines()
    assert line.startswith("rocprof-sys-multipass: error: the program runs unprofiled: ")
    assert "ROCPROF_LITE_TRACE is set" in line
    assert start_faulty("lite_trace", 1, 4).counts == {"seen": 4, "replayed": 4}  # with the variable only


@pytest.mark.parametrize("faults", ["payload_short", "payload_toggles_first", "payload_without_toggles"])
def test_nothing_is_written_into_a_payload_that_is_not_known(faults: str, start_faulty: StartFaulty) -> None:
    assert "a tool wrote" not in start_faulty(faults, 1, 4).run.stderr


@pytest.mark.parametrize(
    ("faults", "told"),
    [
        ("record_lots", 'no fault is called "record_lots"; there are: not_offered, '),
        ("record_lost:seconds=1", 'record_lost has no selector "seconds"; it takes: agent, every, dispatch, pass\n'),
        ("drain_waits:seconds=x", "seconds=x: a number from 0 is expected"),
        ("pass_waits:second=1", 'pass_waits has no selector "second"; it takes: agent, every, dispatch, pass, seconds'),
        ("record_lost:passes=1", 'record_lost has no selector "passes"; it takes: agent, every, dispatch, pass'),
        ("record_late:pass=1", 'record_late has no selector "pass"; it takes: agent, every, dispatch'),
        ("agent_empty:every=2", 'agent_empty has no selector "every"; it takes: agent'),
        ("replay_owned:agent=0", 'replay_owned has no selector "agent"; it takes none'),
        ("record_lost:every=0", "every=0: a number from 1 is expected"),
        ("record_lost:agent=x", "agent=x: a number from 0 is expected"),
        ("record_lost:pass", "pass=: a number from 0 is expected"),
    ],
)
def test_a_fault_that_does_not_exist_ends_the_process(faults: str, told: str, start_faulty: StartFaulty) -> None:
    faulty = start_faulty(faults, 1, 1)
    assert faulty.run.exit_code == 134
    assert faulty.run.stderr.startswith(f"rocprofiler-sdk (simulated): {FAULTS_VARIABLE}: {told}")


def test_every_fault_is_documented_and_tested(start_faulty: StartFaulty) -> None:
    listed = start_faulty("?", 1, 1).run.stderr.partition("there are: ")[2].split()
    names = {name.rstrip(",") for name in listed}
    documented = (ROOT / "docs" / "simulator.md").read_text(encoding="utf-8")
    section = documented.partition("## Faults")[2].partition("### What was executed")[0]
    rows = [row.split("|")[1] for row in section.splitlines() if row.startswith("| `")]
    assert set(re.findall(r"`(\w+)`", "".join(rows))) == names
    tests = "".join(path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("*fault_*.py"))
    assert {name for name in names if not re.search(rf'["({{,]{name}[:",]', tests)} == set()


# ---------------------------------------------------------------------------------------------------------------------
# Processes that end early, or fork


@pytest.fixture
def by_hand_under(native: Native, environment: dict[str, str], tmp_path: Path) -> Callable[[str], dict[str, str]]:
    """The environment of a run under faults without the wrapper, into the folder ``out``."""
    return lambda faults: by_hand(
        native,
        environment,
        tmp_path / "out",
        ROCPROFSYS_MULTIPASS_EVENTS=",".join(EVENTS),
        ROCPROFSYS_MULTIPASS_REPLAY="kernel",
        ROCPROFSYS_MULTIPASS_SIMULATE="tiny",
        **{FAULTS_VARIABLE: faults},
    )


@pytest.mark.parametrize("fault", DEATHS)
def test_four_dispatches_survive_an_sdk_that_ends_the_process_in_the_fifth(
    fault: str, by_hand_under: Callable[[str], dict[str, str]], faults_application: Path, tmp_path: Path, cli: Cli
) -> None:
    """The application goes on to its fifth launch when the capture holds four."""
    output = tmp_path / "out"
    with subprocess.Popen(
        [faults_application, "step", "4", "5"],
        env=by_hand_under(deadly(fault, dispatch=5)),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            assert process.stdout.readline() == "4 launched\n"
            (journal,) = output.glob("multipass-*.journal")
            deadline = time.monotonic() + CAPTURED_S
            while len(mp.open_trace(journal).dispatches()) < 4:
                assert process.poll() is None
                assert time.monotonic() < deadline
            process.communicate("\n")
        finally:
            process.kill()  # it waits for a line without end
    assert (process.returncode if process.returncode > 0 else 128 - process.returncode) == DEATHS[fault]
    assert cli("recover", output).returncode == 0
    for path in (journal, *output.glob("*.db"), *output.glob("*.pftrace")):
        found = [(one.dispatch_id, one.outcome, len(one.passes)) for one in mp.open_trace(path).dispatches()]
        assert found == [(number, "replayed", PASSES) for number in (1, 2, 3, 4)]
    assert journal.with_suffix(".db").exists()
    assert journal.with_suffix(".pftrace").exists()
    assert [finding for finding in mp.verify(output) if finding.severity == "error"] == []


def test_a_forked_child_of_sdk_1_0_0_ends_although_counting_was_active(
    probe: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    run = mp.run(
        [probe, "fork"],
        events=["SQ_WAVES", "TCC_HIT"],
        simulate="tiny",
        output=tmp_path / "out",
        env=environment | {FAULTS_VARIABLE: "sdk_1_0_0"},
        capture=True,
    )
    assert run.exit_code == 0
    assert "child ended with 7" in run.stdout
    assert [one.outcome for one in mp.open_trace(tmp_path / "out").dispatches()] == ["single_pass", "single_pass"]
