# SPDX-License-Identifier: MIT
"""Checks of the tables beside a run (docs/formats/readings.md), read without the code that writes them."""

from __future__ import annotations

import csv
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Final, get_args

from rocprofsys_multipass.trace.guard import shown
from rocprofsys_multipass.trace.model import Kind, Process
from rocprofsys_multipass.verify.evidence import Evidence, without_counters
from rocprofsys_multipass.verify.finding import Finding
from rocprofsys_multipass.verify.registry import check
from rocprofsys_multipass.verify.table_facts import (
    COLUMNS,
    IN_EVERY_FILE,
    MEMBERS,
    Facts,
    cells,
    flat,
    generic,
    of_dispatch,
    of_process,
)
from rocprofsys_multipass.verify.wide_tables import differences
from rocprofsys_multipass.verify.wording import ABSENT, unlike

_AGAIN: Final = "write it again: `rocprof-sys-multipass export --format csv`, or csv-wide, json, parquet"
_CANONICAL: Final = "canonical"
_LONGEST_CELL: Final = 64 << 20  # bytes; names of kernels may be long, the limit of the module is 128 KiB
_SCHEMA: Final = 1
_PER_READING: Final = frozenset(
    ("process", "dispatch_id", "pass", "group", "counter", "value", "canonical", "start", "end")
)

_Key = tuple[int, int, str, str]  # pid, dispatch, pass or _CANONICAL, counter
_Rows = dict[_Key, list[tuple[object, ...]]]
_OfPass = tuple[int, int, str]  # pid, dispatch, pass
_Owner = tuple[int, int]  # pid, dispatch; -1: the process itself


@dataclass
class _Table:
    """What a table, or a file of the run, has: readings, and the members or columns beside them.

    `passes`: group, start and end in the lines of a pass; of a CSV.
    `twice`: dispatches that are recorded more than once (check duplicates).
    `told`: names of all members that are anywhere in it; earlier versions had fewer.
    `kind`: of the file that a JSON was made of; a CSV does not tell.
    """

    rows: _Rows = field(default_factory=lambda: defaultdict(list))
    facts: dict[_Owner, Facts] = field(default_factory=dict)
    passes: dict[_OfPass, dict[tuple[int | None, ...], None]] = field(default_factory=lambda: defaultdict(dict))
    twice: set[_Owner] = field(default_factory=set)
    told: frozenset[str] = frozenset()
    kind: str = ""

    def only(self, told: frozenset[str]) -> None:
        """Leaves out all members but these."""
        self.told = told
        self.facts = {
            owner: {name: value for name, value in facts.items() if generic(name) in told}
            for owner, facts in self.facts.items()
        }


@check("tables", "error", "info", remedy=_AGAIN)
def tables(evidence: Evidence) -> Iterator[Finding]:
    """The tables of the readings say in every column and member what the files of the run say."""
    sources = [one for one in (evidence.best, evidence.from_database, evidence.from_trace) if one]
    for path in evidence.tables:
        if path.suffix == ".parquet" and find_spec("pyarrow") is None:
            hint = "pip install 'rocprofsys-multipass[analysis]', and verify again"
            yield Finding("info", "tables", path.name, "it is not looked at, because pyarrow is not installed", hint)
            continue
        try:
            found = list(_unlike(path, sources))
        except (OSError, ValueError, KeyError, TypeError, AttributeError, csv.Error, RecursionError) as error:
            reason = f"it is cut, or no table of readings: {type(error).__name__}: {error}"
            yield Finding("error", "tables", path.name, reason, _AGAIN)
            continue
        for where, message in found:
            yield Finding("error", "tables", f"{path.name}: {where}", message, _AGAIN)


def _unlike(path: Path, sources: Sequence[list[Process]]) -> Iterator[tuple[str, str]]:
    """How a table differs from the files of the run."""
    if path.suffix == ".json":
        return _differences(_of_json(path), sources, is_csv=False)
    if path.suffix == ".parquet":
        return _differences(_of_parquet(path), sources, is_csv=True)
    if path.name.startswith("wide-"):
        return differences(path, sources)
    return _differences(_of_csv(path), sources, is_csv=True)


