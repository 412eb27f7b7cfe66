# SPDX-License-Identifier: MIT
"""Checks of the tables beside a run (docs/formats/readings.md), read without the code that writes them."""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from rocprofsys_multipass.trace.model import Process
from rocprofsys_multipass.verify.evidence import Evidence
from rocprofsys_multipass.verify.finding import Finding
from rocprofsys_multipass.verify.registry import check

_AGAIN: Final = "write the table again with `rocprof-sys-multipass export --format csv,json`"
_CANONICAL: Final = "canonical"

_Key = tuple[int, int, str, str]  # pid, dispatch, pass or _CANONICAL, counter
_Rows = dict[_Key, list[tuple[object, ...]]]


@check("tables")
def tables(evidence: Evidence) -> Iterator[Finding]:
    """The CSV and the JSON of the readings have the readings, passes, times and canonical values of the run."""
    for path in evidence.tables:
        is_csv = path.suffix == ".csv"
        try:
            found = _of_csv(path) if is_csv else _of_json(path)
        except (OSError, ValueError, KeyError, TypeError, AttributeError, csv.Error, RecursionError) as error:
            reason = f"it is cut, or no table of readings: {type(error).__name__}: {error}"
            yield Finding("error", "tables", path.name, reason, _AGAIN)
            continue
        sources = [evidence.best, evidence.from_database, evidence.from_trace]
        if any(found == _recorded(source, is_csv=is_csv) for source in sources if source):
            continue  # it may have been made of any file; where those differ, check parity says so
        expected = _recorded(evidence.best, is_csv=is_csv)
        for key in sorted(k for k in found.keys() | expected.keys() if found.get(k) != expected.get(k)):
            where = f"{path.name}: dispatch {key[1]}, {key[2]}, {key[3]}"
            message = f"it is {_text(found.get(key))}, the {evidence.best[0].kind} has {_text(expected.get(key))}"
            yield Finding("error", "tables", where, message, _AGAIN)


def _recorded(processes: Iterable[Process], *, is_csv: bool) -> _Rows:
    rows: _Rows = defaultdict(list)
    for d in (d for process in processes for d in process.dispatches):
        for p in d.passes:
            for r in p.readings:
                rows[d.process, d.dispatch_id, p.label, r.counter].append((r.value, p.group, p.start_ns, p.end_ns))
        for counter, p in d.canonical_pass.items():  # the JSON does not tell of which pass
            rows[d.process, d.dispatch_id, _CANONICAL, counter].append((d.counters[counter], is_csv and p.label))
    return rows


def _of_csv(path: Path) -> _Rows:
    rows: _Rows = defaultdict(list)
    with path.open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream, strict=True):
            pid, number = int(row["process"]), int(row["dispatch_id"])
            label = f"pass {row['pass']}" if row["pass"] else f"group {row['group']}"
            times = (int(row[name]) if row[name] else None for name in ("start", "end"))
            rows[pid, number, label, row["counter"]].append((float(row["value"]), int(row["group"]), *times))
            if row["canonical"] == "true":
                rows[pid, number, _CANONICAL, row["counter"]].append((float(row["value"]), label))
    return rows


def _of_json(path: Path) -> _Rows:
    rows: _Rows = defaultdict(list)
    content = json.loads(path.read_text(encoding="utf-8"))
    for of, d in ((process["pid"], d) for process in content["processes"] for d in process["dispatches"]):
        pid, number = int(of), int(d["dispatch_id"])
        for p in d["passes"]:
            label = f"group {p['group']}" if p["pass"] is None else f"pass {p['pass']}"
            for counter, value in p["counters"].items():
                rows[pid, number, label, counter].append((float(value), p["group"], p["start"], p["end"]))
        for counter, value in d["counters"].items():
            rows[pid, number, _CANONICAL, counter].append((float(value), False))
    return rows


def _text(rows: list[tuple[object, ...]] | None) -> str:
    """Value, group, start and end, or value and pass, of each row."""
    texts = [", ".join(str(one) for one in row if one is not False) for row in rows or ()]
    return " and ".join(texts) or "absent"
