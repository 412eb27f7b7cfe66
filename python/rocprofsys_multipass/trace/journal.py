# SPDX-License-Identifier: MIT
"""Makes a process of the frames of a capture file (`*.journal`), as far as they can be read (`journal_frames`)."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path
from typing import Final, cast

from rocprofsys_multipass.errors import TraceError
from rocprofsys_multipass.trace import journal_pb2 as pb
from rocprofsys_multipass.trace.canonical import mark_canonical, status_of
from rocprofsys_multipass.trace.guard import naming
from rocprofsys_multipass.trace.journal_frames import Damage, check_header, frames
from rocprofsys_multipass.trace.model import (
    PROPERTIES,
    Agent,
    CounterInfo,
    Dim3,
    Dispatch,
    Interval,
    Kernel,
    Outcome,
    Pass,
    PlannedPass,
    Process,
    Reading,
    Unplaceable,
    outcome_of,
)

EMPTY: Final = "there is nothing behind the header: the process died before it recorded anything"


class Builder:
    """Collects frames and makes a Process of them. Refers to agents and kernels that are missing by a note.

    With `places` dispatches are not kept, only where they are.
    """

    def __init__(self, path: Path, *, places: bool = False) -> None:
        self._path = path
        self._run = pb.Run()
        self._agents: dict[int, Agent] = {}
        self._kernels: dict[tuple[int, int], Kernel] = {}
        self._dispatches: list[pb.Dispatch] = []  # of which nothing is kept where their places are
        self._places: list[tuple[int, int]] | None = [] if places else None
        self._values = 0
        self._warnings: list[str] = []
        self._end: pb.End | None = None
        self._notes: dict[str, None] = {}
        self._frames: Counter[str] = Counter()
        self._behind_end = 0

    def add(self, frame: pb.Frame, start: int = 0) -> None:
        """Takes the next frame, which starts at that byte."""
        body = frame.WhichOneof("body")
        self._frames[body or "unknown"] += 1
        if self._end is not None and body not in ("end", None):
            self._behind_end += 1
        if body == "run":
            self._run = frame.run
        elif body == "agent":
            self._agents[frame.agent.index] = _agent(frame.agent)
        elif body == "kernel":
            self._kernels[frame.kernel.agent, frame.kernel.id] = _kernel(frame.kernel)
        elif body == "dispatch":
            self._values += sum(len(p.values) for p in frame.dispatch.passes)
            if self._places is None:
                self._dispatches.append(frame.dispatch)
            else:
                self._places.append((frame.dispatch.dispatch_id, start))
        elif body == "warning":
            self._warnings.append(cast("pb.Warning", frame.warning).text)  # a stub of protoc takes it for the built-in
        elif body == "end":
            self._end = frame.end

    def _note_order(self) -> None:
        """The order that a writer keeps: one frame of the run first, one that ends the file last."""
        frames = self._frames
        if not frames:
            self._notes[EMPTY] = None
        elif not frames["run"]:
            self._notes["there is no frame that says what the run was"] = None
        elif frames["run"] > 1:
            self._notes[f"the file describes {frames['run']} runs, it is of one"] = None
        if frames["end"] > 1:
            self._notes[f"the file has {frames['end']} last frames"] = None
        if self._behind_end:
            self._notes[f"{self._behind_end} frames stand behind the last one"] = None

    @property
    def places(self) -> list[tuple[int, int]]:
        """Dispatch id and byte of the frame of each dispatch, in order of the id."""
        return sorted(self._places or ())

    def build(self, damage: Damage) -> Process:
        """What the frames said. Of a file whose places are kept without its dispatches."""
        run = self._run
        self._note_order()
        dispatches = sorted((self.dispatch(d) for d in self._dispatches), key=lambda d: d.dispatch_id)
        count = self._frames["dispatch"]
        if self._end is not None and self._end.dispatches != count:
            self._notes[f"{self._end.dispatches} dispatches were written, {count} can be read"] = None
        return Process(
            path=self._path,
            kind="journal",
            pid=run.pid,
            agents=tuple(sorted(self._agents.values(), key=lambda a: a.index)),
            dispatches=tuple(dispatches),
            kernels=tuple(self._kernels.values()),
            guid=run.guid,
            rank=run.rank if run.HasField("rank") else None,
            hostname=run.hostname,
            command=tuple(run.command),
            tool_version=run.tool_version,
            sdk_version=run.sdk_version,
            simulated=run.simulated,
            kernel_replay=run.kernel_replay,
            replay_mode=run.replay_mode,
            sets=tuple(run.sets),
            warm_up_pass=run.warm_up_pass,
            timing_pass=run.timing_pass,
            permute_groups=run.permute_groups,
            warnings=tuple(self._warnings),
            notes=(*damage.notes(), *self._notes),
            closed=self._end is not None,
            events=run.events,
            sdk_library=run.sdk_library,
            started_ns=run.start_ns or None,
            ended_ns=(self._end.end_ns or None) if self._end is not None else None,
            values_recorded=self._values,
        )

    def dispatch(self, d: pb.Dispatch) -> Dispatch:
        """The dispatch of a frame, with agent and kernel as the frames described them."""
        agent = self._agents.get(d.agent)
        if agent is None:
            self._notes[f"agent {d.agent} is not described; the readings on it have no names and are left out"] = None
            agent = Agent(index=d.agent, device=None, name=f"agent {d.agent}")
        kernel = self._kernels.get((d.agent, d.kernel)) or self._kernel_of_any_agent(d.kernel)
        outcome = outcome_of(d.outcome, f"{self._path}: dispatch {d.dispatch_id}")
        passes = [self._pass(p, agent, outcome) for p in d.passes]
        passes.sort(key=lambda p: -1 if p.index is None else p.index)
        return Dispatch(
            process=self._run.pid,
            dispatch_id=d.dispatch_id,
            agent=agent,
            symbol=kernel,
            outcome=outcome,
            reason=d.reason,
            passes_planned=d.passes_planned,
            passes=mark_canonical(passes, agent),
            queue_id=d.queue_id,
            stream_id=d.stream_id,
            thread_id=d.thread_id,
            grid=_dim3(list(d.grid)),
            workgroup=_dim3(list(d.workgroup)),
            warm_up=_interval(d.warm_up) if d.HasField("warm_up") else None,
            timing=_interval(d.timing) if d.HasField("timing") else None,
        )

    def _kernel_of_any_agent(self, kernel: int) -> Kernel:
        for (_, known), symbol in self._kernels.items():
            if known == kernel:
                return symbol
        self._notes[f"kernel {kernel} is not described; its dispatches are called 'kernel {kernel}'"] = None
        return Kernel(id=kernel, name=f"kernel {kernel}", demangled=f"kernel {kernel}")

    def _pass(self, p: pb.Pass, agent: Agent, outcome: Outcome) -> Pass:
        if len(p.counters) != len(p.values):
            raise TraceError(
                f"{self._path}: a pass names {len(p.counters)} counters and has {len(p.values)} values; "
                "the file was written by a defective version"
            )
        known = [(i, v) for i, v in zip(p.counters, p.values, strict=True) if i < len(agent.counters)]
        if len(known) != len(p.counters) and agent.counters:
            self._notes[f"counters beyond the {len(agent.counters)} of agent {agent.index} are left out"] = None
        unknown = p.start_ns == 0 and p.end_ns == 0
        readings = tuple(Reading(agent.counters[i].name, v) for i, v in known if not math.isnan(v))
        return Pass(
            index=getattr(p, "pass") if p.HasField("pass") else None,
            group=p.group,
            start_ns=None if unknown else p.start_ns,
            end_ns=None if unknown else p.end_ns,
            readings=readings,
            status=status_of(outcome, agent.counters_of(p.group), readings),
        )


def _interval(i: pb.Interval) -> Interval:
    return Interval(None, None) if i.start_ns == 0 and i.end_ns == 0 else Interval(i.start_ns, i.end_ns)


def _dim3(values: list[int]) -> Dim3 | None:
    x, y, z = values if len(values) == len("xyz") else (None, None, None)
    return None if x is None or y is None or z is None else (x, y, z)


def _agent(a: pb.Agent) -> Agent:
    return Agent(
        index=a.index,
        device=a.device if a.gpu else None,
        name=a.name,
        gpu=a.gpu,
        node_id=a.node_id,
        product_name=a.product_name,
        counters=tuple(CounterInfo(c.name, c.block, c.description, c.expression, c.instances) for c in a.counters),
        passes=tuple(PlannedPass(tuple(p.counters), tuple(p.sentinels)) for p in a.plan.passes),
        lower_bound=a.plan.lower_bound,
        proof=a.plan.proof,
        unplaceable=tuple(Unplaceable(u.counter, u.reason) for u in a.plan.unplaceable),
        properties=tuple((name, value) for name in PROPERTIES if (value := getattr(a, name))),
    )


def _kernel(k: pb.Kernel) -> Kernel:
    return Kernel(
        id=k.id,
        name=k.name,
        demangled=k.demangled,
        code_object_id=k.code_object_id,
        sgpr_count=k.sgpr_count,
        arch_vgpr_count=k.arch_vgpr_count,
        accum_vgpr_count=k.accum_vgpr_count,
    )


def read_journal(path: Path) -> Process:
    """The content of a journal, as far as it can be read.

    TraceError: the file cannot be opened, is no journal, or holds what this version does not know.
    """
    with naming(path):
        data = path.read_bytes()
        check_header(data, path)
        damage = Damage()
        builder = Builder(path)
        for frame in frames(data, damage):
            builder.add(frame)
        return builder.build(damage)
