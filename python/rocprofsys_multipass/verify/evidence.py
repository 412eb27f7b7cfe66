# SPDX-License-Identifier: MIT
"""The files that a verification looks at: those with one name and different endings belong together."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from rocprofsys_multipass.errors import TraceError
from rocprofsys_multipass.trace import perfetto, rocpd
from rocprofsys_multipass.trace.agent import Agent
from rocprofsys_multipass.trace.database import Database, open_database
from rocprofsys_multipass.trace.guard import naming, shown
from rocprofsys_multipass.trace.journal import read_journal
from rocprofsys_multipass.trace.model import OURS, UNKNOWN, Kind, Process
from rocprofsys_multipass.trace.open import files_of_run, folder_to_give, kind_of
from rocprofsys_multipass.trace.perfetto_file import RawTrace, decode
from rocprofsys_multipass.trace.sidecar import refuse_sidecar, sidecar_problem
from rocprofsys_multipass.verify.limits import Limits

_OURS: Final = "multipass-"


@dataclass
class Evidence:
    """What there is of one run, each file read once. A file that cannot be read is in `unreadable` with the reason."""

    name: str
    journal: Process | None = None
    database: Database | None = None
    from_database: list[Process] = field(default_factory=list)
    raw: RawTrace | None = None
    from_trace: list[Process] = field(default_factory=list)
    summary: dict[str, Any] | None = None
    summary_path: Path | None = None
    tables: list[Path] = field(default_factory=list)  # of the readings
    unreadable: list[tuple[Path, str]] = field(default_factory=list)
    opened: Database | None = None  # as `database`, but also where its rows cannot be read
    trace_readable: bool = False
    of_run: list[Process] = field(default_factory=list)  # journals of all processes that are verified together
    again: list[tuple[Process, Process]] = field(default_factory=list)  # a process, and the same of a file beside it
    folder: Path = Path()
    limits: Limits = field(default_factory=Limits)

    @cached_property
    def lacks_sidecar(self) -> bool:
        """Whether the database is in strict layout, and the file with its passes is not beside it."""
        return self.opened is not None and bool(sidecar_problem(self.opened))

    @cached_property
    def processes(self) -> list[Process]:
        """Every reading of the run that there is: journal, database, trace."""
        return [*([self.journal] if self.journal else []), *self.from_database, *self.from_trace]

    @cached_property
    def foreign(self) -> str:
        """The other tools that wrote these files; empty: this one wrote one of them, or none can be read."""
        tools = {process.tool for process in self.processes}
        if not tools and self.raw is not None and not self.raw.path.name.startswith(_OURS):
            tools = {UNKNOWN}
        return "" if OURS in tools else " and ".join(sorted(tools))

    @cached_property
    def best(self) -> list[Process]:
        """The processes from the source that knows most."""
        return [self.journal] if self.journal else self.from_database or self.from_trace


def without_counters(processes: Iterable[Process]) -> bool:
    """Whether they are of a trace that was written without counters, so that it cannot tell of any reading."""
    return any(agent.without_counters for process in processes for agent in process.agents)


def planned_counters(process: Process, agent: Agent, group: int) -> frozenset[str]:
    """Counters of a planned pass: from the plan; without it, those that any dispatch of the agent has in that pass."""
    if agent.passes:
        return frozenset(agent.passes[group].counters) if group < len(agent.passes) else frozenset()
    return frozenset(
        r.counter
        for d in process.dispatches
        if d.agent.index == agent.index
        for p in d.passes
        if p.group == group and (p.start_ns is not None or process.kind != "perfetto")  # else its pass is a guess
        for r in p.readings
    )


def _files(paths: Iterable[Path]) -> list[tuple[Path, Kind | None]]:
    found: list[tuple[Path, Kind | None]] = []
    for path in paths:
        if path.is_dir():
            files = files_of_run(path)
            if not any(files.values()):
                raise TraceError(f"{path}: no .journal, .db or .pftrace in it; {folder_to_give(path)}")
            found += [(file, kind) for kind, of_kind in files.items() for file in of_kind]
        elif path.exists():
            found.append((path, None))
        else:
            raise TraceError(f"{path}: there is no such file or directory; check the path")
    return list(dict.fromkeys(found))


@contextmanager
def collect(paths: Iterable[Path]) -> Iterator[list[Evidence]]:
    """Opens everything at the paths (run directories or files). TraceError: a path has nothing to verify."""
    by_stem: dict[Path, Evidence] = {}
    with ExitStack() as stack:
        for path, kind in _files(paths):
            evidence = by_stem.setdefault(path.parent / path.stem, Evidence(path.stem, folder=path.parent))
            try:
                with naming(path):
                    _add(evidence, path, kind or kind_of(path), stack)
            except TraceError as error:
                evidence.unreadable.append((path, str(error)))
        journals = [one.journal for one in by_stem.values() if one.journal]
        for stem, evidence in by_stem.items():
            evidence.of_run = journals
            if not evidence.foreign:
                _add_summary(evidence, stem.with_name(f"{stem.name}.json"))
            _add_tables(evidence, stem)
        _find_again(list(by_stem.values()))
        yield list(by_stem.values())


def _add(evidence: Evidence, path: Path, kind: Kind, stack: ExitStack) -> None:
    if kind == "journal":
        evidence.journal = read_journal(path)
    elif kind == "rocpd":
        database = stack.enter_context(open_database(path))
        refuse_sidecar(database)  # else every table of the schema would be said to be missing
        evidence.opened = database
        if not evidence.lacks_sidecar:  # else nothing is to be said of its passes but that (check rocpd-sidecar)
            evidence.from_database = rocpd.processes_of(evidence.opened)
            evidence.database = evidence.opened
    else:
        evidence.raw = decode(path)
        evidence.from_trace = perfetto.processes_of(evidence.raw)
        evidence.trace_readable = True


def _find_again(runs: Iterable[Evidence]) -> None:
    """Looks for processes that files of one kind and several names in one folder have, as copies do.

    A trace and a database with names of their own, as those of all ranks, are one run: readers take either.
    """
    known: dict[tuple[Path, Kind, str, int, int | None], Process] = {}
    for evidence in runs:
        for process in evidence.best:
            first = known.setdefault((evidence.folder, process.kind, *process.identity), process)
            if first is not process and process.identity[0]:
                evidence.again.append((process, first))


def _add_tables(evidence: Evidence, stem: Path) -> None:
    """The tables by their names (docs/formats/readings.md); beside a file of another name some may be of anyone."""
    own = stem.name.removeprefix(_OURS)
    names = [stem.with_name(f"readings-{own}.json"), stem.with_name(f"wide-{own}.csv")]
    if stem.name.startswith(_OURS):
        names += [stem.with_name(f"{stem.name}.csv"), stem.with_name(f"{stem.name}.parquet")]
    if evidence.processes:  # else there is nothing to compare them with
        evidence.tables = [path for path in names if path.is_file()]


def _add_summary(evidence: Evidence, path: Path) -> None:
    if not path.is_file():
        return
    evidence.summary_path = path
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        evidence.unreadable.append((path, f"{path}: {error}; it was cut: write it again with `export`"))
        return
    if isinstance(value, dict):
        evidence.summary = value
    else:
        text = f"{path}: it holds {shown(value)}, not an object; write it again with `export`"
        evidence.unreadable.append((path, text))
