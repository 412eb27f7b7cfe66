# SPDX-License-Identifier: MIT
"""Every value in every file is what the kernels did, by a model that shares nothing with the program."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from sqlite3 import Connection

import expected
import pytest
from e2e_tools import DEMO_SENTINELS, Outputs, database, readings, wrong
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import DebugAnnotation, Trace, TrackEvent

import rocprofsys_multipass as mp
from rocprofsys_multipass import Run
from rocprofsys_multipass.demo import DEMO_EVENTS

DISPATCHES = range(1, 13)

# Ratios, accumulations, reductions, a counter without a meaning, and values per instance that are not whole.
EXAMPLE_EVENTS = (
    "SQ_WAVES",
    "SQ_INSTS",
    "SQ_INSTS_LDS",
    "FETCH_SIZE",
    "WRITE_SIZE",
    "TCC_TAG_STALL",
    "TCC_HIT_sum",
    "TA_BUSY_max",
    "TCC_BUSY_avr",
    "SQ_LEVEL_WAVES",
    "OccupancyPercent",
    "MeanOccupancyPerCU",
    "MeanOccupancyPerActiveCU",
    "VALUUtilization",
    "VmemLatency",
    "RDC_OPS_32_PER_SIMDCYCLE",
)
# Both are read with each of two counters that fit no pass together, so in two passes.
EXAMPLE_GROUPS = tuple(
    (counter, size) for counter in ("SQ_INSTS", "SQ_INSTS_LDS") for size in ("FETCH_SIZE", "WRITE_SIZE")
)


@pytest.fixture(scope="module")
def outputs(demo_run: Run) -> Outputs:
    return Outputs.of(demo_run.output_dir)


@pytest.fixture(scope="module")
def db(outputs: Outputs) -> Iterator[Connection]:
    with database(outputs.database) as connection:
        yield connection


@pytest.fixture(scope="module")
def planned(demo_run: Run) -> list[list[str]]:
    """The counters of each pass."""
    assert demo_run.summary is not None
    (agent,) = demo_run.summary["agents"]
    return agent["passes"]


@dataclass(frozen=True)
class Example:
    """A compiled example after a run."""

    run: Run
    launches: list[expected.Launch]

    @property
    def outputs(self) -> Outputs:
        return Outputs.of(self.run.output_dir)


@pytest.fixture(scope="module", params=["axpy", "transpose"])
def example(
    request: pytest.FixtureRequest, environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Example:
    program: Path = request.getfixturevalue(request.param)
    run = mp.run(
        [program],
        events=EXAMPLE_EVENTS,
        groups=EXAMPLE_GROUPS,
        replay="kernel",
        simulate="gfx942",
        output=tmp_path_factory.mktemp(request.param),
        env=environment,
        capture=True,
    )
    assert (run.exit_code, run.errors, run.warnings) == (0, (), ())
    return Example(run, expected.axpy_example()[0] if request.param == "axpy" else expected.transpose_example())


def values(launches: list[expected.Launch], counters: tuple[str, ...]) -> dict[tuple[int, str], float]:
    return {(i, name): launch.counter(name) for i, launch in enumerate(launches, 1) for name in counters}


# ---------------------------------------------------------------------------------------------------------------------
# The database, for readers that know nothing of passes


def test_the_database_has_every_requested_counter_of_every_dispatch_once(db: Connection) -> None:
    shown = Counter(tuple(row) for row in db.execute("SELECT dispatch_id, counter_name FROM counters_collection"))
    assert shown == Counter({(dispatch, counter): 1 for dispatch in DISPATCHES for counter in DEMO_EVENTS})


def test_each_value_in_the_database_is_what_the_kernel_did(
    db: Connection, demo_launches: list[expected.Launch]
) -> None:
    rows = db.execute("SELECT dispatch_id, counter_name, value FROM counters_collection")
    assert wrong({(row[0], row[1]): row[2] for row in rows}, values(demo_launches, DEMO_EVENTS)) == {}


def test_the_values_of_an_example_are_what_its_kernels_did(example: Example) -> None:
    with database(example.outputs.database) as db:
        rows = db.execute("SELECT dispatch_id, counter_name, value FROM counters_collection").fetchall()
    assert len(rows) == len(example.launches) * len(EXAMPLE_EVENTS)
    assert wrong({(row[0], row[1]): row[2] for row in rows}, values(example.launches, EXAMPLE_EVENTS)) == {}


def test_pmc_events_add_up_to_counters_collection(db: Connection) -> None:
    events = db.execute("SELECT dispatch_id, counter_name, SUM(counter_value) FROM pmc_events GROUP BY 1, 2")
    collected = db.execute("SELECT dispatch_id, counter_name, value FROM counters_collection")
    sums = {(row[0], row[1]): row[2] for row in events}
    assert len(sums) == len(DISPATCHES) * len(DEMO_EVENTS)
    assert sums == {(row[0], row[1]): row[2] for row in collected}


def test_top_kernels_counts_each_dispatch_once(db: Connection, demo_launches: list[expected.Launch]) -> None:
    calls = {row["name"]: row["total_calls"] for row in db.execute("SELECT name, total_calls FROM top_kernels")}
    assert calls == Counter(launch.kernel for launch in demo_launches)


def test_the_kernels_are_in_the_order_of_their_launches(db: Connection, demo_launches: list[expected.Launch]) -> None:
    names = [row["name"] for row in db.execute("SELECT name FROM kernels ORDER BY dispatch_id")]
    assert names == [launch.kernel for launch in demo_launches]


def test_a_dispatch_has_the_times_of_its_first_pass(db: Connection, outputs: Outputs) -> None:
    of_kernels = db.execute('SELECT dispatch_id, start, "end", duration FROM kernels')
    of_pass_0 = db.execute('SELECT dispatch_id, start, "end", duration FROM replay_kernels WHERE replay_pass = 0')
    of_journal = {
        (dispatch.dispatch_id, dispatch.passes[0].start_ns, dispatch.passes[0].end_ns, dispatch.passes[0].duration_ns)
        for dispatch in mp.open_trace(outputs.journal).dispatches()
    }
    assert {tuple(row) for row in of_kernels} == of_journal
    assert {tuple(row) for row in of_pass_0} == of_journal
    assert len(of_journal) == len(DISPATCHES)


def test_the_passes_of_a_dispatch_follow_each_other(db: Connection, planned: list[list[str]]) -> None:
    rows = db.execute('SELECT dispatch_id, start, "end" FROM replay_kernels ORDER BY dispatch_id, replay_pass')
    by_dispatch: dict[int, list[int]] = {}
    for dispatch, start, end in rows:
        by_dispatch.setdefault(dispatch, []).extend((start, end))
    assert {dispatch: len(times) for dispatch, times in by_dispatch.items()} == dict.fromkeys(
        DISPATCHES, 2 * len(planned)
    )
    assert [times for times in by_dispatch.values() if times != sorted(times)] == []


# ---------------------------------------------------------------------------------------------------------------------
# The database, for readers that ask for passes


def test_the_plan_has_each_counter_and_more_passes_than_fit_one(demo_run: Run, planned: list[list[str]]) -> None:
    assert demo_run.summary is not None
    sentinels = demo_run.summary["agents"][0]["sentinels"]
    requested = [name for names, guests in zip(planned, sentinels, strict=True) for name in names if name not in guests]
    assert sorted(requested) == sorted(DEMO_EVENTS)
    assert sum(map(len, sentinels)) == DEMO_SENTINELS
    assert len(planned) >= 5


def test_every_reading_of_every_pass_is_there_and_right(
    db: Connection, planned: list[list[str]], demo_launches: list[expected.Launch]
) -> None:
    rows = db.execute("SELECT dispatch_id, replay_pass, counter_name, value FROM replay_counters_collection").fetchall()
    wanted = {
        (dispatch, index, counter): demo_launches[dispatch - 1].counter(counter)
        for dispatch in DISPATCHES
        for index, counters in enumerate(planned)
        for counter in counters
    }
    assert len(rows) == len(DISPATCHES) * sum(len(counters) for counters in planned)
    assert wrong({(row[0], row[1], row[2]): row[3] for row in rows}, wanted) == {}


def test_a_counter_of_two_passes_reads_the_same_in_both_and_is_shown_once(example: Example) -> None:
    wanted = [launch.counter("SQ_INSTS") for launch in example.launches]
    with database(example.outputs.database) as db:
        read = db.execute(
            "SELECT dispatch_id, COUNT(DISTINCT replay_pass), MIN(value), MAX(value), SUM(is_canonical) "
            "FROM replay_counters_collection WHERE counter_name = 'SQ_INSTS' GROUP BY dispatch_id ORDER BY dispatch_id"
        ).fetchall()
    assert [tuple(row[2:]) for row in read] == [(value, value, 1) for value in wanted]
    assert min(row[1] for row in read) >= 2


def test_the_test_above_would_see_memory_that_was_not_restored() -> None:
    """Launch 2 of the axpy issues less than launch 3, which sees what a second execution of launch 2 would see."""
    second, third = (launch.counter("SQ_INSTS") for launch in expected.axpy_example()[0][1:3])
    assert second < third


def test_passes_that_agree_are_no_conflict(db: Connection) -> None:
    assert db.execute("SELECT * FROM replay_conflicts").fetchall() == []


def test_only_agreement_at_zero_is_listed_as_a_conflict(example: Example) -> None:
    """It proves nothing: the axpy has no LDS instruction, the transpose has, and its passes agree on them."""
    with database(example.outputs.database) as db:
        rows = db.execute("SELECT dispatch_id, counter_name, kind FROM replay_conflicts").fetchall()
    silent = [i for i, launch in enumerate(example.launches, 1) if launch.counter("SQ_INSTS_LDS") == 0]
    assert sorted(tuple(row) for row in rows) == [(i, "SQ_INSTS_LDS", "ALL_ZERO") for i in silent]


# ---------------------------------------------------------------------------------------------------------------------
# The database itself


def test_sqlite_finds_no_damage_and_no_dangling_row(db: Connection) -> None:
    assert [row[0] for row in db.execute("PRAGMA integrity_check")] == ["ok"]
    assert db.execute("PRAGMA foreign_key_check").fetchall() == []


def test_the_metadata_is_complete(db: Connection) -> None:
    rows = [tuple(row) for row in db.execute("SELECT tag, value FROM rocpd_metadata")]
    metadata = dict(rows)
    assert len(metadata) == len(rows)
    assert metadata["uuid"] == "_" + metadata["guid"].replace("-", "_")
    assert metadata["schema_creation_time"] != ""
    fixed = {tag: value for tag, value in metadata.items() if tag not in ("uuid", "guid", "schema_creation_time")}
    assert fixed == {
        "schema_version": "3.0.1",
        "schema_version_major": "3",
        "schema_version_minor": "0",
        "schema_version_patch": "1",
        "replay_layout": "canonical/1",
    }


def test_every_view_can_be_selected(db: Connection, planned: list[list[str]]) -> None:
    views = [row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'view'")]
    rows = {view: len(db.execute(f'SELECT * FROM "{view}"').fetchall()) for view in views}
    readings_of_all = len(DISPATCHES) * len(DEMO_EVENTS)  # once, whichever passes have them
    wanted = {
        "kernels": 12,
        "replay_kernels": 12 * len(planned),
        "counters_collection": readings_of_all,
        "replay_counters_collection": readings_of_all + len(DISPATCHES) * DEMO_SENTINELS,
        "pmc_events": readings_of_all,
        "pmc_info": len(DEMO_EVENTS),
        "kernel_symbols": 3,
        "processes": 1,
        "busy": 1,
        "top": 3,
        "top_kernels": 3,
    }
    assert {view: rows.get(view) for view in wanted} == wanted


# ---------------------------------------------------------------------------------------------------------------------
# Journal, trace and database


@pytest.mark.parametrize("kind", ["database", "trace"])
def test_the_files_agree_with_the_journal_reading_by_reading(outputs: Outputs, kind: str) -> None:
    journal = readings(mp.open_trace(outputs.journal))
    assert len(journal) == len(DISPATCHES) * (len(DEMO_EVENTS) + DEMO_SENTINELS)
    assert readings(mp.open_trace(getattr(outputs, kind))) == journal


@pytest.mark.parametrize("kind", ["database", "trace"])
def test_the_files_of_an_example_agree_with_its_journal(example: Example, kind: str) -> None:
    journal = readings(mp.open_trace(example.outputs.journal))
    assert len(journal) > len(example.launches) * len(EXAMPLE_EVENTS)
    assert readings(mp.open_trace(getattr(example.outputs, kind))) == journal


@pytest.mark.parametrize("kind", ["database", "trace"])
def test_the_files_agree_with_the_journal_on_each_dispatch(outputs: Outputs, kind: str) -> None:
    def facts(path: Path) -> list[tuple[object, ...]]:
        return [
            (
                d.dispatch_id,
                d.kernel,
                d.outcome,
                d.passes_planned,
                d.agent.label,
                d.grid,
                d.workgroup,
                d.queue_id,
                dict(d.counters),
                [(p.index, p.group, p.start_ns, p.end_ns, p.status) for p in d.passes],
            )
            for d in mp.open_trace(path).dispatches()
        ]

    journal = facts(outputs.journal)
    assert len(journal) == len(DISPATCHES)
    assert facts(getattr(outputs, kind)) == journal


def test_the_summary_counts_what_the_journal_holds(demo_run: Run) -> None:
    summary = demo_run.summary
    assert summary is not None
    assert summary["dispatches"] == {
        "seen": 12,
        "replayed": 12,
        "single_pass": 0,
        "declined": 0,
        "filtered": 0,
        "incomplete": 0,
        "declined_reasons": {},
        "filtered_reasons": {},
        "replayed_reasons": {},
        "incomplete_reasons": {},
    }
    assert (summary["kernels"], summary["readings"]) == (3, len(DISPATCHES) * (len(DEMO_EVENTS) + DEMO_SENTINELS))


def test_the_summary_says_that_the_gpu_was_simulated(demo_run: Run) -> None:
    assert demo_run.summary is not None
    sdk = demo_run.summary["sdk"]
    assert (sdk["version"], sdk["simulated"], sdk["kernel_replay"]) == ("1.4.1", True, True)


# ---------------------------------------------------------------------------------------------------------------------
# The trace, by Perfetto's own classes


def annotation(one: DebugAnnotation) -> object:
    field = one.WhichOneof("value")
    assert field is not None
    return getattr(one, field)


def logical_slices(path: Path) -> list[tuple[str, dict[str, object], int]]:
    """Name, annotations and number of annotations of every slice of category rocm_kernel_dispatch."""
    names: dict[int, str] = {}
    categories: dict[int, str] = {}
    keys: dict[int, str] = {}
    found = []
    for packet in Trace.FromString(path.read_bytes()).packet:
        if packet.sequence_flags & 1:  # SEQ_INCREMENTAL_STATE_CLEARED
            for table in (names, categories, keys):
                table.clear()
        interned = packet.interned_data
        names.update((entry.iid, entry.name) for entry in interned.event_names)
        categories.update((entry.iid, entry.name) for entry in interned.event_categories)
        keys.update((entry.iid, entry.name) for entry in interned.debug_annotation_names)
        event = packet.track_event
        if event.type != TrackEvent.TYPE_SLICE_BEGIN:
            continue
        if "rocm_kernel_dispatch" not in [*event.categories, *(categories[iid] for iid in event.category_iids)]:
            continue
        notes = [(one.name or keys[one.name_iid], annotation(one)) for one in event.debug_annotations]
        found.append((event.name or names[event.name_iid], dict(notes), len(notes)))
    return found


def test_the_trace_has_each_dispatch_once_with_every_counter_once(
    outputs: Outputs, demo_launches: list[expected.Launch]
) -> None:
    slices = logical_slices(outputs.trace)
    assert sorted(notes["dispatch_id"] for _, notes, _ in slices) == list(DISPATCHES)
    assert [name for name, notes, count in slices if len(notes) != count] == []
    kernels = {notes["dispatch_id"]: name for name, notes, _ in slices}
    assert kernels == {i: launch.kernel for i, launch in enumerate(demo_launches, 1)}
    counters = {
        (notes["dispatch_id"], name): value for _, notes, _ in slices for name, value in notes.items() if name.isupper()
    }
    assert wrong(counters, values(demo_launches, DEMO_EVENTS)) == {}
