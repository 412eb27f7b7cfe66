# SPDX-License-Identifier: MIT
"""Runs with one thing wrong, for the tests of `verify`.

A writer makes the files of such a run in a folder; a `Case` says what the check must find there.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import trace_tools as tools
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as pt

from rocprofsys_multipass.run.export import output_file
from rocprofsys_multipass.run.tables import write_tables
from rocprofsys_multipass.trace import journal_pb2 as pb

RUN = tools.sample_run()
NAME = f"multipass-{tools.PID}"
ABSENT = object()
GROUP_0 = {"SQ_WAVES": 512.0, "GRBM_COUNT": 7.0}
GROUP_1 = {"SQ_WAVES": 512.0, "TCC_HIT": 3.0}
OF_A_SET = replace(RUN, sets=("memory",), properties={"cu_count": 304, "num_xcc": 8})
GOOD = replace(RUN, warnings=(), launches=RUN.launches[:2])


def journal(path: Path, run: tools.Run) -> None:
    tools.write_run(path, run, files=("journal",))


def database(sql: str, run: tools.Run = GOOD) -> Callable[[Path], None]:
    return lambda path: ignore(tools.write_database(path / f"{NAME}.db", run, then=sql))


def ignore(_: object) -> None:
    return None


def spoiled_trace(spoil: Callable[[tools.TraceFile], None], run: tools.Run = GOOD) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        file = tools.TraceFile(run).build()
        spoil(file)
        (path / f"{NAME}.pftrace").write_bytes(file.to_bytes())

    return write


def trace_with(spoil: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    return lambda path: ignore((path / f"{NAME}.pftrace").write_bytes(spoil(tools.trace_bytes(GOOD))))


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


def lossy_journal(lost: int, error: int) -> Callable[[Path], None]:
    """A journal whose header says that so many records were lost, for that errno."""

    def write(path: Path) -> None:
        data = tools.journal_bytes(GOOD)
        header = tools.journal_header(lost=lost, error=error)
        (path / f"{NAME}.journal").write_bytes(header + data[len(header) :])

    return write


def journal_in_flight(count: int) -> Callable[[Path], None]:
    """A journal without a last frame, whose last checkpoint has so many dispatches in flight."""

    def write(path: Path) -> None:
        checkpoint = pb.Frame(checkpoint=pb.Checkpoint(dispatches=len(GOOD.launches), in_flight=count))
        data = tools.journal_bytes(replace(GOOD, closed=False)) + tools.frame(checkpoint)
        (path / f"{NAME}.journal").write_bytes(data)

    return write


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


def argument_with(name: str, value: object, run: tools.Run = RUN, *, best: str = "journal") -> Callable[[Path], None]:
    """A run of whose trace the first argument of that name is another value; ABSENT: is not there."""

    def write(path: Path) -> None:
        tools.write_run(path, run, files=(best,))
        file = tools.TraceFile(run).build()
        event = next(
            p.track_event for p in file.packets if any(a.name == name for a in p.track_event.debug_annotations)
        )
        kept = [a for a in event.debug_annotations if a.name != name]
        del event.debug_annotations[:]
        event.debug_annotations.extend(kept)
        if value is not ABSENT:
            tools.annotate(event, {name: value})
        (path / f"{NAME}.pftrace").write_bytes(file.to_bytes())

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


def spoiled_table(kind: str, old: str, new: str, run: tools.Run = RUN) -> Callable[[Path], None]:
    """The tables of a run, in one of which the first `old` is another text."""

    def write(path: Path) -> None:
        journal(path, run)
        write_tables(path / f"{NAME}.journal", ("csv", "csv-wide", "json"))
        table = output_file(path / f"{NAME}.journal", kind)
        text = table.read_text(encoding="utf-8")
        assert old in text
        table.write_text(text.replace(old, new, 1), encoding="utf-8")

    return write


def without_sentinels(count: str = "TCC_MISS") -> tools.Run:
    """Two launches whose two passes read different counters, all but one of them of work."""
    launches = tuple(
        tools.Launch(
            n,
            (
                tools.Execution(0, 1000 * n, 1000 * n + 100, {"SQ_WAVES": 512}),
                tools.Execution(1, 1000 * n + 150, 1000 * n + 260, {count: 7}),
            ),
        )
        for n in (1, 2)
    )
    return replace(GOOD, launches=launches, plan=(("SQ_WAVES",), (count,)))


def compared(*dispatches: dict[str, tuple[float, float]]) -> tools.Run:
    """Two passes, each with the same counters; the values are of pass 0 and pass 1."""
    names = tuple(sorted(dispatches[0]))
    return replace(
        GOOD,
        plan=(names, names),
        launches=tuple(
            tools.Launch(
                n,
                tuple(
                    tools.Execution(k, 10 * n + 2 * k, 10 * n + 2 * k + 1, {c: v[k] for c, v in values.items()})
                    for k in (0, 1)
                ),
            )
            for n, values in enumerate(dispatches, 1)
        ),
    )


def nothing_delivered(count: int, *, planned: bool = True) -> tools.Run:
    """Incomplete launches without a counter."""
    launches = tuple(
        tools.Launch(n, (tools.Execution(None, 1000 * n, 1000 * n + 9, {}),), outcome="incomplete")
        for n in range(1, count + 1)
    )
    return replace(GOOD, launches=launches, plan=GOOD.plan if planned else ())


def plan_changed(sql: str) -> Callable[[Path], None]:
    """A summary beside a database, without a journal; SQL changes the plan of the GPU in it."""

    def write(path: Path) -> None:
        tools.write_run(path, RUN, files=("db", "json"))
        (path / f"{NAME}.db").unlink()
        tools.write_database(path / f"{NAME}.db", RUN, then=sql)

    return write


def spoiled_database(sql: str) -> Callable[[Path], None]:
    """A good journal beside a database that SQL spoils."""

    def write(path: Path) -> None:
        journal(path, RUN)
        tools.write_database(path / f"{NAME}.db", RUN, then=sql)

    return write


def beside_a_copy(name: str) -> Callable[[Path], None]:
    """A journal, and the same under another name."""

    def write(path: Path) -> None:
        journal(path, GOOD)
        shutil.copy(path / f"{NAME}.journal", path / name)

    return write


def read_outside(outcome: str, *values: dict[str, float], mode: str = "auto", passes: int = 2) -> tools.Run:
    """A launch whose executions were outside a replay loop, the first of group 0."""
    read = (tools.Execution(None, 1000 + 200 * g, 1100 + 200 * g, v, group=g) for g, v in enumerate(values))
    reason = "graph" if outcome == "declined" else ""
    launch = tools.Launch(1, tuple(read), outcome=outcome, reason=reason)
    return replace(GOOD, launches=(launch,), replay_mode=mode, plan=GOOD.plan[:passes])


def differing(
    change: Callable[[tools.Run], tools.Run], files: tuple[str, ...], run: tools.Run = RUN, best: str = "journal"
) -> Callable[[Path], None]:
    """A journal, or another file, of a run beside other files of a changed one."""

    def write(path: Path) -> None:
        tools.write_run(path, change(run), files=files)
        tools.write_run(path, run, files=(best,))

    return write


def smaller(run: tools.Run) -> tools.Run:
    return replace(run, properties=run.properties | {"cu_count": 30})


def nameless(run: tools.Run) -> tools.Run:
    return replace(run, properties={"num_xcc": 8})


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
