# SPDX-License-Identifier: MIT
"""Names, ids, times and values at the ends of what they can be: the same in every output, table and report."""

from __future__ import annotations

import csv
import json
import sqlite3
import sys
from contextlib import closing
from typing import TYPE_CHECKING

import hostile_run as hostile
import pytest
from hostile_run import COMMAND, HANDLE, IDS, NAMES, NOT_FINITE, VALUES, Exported, bits
from recordings import Recording, play

import rocprofsys_multipass as mp
from rocprofsys_multipass.errors import TraceError
from rocprofsys_multipass.trace import journal_pb2 as pb

if TYPE_CHECKING:
    from pathlib import Path

    from e2e_tools import Cli

FILES = ("journal", "db", "pftrace")


@pytest.fixture(scope="module")
def made(cli: Cli, tmp_path_factory: pytest.TempPathFactory) -> Exported:
    return hostile.exported(cli, tmp_path_factory.mktemp("hostile") / "out", hostile.frames())


@pytest.mark.parametrize("ending", FILES)
def test_every_name_is_in_every_file_as_it_is(made: Exported, ending: str) -> None:
    assert sorted(d.kernel for d in made.dispatches(ending).values()) == sorted(NAMES.values())


@pytest.mark.parametrize("ending", FILES)
def test_every_id_is_in_every_file_as_it_is(made: Exported, ending: str) -> None:
    found = made.dispatches(ending)
    assert set(IDS) <= set(found)
    assert {d.queue_id for d in found.values()} == {HANDLE}
    assert {d.grid for d in found.values()} == {(2**32 - 1, 1, 1)}


@pytest.mark.parametrize("ending", FILES)
def test_every_value_is_the_same_double_in_every_file(made: Exported, ending: str) -> None:
    expected = VALUES | ({"NEGATIVE_ZERO": 0.0} if ending == "db" else {})  # SQLite stores whole numbers as integers
    for dispatch in made.dispatches(ending).values():
        found = {name: bits(value) for name, value in dispatch.counters.items()}
        assert found == {name: bits(value) for name, value in expected.items()}


