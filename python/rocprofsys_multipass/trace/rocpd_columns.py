# SPDX-License-Identifier: MIT
"""The readings of a process in a database with side tables, column by column."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np

from rocprofsys_multipass.errors import TraceError
from rocprofsys_multipass.trace.agent import Agent
from rocprofsys_multipass.trace.columns import ABSENT, Columns, Flags, Whole, Words, reading_keys
from rocprofsys_multipass.trace.database import Database, Key, interval_of, json_object
from rocprofsys_multipass.trace.guard import Facts
from rocprofsys_multipass.trace.model import Kernel, outcome_of

_DISPATCHES: Final = (
    "SELECT id, dispatch_id, agent_id, kernel_id, extdata FROM rocpd_kernel_dispatch WHERE guid = ? AND pid = ? "
    "ORDER BY dispatch_id, id"
)
_EXECUTIONS: Final = (
    'SELECT id, kernel_dispatch_id, IFNULL(replay_pass, ?), start, "end", extdata FROM rocpd_replay_pass '
    "WHERE guid = ? ORDER BY id"
)
# Three columns in one number, since most of the time goes into handing over each value. It is NULL where one of them is
# no number or has too many bits, and no whole number where one of them is none.
_READINGS: Final = (
    "SELECT CASE WHEN replay_pass_id BETWEEN 0 AND (1 << 40) AND pmc_id BETWEEN 0 AND (1 << 20) - 1 "
    "AND IFNULL(is_canonical, 0) BETWEEN 0 AND 1 "
    "THEN replay_pass_id * (1 << 21) + pmc_id * 2 + IFNULL(is_canonical, 0) END, value "
    "FROM rocpd_replay_pmc WHERE guid = ? AND value IS NOT NULL"
)
_COUNTERS: Final = "SELECT id, name FROM rocpd_info_pmc WHERE guid = ? ORDER BY id"


@dataclass(frozen=True)
class Described:
    """What the dispatches of a process refer to."""

    process: Key
    pid: int
    agents: Mapping[Key, Agent]
    kernels: Mapping[Key, Kernel]


def columns_of(db: Database, side: Database, described: Described) -> Columns | None:
    """The readings of a process; `side` has the side tables.

    None: a value is not of its type, something is missing, or a counter has several rows. The dispatches then tell.
    """
    try:
        return _columns_of(db, side, described)
    except (TypeError, ValueError, OverflowError, LookupError, TraceError):
        return None


def _columns_of(db: Database, side: Database, described: Described) -> Columns | None:
    guid = described.process[0]
    ids, dispatch_ids, agents, kernels, facts = db.arrays("qqqqo", _DISPATCHES, described.process)
    device = {a: described.agents[guid, a].device for a in set(agents)}
    name = {k: _name(described.kernels.get((guid, k)), k) for k in set(kernels)}
    *numbers, more = side.arrays("qqqqqo", _EXECUTIONS, (ABSENT, guid))
    passes, of, number, start, end = map(_column, numbers)
    if any((column < 0).any() for column in (_column(dispatch_ids), start, end)):
        return None  # beyond 63 bits: no number of a data frame
    dispatch, ours = _places(of, _column(ids))
    order = np.lexsort((number, dispatch))
    order = order[ours[order]]
    group = np.fromiter(map(cache(_group), more), np.int64, len(more))
    index = number[order]
    known = ((start != 0) | (end != 0))[order]  # 0 in both is how the database says that times are not known
    readings = _readings(db, side, guid, passes[order])
    if readings is None:
        return None
    return Columns(
        process=np.full(len(ids), described.pid),
        dispatch_id=_column(dispatch_ids),
        device=_whole(device[a] for a in agents),
        kernel=_words(name[k] for k in kernels),
        timing_ns=_whole(map(cache(_timing_ns), facts)),
        dispatch=dispatch[order],
        index=index,
        timed_as=index,
        group=np.where(group == ABSENT, np.where(number == ABSENT, 0, number), group)[order],
        start_ns=np.where(known, start[order], ABSENT),
        end_ns=np.where(known, end[order], ABSENT),
        **readings,
    )


def _readings(db: Database, side: Database, guid: str, executions: Whole) -> dict[str, Any] | None:
    """The columns of readings, of the executions with these ids."""
    ids, names = db.arrays("qo", _COUNTERS, (guid,))
    numbers, values = side.arrays("qd", _READINGS, (guid,))
    packed = _column(numbers)
    of, pmc, canonical = packed >> 21, packed >> 1 & (1 << 20) - 1, packed & 1
    counter, named = _places(pmc, _column(ids))
    execution, ours = _places(of, executions)
    if not named.all():
        return None
    words = _words(names)[counter]
    key = reading_keys(execution, words)
    order = np.argsort(key, kind="stable")
    order = order[ours[order]]
    key = key[order]
    if (key[1:] == key[:-1]).any():
        return None
    return {
        "execution": execution[order],
        "counter": words[order],
        "value": np.frombuffer(values, np.float64)[order],
        "canonical": canonical[order] != 0,
    }


def _name(kernel: Kernel | None, number: int) -> str:
    return f"kernel {number}" if kernel is None else kernel.demangled or kernel.name


def _column(values: array[int]) -> Whole:
    """The same numbers: the memory is shared."""
    return np.frombuffer(values, np.int64)


def _whole(numbers: Iterable[int | None]) -> Whole:
    return np.array([ABSENT if n is None else n for n in numbers], np.int64)


def _words(texts: Iterable[str]) -> Words:
    known: dict[str, int] = {}
    at = np.array([known.setdefault(text, len(known)) for text in texts], np.int64)
    return Words(at, tuple(known))


def _places(wanted: Whole, ids: Whole) -> tuple[Whole, Flags]:
    """Where in `ids` each one is, and whether it is there at all."""
    if not len(ids):
        return np.zeros(len(wanted), np.int64), np.zeros(len(wanted), np.bool_)
    order = np.argsort(ids, kind="stable")
    place = order[np.minimum(np.searchsorted(ids, wanted, sorter=order), len(ids) - 1)]
    return place, ids[place] == wanted


def _object(text: object) -> Mapping[str, Any]:
    if not isinstance(text, str | None):
        raise TypeError(text)
    return json_object(text)


def _group(text: object) -> int:
    """The planned pass that the extdata of an execution names, or ABSENT."""
    more = Facts(_object(text), "")
    return ABSENT if more.whole("group") is None else more.count("group")


def _timing_ns(text: object) -> int | None:
    """The kernel time of the timing pass, of the extdata of a dispatch. TraceError: something is wrong with that."""
    said = _object(text).get("replay")
    replay = Facts(said if isinstance(said, dict) else {}, "")
    if outcome := replay.text("outcome"):
        outcome_of(outcome, "")
    replay.text("reason")
    replay.count("passes")
    interval_of(replay, "warm_up")
    timing = interval_of(replay, "timing")
    return timing.duration_ns if timing else None
