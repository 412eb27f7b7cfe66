# SPDX-License-Identifier: MIT
"""The ready queries of ``open``, asked of real runs in trace_processor: each answer is what the journals say.

The trace is that of three processes, one behind the other as `open` serves them: one whose launches were replayed, one
whose were not, and one whose passes disagree.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from e2e_tools import ROOT, TWO_PASSES
from perfetto.trace_processor import TraceProcessor
from perfetto_tools import trace_processor

import rocprofsys_multipass as mp
from rocprofsys_multipass import Run
from rocprofsys_multipass.demo import DEMO_EVENTS
from rocprofsys_multipass.native import Native
from rocprofsys_multipass.trace.model import Dispatch
from rocprofsys_multipass.viewer import choose, queries, query

# Nine registers of TCC, of which a pass has four: sentinels come with the three passes.
THREE_PASSES = ("FETCH_SIZE", "WRITE_SIZE", "TCC_HIT", "TCC_MISS", "TCC_READ", "TCC_WRITE")
Row = tuple[Any, ...]


@dataclass(frozen=True)
class Asked:
    """An engine that holds the trace, and the dispatches of the journals it is made of."""

    engine: TraceProcessor
    dispatches: Sequence[Dispatch]

    def __call__(self, name: str) -> list[Row]:
        return [tuple(vars(row).values()) for row in self.engine.query(query(name).sql)]


@pytest.fixture(scope="module")
def ask(
    native: Native,
    demo_run: Run,
    build: Callable[[Path], Path],
    environment: dict[str, str],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Asked]:
    folder = tmp_path_factory.mktemp("queries")
    grows = build(ROOT / "tests" / "hip_sources" / "grows.cpp")
    run = partial(mp.run, simulate="gfx942", env=environment, capture=True)
    rotated = run([native.demo], events=TWO_PASSES, replay="rotate", output=folder / "rotated")
    grown = run([grows, "pool"], events=THREE_PASSES, unsafe="virtual_memory,pool_memory", output=folder / "grown")
    together = folder / "together"
    together.mkdir()
    for one in (demo_run, rotated, grown):
        for path in one.files:
            shutil.copy(path, together)
    whole = folder / "whole.pftrace"
    whole.write_bytes(b"".join(one.path.read_bytes() for one in choose(together)))
    with trace_processor(whole) as engine:
        yield Asked(engine, mp.open_trace(together).dispatches())


def grouped(dispatches: Sequence[Dispatch]) -> dict[Row, list[Dispatch]]:
    """By process, GPU and kernel."""
    found: dict[Row, list[Dispatch]] = {}
    for one in dispatches:
        found.setdefault((one.process, one.agent.label, one.kernel), []).append(one)
    return found


def total(values: Sequence[int | None]) -> int:
    """Of times that are all known."""
    known = [value for value in values if value is not None]
    assert len(known) == len(values)
    return sum(known)


def percent(part: float, whole: float, digits: int) -> float | None:
    return round(100.0 * part / whole, digits) if whole else None


def test_the_runs_are_of_the_kinds_that_the_queries_are_about(ask: Asked) -> None:
    kinds = Counter((one.process, one.outcome) for one in ask.dispatches)
    assert sorted((outcome, count) for (_, outcome), count in kinds.items()) == [
        ("declined", 12),
        ("replayed", 1),
        ("replayed", 12),
    ]
    errors = ask.engine.query("select name from stats where severity in ('error', 'data_loss') and value > 0")
    assert [row.name for row in errors] == []


def test_every_query_is_tested() -> None:
    """A new one needs a test here."""
    tested = {
        "kernel-counters",
        "replay-cost",
        "pass-agreement",
        "l2-hit-rate",
        "slowest-dispatches",
        "outcomes",
        "coverage",
    }
    assert {one.name for one in queries()} == tested


def test_counters_by_kernel(ask: Asked) -> None:
    wanted = []
    for key, dispatches in grouped(ask.dispatches).items():
        for counter in {name for one in dispatches for name in one.counters}:
            values = [one.counters[counter] for one in dispatches if counter in one.counters]
            mean = sum(values) / len(values)
            wanted.append((*key, counter, len(values), sum(values), pytest.approx(mean), min(values), max(values)))
    found = ask("kernel-counters")
    assert len(found) > len(DEMO_EVENTS)
    assert found == sorted(wanted, key=lambda row: row[:4])


def test_cost_of_replay(ask: Asked) -> None:
    wanted = {}
    for key, dispatches in grouped(ask.dispatches).items():
        passes = [[p for p in one.passes if p.index is not None] for one in dispatches]
        if not any(passes):
            continue
        kernel = total([one.duration_ns for one in dispatches])
        span = sum(max(p.end_ns or 0 for p in each) - min(p.start_ns or 0 for p in each) for each in passes)
        executed = total([p.duration_ns for each in passes for p in each])
        executions = sum(map(len, passes))
        wanted[key] = (len(dispatches), executions, kernel, executed, span, round(span / kernel, 2))
    found = ask("replay-cost")
    assert {row[:3]: row[3:] for row in found} == wanted
    assert [row[-2] for row in found] == sorted((row[-2] for row in found), reverse=True)
    assert all(row[-1] > 1 for row in found)


def test_disagreement_of_passes(ask: Asked) -> None:
    wanted = {}
    for one in ask.dispatches:
        for counter, read in one.by_counter.items():
            values = [value for _, value in read]
            if len(values) > 1:
                apart = percent(max(values) - min(values), max(values), 3)
                key = (one.process, one.agent.label, one.dispatch_id, one.kernel, counter)
                wanted[key] = (len(values), min(values), max(values), apart)
    found = ask("pass-agreement")
    assert {row[:5]: row[5:] for row in found} == wanted
    worst, *others = found
    assert worst[4:] == ("SQ_INSTS_VALU", 3, 100, 300, pytest.approx(66.667)), "memory that was not restored"
    assert all(row[-1] in (0, None) for row in others if row[0] != worst[0])


def test_a_ratio_of_counters_of_one_pass(ask: Asked) -> None:
    wanted = []
    for one in ask.dispatches:
        for each in one.passes:
            values = {reading.counter: reading.value for reading in each.readings}
            if each.index is not None and {"TCC_HIT", "TCC_MISS"} <= values.keys():
                hits, misses = values["TCC_HIT"], values["TCC_MISS"]
                rate = percent(hits, hits + misses, 3)
                wanted.append(
                    (one.process, one.agent.label, one.dispatch_id, one.kernel, each.index, hits, misses, rate)
                )
    found = ask("l2-hit-rate")
    assert len(found) >= 12
    assert sorted(found, key=str) == sorted(wanted, key=str)
    assert [row[-1] for row in found] == sorted(row[-1] for row in found)


def test_the_slowest_dispatches(ask: Asked) -> None:
    found = ask("slowest-dispatches")
    assert [row[5] for row in found] == sorted((total([one.duration_ns]) for one in ask.dispatches), reverse=True)[:20]
    known = {(one.process, one.dispatch_id): one for one in ask.dispatches}
    for pid, gpu, queue, dispatch_id, kernel, duration, time_of, outcome, grid in found:
        one = known[pid, dispatch_id]
        assert queue in ("Queue 0", "Queue 1")
        assert (gpu, kernel, duration) == (one.agent.label, one.kernel, one.duration_ns)
        assert (time_of, outcome, grid) == (one.time_of, one.outcome, ",".join(map(str, one.grid or ())))


def test_outcomes_and_their_reasons(ask: Asked) -> None:
    counts = Counter((one.process, one.agent.label, one.outcome, one.reason) for one in ask.dispatches)
    kernels: dict[Row, set[str]] = {}
    for one in ask.dispatches:
        kernels.setdefault((one.process, one.agent.label, one.outcome, one.reason), set()).add(one.kernel)
    found = ask("outcomes")
    assert {row[:4]: row[4:] for row in found} == {key: (counts[key], len(kernels[key])) for key in counts}
    assert ("declined", "rotate_mode", 12, 3) in [row[2:] for row in found]


def test_coverage_of_the_plan(ask: Asked) -> None:
    wanted = {}
    for key, dispatches in grouped(ask.dispatches).items():
        executions = sum(len(one.passes) for one in dispatches)
        planned = sum(one.passes_planned for one in dispatches)
        counters = [len(one.counters) for one in dispatches]
        share = percent(executions, planned, 1)
        wanted[key] = (len(dispatches), executions, planned, share, min(counters), max(counters))
    found = ask("coverage")
    assert {row[:3]: row[3:] for row in found} == wanted
    assert found[0][6] == 50, "a launch that was not replayed ran once where two passes are planned"