def test_the_tables_have_the_same_doubles_and_names(made: Exported) -> None:
    csv.field_size_limit(sys.maxsize)
    with made.path("csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(NAMES) * len(VALUES)
    assert {row["kernel"] for row in rows} == set(NAMES.values())
    assert {int(row["dispatch_id"]) for row in rows} >= set(IDS)
    assert {(row["counter"], bits(float(row["value"]))) for row in rows} == {(n, bits(v)) for n, v in VALUES.items()}
    (process,) = made.document(f"readings-{hostile.PID}.json")["processes"]
    assert process["command"] == list(COMMAND)
    for dispatch in process["dispatches"]:
        assert {n: bits(v) for n, v in dispatch["counters"].items()} == {n: bits(v) for n, v in VALUES.items()}


def test_the_report_has_the_same_doubles_and_names(made: Exported, cli: Cli) -> None:
    done = cli("report", made.folder, "--json")
    assert done.returncode == 0, done.stderr
    (process,) = json.loads(done.stdout)["processes"]
    dispatches = process["dispatches"]
    assert {d["kernel"] for d in dispatches} == set(NAMES.values())
    assert {d["dispatch_id"] for d in dispatches} >= set(IDS)
    for dispatch in dispatches:
        assert {n: bits(v) for n, v in dispatch["counters"].items()} == {n: bits(v) for n, v in VALUES.items()}


def test_the_summary_and_the_database_tell_the_command_as_it_was(made: Exported) -> None:
    assert made.document(f"multipass-{hostile.PID}.json")["command"] == list(COMMAND)
    with closing(sqlite3.connect(made.path("db"))) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        (text,) = database.execute("SELECT command FROM rocpd_info_process").fetchone()
    assert "spawn_main(x='a')" in text


def test_what_is_no_number_is_left_out_and_named(made: Exported) -> None:
    for name in NOT_FINITE:
        assert name in made.stderr
    assert f"first: dispatch {IDS[0]}, pass 1" in made.stderr


def test_nothing_of_it_is_an_error_for_verify_and_what_is_no_number_is_named(made: Exported) -> None:
    found = mp.verify(made.folder)
    assert [f for f in found if f.severity == "error"] == []
    assert {f.message.split(" of GPU ")[0] for f in found if f.check == "journal-whole"} == set(NOT_FINITE)


IDS_AT_THE_ENDS = (0, 2**63, 2**64 - 1)
LARGEST_PASS = 5  # the id of the dispatch that has it
TIMES = {
    11: (0, 0),
    12: (0, 5),
    13: (7, 7),
    14: (9, 3),
    15: (2**63 - 2, 2**63 - 1),
    16: (2**63, 2**63 + 7),
    17: (2**64 - 2, 2**64 - 1),
}


@pytest.fixture(scope="module")
def ends(cli: Cli, tmp_path_factory: pytest.TempPathFactory) -> Exported:
    """Dispatches with numbers at the ends of what they can be."""
    messages = [hostile.dispatch(i, 1, n) for n, i in enumerate((*IDS_AT_THE_ENDS, LARGEST_PASS, *TIMES), 1)]
    for message in messages:
        if message.dispatch_id in TIMES:
            message.passes[1].start_ns, message.passes[1].end_ns = TIMES[message.dispatch_id]
        if message.dispatch_id == LARGEST_PASS:
            setattr(message.passes[1], "pass", 2**32 - 1)
    frames = [f for f in hostile.frames() if f.WhichOneof("body") not in ("dispatch", "end")]
    frames += [pb.Frame(dispatch=message) for message in messages]
    frames.append(pb.Frame(end=pb.End(dispatches=len(messages), end_ns=9)))
    return hostile.exported(cli, tmp_path_factory.mktemp("ends") / "out", frames, "perfetto,rocpd")


@pytest.mark.parametrize("ending", FILES)
def test_ids_at_the_ends_of_64_bits_are_kept_and_no_data_frame_has_others(ends: Exported, ending: str) -> None:
    pytest.importorskip("pandas")
    assert set(IDS_AT_THE_ENDS) <= set(ends.dispatches(ending))
    with pytest.raises(TraceError, match=r"process 4711, dispatch \d+: .* more than 63 bits"):
        mp.open_trace(ends.path(ending)).to_pandas()


@pytest.mark.parametrize("ending", FILES)
def test_any_times_are_kept(ends: Exported, ending: str) -> None:
    expected = TIMES | {11: (None, None)}
    if ending == "pftrace":  # a slice has two times, below 2^63, the first one first (docs/formats/perfetto.md)
        drawn = {n: (min(a, b), max(a, b)) for n, (a, b) in TIMES.items() if a and b and b < 2**63}
        expected = dict.fromkeys(TIMES, (None, None)) | drawn
    found = {n: d.passes[1] for n, d in ends.dispatches(ending).items() if n in TIMES}
    assert {n: (p.start_ns, p.end_ns) for n, p in found.items()} == expected


@pytest.mark.parametrize("ending", FILES)
def test_the_largest_pass_number_is_kept(ends: Exported, ending: str) -> None:
    assert [p.index for p in ends.dispatches(ending)[LARGEST_PASS].passes] == [0, 2**32 - 1]


def test_a_plan_of_many_counters_and_passes_is_kept(cli: Cli, tmp_path: Path) -> None:
    count, passes = 2000, 200  # of ten counters each
    names = [f"COUNTER_{n}" for n in range(count)]
    frames = [f for f in hostile.frames() if f.WhichOneof("body") not in ("agent", "kernel", "dispatch", "end")]
    agent = pb.Agent(index=1, gpu=True, device=0, node_id=1, name="gfx942")
    agent.counters.extend(pb.Counter(name=name, block="SQ", instances=1) for name in names)
    agent.plan.passes.extend(pb.PlannedPass(counters=names[k * 10 : k * 10 + 10]) for k in range(passes))
    message = pb.Dispatch(dispatch_id=1, agent=1, kernel=1, outcome="replayed", passes_planned=passes, queue_id=1)
    message.grid.extend((64, 1, 1))
    message.workgroup.extend((64, 1, 1))
    for k in range(passes):
        record = message.passes.add(group=k, start_ns=k * 10 + 1, end_ns=k * 10 + 9)
        setattr(record, "pass", k)
        record.counters.extend(range(k * 10, k * 10 + 10))
        record.values.extend(n + 0.5 for n in range(k * 10, k * 10 + 10))
    frames += [
        pb.Frame(agent=agent),
        pb.Frame(kernel=pb.Kernel(id=1, agent=1, name="k", demangled="k()")),
        pb.Frame(dispatch=message),
        pb.Frame(end=pb.End(dispatches=1, end_ns=20_000)),
    ]
    made = hostile.exported(cli, tmp_path / "out", frames, "perfetto,rocpd")
    for ending in FILES:
        (dispatch,) = made.dispatches(ending).values()
        assert len(dispatch.passes) == passes, ending
        assert dict(dispatch.counters) == {name: n + 0.5 for n, name in enumerate(names)}, ending


def test_what_an_sdk_delivers_passes_through_the_plugin_as_it_is(
    two: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    recording = Recording.read(two).in_order()
    for call in recording.calls:
        if call["call"] == "tracing" and call["kind"] == "CODE_OBJECT" and "kernel" in call:
            call["name"] = NAMES[call["kernel"] + 1] + "k" * (64 << 10)
    values = (0.1, 1e300, 5e-324, float(2**53 - 1), -1.5, 7.25)
    brought = recording.of("record")
    assert len(brought) == len(values)
    for call, value in zip(brought, values, strict=True):
        first = call["records"][0][0]  # the value of its first instance; all others count nothing
        call["records"] = [[c, i, value * (c == first and i == 0)] for c, i, _ in call["records"]]
    played = play(recording.write(tmp_path / "edited.jsonl"), tmp_path / "out", environment)
    assert played.exit_code == 0, played.stderr
    for ending in FILES:
        (path,) = played.output_dir.glob(f"multipass-*.{ending}")
        found = mp.open_trace(path).dispatches()
        assert {d.kernel for d in found} == {NAMES[1] + "k" * (64 << 10)}, ending
        assert sorted(v for d in found for v in d.counters.values() if v) == sorted(values), ending
    assert [f for f in mp.verify(played.output_dir) if f.severity == "error"] == []
