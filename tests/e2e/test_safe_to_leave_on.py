# SPDX-License-Identifier: MIT
"""With the defaults a program is unharmed, whatever it does; where `unsafe` lifts that it is not, and is told so.

Each case is run without the tool and with it. What a replay may cost is in test_replay_cost.py, launches of graphs and
what rotation reads in test_rotation.py.
"""

from __future__ import annotations

import subprocess
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from e2e_tools import Finished, alone
from fault_tools import EVENTS, FAULTS_VARIABLE, PASSES, TRUTH_VARIABLE, FaultyRun, assert_sound

import rocprofsys_multipass as mp
from rocprofsys_multipass import Dispatch, Run

LAUNCHES = PASSES  # of each half: as many as there are groups
REPLAYED = ("replayed", "")
SPENT = ("declined", "max_replays")  # three of the shape were replayed
IN_PLACE = ("virtual_memory", "managed_memory", "pool_memory", "fine_grained_memory", "pinned_memory")
KINDS = {reason: reason.removesuffix("_memory").removesuffix("_grained") for reason in IN_PLACE}
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


@dataclass(frozen=True)
class Case:
    """One run with the tool, and what the program does without."""

    run: Run
    plain: Finished
    truth: Path

    @property
    def unharmed(self) -> bool:
        return (self.run.exit_code, self.run.stdout) == (self.plain.returncode, self.plain.stdout)

    @property
    def dispatches(self) -> list[list[Dispatch]]:
        """Of each process, by its number."""
        journals = sorted(self.run.output_dir.glob("multipass-*.journal"))
        return [mp.open_trace(path).dispatches() for path in journals]


Start = Callable[..., Case]


