# SPDX-License-Identifier: MIT
"""Which traces a path means."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from rocprofsys_multipass.errors import TraceError, UsageError
from rocprofsys_multipass.trace.model import Interval
from rocprofsys_multipass.trace.open import files_of_run, folder_to_give, kind_of, open_trace
from rocprofsys_multipass.trace.perfetto_clock import BOOTTIME, first_packets

# What Perfetto's importer takes beside its own form: gzip, zip, JSON.
_OTHER_FORMS: Final = (b"\x1f\x8b", b"PK\x03\x04", b"{", b"[")
_OUR_JSON: Final = re.compile(rb'\{\s*"schema"')  # summaries and tables of a run, which a UI would take for a trace
_NAME: Final = re.compile(r"multipass-(?:rank(?P<rank>\d+)(?:-(?P<later>\d+))?|(?P<pid>\d+)(?:-\d+)?)")
_LISTED: Final = 20


@dataclass(frozen=True)
class TraceFile:
    """A trace, and whose it is, as far as its summary or its name tells."""

    path: Path
    pid: int | None = None
    rank: int | None = None
    host: str = ""
    gpus: int | None = None

    @property
    def title(self) -> str:
        """How a list names it."""
        whose = [f"rank {self.rank}"] * (self.rank is not None) + [f"pid {self.pid}"] * (self.pid is not None)
        whose += [f"on {self.host}"] * bool(self.host)
        return f"{self.path.name} ({', '.join(whose)})" if whose else self.path.name


def choose(path: Path, *, pid: int | None = None, rank: int | None = None) -> list[TraceFile]:
    """The trace at `path`; of a run directory those of this process or rank, or of all when neither is given.

    Several come in order of their clock snapshots: an importer that is given one behind the other complains of a clock
    that goes back.

    Raises:
        UsageError: there is no such trace, or there are traces of several machines: their clocks have nothing to do
            with each other, and one page would show them hours apart.
        TraceError: the file is no trace.
    """
    if not path.is_dir():
        _refuse_no_trace(path)
        found = [_identify(path)]
    else:
        found = [_identify(file) for file in files_of_run(path)["perfetto"]]
        if not found:
            raise _nothing_in(path)
    wanted = [one for one in found if pid in (None, one.pid) and rank in (None, one.rank)]
    if not wanted:
        asked = " and ".join(f"--{k} {v}" for k, v in (("pid", pid), ("rank", rank)) if v is not None)
        raise UsageError(f"{path} has no trace for {asked}; there are: {_listed(found)}")
    if len({one.host for one in wanted if one.host}) > 1:
        raise UsageError(
            f"{path} has traces of several machines, whose clocks are not related: choose by --rank or --pid; "
            f"there are: {_listed(wanted)}"
        )
    for one in wanted:
        _refuse_no_trace(one.path)
    return sorted(wanted, key=lambda one: _clock_ns(one.path)) if len(wanted) > 1 else wanted


def times_of(traces: Sequence[TraceFile], dispatch_id: int) -> Interval:
    """When this dispatch ran, as its slice shows it.

    Raises:
        UsageError: there is no such dispatch, there are several, or its times are not known.
        TraceError: a trace cannot be read.
    """
    processes = [process for one in traces for process in open_trace(one.path).processes]
    found = [one for process in processes for one in process.dispatches if one.dispatch_id == dispatch_id]
    if len(found) > 1:
        pids = ", ".join(str(one.process) for one in found)
        raise UsageError(
            f"--dispatch {dispatch_id}: processes {pids} have one of that number: choose by --pid or --rank"
        )
    if not found:
        known = sorted(one.dispatch_id for process in processes for one in process.dispatches)
        there = f"there are {len(known)}, from {known[0]} to {known[-1]}" if known else "there are none"
        raise UsageError(f"--dispatch {dispatch_id}: no such dispatch: {there}")
    start, end = found[0].start_ns, found[0].end_ns
    if start is None or end is None:
        raise UsageError(f"--dispatch {dispatch_id}: its times are not known: it is on the track for such dispatches")
    return Interval(min(start, end), max(start, end))  # swapped times are drawn so


def _refuse_no_trace(path: Path) -> None:
    try:
        kind = kind_of(path)
    except TraceError:
        start = _start(path)
        if _OUR_JSON.match(start):
            raise _refused(path, "a summary or a table of a run", "give the run directory") from None
        if not start.startswith(_OTHER_FORMS):
            raise
        return
    if kind != "perfetto":
        export = f"`rocprof-sys-multipass export {path.with_suffix('.journal')}` makes the trace of a journal"
        raise _refused(path, "a journal" if kind == "journal" else "a database", export)


def _refused(path: Path, what: str, fix: str) -> UsageError:
    """`fix` is for where there is no trace beside it."""
    trace = path.with_suffix(".pftrace")
    fix = f"give {trace}" if trace.is_file() else fix
    return UsageError(f"{path} is {what}, which the Perfetto UI cannot show: {fix}")


def _start(path: Path) -> bytes:
    if not path.is_file():
        return b""
    with path.open("rb") as file:
        return file.read(64)


def _clock_ns(path: Path) -> int:
    """The first clock snapshot in its head, in ns of BOOTTIME; 0 where there is none."""
    clocks = (clock for packet in first_packets(path) for clock in packet.clock_snapshot.clocks)
    return next((clock.timestamp for clock in clocks if clock.clock_id == BOOTTIME), 0)


def _identify(path: Path) -> TraceFile:
    """By the summary beside it; where there is none, by its name."""
    name = _NAME.fullmatch(path.stem)
    if name is None:
        return TraceFile(path)
    summary = _summary(path.with_suffix(".json"))
    numbers = {key: int(text) for key, text in name.groupdict().items() if text is not None}
    pid = summary.get("pid", numbers.get("pid", numbers.get("later")))
    rank = summary.get("rank", numbers.get("rank"))
    host, agents = summary.get("host"), summary.get("agents")
    return TraceFile(
        path,
        pid if isinstance(pid, int) else None,
        rank if isinstance(rank, int) else None,
        host if isinstance(host, str) else "",
        len(agents) if isinstance(agents, list) else None,
    )


def _summary(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _nothing_in(folder: Path) -> UsageError:
    if any(folder.glob("*.journal")):
        return UsageError(
            f"{folder} has journals and no .pftrace: `rocprof-sys-multipass export {folder} --format perfetto` makes it"
        )
    return UsageError(f"{folder} has no .pftrace: {folder_to_give(folder)}, or a trace")


def _listed(traces: Sequence[TraceFile]) -> str:
    shown = [one.title for one in traces[:_LISTED]]
    more = len(traces) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")