def _differences(found: _Table, sources: Sequence[list[Process]], *, is_csv: bool) -> Iterator[tuple[str, str]]:
    """Where a table is none of any file of the run, and how it differs from the one that knows most.

    Nothing differs from a trace that was written without counters, of which a table may yet have been made.
    """
    made_of = [one for one in sources if not found.kind or one[0].kind == found.kind]
    if not made_of:  # that file is gone, and the others need not know as much
        found.only(found.told & frozenset(IN_EVERY_FILE))
    right: _Table | None = None
    for source in made_of or sources:
        recorded = _recorded(source, found.told, is_csv=is_csv)
        if (found.rows, found.facts, found.passes) == (recorded.rows, recorded.facts, recorded.passes):
            return  # it may have been made of any file; where those differ, check parity says so
        right = right or (None if without_counters(source) else recorded)
    if right is None:
        return
    yield from _facts_differ(found, right)
    yield from _readings_differ(found, right)


def _facts_differ(found: _Table, right: _Table) -> Iterator[tuple[str, str]]:
    for owner in sorted(found.facts.keys() | right.facts.keys()):
        theirs, ours = found.facts.get(owner), right.facts.get(owner)
        where = f"dispatch {owner[1]}" if owner[1] >= 0 else f"process {owner[0]}"
        if theirs is None or ours is None:
            yield where, f"it is in the {right.kind} only" if theirs is None else f"it is not in the {right.kind}"
            continue
        other_passes = theirs.get("passes") != ours.get("passes")  # then they are not in the same order
        for name in sorted(n for n in theirs.keys() | ours.keys() if theirs.get(n, ABSENT) != ours.get(n, ABSENT)):
            if not (other_passes and name.startswith("passes[")):
                yield (
                    f"{where}, {name}",
                    unlike("it", theirs.get(name, ABSENT), ours.get(name, ABSENT), f"the {right.kind}"),
                )


def _readings_differ(found: _Table, right: _Table) -> Iterator[tuple[str, str]]:
    both = found.facts.keys() & right.facts.keys() - right.twice  # of others it is said as a whole
    for of_pass in sorted(k for k in found.passes.keys() | right.passes.keys() if k[:2] in both):
        here, there = found.passes.get(of_pass, {}), right.passes.get(of_pass, {})
        if here and there and here != there:  # where it is missing, so are its readings
            where = f"dispatch {of_pass[1]}, {of_pass[2]}"
            yield where, f"group, start and end are {_text([*here])}, the {right.kind} has {_text([*there])}"
    rows = {k for k in found.rows.keys() | right.rows.keys() if k[:2] in both}
    unequal = {key for key in rows if found.rows.get(key) != right.rows.get(key)}
    other_values = {(*key[:2], key[3]) for key in unequal if key[2] != _CANONICAL}
    for key in sorted(unequal):
        # Of a reading that is another it says nothing that it stands for the dispatch.
        if key[2] != _CANONICAL or (*key[:2], key[3]) not in other_values:
            where = f"dispatch {key[1]}, {key[2]}, {key[3]}"
            yield where, f"it is {_text(found.rows.get(key))}, the {right.kind} has {_text(right.rows.get(key))}"


def _recorded(processes: Sequence[Process], told: frozenset[str], *, is_csv: bool) -> _Table:
    table = _Table(kind=processes[0].kind)
    for process in processes:
        if not is_csv:
            table.facts[process.pid, -1] = of_process(process)
        seen = Counter(d.dispatch_id for d in process.dispatches)
        table.twice |= {(process.pid, number) for number, times in seen.items() if times > 1}
        for d in process.dispatches:
            for p in d.passes:
                for r in p.readings:
                    table.rows[d.process, d.dispatch_id, p.label, r.counter].append((r.value,))
                if is_csv and p.readings:  # in the JSON they are members
                    table.passes[d.process, d.dispatch_id, p.label][p.group, p.start_ns, p.end_ns] = None
            for counter, p in d.canonical_pass.items():  # the JSON does not tell of which pass
                key = (d.process, d.dispatch_id, _CANONICAL, counter)
                table.rows[key].append((d.counters[counter], is_csv and p.label))
            if not is_csv:
                table.facts[d.process, d.dispatch_id] = of_dispatch(process, d, told)
            elif any(p.readings for p in d.passes):  # else it has no line
                table.facts[d.process, d.dispatch_id] = cells(process, d, told)
    table.only(told)
    return table


