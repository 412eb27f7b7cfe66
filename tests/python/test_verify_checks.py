# SPDX-License-Identifier: MIT
"""Every check finds the file that it is there for, and nothing in a good one."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
import trace_tools as tools
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as pt

from rocprofsys_multipass.trace import journal_pb2 as pb
from rocprofsys_multipass.verify import CHECKS, Finding, verify

RUN = tools.sample_run()
NAME = f"multipass-{tools.PID}"
ABSENT = object()
GROUP_0 = {"SQ_WAVES": 512.0, "GRBM_COUNT": 7.0}
GROUP_1 = {"SQ_WAVES": 512.0, "TCC_HIT": 3.0}
GOOD = replace(RUN, warnings=(), launches=RUN.launches[:2])


def journal(path: Path, run: tools.Run) -> None:
    tools.write_run(path, run, files=("journal",))


def database(sql: str, run: tools.Run = GOOD) -> Callable[[Path], None]:
    return lambda path: _ignore(tools.write_database(path / f"{NAME}.db", run, then=sql))


def _ignore(_: object) -> None:
    return None


def spoiled_trace(spoil: Callable[[tools.TraceFile], None], run: tools.Run = GOOD) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        file = tools.TraceFile(run).build()
        spoil(file)
        (path / f"{NAME}.pftrace").write_bytes(file.to_bytes())

    return write


def trace_with(spoil: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    return lambda path: _ignore((path / f"{NAME}.pftrace").write_bytes(spoil(tools.trace_bytes(GOOD))))


def of_run(run: tools.Run) -> Callable[[Path], None]:
    return lambda path: journal(path, run)


def dropped(condition: Callable[[pt.TracePacket], bool]) -> Callable[[tools.TraceFile], None]:
    def spoil(file: tools.TraceFile) -> None:
        file.change = lambda packet: not condition(packet)

    return spoil


def is_end(packet: pt.TracePacket) -> bool:
    return packet.track_event.type == 2 and packet.timestamp == 1100 and packet.track_event.track_uuid == tools.QUEUE


def with_values(*values: float, counter: str = "TCC_HIT") -> tools.Run:
    """A launch per value, the rest equal."""
    launches = []
    for number, value in enumerate(values, 1):
        one = tools.replayed(number, 1000 * number)
        last = replace(one.executions[1], values={"SQ_WAVES": 512, counter: value})
        launches.append(replace(one, executions=(one.executions[0], last)))
    return replace(GOOD, launches=tuple(launches), plan=(("SQ_WAVES", "GRBM_COUNT"), ("SQ_WAVES", counter)))


def single_pass(mode: str) -> tools.Run:
    """Two passes planned, the first read outside a replay loop."""
    one = tools.Execution(None, 1000, 1100, {"SQ_WAVES": 512, "GRBM_COUNT": 7})
    return replace(GOOD, launches=(tools.Launch(1, (one,), outcome="single_pass"),), replay_mode=mode)


def duplicated_launch() -> tools.Run:
    return replace(GOOD, launches=(GOOD.launches[0], GOOD.launches[0]))


def damaged_journal(path: Path) -> None:
    data = bytearray(tools.journal_bytes(GOOD))
    data[list(tools.frame_offsets(bytes(data)))[4] + 13] ^= 1
    (path / f"{NAME}.journal").write_bytes(data)


def torn_journal(path: Path) -> None:
    (path / f"{NAME}.journal").write_bytes(tools.journal_bytes(GOOD)[:-3])


def wrong_summary(path: Path) -> None:
    journal(path, GOOD)
    summary = tools.summary_of(GOOD)
    counts = {"seen": 3, "replayed": 1, "single_pass": 0, "declined": 1, "filtered": 0, "incomplete": 0}
    summary["dispatches"] = counts | {"declined_reasons": {"graph": 1}}
    (path / f"{NAME}.json").write_text(json.dumps(summary), encoding="utf-8")


def summary_with(member: str, value: object, run: tools.Run = RUN) -> Callable[[Path], None]:
    """A run whose summary says something else in one member (`a.b`: in a member of a member)."""

    def write(path: Path) -> None:
        tools.write_run(path, run)
        file = path / f"{NAME}.json"
        content = json.loads(file.read_text(encoding="utf-8"))
        *above, last = member.split(".")
        inner = content
        for name in above:
            inner = inner[int(name)] if isinstance(inner, list) else inner[name]
        if value is ABSENT:
            del inner[last]
        else:
            inner[last] = value
        file.write_text(json.dumps(content), encoding="utf-8")

    return write


def without_file(suffix: str) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        tools.write_run(path, RUN)
        (path / f"{NAME}.{suffix}").unlink()

    return write


def frames_changed(change: Callable[[list[pb.Frame]], list[pb.Frame]], run: tools.Run = GOOD) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        frames = change(tools.journal_frames(run))
        data = tools.journal_header() + b"".join(tools.frame(f) for f in frames)
        (path / f"{NAME}.journal").write_bytes(data)

    return write


def dispatches_changed(change: Callable[[pb.Dispatch], object], run: tools.Run = GOOD) -> Callable[[Path], None]:
    def each(frames: list[pb.Frame]) -> list[pb.Frame]:
        for one in frames:
            if one.WhichOneof("body") == "dispatch":
                change(one.dispatch)
        return frames

    return frames_changed(each, run)


def asked(events: str) -> Callable[[Path], None]:
    """A run on GPU 0 beside a GPU 1."""

    def change(frames: list[pb.Frame]) -> list[pb.Frame]:
        frames[0].run.events = events
        return [*frames[:3], pb.Frame(agent=pb.Agent(index=2, gpu=True, device=1, name="gfx942")), *frames[3:]]

    return frames_changed(change)


def spoiled_database(sql: str) -> Callable[[Path], None]:
    """A good journal beside a database that SQL spoils."""

    def write(path: Path) -> None:
        journal(path, RUN)
        tools.write_database(path / f"{NAME}.db", RUN, then=sql)

    return write


def read_outside(outcome: str, *values: dict[str, float], mode: str = "auto", passes: int = 2) -> tools.Run:
    """A launch whose executions were outside a replay loop, the first of group 0."""
    read = (tools.Execution(None, 1000 + 200 * g, 1100 + 200 * g, v, group=g) for g, v in enumerate(values))
    reason = "graph" if outcome == "declined" else ""
    launch = tools.Launch(1, tuple(read), outcome=outcome, reason=reason)
    return replace(GOOD, launches=(launch,), replay_mode=mode, plan=GOOD.plan[:passes])


def differing(change: Callable[[tools.Run], tools.Run], files: tuple[str, ...]) -> Callable[[Path], None]:
    """A journal of the good run beside other files of a changed one."""

    def write(path: Path) -> None:
        tools.write_run(path, change(RUN), files=files)
        tools.write_run(path, RUN, files=("journal",))

    return write


def higher(run: tools.Run) -> tools.Run:
    return tools.with_execution(run, 1, 1, values={"SQ_WAVES": 512, "TCC_HIT": 1e-9})


def later(run: tools.Run) -> tools.Run:
    return tools.with_execution(run, 0, 1, end=1261)


def shorter(run: tools.Run) -> tools.Run:
    return replace(run, launches=run.launches[:-1])


@dataclass(frozen=True)
class Case:
    check: str
    severity: str
    write: Callable[[Path], None]
    where: str
    message: str


CASES = [
    Case("readable", "error", lambda p: _ignore((p / f"{NAME}.db").write_bytes(b"")), f"{NAME}.db", "0 bytes"),
    Case(
        "complete",
        "error",
        of_run(tools.with_execution(GOOD, 0, 1, values={"SQ_WAVES": 512})),
        "dispatch 1, pass 1, TCC_HIT",
        "the reading is missing",
    ),
    Case(
        "complete",
        "error",
        of_run(tools.with_launch(GOOD, 0, executions=GOOD.launches[0].executions[:1])),
        "dispatch 1",
        "pass 1 is missing",
    ),
    Case(
        "complete",
        "error",
        database("DELETE FROM rocpd_replay_pmc~ WHERE pmc_id = 3 AND replay_pass_id = 2"),
        f"{NAME}.db: dispatch 1, pass 1, TCC_HIT",
        "the reading is missing",
    ),
    Case(
        "canonical",
        "error",
        database("UPDATE rocpd_replay_pmc~ SET is_canonical = 1"),
        "dispatch 1, SQ_WAVES",
        "counted more than once: pass 0 and pass 1",
    ),
    Case(
        "canonical",
        "error",
        database("UPDATE rocpd_replay_pmc~ SET is_canonical = 1 - is_canonical WHERE pmc_id = 2"),
        "dispatch 1, SQ_WAVES",
        "the canonical reading is of pass 1, pass 0 has one too",
    ),
    Case(
        "canonical",
        "error",
        database("UPDATE rocpd_replay_pass~ SET status = 'DISCARDED' WHERE id = 2"),
        "dispatch 1, TCC_HIT",
        "the canonical reading is of pass 1, which was discarded",
    ),
    Case("duplicates", "error", of_run(duplicated_launch()), "dispatch 1", "recorded 2 times; its counters add up"),
    Case(
        "duplicates",
        "error",
        of_run(tools.with_execution(GOOD, 0, 1, index=0)),
        "dispatch 1, pass 0",
        "recorded 2 times",
    ),
    Case("outcome", "error", of_run(tools.with_launch(GOOD, 0, outcome="filtered")), "dispatch 1", "4 readings"),
    Case("outcome", "error", of_run(tools.with_launch(RUN, 2, reason="")), "dispatch 3", "declined without a reason"),
    Case(
        "outcome",
        "error",
        of_run(tools.with_launch(GOOD, 0, outcome="single_pass")),
        "dispatch 1",
        "with 2 replay passes",
    ),
    Case(
        "times",
        "error",
        of_run(tools.with_execution(GOOD, 0, 0, start=200, end=100)),
        "dispatch 1, pass 0",
        "start 200 is after end 100 by 100 ns",
    ),
    Case(
        "times", "warning", of_run(tools.with_execution(GOOD, 0, 0, end=1000)), "pass 0", "start and end are both 1000"
    ),
    Case(
        "times",
        "error",
        of_run(tools.with_execution(GOOD, 0, 1, start=1090)),
        "dispatch 1, pass 1",
        "starts 10 ns before the end of pass 0",
    ),
    Case("outcomes-declared", "info", of_run(RUN), NAME, "1 dispatch declined (graph)"),
    Case("journal-there", "info", database(""), NAME, "there is no journal beside the outputs"),
    Case("journal-whole", "error", damaged_journal, f"{NAME}.journal", "are damaged; the frames in them are lost"),
    Case("journal-whole", "warning", torn_journal, f"{NAME}.journal", "ends inside the frame"),
    Case("journal-whole", "info", of_run(replace(GOOD, closed=False)), f"{NAME}.journal", "no last frame"),
    Case("warnings", "info", of_run(RUN), NAME, "during the run: two queues overlapped"),
    Case(
        "warnings",
        "warning",
        of_run(replace(GOOD, warnings=("'TYPO' (column 9) is left out: not a counter of gfx942",))),
        f"{NAME}.journal",
        "during the run: 'TYPO' (column 9) is left out",
    ),
    Case(
        "replay-off",
        "warning",
        of_run(single_pass("off")),
        f"{NAME}.journal: GPU 0",
        "not read, since --replay off runs pass 0 only: TCC_HIT",
    ),
    Case("replay-off", "warning", database("", single_pass("off")), f"{NAME}.db: GPU 0", "pass 0 only: TCC_HIT"),
    Case("summary", "error", wrong_summary, f"{NAME}.json", "seen is 3, the outcomes add up to 2"),
    Case("summary", "error", wrong_summary, f"{NAME}.json", "1 replayed, 2 are recorded"),
    Case("summary", "error", summary_with("schema", 99), f"{NAME}.json: schema", "it is 99, not 1"),
    Case("summary", "error", summary_with("pid", 1), f"{NAME}.json: pid", "it is 1, the journal has 4711"),
    Case("summary", "error", summary_with("readings", 999), f"{NAME}.json: readings", "999, the journal has 12"),
    Case("summary", "error", summary_with("kernels", 999), f"{NAME}.json: kernels", "999, the journal has 2"),
    Case("summary", "error", summary_with("replay_mode", "off"), "replay_mode", "'off', the journal has 'auto'"),
    Case("summary", "error", summary_with("agents.0.pass_count", 9), "agents[0]", "pass_count is 9, the journal has 2"),
    Case("summary", "error", summary_with("agents.0.passes", [["A"]]), "agents[0]", "passes is [['A']]"),
    Case("summary", "error", summary_with("agents", []), "agents", "0 GPUs, the journal has 1"),
    Case("summary", "error", summary_with("agents", [5]), "agents", "not a list of objects"),
    Case("summary", "error", summary_with("warnings", []), "warnings", "1 of the journal are not in it"),
    Case("summary", "error", summary_with("dispatches", ABSENT), "dispatches", "the member is missing"),
    Case("summary", "error", summary_with("dispatches", []), "dispatches", "it is [], not an object"),
    Case("summary", "error", summary_with("dispatches.replayed", "x"), "dispatches", "replayed is 'x', not a count"),
    Case("summary", "error", summary_with("dispatches.replayed", None), "dispatches", "replayed is None, not a count"),
    Case(
        "summary",
        "error",
        summary_with("dispatches.declined_reasons", {"graph": 5}),
        "dispatches",
        "declined_reasons is {'graph': 5}, the journal has {'graph': 1}",
    ),
    Case("files", "error", without_file("db"), f"{NAME}.json: files", f"{NAME}.db, which is named as rocpd, does not"),
    Case("files", "error", without_file("pftrace"), f"{NAME}.json: files", "named as perfetto, does not exist"),
    Case("files", "error", without_file("journal"), f"{NAME}.json: files", "named as journal, does not exist"),
    Case("files", "error", summary_with("files", 5), f"{NAME}.json: files", "it is 5, not an object"),
    Case("files", "error", summary_with("files.rocpd", [1]), f"{NAME}.json: files", "rocpd is [1], not a path"),
    Case("files", "error", summary_with("files.rocpd", ABSENT), f"{NAME}.json: files", "rocpd is missing"),
    Case("journal-whole", "error", frames_changed(lambda f: f[1:]), NAME, "no frame that says what the run was"),
    Case("journal-whole", "error", frames_changed(lambda f: f[:1] + f), NAME, "the file describes 2 runs"),
    Case("journal-whole", "error", frames_changed(lambda f: f + f[-1:]), NAME, "the file has 2 last frames"),
    Case("journal-whole", "error", frames_changed(lambda f: f[-1:] + f[:-1]), NAME, "6 frames stand behind the last"),
    Case("journal-whole", "warning", frames_changed(lambda _: []), NAME, "nothing behind the header"),
    Case(
        "outcome",
        "error",
        of_run(read_outside("single_pass", GROUP_0)),
        "dispatch 1",
        "single_pass, with 2 planned passes",
    ),
    Case(
        "outcome", "error", of_run(read_outside("declined", {"SQ_WAVES": 1})), "dispatch 1", "group 0 lacks GRBM_COUNT"
    ),
    Case("outcome", "error", of_run(read_outside("declined", {})), "dispatch 1", "declined, but without a reading"),
    Case("outcome", "error", of_run(read_outside("declined", GROUP_0, GROUP_1)), "dispatch 1", "readings of 2 groups"),
    Case(
        "outcome",
        "error",
        of_run(read_outside("declined", GROUP_0, passes=1)),
        "dispatch 1",
        "declined, with 1 planned passes",
    ),
    Case(
        "outcome",
        "error",
        of_run(read_outside("incomplete", GROUP_0, passes=1)),
        "dispatch 1",
        "incomplete, with 1 planned passes, and all of them are there",
    ),
    Case("outcome", "error", of_run(tools.with_launch(GOOD, 0, outcome="incomplete")), "dispatch 1", "all of them are"),
    Case("outcome", "error", of_run(replace(GOOD, replay_mode="off")), "dispatch 1", "and --replay off"),
    Case(
        "outcome",
        "error",
        dispatches_changed(lambda d: setattr(d, "passes_planned", 1)),
        "dispatch 1",
        "1 passes planned, the plan of GPU 0 [gfx942] has 2",
    ),
    Case(
        "outcome",
        "error",
        of_run(tools.with_execution(GOOD, 0, 1, group=0)),
        "dispatch 1",
        "pass 1 has the counters of pass 0",
    ),
    Case(
        "complete",
        "error",
        dispatches_changed(lambda d: (setattr(d, "passes_planned", 1), d.passes.pop())),
        "dispatch 1",
        "pass 1 is missing",
    ),
    Case(
        "times-of-run",
        "warning",
        of_run(tools.with_execution(GOOD, 0, 1, start=10**18, end=10**18 + 5)),
        "dispatch 1, pass 1",
        "ns after the process ended",
    ),
    Case(
        "times-of-run",
        "warning",
        frames_changed(lambda f: (setattr(f[0].run, "start_ns", 10**9), f)[1]),
        "dispatch 1, pass 0",
        "ns before the process started",
    ),
    Case(
        "times-of-run",
        "warning",
        dispatches_changed(lambda d: [(setattr(p, "start_ns", 0), setattr(p, "end_ns", 0)) for p in d.passes]),
        "dispatch 1",
        "2 of 2 dispatches have no times",
    ),
    Case("possible-values", "warning", of_run(with_values(1, -5)), "dispatch 2, pass 1, TCC_HIT", "the value is -5"),
    Case("possible-values", "warning", of_run(with_values(float("inf"))), "pass 1, TCC_HIT", "the value is inf"),
    Case(
        "asked-device",
        "warning",
        asked("SQ_WAVES, TCC_HIT:device=1,GRBM_COUNT:device=0"),
        f"{NAME}.journal: GPU 1",
        "no kernel ran on it; asked for there and read nowhere: TCC_HIT",
    ),
    Case("rocpd-views", "error", database("DROP VIEW busy"), f"{NAME}.db: busy", "the view is missing"),
    Case(
        "rocpd-views", "error", spoiled_database("DROP VIEW counters_collection"), "counters_collection", "is missing"
    ),
    Case(
        "rocpd-names",
        "error",
        spoiled_database("UPDATE rocpd_info_kernel_symbol~ SET display_name = 'other' WHERE id = 1"),
        f"{NAME}.db: dispatch 1",
        f"display_name is 'other', 'axpy(float*, int)' in {NAME}.journal",
    ),
    Case(
        "rocpd-names",
        "error",
        spoiled_database("UPDATE rocpd_info_kernel_symbol~ SET kernel_name = 'other' WHERE id = 1"),
        f"{NAME}.db: dispatch 1",
        "kernel_name is 'other', '_Z1'",
    ),
    Case(
        "rocpd-names",
        "error",
        spoiled_database("UPDATE rocpd_info_agent~ SET name = 'gfx000' WHERE id = 1"),
        f"{NAME}.db: dispatch 1",
        "name of the agent is 'gfx000', 'gfx942'",
    ),
    Case(
        "rocpd-names",
        "error",
        spoiled_database("UPDATE rocpd_info_thread~ SET tid = 1"),
        f"{NAME}.db: dispatch 1",
        "tid of the thread is 1, 4711",
    ),
    Case(
        "rocpd-statistics",
        "error",
        database(
            "DROP VIEW top_kernels; CREATE VIEW top_kernels AS SELECT 'k' AS name, COUNT(*) AS total_calls "
            "FROM rocpd_kernel_dispatch"
        ),
        "top_kernels, axpy",
        "counts 0 calls, there are 2",
    ),
    Case(
        "rocpd-metadata",
        "error",
        database("DELETE FROM rocpd_metadata~ WHERE tag = 'replay_layout'"),
        "rocpd_metadata",
        "tag replay_layout is there 0 times",
    ),
    Case(
        "parity",
        "error",
        spoiled_database("UPDATE rocpd_kernel_dispatch~ SET grid_size_x = 7 WHERE id = 2"),
        "dispatch 2",
        "grid is (7, 1, 1)",
    ),
    Case(
        "parity",
        "error",
        spoiled_database("UPDATE rocpd_kernel_dispatch~ SET workgroup_size_x = 7 WHERE id = 2"),
        "dispatch 2",
        "workgroup is (7, 1, 1)",
    ),
    Case(
        "parity", "error", differing(lambda run: replace(run, replay_mode="kernel"), ("pftrace",)), NAME, "replay_mode"
    ),
    Case(
        "parity", "error", differing(lambda run: replace(run, launches=()), ("db",)), f"{NAME}.db: dispatch 1", "only"
    ),
    Case(
        "trace-notes",
        "error",
        spoiled_trace(lambda f: f.counter(f.tracks["GPU TCC_HIT [0] pass 1"], 8000, 0.0)),
        f"{NAME}.pftrace",
        "1 counter values belong to no execution",
    ),
    Case(
        "rocpd-integrity",
        "error",
        database(
            "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = replace(sql, 'expression TEXT', "
            "'expression TEXT NOT NULL') WHERE name = 'rocpd_info_pmc~'"
        ),
        f"{NAME}.db: file",
        "NULL value in rocpd_info_pmc",
    ),
    Case("rocpd-foreign-keys", "error", database("DELETE FROM rocpd_event~ WHERE id = 1"), "row 1", "does not exist"),
    Case(
        "rocpd-metadata",
        "error",
        database("DELETE FROM rocpd_metadata~ WHERE tag = 'schema_version_minor'"),
        "rocpd_metadata",
        "tag schema_version_minor is there 0 times",
    ),
    Case(
        "rocpd-metadata",
        "error",
        database("UPDATE rocpd_metadata~ SET value = '_x' WHERE tag = 'uuid'"),
        "",
        "uuid '_x'",
    ),
    Case(
        "rocpd-lost-rows",
        "error",
        database("UPDATE rocpd_kernel_dispatch~ SET region_name_id = NULL WHERE id = 2"),
        f"{NAME}.db: dispatch 2",
        "view kernels shows it 0 times",
    ),
    Case(
        "rocpd-events",
        "error",
        database("UPDATE rocpd_kernel_dispatch~ SET event_id = 1"),
        "dispatch 1",
        "event 1 belongs to 2 dispatches",
    ),
    Case(
        "rocpd-counter-names",
        "error",
        database("INSERT INTO rocpd_info_pmc~ (agent_id, name) VALUES (1, 'SQ_WAVES')"),
        "SQ_WAVES",
        "described 2 times",
    ),
    Case(
        "rocpd-no-double-count",
        "error",
        database("INSERT INTO rocpd_pmc_event~ (event_id, pmc_id, value) VALUES (1, 2, 512)"),
        "counters_collection, dispatch 1, SQ_WAVES",
        "shows 1024, the canonical reading is 512",
    ),
    Case(
        "rocpd-no-double-count",
        "error",
        database("DELETE FROM rocpd_pmc_event~ WHERE event_id = 1 AND pmc_id = 3"),
        "pmc_events, dispatch 1, TCC_HIT",
        "shows nothing, the canonical reading is 300",
    ),
    Case(
        "rocpd-statistics",
        "error",
        database(
            "DROP VIEW top_kernels; CREATE VIEW top_kernels AS SELECT 'k' AS name, COUNT(*) AS total_calls "
            "FROM rocpd_replay_pass"
        ),
        "top_kernels",
        "counts 4 calls of 2 dispatches",
    ),
    Case(
        "rocpd-canonical-times",
        "error",
        database("UPDATE rocpd_kernel_dispatch~ SET start = 1150 WHERE id = 1"),
        "dispatch 1",
        "is 1150 to 1100, the pass that stands for it 1000 to 1100",
    ),
    Case(
        "rocpd-conflicts",
        "error",
        database(
            "UPDATE rocpd_replay_pmc~ SET value = 500 WHERE replay_pass_id = 2 AND pmc_id = 2;"
            "DROP VIEW replay_conflicts;"
            "CREATE VIEW replay_conflicts AS "
            "SELECT '' AS guid, 0 AS dispatch_id, '' AS counter_name, '' AS kind WHERE 0"
        ),
        "replay_conflicts, dispatch 1, SQ_WAVES",
        "says None, its readings DIFFERENT",
    ),
    Case("perfetto-bytes", "error", trace_with(lambda data: data[:-1]), f"{NAME}.pftrace: byte", "is cut after"),
    Case("perfetto-bytes", "error", trace_with(lambda data: data + b"\0"), f"{NAME}.pftrace: byte", "starts no packet"),
    Case("perfetto-bytes", "error", trace_with(lambda data: data + b"\n\x04\xfa\xff\x7f\0"), "byte", "does not exist"),
    Case(
        "perfetto-names",
        "error",
        spoiled_trace(lambda f: f.counter(12345, 1000, 1.0)),
        f"{NAME}.pftrace: time 1000",
        "track 0x3039, which is not declared",
    ),
    Case("perfetto-slices", "error", spoiled_trace(dropped(is_end)), "GPU 0 [gfx942] / Queue 0", "is never closed"),
    Case(
        "perfetto-lanes",
        "error",
        spoiled_trace(lambda _: None, tools.with_execution(GOOD, 1, 0, start=1050)),
        "app / GPU 0 [gfx942] / Queue 0",
        "from 1050 on starts inside another dispatch of the lane",
    ),
    Case(
        "perfetto-pulses",
        "error",
        spoiled_trace(dropped(lambda p: p.track_event.type == 4 and p.timestamp == 2260)),
        "GPU SQ_WAVES [0] pass 1",
        "512 from 2150 on does not go back to 0",
    ),
    Case(
        "perfetto-siblings",
        "error",
        spoiled_trace(lambda f: _ignore(f.track(9999, tools.GPU, "Queue 0"))),
        "GPU 0 [gfx942]",
        "2 tracks are called 'Queue 0'",
    ),
    Case(
        "perfetto-clock",
        "error",
        spoiled_trace(lambda f: setattr(f.packets[0].trace_packet_defaults, "timestamp_clock_id", 1)),
        f"{NAME}.pftrace",
        "events are on clock 1, not on 6",
    ),
    Case(
        "perfetto-times",
        "error",
        spoiled_trace(
            lambda f: (
                [
                    tools.annotate(p.track_event, {"times_swapped": True})
                    for p in f.packets
                    if p.track_event.type == 1 and p.timestamp == 1150
                ]
                and None
            )
        ),
        "Replay pass 1 / Kernels, dispatch 1",
        "recorded from 1260 to 1150",
    ),
    Case(
        "perfetto-annotations",
        "error",
        spoiled_trace(
            lambda f: (
                [
                    setattr(a, "double_value", 1e6)
                    for p in f.packets
                    for a in p.track_event.debug_annotations
                    if a.name == "GRBM_COUNT"
                ]
                and None
            )
        ),
        "dispatch 1, GRBM_COUNT",
        "the slice says 1000000, the counter track 100.5",
    ),
    Case(
        "parity",
        "error",
        differing(higher, ("db",)),
        f"{NAME}.db: dispatch 2, pass 1, TCC_HIT",
        f"value is 1.0000000000000001e-09 in {NAME}.db, 0 in {NAME}.journal",
    ),
    Case(
        "parity", "error", differing(higher, ("pftrace",)), f"{NAME}.pftrace: dispatch 2, TCC_HIT", "canonical value is"
    ),
    Case("parity", "error", differing(later, ("db",)), "dispatch 1, pass 1", "times is (1150, 1261)"),
    Case("parity", "error", differing(later, ("pftrace",)), "dispatch 1, pass 1", "times is (1150, 1261)"),
    Case("parity", "error", differing(shorter, ("db",)), f"{NAME}.db: dispatch 5", f"it is in {NAME}.journal only"),
    Case(
        "parity",
        "error",
        differing(lambda run: tools.with_launch(run, 2, reason="budget"), ("pftrace",)),
        "dispatch 3",
        "reason is budget",
    ),
    Case(
        "agreement",
        "warning",
        of_run(tools.with_execution(GOOD, 0, 1, values={"SQ_WAVES": 0, "TCC_HIT": 1})),
        "dispatch 1, SQ_WAVES",
        "0 in pass 1, 512 in pass 0",
    ),
    Case(
        "agreement-at-zero",
        "warning",
        of_run(replace(GOOD, launches=(tools.replayed(1, 1000, waves=0),))),
        "GPU 0, SQ_WAVES",
        "0 in all",
    ),
    Case("zeros", "warning", of_run(with_values(0, 0)), "GPU 0, TCC_HIT", "0 in 2 dispatches"),
    Case(
        "zeros",
        "warning",
        of_run(replace(GOOD, launches=(tools.Launch(1, (tools.Execution(0, 1, 2, {"SQ_WAVES": 0}),)),))),
        "GPU 0",
        "all 1 counters are 0 in every dispatch",
    ),
    Case(
        "ratios",
        "warning",
        of_run(
            replace(
                GOOD,
                plan=(("TCC_EA0_RDREQ_sum",), ("TCC_EA0_RDREQ_DRAM_sum",)),
                launches=(
                    tools.Launch(
                        1,
                        (
                            tools.Execution(0, 1, 2, {"TCC_EA0_RDREQ_sum": 100}),
                            tools.Execution(1, 3, 4, {"TCC_EA0_RDREQ_DRAM_sum": 207}),
                        ),
                    ),
                ),
            )
        ),
        "dispatch 1, TCC_EA0_RDREQ_DRAM_sum",
        "TCC_EA0_RDREQ_DRAM_sum (pass 1) is 207 % of TCC_EA0_RDREQ_sum (pass 0)",
    ),
    Case(
        "ratios",
        "warning",
        of_run(with_values(110, 130, 90, counter="VALUBusy")),
        "dispatch 2, VALUBusy",
        "130 %, more than there can be, and too much in 1 more dispatches",
    ),
    Case(
        "ratios", "warning", of_run(with_values(130, counter="VALUBusy")), "VALUBusy", "130 %, more than there can be"
    ),
    Case(
        "outliers",
        "warning",
        of_run(with_values(*[1000.0] * 9, 65000.0)),
        "dispatch 10, TCC_HIT",
        "65000 is 65 times the median of 10 equal launches",
    ),
]


@pytest.fixture(autouse=True)
def no_trace_processor(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("ROCPROFSYS_MULTIPASS_TRACE_PROCESSOR", raising=False)


def of_check(findings: list[Finding], case: Case) -> list[Finding]:
    return [f for f in findings if f.check == case.check and f.severity == case.severity]


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c.check}: {c.message[:40]}")
def test_the_check_finds_what_it_is_there_for(tmp_path: Path, case: Case):
    case.write(tmp_path)
    found = of_check(verify(tmp_path), case)
    assert any(case.where in f.where and case.message in f.message for f in found), verify(tmp_path)


@pytest.mark.parametrize("check", sorted({c.check for c in CASES} - {"outcomes-declared", "journal-there", "warnings"}))
def test_the_check_finds_nothing_in_a_good_run(tmp_path: Path, check: str):
    assert [f for f in verify(tools.write_run(tmp_path, RUN)) if f.check == check] == []


def test_a_good_run_has_no_error_and_no_warning(tmp_path: Path):
    assert {f.severity for f in verify(tools.write_run(tmp_path, RUN))} == {"info"}


def test_every_check_has_a_case_here_or_a_test_of_its_own():
    own = {"perfetto-stats"}
    assert {c.check for c in CASES} | own == set(CHECKS)


@pytest.mark.parametrize("values", [(1000.0,) * 9 + (9999.0,), (1.0, 65000.0, 1.0, 1.0), (0.0,) * 9 + (5.0,)])
def test_values_within_ten_medians_or_without_a_median_are_no_outliers(tmp_path: Path, values: tuple[float, ...]):
    journal(tmp_path, with_values(*values))
    assert [f for f in verify(tmp_path) if f.check == "outliers"] == []


@pytest.mark.parametrize(
    ("text", "severity"),
    [
        ("GPU 0 (gfx942): FOO is not collected: it fits no pass", "warning"),
        ("SQ_WAVES:device=7 is collected nowhere: there is no GPU 7", "warning"),
        ("GPU 1 is left out: the SDK names no counters", "warning"),
        ("kernels are not replayed: this SDK has no kernel replay", "warning"),
        ("3 records were dropped because the disk was too slow or full", "warning"),
        ("'max_sclk' is not counted: a constant of the agent, the same for every dispatch", "info"),
        ("the output path 'a%x%' has the unknown token '%x%', it is kept", "info"),
    ],
)
def test_what_was_left_out_during_the_run_is_a_warning(tmp_path: Path, text: str, severity: str):
    journal(tmp_path, replace(GOOD, warnings=(text,)))
    assert [(f.severity, f.message) for f in verify(tmp_path) if f.check == "warnings"] == [
        (severity, f"during the run: {text}")
    ]


@pytest.mark.parametrize("run", [single_pass("auto"), replace(GOOD, replay_mode="off")])
def test_replay_off_is_no_matter_where_it_is_not_on_or_left_nothing_out(tmp_path: Path, run: tools.Run):
    journal(tmp_path, run)
    assert [f for f in verify(tmp_path) if f.check == "replay-off"] == []


@pytest.mark.parametrize(
    ("values", "of_hardware"), [({"SQ_WAVES": 0}, "power profile"), ({"SQ_WAVES": 1, "TCC_HIT": 0}, "GPU or driver")]
)
def test_zeros_on_a_simulated_gpu_are_not_blamed_on_the_hardware(
    tmp_path: Path, values: dict[str, float], of_hardware: str
):
    zero = replace(GOOD, launches=(tools.Launch(1, (tools.Execution(0, 1, 2, values),)),))
    hints = {}
    for simulated in (True, False):
        folder = tmp_path / str(simulated)
        folder.mkdir()
        journal(folder, replace(zero, simulated=simulated))
        hints[simulated] = next(f.hint for f in verify(folder) if f.check == "zeros")
    assert "a kernel for the simulator states its work with multipass/count.h (docs/simulator.md)" in hints[True]
    assert of_hardware not in hints[True]
    assert of_hardware in hints[False]


@pytest.mark.parametrize(("waves", "found"), [(512.3, 0), (513, 1)])
def test_passes_agree_within_six_in_ten_thousand(tmp_path: Path, waves: float, found: int):
    run = tools.with_execution(GOOD, 0, 1, values={"SQ_WAVES": waves, "TCC_HIT": 300})
    journal(tmp_path, run)
    assert sum(f.check == "agreement" for f in verify(tmp_path)) == found


def test_counts_of_cycles_may_differ_between_passes(tmp_path: Path):
    run = replace(
        GOOD,
        plan=(("GRBM_COUNT",), ("GRBM_COUNT",)),
        launches=(
            tools.Launch(
                1, (tools.Execution(0, 1, 2, {"GRBM_COUNT": 100}), tools.Execution(1, 3, 4, {"GRBM_COUNT": 120}))
            ),
        ),
    )
    journal(tmp_path, run)
    assert [f for f in verify(tmp_path) if f.check == "agreement"] == []


def test_a_sentinel_that_is_not_in_the_default_views_is_no_loss(tmp_path: Path):
    run = replace(GOOD, sentinels=(("SQ_WAVES",), ("SQ_WAVES",)))
    journal(tmp_path, run)
    assert [f for f in verify(tmp_path) if f.severity != "info"] == []


def test_damage_inside_a_database_is_found(tmp_path: Path):
    path = tools.write_database(tmp_path / f"{NAME}.db", GOOD)
    data = bytearray(path.read_bytes())
    page = int.from_bytes(data[16:18], "big")
    data[-page + 8 : -page + 600] = b"\xff" * 592
    path.write_bytes(data)
    assert any(f.severity == "error" for f in verify(path))


def of_durations(*durations: int, simulated: bool) -> tools.Run:
    launches = tuple(
        tools.Launch(n, (tools.Execution(0, 10**7 * n, 10**7 * n + d, {"SQ_WAVES": 512}),))
        for n, d in enumerate(durations, 1)
    )
    return replace(GOOD, launches=launches, plan=(("SQ_WAVES",),), simulated=simulated)


@pytest.mark.parametrize(
    ("median", "simulated", "found"), [(50_000, False, 1), (49_999, False, 0), (50_000, True, 0), (3_000, False, 0)]
)
def test_durations_are_compared_on_hardware_where_kernels_last(
    tmp_path: Path, median: int, *, simulated: bool, found: int
):
    journal(tmp_path, of_durations(*[median] * 9, 11 * median, simulated=simulated))
    assert sum(f.check == "outliers" for f in verify(tmp_path)) == found


def test_a_trace_need_not_say_why_a_dispatch_was_filtered(tmp_path: Path):
    filtered = tools.with_launch(RUN, 3, reason="no_match")
    tools.write_run(tmp_path, RUN, files=("pftrace",))  # an older writer: without the reason
    tools.write_run(tmp_path, filtered, files=("journal", "db"))
    assert [f for f in verify(tmp_path) if f.severity == "error"] == []


def test_a_reason_to_filter_that_the_trace_has_is_compared(tmp_path: Path):
    tools.write_run(tmp_path, tools.with_launch(RUN, 3, reason="no_match"), files=("pftrace",))
    tools.write_run(tmp_path, tools.with_launch(RUN, 3, reason="range"), files=("journal",))
    found = [f.message for f in verify(tmp_path) if f.severity == "error"]
    assert found == [f"reason is no_match in {NAME}.pftrace, range in {NAME}.journal"]


@pytest.mark.parametrize("events", ["SQ_WAVES,TCC_HIT", "SQ_WAVES:device=0", "SQ_WAVES:device=7", ""])
def test_a_device_that_kernels_ran_on_or_that_does_not_exist_is_no_matter(tmp_path: Path, events: str):
    asked(events)(tmp_path)
    assert [f for f in verify(tmp_path) if f.check == "asked-device"] == []


def test_of_a_parallel_job_it_is_enough_that_one_process_used_the_device(tmp_path: Path):
    asked("SQ_WAVES:device=1")(tmp_path)

    def on_the_other(frames: list[pb.Frame]) -> list[pb.Frame]:
        frames[2].agent.device = 1
        return frames

    (tmp_path / "other").mkdir()
    frames_changed(on_the_other)(tmp_path / "other")
    assert [f for f in verify([tmp_path, tmp_path / "other"]) if f.check == "asked-device"] == []
    assert [f.where for f in verify(tmp_path) if f.check == "asked-device"] == [f"{NAME}.journal: GPU 1"]


def test_a_run_that_was_moved_has_its_files(tmp_path: Path):
    tools.write_run(tmp_path / "before", RUN)
    moved = (tmp_path / "before").rename(tmp_path / "after")
    assert [f for f in verify(moved) if f.check == "files"] == []


def test_files_of_a_run_that_was_copied_are_looked_for_in_the_copy(tmp_path: Path):
    tools.write_run(tmp_path / "run", RUN)
    shutil.copytree(tmp_path / "run", tmp_path / "copy")
    (tmp_path / "copy" / f"{NAME}.db").unlink()
    assert [f.check for f in verify(tmp_path / "copy") if f.severity == "error"] == ["files"]


def test_a_check_that_fails_is_a_finding_and_keeps_no_other_from_running(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def failing(evidence: object) -> None:
        raise KeyError("gone")

    journal(tmp_path, GOOD)
    others = [f for f in verify(tmp_path) if f.check != "complete"]
    monkeypatch.setitem(CHECKS, "complete", replace(CHECKS["complete"], function=failing))
    found = verify(tmp_path)
    assert [(f.severity, f.message) for f in found if f.check == "complete"] == [
        ("error", "internal: KeyError: 'gone'")
    ]
    assert [f for f in found if f.check != "complete"] == others
