# SPDX-License-Identifier: MIT
"""Checks of the views of passes that the canonical layout of a database adds (docs/formats/rocpd.md)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from rocprofsys_multipass.trace.database import Database
from rocprofsys_multipass.verify.evidence import Evidence
from rocprofsys_multipass.verify.finding import Finding
from rocprofsys_multipass.verify.places import of_guid
from rocprofsys_multipass.verify.registry import check
from rocprofsys_multipass.verify.schema import findings

_Owner = tuple[str, int]  # guid, dispatch
_Key = tuple[str, int, int | None]  # guid, dispatch, pass


@check("rocpd-replay-views")
def replay_views(evidence: Evidence) -> Iterator[Finding]:
    """`replay_kernels` has every execution once, `replay_counters_collection` every reading of every pass.

    An inner join on a row that is missing would hide some, as in the views without passes (check rocpd-lost-rows).
    """
    db = evidence.database
    if db is not None and db.has("rocpd_replay_pass"):
        if db.has("replay_kernels"):
            yield from findings("rocpd-replay-views", db, _executions(evidence, db))
        if db.has("replay_counters_collection"):
            yield from findings("rocpd-replay-views", db, _readings(evidence, db))


def _executions(evidence: Evidence, db: Database) -> Iterator[tuple[str, str]]:
    if "replay_pass" not in db.columns("replay_kernels"):
        yield "replay_kernels", "the view has no column replay_pass"
        return
    shown = Counter(map(tuple, db.rows("SELECT guid, dispatch_id, replay_pass FROM replay_kernels")))
    stored = Counter(map(tuple, db.rows("SELECT guid, dispatch_id, replay_pass FROM rocpd_replay_pass")))
    hidden = _hidden(shown, stored)
    for owner, keys in hidden.items():
        yield _place(evidence, "replay_kernels", (*owner, None)), f"shows none of its {len(keys)} executions"
    for key in sorted(shown.keys() | stored.keys(), key=_order):
        if shown[key] != stored[key] and key[:2] not in hidden:
            yield _place(evidence, "replay_kernels", key), f"shows {shown[key]} executions of {stored[key]}"


def _hidden(shown: Iterable[tuple[Any, ...]], stored: Iterable[tuple[Any, ...]]) -> dict[_Owner, list[tuple[Any, ...]]]:
    """Of dispatches that a view does not show at all, what there is of them."""
    there = {key[:2] for key in shown}
    found: dict[_Owner, list[tuple[Any, ...]]] = defaultdict(list)
    for key in sorted(stored, key=_order):
        if key[:2] not in there:
            found[key[:2]].append(key)
    return found


def _readings(evidence: Evidence, db: Database) -> Iterator[tuple[str, str]]:
    sql = (
        "SELECT guid, dispatch_id, replay_pass, counter_name, SUM(value) AS total FROM replay_counters_collection "
        "GROUP BY guid, dispatch_id, replay_pass, counter_name"
    )
    shown = {(r["guid"], r["dispatch_id"], r["replay_pass"], r["counter_name"]): r["total"] for r in db.rows(sql)}
    stored: dict[tuple[str, int, int | None, str], float] = {}
    for process in evidence.from_database:
        for d in process.dispatches:
            for p in d.passes:
                for r in p.readings:
                    key = (process.guid, d.dispatch_id, p.index, r.counter)
                    stored[key] = stored.get(key, 0.0) + r.value
    hidden = _hidden(shown, stored)
    for owner, keys in hidden.items():
        yield _place(evidence, "replay_counters_collection", (*owner, None)), f"shows none of its {len(keys)} readings"
    for key in sorted((k for k in shown.keys() | stored.keys() if k[:2] not in hidden), key=_order):
        if shown.get(key) != stored.get(key):
            texts = ("nothing" if value is None else f"{value:.17g}" for value in (shown.get(key), stored.get(key)))
            where = _place(evidence, "replay_counters_collection", key[:3])
            yield f"{where}, {key[3]}", "shows {}, the reading is {}".format(*texts)


def _order(key: tuple[Any, ...]) -> tuple[Any, ...]:
    """By numbers; what ran outside a replay loop, which has no pass, first."""
    return tuple(-1 if part is None else part for part in key)


def _place(evidence: Evidence, view: str, key: _Key) -> str:
    return f"{of_guid(evidence.from_database, key[0])}{view}, dispatch {key[1]}" + (
        "" if key[2] is None else f", pass {key[2]}"
    )