def _of_csv(path: Path) -> _Table:
    csv.field_size_limit(max(csv.field_size_limit(), _LONGEST_CELL))  # of the process: it only ever grows
    with path.open(encoding="utf-8", newline="") as stream:
        reader = csv.DictReader(stream, strict=True)
        return _of_rows(reader.fieldnames or (), _whole_lines(reader))


def _whole_lines(reader: csv.DictReader[str]) -> Iterator[dict[str, str]]:
    for row in reader:
        if None in row or None in row.values():
            raise ValueError(f"line {reader.line_num} has another number of cells than the first")
        yield row


def _of_parquet(path: Path) -> _Table:
    """As of a CSV: its columns are the same."""
    import pyarrow.parquet

    file = pyarrow.parquet.ParquetFile(path)
    rows = (row for batch in file.iter_batches() for row in batch.to_pylist())
    words = {None: "", True: "true", False: "false"}
    texts = ({n: words[v] if v is None or isinstance(v, bool) else str(v) for n, v in row.items()} for row in rows)
    return _of_rows(file.schema_arrow.names, texts)


def _of_rows(names: Iterable[str], rows: Iterable[dict[str, str]]) -> _Table:
    table = _Table()
    lines: dict[_Owner, dict[tuple[str, ...], None]] = defaultdict(dict)
    columns = [name for name in names if name not in _PER_READING]
    for row in rows:
        pid, number = int(row["process"]), int(row["dispatch_id"])
        label = f"pass {row['pass']}" if row["pass"] else f"group {row['group']}"
        start, end = (int(row[name]) if row[name] else None for name in ("start", "end"))
        table.rows[pid, number, label, row["counter"]].append((float(row["value"]),))
        table.passes[pid, number, label][int(row["group"]), start, end] = None
        if row["canonical"] not in ("true", "false"):
            raise ValueError(f"canonical is {shown(row['canonical'])}, neither true nor false")
        if row["canonical"] == "true":
            table.rows[pid, number, _CANONICAL, row["counter"]].append((float(row["value"]), label))
        lines[pid, number][tuple(row[name] for name in columns)] = None
    for owner, values in lines.items():  # one, unless lines of a dispatch differ
        each = zip(columns, zip(*values, strict=True), strict=True)
        table.facts[owner] = {name: " and ".join(dict.fromkeys(of_all)) for name, of_all in each}
    table.only(frozenset(columns) & COLUMNS)
    return table


def _of_json(path: Path) -> _Table:
    table = _Table()
    content = json.loads(path.read_text(encoding="utf-8"))
    if content["schema"] != _SCHEMA:
        raise ValueError(f"schema is {shown(content['schema'])}, not {_SCHEMA}")
    for process in content["processes"]:
        pid = int(process["pid"])
        table.kind = process["kind"]
        if table.kind not in get_args(Kind):
            raise ValueError(f"kind is {shown(table.kind)}, none of {', '.join(get_args(Kind))}")
        table.facts[pid, -1] = flat(process, "agents")
        for d in process["dispatches"]:
            number = int(d["dispatch_id"])
            for p in d["passes"]:
                label = f"group {p['group']}" if p["pass"] is None else f"pass {p['pass']}"
                for counter, value in p["counters"].items():
                    table.rows[pid, number, label, counter].append((float(value),))
            for counter, value in d["counters"].items():
                table.rows[pid, number, _CANONICAL, counter].append((float(value), False))
            table.facts[pid, number] = flat(d, "passes")
    table.only(frozenset(generic(name) for facts in table.facts.values() for name in facts) & MEMBERS)
    return table


def _text(rows: Sequence[tuple[object, ...]] | None) -> str:
    """Value, or value and pass, or group, start and end, of each row."""
    texts = [", ".join(str(one) for one in row if one is not False) for row in rows or ()]
    return " and ".join(texts) or "absent"
