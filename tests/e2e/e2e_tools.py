# SPDX-License-Identifier: MIT
"""What the end-to-end tests share: a clean environment, the files of a run, the readings in them."""

from __future__ import annotations

import os
import sqlite3
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from math import isclose
from pathlib import Path
from typing import Any, Protocol

import expected

import rocprofsys_multipass as mp
from rocprofsys_multipass import Trace
from rocprofsys_multipass.config.launcher import RANK_VARIABLES
from rocprofsys_multipass.native import NATIVE_VARIABLE, Native

ROOT = Path(__file__).resolve().parents[2]

Finished = subprocess.CompletedProcess[str]


class Cli(Protocol):
    """Runs the command to its end."""

    def __call__(self, *words: str | Path, env: dict[str, str] | None = None) -> Finished: ...


TWO_PASSES = ("SQ_WAVES", "FETCH_SIZE", "WRITE_SIZE")
"""Counters that need two passes on gfx942."""

DEMO_SENTINELS = 9
"""Readings of a launch of the demo that are there to compare its passes only."""

PROBE = "probe(unsigned int*, unsigned int)"
"""The kernel of probe.cpp."""

RELATIVE = 1e-12  # of doubles that are summed in another order

# (dispatch id, replay pass or None, group, counter) of one reading.
Key = tuple[int, int | None, int, str]


def clean_environment() -> dict[str, str]:
    """This process's environment without anything that configures a run; programs started with it find the package."""
    unwanted = {*RANK_VARIABLES, "ROCP_TOOL_LIBRARIES", "LD_PRELOAD"}
    environ = {
        name: value
        for name, value in os.environ.items()
        if name == NATIVE_VARIABLE
        or not (name in unwanted or name.startswith(("ROCPROFSYS_", "ROCPROFILER_", "HSA_TOOLS")))
    }
    package = Path(mp.__file__).parents[1]
    environ["PYTHONPATH"] = os.pathsep.join([str(package), *filter(None, [environ.get("PYTHONPATH")])])
    return environ


@dataclass(frozen=True)
class Outputs:
    """The four files of one process."""

    journal: Path
    trace: Path
    database: Path
    summary: Path

    @staticmethod
    def of(folder: Path) -> Outputs:
        """Those in a run directory; fails unless it holds exactly one process."""
        (journal,) = folder.glob("multipass-*.journal")
        found = Outputs(journal, *(journal.with_suffix(suffix) for suffix in (".pftrace", ".db", ".json")))
        assert sorted(folder.glob("multipass-*")) == sorted(vars(found).values())
        return found


@contextmanager
def database(path: Path) -> Iterator[sqlite3.Connection]:
    """A database that nothing can change."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        connection.row_factory = sqlite3.Row
        yield connection


def readings(trace: Trace) -> dict[Key, float]:
    """Every reading of a trace of one process."""
    assert len(trace.processes) == 1
    found: dict[Key, float] = {}
    for dispatch in trace.dispatches():
        for one in dispatch.passes:
            for reading in one.readings:
                key = (dispatch.dispatch_id, one.index, one.group, reading.counter)
                assert key not in found
                found[key] = reading.value
    return found


def outcomes(trace: Trace) -> list[tuple[int, str, str]]:
    """Dispatch id, kernel and outcome of every dispatch."""
    return [(dispatch.dispatch_id, dispatch.kernel, dispatch.outcome) for dispatch in trace.dispatches()]


def alone(program: Path, *arguments: str, env: dict[str, str]) -> Finished:
    """The application without the plugin."""
    return subprocess.run(
        [program, *arguments], env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )


def counters(trace: Trace) -> list[dict[str, float]]:
    """The counters of each dispatch."""
    return [dict(dispatch.counters) for dispatch in trace.dispatches()]


def probe_counters(size: int, names: tuple[str, ...] = TWO_PASSES, device: str = "gfx942") -> dict[str, float]:
    launch = expected.probe_launch(size, device)
    return {name: launch.counter(name, device) for name in names}


def assert_complete(folder: Path, sizes: tuple[int, ...]) -> None:
    """The four files are there, say that each launch of the probe was replayed, and hold its values."""
    outputs = Outputs.of(folder)
    for path in (outputs.journal, outputs.trace, outputs.database):
        trace = mp.open_trace(path)
        assert outcomes(trace) == [(i, PROBE, "replayed") for i in range(1, len(sizes) + 1)]
        assert counters(trace) == [probe_counters(size) for size in sizes]
    assert [finding for finding in mp.verify(folder) if finding.severity != "info"] == []


def wrong(found: Mapping[Any, float], wanted: Mapping[Any, float]) -> dict[Any, tuple[float | None, float | None]]:
    """What is found and wanted, where they differ: whole numbers exactly, others by more than the last digits."""

    def same(one: float | None, other: float | None) -> bool:
        if one is None or other is None:
            return False
        return one == other if float(other).is_integer() else isclose(one, other, rel_tol=RELATIVE, abs_tol=0)

    return {
        key: (found.get(key), wanted.get(key))
        for key in found.keys() | wanted.keys()
        if not same(found.get(key), wanted.get(key))
    }


def by_hand(native: Native, environment: dict[str, str], output: Path, **variables: str) -> dict[str, str]:
    """The environment of an application that is started without the wrapper."""
    return environment | {
        "ROCP_TOOL_LIBRARIES": str(native.plugin),
        "ROCPROFSYS_MULTIPASS_SIMULATE": "gfx942",
        "ROCPROFSYS_MULTIPASS_OUTPUT": str(output),
        **variables,
    }
