# SPDX-License-Identifier: MIT
"""What becomes of launches of a graph, of two streams, and of two GPUs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocprofsys_multipass.doctor.check import Check, note, ok, problem
from rocprofsys_multipass.doctor.selftest.ground import clipped
from rocprofsys_multipass.doctor.selftest.kit import ALL, executions
from rocprofsys_multipass.doctor.selftest.trouble import no_replay, trouble
from rocprofsys_multipass.spelling import plural, were

if TYPE_CHECKING:
    from rocprofsys_multipass.doctor.selftest.kit import Kit, PartRun

_GRAPH_KERNEL = "multipass_kit_graph_step"


def check_graph(kit: Kit) -> Check:
    """A graph of two launches, launched twice."""
    name, title = "selftest.graph", "graph launches"
    run, said = _run(kit, name, title, "graph")
    if run is None:
        return said
    launches = [one for one in run.dispatches if one.kernel.startswith(_GRAPH_KERNEL)]
    if not launches:
        return problem(name, f"{title} are not captured: {run.outcomes} in all")
    if run.process is not None and run.process.kernel_replay is False:
        return note(name, f"{title} are captured like others: {no_replay(run)}")
    replayed = sum(executions(one) > 1 for one in launches)
    if replayed:
        return note(name, f"{replayed} of {len(launches)} {title} were replayed, and the result is right")
    reasons = ", ".join(dict.fromkeys(one.reason for one in launches))
    said_of = f"{title} are not offered for replay ({reasons})" if reasons else f"{title} are not replayed"
    return ok(name, f"{said_of}: each of {len(launches)} read one group of counters; the result is right")


def check_streams(kit: Kit) -> Check:
    """Two threads that launch on a stream each, on one GPU."""
    return _two(kit, "selftest.streams", "two streams of one GPU", "streams", gpus=1)


def check_agents(kit: Kit) -> Check:
    """The same on two GPUs."""
    return _two(kit, "selftest.agents", "two GPUs at one time", "agents", gpus=2)


def _two(kit: Kit, name: str, title: str, part: str, *, gpus: int) -> Check:
    run, said = _run(kit, name, title, part)
    if run is None:
        return said
    seen = len({one.agent.index for one in run.dispatches})
    if seen != gpus:
        return problem(name, f"{title}: {were(len(run.dispatches), 'launch')} captured on {plural(seen, 'GPU')}")
    whole = [one for one in run.dispatches if one.outcome in ("replayed", "single_pass")]
    count = plural(len(run.dispatches), "launch")
    if len(whole) == len(run.dispatches):
        passes = plural(run.passes, "pass")
        return ok(name, f"{title}: all counters of {count} were read, in up to {passes}; the results are right")
    if all(one.outcome == "declined" for one in run.dispatches):
        return note(name, f"{title}: {count} with one group of counters each, {no_replay(run)}; the results are right")
    why = "; ".join(["", *run.warnings])
    return problem(name, clipped(f"{title}: of {count}, {len(whole)} were read completely ({run.outcomes}){why}"))


def _run(kit: Kit, name: str, title: str, part: str) -> tuple[PartRun | None, Check]:
    """The run with the tool, when it is fit to be looked at; else what there is to say."""
    alone = kit.alone(part)
    if said := trouble(name, title, alone):
        return None, said
    run = kit.profiled(part, "all", ALL, record=True)
    if said := trouble(name, title, run):
        return None, said
    left, expected = run.values("value"), alone.values("value")
    if left != expected:
        text = f"{title}: the application's results change, {left} in place of {expected} ({run.outcomes})"
        return None, problem(name, text, "", "replay nothing on this machine: --replay rotate")
    return run, note(name, title)
