# SPDX-License-Identifier: MIT
"""A real run, broken in one place: `verify` names that place with the right check, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import broken_databases
import broken_journals
import broken_schemas
import broken_tables
import broken_traces
import pytest
from broken_run import BrokenRun, Fault, Said

import rocprofsys_multipass as mp
from rocprofsys_multipass import Run
from rocprofsys_multipass.run.tables import write_tables
from rocprofsys_multipass.verify import CHECKS

FAULTS = [
    fault
    for module in (broken_journals, broken_traces, broken_databases, broken_schemas, broken_tables)
    for fault in module.FAULTS
]


@pytest.fixture(scope="module")
def whole(demo_run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with every kind of file, which no test changes."""
    copy = BrokenRun.copy_of(demo_run.output_dir, tmp_path_factory.mktemp("whole") / "run")
    write_tables(copy.path("journal"), ("csv", "json"))
    return copy.folder


def said_of(run: BrokenRun) -> set[Said]:
    """Errors and warnings, without what differs from run to run; in places files are called by their endings."""
    return {(f.severity, f.check, short(run, f.where)) for f in mp.verify(run.folder) if f.severity != "info"}


def short(run: BrokenRun, place: str) -> str:
    place = place.removeprefix(f"{run.name}.").replace(run.readings.name, "readings", 1)
    return re.sub(r"\b(process|byte|time) \d+\b", r"\1 N", place)


def test_nothing_is_said_of_the_run_that_is_broken_here(whole: Path, tmp_path: Path) -> None:
    assert said_of(BrokenRun.copy_of(whole, tmp_path / "run")) == set()


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_the_fault_is_named_with_check_and_place_and_nothing_else_is(whole: Path, tmp_path: Path, fault: Fault) -> None:
    run = BrokenRun.copy_of(whole, tmp_path / "run")
    fault.break_it(run)
    assert said_of(run) == fault.said


def test_every_fault_is_told() -> None:
    assert len({fault.name for fault in FAULTS}) == len(FAULTS) >= 100
    assert [fault.name for fault in FAULTS if not fault.said] == []


def test_what_is_said_is_by_the_list_of_checks() -> None:
    said = {(severity, check) for fault in FAULTS for severity, check, _ in fault.said}
    assert {(s, c) for s, c in said if s not in CHECKS[c].severities} == set()
