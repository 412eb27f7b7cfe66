# SPDX-License-Identifier: MIT
"""What the messages of a journal say, as parts of the model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, cast

from rocprofsys_multipass.trace import journal_pb2 as pb
from rocprofsys_multipass.trace.agent import CAPTURED, Agent, BlockUse, CounterInfo, PlannedPass, Unplaceable
from rocprofsys_multipass.trace.instances import instances_of
from rocprofsys_multipass.trace.model import Dim3, Interval, Kernel, Pass, Reading, Status


class Layout(NamedTuple):
    """What the executions of a dispatch read, without values: the same for most dispatches of an agent."""

    names: tuple[tuple[str, ...], ...]  # of each execution
    canonical: tuple[tuple[bool, ...], ...]
    status: tuple[Status, ...]


def index_of(p: pb.Pass) -> int | None:
    """Which pass of a replay it is; None: no replay loop surrounded it."""
    return cast("int", getattr(p, "pass")) if p.HasField("pass") else None


def times_of(i: pb.Pass | pb.Interval) -> tuple[int, int] | tuple[None, None]:
    """Start and end; 0 in both is how a journal says that they are not known."""
    start_ns, end_ns = i.start_ns, i.end_ns
    return (start_ns, end_ns) if start_ns or end_ns else (None, None)


def in_order(passes: Iterable[pb.Pass]) -> list[pb.Pass]:
    """The executions of a dispatch in order of pass, those outside a replay first."""
    return sorted(passes, key=lambda p: -1 if (index := index_of(p)) is None else index)


def layout_of(passes: Iterable[Pass]) -> Layout:
    """What these executions read."""
    of_each = [(tuple(r.counter for r in p.readings), tuple(r.canonical for r in p.readings), p.status) for p in passes]
    return Layout(*zip(*of_each, strict=True)) if of_each else Layout((), (), ())


def laid_out(
    records: Iterable[pb.Pass], values: Iterable[list[float]], layout: Layout, counters: Sequence[CounterInfo]
) -> tuple[Pass, ...]:
    """Executions with these values, which are laid out so, of an agent with these counters."""
    made = []
    for p, of_pass, names, canonical, status in zip(records, values, *layout, strict=True):
        start_ns, end_ns = times_of(p)
        readings = tuple(map(Reading, names, of_pass, canonical))
        instances = instances_of(p, counters)
        made.append(Pass(index_of(p), p.group, start_ns, end_ns, readings, status, instances=instances))
    return tuple(made)


def interval_of(i: pb.Interval) -> Interval:
    """Start and end of an execution without counters."""
    return Interval(*times_of(i))


def size_of(values: list[int]) -> Dim3 | None:
    """x, y and z; None where there are not three."""
    x, y, z = values if len(values) == len("xyz") else (None, None, None)
    return None if x is None or y is None or z is None else (x, y, z)


def agent_of(a: pb.Agent) -> Agent:
    """The agent with its plan."""
    return Agent(
        index=a.index,
        device=a.device if a.gpu else None,
        name=a.name,
        gpu=a.gpu,
        node_id=a.node_id,
        product_name=a.product_name,
        model_name=a.model_name,
        counters=tuple(map(_counter, a.counters)),
        passes=tuple(_planned(p) for p in a.plan.passes),
        lower_bound=a.plan.lower_bound,
        proof=a.plan.proof,
        unplaceable=tuple(Unplaceable(u.counter, u.reason) for u in a.plan.unplaceable),
        logical_node_id=a.logical_node_id,
        properties=tuple((name, value) for name in CAPTURED if (value := getattr(a, name))),
        logical_node_type_id=a.logical_node_type_id,
        memory_partition=a.memory_partition,
    )


def _counter(c: pb.Counter) -> CounterInfo:
    dimensions = tuple((d.name, d.size) for d in c.dimensions)
    return CounterInfo(c.name, c.block, c.description, c.expression, c.instances, dimensions)


def _planned(p: pb.PlannedPass) -> PlannedPass:
    blocks = tuple(BlockUse(b.block, b.registers, b.capacity) for b in p.blocks)
    return PlannedPass(tuple(p.counters), tuple(p.sentinels), blocks)


def kernel_of(k: pb.Kernel) -> Kernel:
    """The kernel symbol."""
    return Kernel(
        id=k.id,
        name=k.name,
        demangled=k.demangled,
        code_object_id=k.code_object_id,
        sgpr_count=k.sgpr_count,
        arch_vgpr_count=k.arch_vgpr_count,
        accum_vgpr_count=k.accum_vgpr_count,
        group_segment_size=k.group_segment_size,
    )
