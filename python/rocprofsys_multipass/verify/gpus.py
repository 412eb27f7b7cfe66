# SPDX-License-Identifier: MIT
"""Journal, database and trace say the same of the GPUs: what formulas of metrics need of them, and what was planned."""

from __future__ import annotations

from collections.abc import Iterator

from rocprofsys_multipass.trace.agent import PROPERTIES, Agent
from rocprofsys_multipass.trace.model import Process
from rocprofsys_multipass.verify.evidence import Evidence
from rocprofsys_multipass.verify.finding import Finding
from rocprofsys_multipass.verify.parity import HINT, pairs, versus
from rocprofsys_multipass.verify.places import at
from rocprofsys_multipass.verify.registry import check


@check("gpus", remedy=HINT)
def gpus(evidence: Evidence) -> Iterator[Finding]:
    """All files of a run have the same GPUs with the same properties, plan and sentinels, as far as they tell them."""
    for a, b in pairs(evidence):
        theirs = {agent.device: agent for agent in b.gpus}
        for agent in a.gpus:
            where, other = at(b, f"GPU {agent.device}"), theirs.get(agent.device)
            if other is not None:
                texts = [*_properties_differ(a, agent, b, other), *_plans_differ(a, agent, b, other)]
            else:  # a trace has those that kernels ran on
                texts = [] if b.kind == "perfetto" else [f"it is in {a.path.name} only"]
            for text in texts:
                yield Finding("error", "gpus", where, text)


def _properties_differ(a: Process, x: Agent, b: Process, y: Agent) -> Iterator[str]:
    if "perfetto" in (a.kind, b.kind) and not (a.sets or b.sets):
        return  # a trace tells them where sets of metrics were asked for
    ours, theirs = dict(x.properties), dict(y.properties)
    for name in PROPERTIES:
        if ours.get(name) != theirs.get(name):
            yield versus(name, ours.get(name), a, theirs.get(name), b)


def _plans_differ(a: Process, x: Agent, b: Process, y: Agent) -> Iterator[str]:
    if "perfetto" in (a.kind, b.kind):  # in a trace it is a text
        return
    if len(x.passes) != len(y.passes):
        yield f"the plan is {_size(y)} in {b.path.name}, {_size(x)} in {a.path.name}"
        return
    for k, (p, q) in enumerate(zip(x.passes, y.passes, strict=True)):
        for what, ours, theirs in (("counters", p.counters, q.counters), ("sentinels", p.sentinels, q.sentinels)):
            if ours != theirs:
                yield f"pass {k} has the {what} {_names(theirs)} in {b.path.name}, {_names(ours)} in {a.path.name}"


def _size(agent: Agent) -> str:
    return f"of {len(agent.passes)} passes" if agent.passes else "absent"


def _names(names: tuple[str, ...]) -> str:
    return ", ".join(names) or "none"
