# SPDX-License-Identifier: MIT
"""The dispatches of a process as data for the script of the page: every execution, every reading, in columns.

Dispatches that are alike but for numbers are of one *class*: kernel, GPU, outcome, reason. Its *shape* says which
executions they had and which counters each of these read, so that no reading needs to be named. A column has a number
per dispatch of one shape, in order of class and launch; columns of all dispatches are in order of launch.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from rocprofsys_multipass.report.columns import EXACT, Column, fit
from rocprofsys_multipass.report.html_parts import LONG_NAME, SHORT_NAME, cut
from rocprofsys_multipass.report.statistics import unit_of
from rocprofsys_multipass.trace import Agent, Dispatch, Interval, Pass
from rocprofsys_multipass.trace.nature import nature_of

MOST_ROWS: Final = 250_000
MOST_SHAPES: Final = 256  # with readings; a run has a few, unless much of it is damaged
MOST_NAMES: Final = 1_000_000  # characters of the names of all kernels
TIMES: Final = "times of the passes"

_Key = tuple[tuple[Any, ...], tuple["_Slot", ...]]
_Slot = tuple[str, int, bool]  # counter, position of the execution, whether it stands for the dispatch


@dataclass(frozen=True, slots=True)
class TableData:
    """What goes into the page: `head` (what the table needs at once) and `values`, both base64.

    `rounded`: digits that were kept of columns, where not all were; `missing`: columns that have no room;
    `rows`: dispatches that are in it; `bare`: of these, the ones without their readings.
    """

    head: str
    values: str
    rows: int
    rounded: dict[str, int]
    missing: tuple[str, ...]
    bare: int


@dataclass(slots=True)
class _Shape:
    parts: tuple[Any, ...]
    slots: tuple[_Slot, ...]
    order: list[Dispatch] = field(default_factory=list)


def name_length(names: int) -> int:
    """Characters that a name has in the data, where there are so many of them; longer ones lose their middle."""
    return max(SHORT_NAME, min(LONG_NAME, MOST_NAMES // max(1, names)))


def table_data(dispatches: Sequence[Dispatch], room: int, most_name: int = LONG_NAME) -> TableData:
    """The first MOST_ROWS dispatches, in `room` characters or a little more, names in `most_name`."""
    rows = dispatches[:MOST_ROWS]
    known: dict[_Key, _Key] = {}  # one object of each, for a key is long and there are few
    keys = [known.setdefault(key, key) for key in map(_key_of, rows)]
    counts = Counter(map(id, keys))
    common = {id(key) for key in sorted(known, key=lambda key: -counts[id(key)])[:MOST_SHAPES]}
    bare = sum(count for key, count in counts.items() if key not in common)
    kept = {id(key): key if id(key) in common else (key[0], ()) for key in known}
    shapes = {key: _Shape(*key) for key in kept.values()}
    numbers = {key: n for n, key in enumerate(shapes)}
    of = {key: (numbers[shape], shape[0]) for key, shape in kept.items()}
    classes: dict[tuple[Any, ...], list[int]] = {}
    for row, (d, key) in enumerate(zip(rows, keys, strict=True)):
        number, parts = of[id(key)]
        classes.setdefault((number, *_class_of(d, parts, most_name)), []).append(row)
    in_order = list(shapes.values())
    for (shape, *_), members in classes.items():
        in_order[shape].order.extend(rows[row] for row in members)
    return _packed(rows, in_order, classes, room, bare)


def _key_of(d: Dispatch) -> _Key:
    return _parts_of(d), _slots_of(d)


def _class_of(d: Dispatch, parts: tuple[Any, ...], most_name: int) -> tuple[Any, ...]:
    """Kernel, GPU, outcome, reason, planned passes, and which execution the times of the dispatch are of."""
    labels = [part[0] for part in parts]
    timed = labels.index(d.time_of) if d.time_of in labels else -1
    kernel, reason = cut(d.kernel, most_name), cut(d.reason, most_name)
    return (kernel, d.agent.device, d.outcome, reason, d.passes_planned, timed)


def _executions(d: Dispatch) -> list[tuple[str, Pass | Interval]]:
    # As `time_of` names them, so that the one whose time it is can be marked.
    found: list[tuple[str, Pass | Interval]] = [
        ("timing pass" if name == "timing" else name, one) for name, one in d.extra_passes
    ]
    return found + [("single run" if p.index is None else p.label, p) for p in d.passes]


def _run(d: Dispatch) -> Sequence[Pass | Interval]:
    """As `_executions`, without what they are called."""
    extras = [one for _, one in d.extra_passes]
    return [*extras, *d.passes] if extras else d.passes


def _parts_of(d: Dispatch) -> tuple[Any, ...]:
    """Of each execution: label, group (-1: it read no counters), status, whether it has times."""
    return tuple(
        [
            (label, one.group, one.status, one.duration_ns is not None, one.index is not None)
            if isinstance(one, Pass)
            else (label, -1, "OK", one.duration_ns is not None, False)
            for label, one in _executions(d)
        ]
    )


def _slots_of(d: Dispatch) -> tuple[_Slot, ...]:
    extras = len(d.extra_passes)
    return tuple([(r.counter, extras + k, r.canonical) for k, p in enumerate(d.passes) for r in p.readings])


def _packed(
    rows: Sequence[Dispatch], shapes: Sequence[_Shape], classes: dict[tuple[Any, ...], list[int]], room: int, bare: int
) -> TableData:
    class_of = [0] * len(rows)
    for number, members in enumerate(classes.values()):
        for row in members:
            class_of[row] = number
    starts = [_start_of(d) for d in rows]
    origin = min((s for s in starts if s is not None), default=0)
    places = {place: n for n, place in enumerate(dict.fromkeys(map(_place_of, rows)))}
    of_rows = [
        Column("class", class_of),
        Column("id", [d.dispatch_id for d in rows]),
        Column("start", [-1 if s is None else s - origin for s in starts]),
        Column("place", [places[_place_of(d)] for d in rows]),
    ]
    times = [_times(shape) for shape in shapes]
    readings = [_readings(shape) for shape in shapes]
    every_time = [column for of in times for pair in of for column in pair]
    every_reading = [column for of in readings for column in of]
    agents = list({d.agent.index: d.agent for d in rows}.values())
    names = sorted({slot[0] for shape in shapes for slot in shape.slots})
    counters = {name: n for n, name in enumerate(names)}
    fixed = sum(len(c.packed.data) for c in of_rows) * 4 // 3
    fit([*every_time, *every_reading], room - fixed)

    table, values = _Writer(inflated=True), _Writer()
    head = {
        "rows": len(rows),
        "counters": [[name, _unit(agents, name), nature_of(name)] for name in names],
        "places": list(places),
        "classes": [[*key, len(members)] for key, members in classes.items()],
        "columns": {c.name: table.add(c) for c in of_rows},
        "shapes": [
            {
                "parts": [[*part[:3], part[4], *map(table.add, pair)] for part, pair in _paired(shape, of)],
                "slots": [
                    [counters[name], part, canonical, values.add(c)]
                    for (name, part, canonical), c in zip(shape.slots, read, strict=True)
                ],
            }
            for shape, of, read in zip(shapes, times, readings, strict=True)
        ],
    }
    text = json.dumps(head, separators=(",", ":")).encode()
    together = zlib.compress(len(text).to_bytes(4, "little") + text + table.data, 6)
    coarse = [c for c in (*every_time, *every_reading) if c.digits != EXACT]
    return TableData(
        head=base64.b64encode(together).decode(),
        values=base64.b64encode(values.data).decode(),
        rows=len(rows),
        rounded={c.name: c.digits for c in sorted(coarse, key=lambda c: -(c.digits or 0)) if c.digits},
        missing=tuple(dict.fromkeys(c.name for c in coarse if c.digits is None)),
        bare=bare,
    )


class _Writer:
    """Columns one after the other. `inflated`: those that are unpacked together are deflated together."""

    def __init__(self, *, inflated: bool = False) -> None:
        self._parts: list[bytes] = []
        self._at = 0
        self._inflated = inflated

    def add(self, column: Column) -> list[Any]:
        """Where it is and how it is read: mode, count, planes, scale, position, length."""
        p = column.packed
        data = zlib.decompress(p.data) if self._inflated and p.data else p.data
        found = [p.mode, p.count, p.planes, p.scale, self._at, len(data)]
        self._parts.append(data)
        self._at += len(data)
        return found

    @property
    def data(self) -> bytes:
        return b"".join(self._parts)


def _paired(shape: _Shape, times: Sequence[tuple[Column, ...]]) -> list[tuple[Any, tuple[Column, ...]]]:
    """Each execution with its columns; none for those without times."""
    of = iter(times)
    return [(part, next(of) if part[3] else ()) for part in shape.parts]


def _times(shape: _Shape) -> list[tuple[Column, ...]]:
    """Of each execution with times: ns since the end of the one before, or the start of the dispatch; its length."""
    found: list[tuple[Column, ...]] = []
    executions = [_run(d) for d in shape.order]
    ends = [_start_of(d) or 0 for d in shape.order]
    for position, part in enumerate(shape.parts):
        if not part[3]:
            continue
        starts = [of[position].start_ns or 0 for of in executions]
        lengths = [of[position].duration_ns or 0 for of in executions]
        found.append(
            (
                Column(TIMES, [start - end for start, end in zip(starts, ends, strict=True)]),
                Column(TIMES, lengths),
            )
        )
        ends = [start + length for start, length in zip(starts, lengths, strict=True)]
    return found


def _readings(shape: _Shape) -> list[Column]:
    values = [[r.value for p in d.passes for r in p.readings] for d in shape.order] if shape.slots else []
    return [Column(slot[0], column) for slot, column in zip(shape.slots, zip(*values, strict=True), strict=True)]


def _start_of(d: Dispatch) -> int | None:
    """When its first execution with times started."""
    return next((one.start_ns for one in _run(d) if one.duration_ns is not None), None)


def _place_of(d: Dispatch) -> tuple[Any, ...]:
    return (d.grid, d.workgroup, d.queue_id, d.stream_id, d.thread_id)


def _unit(agents: Sequence[Agent], name: str) -> str:
    return next((unit for agent in agents if (unit := unit_of(name, agent))), "")