@pytest.fixture(scope="module")
def start(
    build: Callable[[Path], Path], environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Start:
    """Runs left_on.cpp with these words, with all defaults but for what is given."""
    program = build(Path(__file__).with_name("left_on.cpp"))

    def run(
        kind: str,
        *words: str | Path,
        faults: str = "",
        env: dict[str, str] | None = None,
        before: tuple[str, ...] = (),
        **options: Any,
    ) -> Case:
        folder = tmp_path_factory.mktemp("case")
        truth = folder / "truth.csv"
        truth.touch()
        environ = environment | {FAULTS_VARIABLE: faults} | (env or {})
        command = [*before, str(program), kind, str(LAUNCHES), *map(str, words)]
        made = mp.run(
            command,
            events=EVENTS,
            simulate="tiny",
            output=folder / "out",
            env=environ | {TRUTH_VARIABLE: str(truth)},
            capture=True,
            **options,
        )
        plain = alone(Path(command[0]), *command[1:], env=environ | {"ROCPROFSYS_MULTIPASS_SIMULATE": "tiny"})
        assert plain.returncode == (0 if kind == "library" else 5), plain.stderr
        return Case(made, plain, truth)

    return run


def fates(dispatches: list[Dispatch]) -> list[tuple[str, str]]:
    return [(one.outcome, one.reason) for one in dispatches]


def groups_read(dispatches: list[Dispatch]) -> list[int]:
    return sorted(part.group for one in dispatches for part in one.passes if part.index is None)


def assert_declined(case: Case, reason: str, then: tuple[str, str] = REPLAYED) -> None:
    """While it was there, launches ran once, for this reason, and took turns; then they were replayed again."""
    assert case.unharmed, case.run.stderr
    (dispatches,) = case.dispatches
    assert fates(dispatches) == LAUNCHES * [("declined", reason)] + LAUNCHES * [then]
    assert groups_read(dispatches[:LAUNCHES]) == list(range(PASSES))
    if then != REPLAYED:
        assert case.run.stderr.count("launches are not replayed from here on: ") == 1
        assert f" ({reason}); each reads one group of counters, in turn\n" in case.run.stderr
    assert_sound(FaultyRun(case.run, case.truth))
    assert case.run.summary is not None
    assert case.run.summary["dispatches"]["declined_reasons"] == Counter(
        one.reason for one in dispatches if one.outcome == "declined"
    )


def assert_lifted(case: Case, reason: str) -> None:
    """One of the two halves has another result, and everything that speaks of it says why."""
    assert case.run.exit_code == case.plain.returncode
    found, wanted = (text.splitlines() for text in (case.run.stdout, case.plain.stdout))
    assert [one == other for one, other in zip(found, wanted, strict=True)].count(False) == 1
    report = mp.report(mp.open_trace(case.run.output_dir))
    told = [f for f in mp.verify(case.run.output_dir) if f.severity != "info"]
    assert {(f.severity, f.check) for f in told} == {("warning", "replayed-unsafe")}
    lifted = f"(--unsafe {reason.replace(' ', '')})"
    assert lifted in report
    assert all(lifted in f.message for f in told)
    for name in reason.split(", "):
        assert f"(unsafe {name}): " in case.run.stderr


@pytest.mark.parametrize("reason", IN_PLACE)
def test_memory_that_is_not_restored_is_changed_once_as_long_as_it_is_there(reason: str, start: Start) -> None:
    assert_declined(start(KINDS[reason]), reason)


@pytest.mark.parametrize("reason", IN_PLACE)
def test_where_that_is_lifted_the_result_differs_and_all_say_why(reason: str, start: Start) -> None:
    lifted = "virtual_memory, pool_memory" if reason == "pool_memory" else reason  # HIP maps what pools have
    case = start(KINDS[reason], unsafe=lifted)
    (dispatches,) = case.dispatches
    assert fates(dispatches) == LAUNCHES * [("replayed", lifted)] + LAUNCHES * [SPENT]
    assert_lifted(case, lifted)


def test_a_managed_variable_is_managed_memory_as_long_as_the_program_runs(
    build: Callable[[Path], Path], environment: dict[str, str], tmp_path: Path
) -> None:
    program = build(Path(__file__).with_name("managed_variable.cpp"))
    launches = str(LAUNCHES)

    def outcome_of(output: str, **options: Any) -> tuple[str, set[tuple[str, str]]]:
        run = mp.run(
            [program, launches],
            events=EVENTS,
            simulate="tiny",
            output=tmp_path / output,
            env=environment,
            capture=True,
            **options,
        )
        return run.stdout, set(fates(mp.open_trace(run.output_dir).dispatches()))

    plain = alone(program, launches, env=environment | {"ROCPROFSYS_MULTIPASS_SIMULATE": "tiny"}).stdout
    assert outcome_of("default") == (plain, {("declined", "managed_memory")})
    result, outcomes = outcome_of("lifted", unsafe="managed_memory")
    assert (result != plain, outcomes) == (True, {("replayed", "managed_memory")})


def test_other_memory_is_no_reason_to_decline(start: Start) -> None:
    case = start("device")
    (dispatches,) = case.dispatches
    assert fates(dispatches) == LAUNCHES * [REPLAYED] + LAUNCHES * [SPENT]
    assert case.unharmed
    assert_sound(FaultyRun(case.run, case.truth))


# ---------------------------------------------------------------------------------------------------------------------
# Two processes


def test_memory_that_two_processes_use_is_left_as_both_of_them_wrote_it(start: Start) -> None:
    case = start("exported")
    assert case.unharmed, case.run.stderr
    one, other = case.dispatches
    assert {fates(one)[0][1], fates(other)[0][1]} == {"exported_memory", "imported_memory"}
    for dispatches in (one, other):
        assert fates(dispatches) == LAUNCHES * [("declined", dispatches[0].reason)] + LAUNCHES * [REPLAYED]
        assert groups_read(dispatches) == list(range(PASSES))
    assert [f for f in mp.verify(case.run.output_dir) if f.severity == "error"] == []


@pytest.mark.parametrize("reason", ["exported_memory", "imported_memory"])
def test_a_replay_takes_back_what_the_other_process_wrote_or_does_its_own_again(reason: str, start: Start) -> None:
    case = start("exported", unsafe=reason)
    kept = {"exported_memory", "imported_memory"} - {reason}
    assert {d.reason for dispatches in case.dispatches for d in dispatches[:LAUNCHES]} == {reason, *kept}
    assert_lifted(case, reason)


# ---------------------------------------------------------------------------------------------------------------------
# Copies


def test_a_launch_behind_a_copy_on_its_stream_is_replayed(start: Start) -> None:
    case = start("copy_behind")
    assert case.unharmed, case.run.stderr
    (dispatches,) = case.dispatches
    assert fates(dispatches) == LAUNCHES * [REPLAYED] + LAUNCHES * [SPENT]
    assert_sound(FaultyRun(case.run, case.truth))


def test_beside_a_copy_that_stays_under_way_launches_run_once(start: Start) -> None:
    assert_declined(start("copy_before"), "copy_in_flight")


def test_a_replay_in_which_a_copy_begins_is_ended_before_it_takes_that_back(start: Start) -> None:
    case = start("copy_within", faults="copies_unfenced")
    assert case.unharmed, case.run.stderr
    (dispatches,) = case.dispatches
    ended = ("incomplete", f"copy_in_flight: ended after 1 of {PASSES} passes")
    assert fates(dispatches) == [ended, *3 * [REPLAYED], *2 * [SPENT]]
    assert [part.index for part in dispatches[0].passes] == [0]
    assert_sound(FaultyRun(case.run, case.truth))


def test_where_that_is_lifted_what_the_copy_wrote_is_taken_back(start: Start) -> None:
    case = start("copy_within", faults="copies_unfenced", unsafe="copy_in_flight")
    (dispatches,) = case.dispatches
    assert fates(dispatches) == [("replayed", "copy_in_flight"), *2 * [REPLAYED], *LAUNCHES * [SPENT]]
    assert_lifted(case, "copy_in_flight")


# ---------------------------------------------------------------------------------------------------------------------
# Ranks


@pytest.fixture(scope="module")
def rccl(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library of that name, and nothing in it."""
    library = tmp_path_factory.mktemp("rccl") / "librccl.so.1"
    subprocess.run(["g++", "-shared", "-x", "c++", "/dev/null", "-o", library], check=True)
    return library


def test_eight_ranks_with_a_library_of_collectives_do_not_wait_for_each_other(start: Start, rccl: Path) -> None:
    ranks = ("mpirun", "--oversubscribe", "-n", "8")
    case = start("library", rccl, before=ranks, env=AS_ROOT, formats=["rocpd"])
    assert Counter(case.run.stdout.splitlines()) == Counter(case.plain.stdout.splitlines())
    assert len(case.dispatches) == 8
    for dispatches in case.dispatches:
        assert fates(dispatches) == 2 * LAUNCHES * [("declined", "collectives")]
        assert groups_read(dispatches) == sorted(2 * list(range(PASSES)))


@pytest.mark.parametrize(
    ("size", "unsafe", "reason"), [(1, None, ""), (8, None, "collectives"), (8, "collectives", "collectives")]
)
def test_one_rank_is_replayed_alone_or_where_that_is_lifted(
    size: int, unsafe: str | None, reason: str, start: Start, rccl: Path
) -> None:
    rank = {"OMPI_COMM_WORLD_SIZE": str(size), "OMPI_COMM_WORLD_RANK": "0"}
    case = start("library", rccl, env=rank, unsafe=unsafe)
    if reason and not unsafe:
        return assert_declined(case, reason, then=("declined", reason))
    assert case.unharmed, case.run.stderr
    (dispatches,) = case.dispatches
    assert fates(dispatches) == LAUNCHES * [("replayed", reason)] + LAUNCHES * [SPENT]
    assert ("(--unsafe collectives)" in mp.report(mp.open_trace(case.run.output_dir))) == bool(reason)
    return None


# ---------------------------------------------------------------------------------------------------------------------
# Room in the host


def test_without_room_in_the_host_launches_run_once(start: Start) -> None:
    assert_declined(start("device", host_memory="1KB"), "host_memory", then=("declined", "host_memory"))


def test_the_control_group_of_the_process_must_have_room_for_the_copy(start: Start, tmp_path: Path) -> None:
    files = {
        "proc/self/cgroup": "0::/job\n",
        "sys/fs/cgroup/job/memory.max": "100000\n",
        "sys/fs/cgroup/job/memory.current": "99500\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="ascii")
    there = {"LEFT_ON_ROOT": str(tmp_path)}
    assert_declined(start("device", env=there), "host_memory", then=("declined", "host_memory"))
    (tmp_path / "sys/fs/cgroup/job/memory.stat").write_text("inactive_file 50000\n", encoding="ascii")
    (dispatches,) = start("device", env=there).dispatches
    assert fates(dispatches) == LAUNCHES * [REPLAYED] + LAUNCHES * [SPENT]
