# SPDX-License-Identifier: MIT
"""Checks of launches that were not replayed: whose turn it was, and what was read of each launch shape.

That such a launch reads one group, and all of it, is among the findings of check outcome.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from rocprofsys_multipass.spelling import plural
from rocprofsys_multipass.trace.database import Database
from rocprofsys_multipass.trace.kernel_counters import KernelCounter, kernel_counters_of
from rocprofsys_multipass.trace.model import OURS, Dim3, Dispatch, Process
from rocprofsys_multipass.verify.evidence import Evidence
from rocprofsys_multipass.verify.finding import Finding
from rocprofsys_multipass.verify.places import at, of_guid
from rocprofsys_multipass.verify.registry import check
from rocprofsys_multipass.verify.schema import findings
from rocprofsys_multipass.verify.wording import short

_SHAPES: Final = 4096  # of an agent, that have a turn of their own (library/replay/launch_table.hpp)
_NAMED: Final = 3  # launch shapes in a message
_SEVERAL: Final = 2
_VALUES: Final = (
    *("launches", "replayed", "counter_group", "n", "median", "mad", "min_value", "max_value"),
    *("counters_read", "counters_planned", "groups_read", "groups_planned"),
)

_Shape = tuple[int, object, Dim3 | None, Dim3 | None]  # agent, kernel, grid, work-group
_Key = tuple[Any, ...]


@check(
    "rotation",
    "warning",
    "info",
    remedy="take the medians of counters that were read seldom with care; launches of several threads, or lost "
    "readings, explain it",
)
def rotation(evidence: Evidence) -> Iterator[Finding]:
    """The launches of a shape that were not replayed read each group of counters equally often, or once less.

    They take turns. It is a note where several threads launched, readings are missing, or there are more shapes than
    have a turn of their own.
    """
    for process in evidence.best:
        if process.tool != OURS or process.replay_mode == "off":
            continue
        shapes: dict[_Shape, list[Dispatch]] = defaultdict(list)
        for d in process.dispatches:
            if len(d.agent.passes) >= _SEVERAL and _took_a_turn(d):
                kernel = d.kernel if d.symbol.id is None else d.symbol.id
                shapes[d.agent.index, kernel, d.grid, d.workgroup].append(d)
        for launches in shapes.values():
            counts = Counter(p.group for d in launches for p in d.passes)
            of_groups = [counts[group] for group in range(len(launches[0].agent.passes))]
            if max(of_groups) - min(of_groups) > 1:
                sure = process.closed and len(shapes) <= _SHAPES and len({d.thread_id for d in launches}) == 1
                sure = sure and all(d.outcome == "declined" and len(d.passes) == 1 for d in launches)
                message = f"groups 0 to {len(of_groups) - 1} were read by {', '.join(map(str, of_groups))} launches"
                where = at(process, _named(launches[0].kernel, launches[0].grid, launches[0].workgroup))
                yield Finding("warning" if sure else "info", "rotation", where, message, _HINT)


_HINT: Final = "the groups take turns; what was lost, or launched beside others, may shift them"


def _took_a_turn(d: Dispatch) -> bool:
    """Whether it ran once, outside of a replay loop, to read the group whose turn it was."""
    return d.outcome == "declined" or (d.outcome == "incomplete" and all(p.index is None for p in d.passes))


@check(
    "coverage",
    "warning",
    "info",
    remedy="launch the kernel as often as there are groups, or let it be replayed: docs/rotation.md",
)
def coverage(evidence: Evidence) -> Iterator[Finding]:
    """Every planned counter was read of every launch shape.

    A launch that is not replayed reads one group. Fewer launches than groups cannot read all: a note. A warning where
    there were enough of them.
    """
    for process in evidence.best:
        if process.tool != OURS or process.replay_mode == "off":
            continue
        broken = {
            (d.agent.device, d.kernel, d.grid, d.workgroup) for d in process.dispatches if d.outcome == "incomplete"
        }
        few: dict[int | None, list[KernelCounter]] = defaultdict(list)
        for one in _incomplete(process):
            shape = (one.agent, one.kernel, one.grid, one.workgroup)
            if one.launches < (one.groups_planned or 0) or shape in broken:
                few[one.agent].append(one)
                continue
            where = at(process, _named(one.kernel, one.grid, one.workgroup))
            yield Finding("warning", "coverage", where, f"only {_read(one)}, which were enough for all groups")
        for device, shapes in few.items():
            texts = [f"{_named(one.kernel, one.grid, one.workgroup)}: {_read(one)}" for one in shapes[:_NAMED]]
            more = f"; and {len(shapes) - _NAMED} more" if len(shapes) > _NAMED else ""
            count = plural(len(shapes), "launch shape")
            message = f"not every planned counter was read of {count}: {'; '.join(texts)}{more}"
            yield Finding("info", "coverage", at(process, f"GPU {device}"), message, _MORE)


_MORE: Final = "a launch that is not replayed reads one group: there were too few, or some broke off"


def _incomplete(process: Process) -> Iterator[KernelCounter]:
    """One row of each launch shape of which a planned counter is missing."""
    told = set()
    for one in kernel_counters_of(process, process.dispatches):
        shape = (one.agent, one.kernel, one.grid, one.workgroup)
        if one.counters_planned and not one.complete and shape not in told:
            told.add(shape)
            yield one


def _read(one: KernelCounter) -> str:
    return (
        f"{one.groups_read} of {one.groups_planned} groups, {one.counters_read} of {one.counters_planned} counters, in "
        f"{plural(one.launches, 'launch')}"
    )


def _named(kernel: str, grid: Dim3 | None, workgroup: Dim3 | None) -> str:
    """``axpy(float*) [1024,1,1 / 64,1,1]``."""
    sizes = [",".join(map(str, size)) for size in (grid, workgroup) if size is not None]
    name = short(kernel)
    return f"{name} [{' / '.join(sizes)}]" if sizes else name


@check("rocpd-kernel-counters")
def kernel_counters(evidence: Evidence) -> Iterator[Finding]:
    """View `kernel_counters` says of each counter of each launch shape what its readings say, worked out without SQL.

    Files of earlier versions do not have it.
    """
    db = evidence.database
    if db is None or not db.has("kernel_counters"):
        return
    missing = [name for name in (*_VALUES, "kernel_name", "counter_name") if name not in db.columns("kernel_counters")]
    if missing:
        yield from findings("rocpd-kernel-counters", db, [("kernel_counters", f"it has no column {missing[0]}")])
        return
    shown, right = _shown(db), _right(evidence.from_database, db)
    places = []
    for key in sorted(shown.keys() | right.keys(), key=repr):
        if shown.get(key) != right.get(key):
            guid, _, _, kernel, grid, workgroup, counter = key
            where = (
                f"{of_guid(evidence.from_database, guid)}kernel_counters, {_named(kernel, grid, workgroup)}, {counter}"
            )
            places.append((where, _unlike(shown.get(key), right.get(key))))
    yield from findings("rocpd-kernel-counters", db, places)


def _unlike(shown: Mapping[str, object] | None, right: Mapping[str, object] | None) -> str:
    if shown is None or right is None:
        return "there is no row of it" if shown is None else "nothing of it was planned or read"
    name = next(name for name in _VALUES if shown[name] != right[name])
    return f"{name} is {shown[name]}, by the readings it is {right[name]}"


def _shown(db: Database) -> dict[_Key, dict[str, object]]:
    return {
        (
            *(row["guid"], row["pid"], row["agent_id"], row["kernel_name"]),
            tuple(row[f"grid_size_{axis}"] for axis in "xyz"),
            tuple(row[f"workgroup_size_{axis}"] for axis in "xyz"),
            row["counter_name"],
        ): {name: row[name] for name in _VALUES}
        for row in db.rows("SELECT * FROM kernel_counters")
    }


def _right(processes: Sequence[Process], db: Database) -> dict[_Key, dict[str, object]]:
    rows = db.rows("SELECT guid, id, COALESCE(display_name, kernel_name) AS name FROM rocpd_info_kernel_symbol")
    names = {(row["guid"], row["id"]): row["name"] for row in rows}
    found: dict[_Key, dict[str, object]] = {}
    for process in processes:
        ids = {agent.device: agent.index for agent in process.agents}

        def name_of(d: Dispatch, guid: str = process.guid) -> str:
            return str(names.get((guid, d.symbol.id), d.kernel))

        for one in kernel_counters_of(process, process.dispatches, name_of):
            key = (process.guid, process.pid, ids[one.agent], one.kernel, one.grid, one.workgroup, one.counter)
            found[key] = {
                **{name: getattr(one, name) for name in _VALUES if name in KernelCounter.__slots__},
                "counter_group": one.group,
                "min_value": one.low,
                "max_value": one.high,
            }
    return found
