# SPDX-License-Identifier: MIT
"""Writes a described run as a journal, with protobuf."""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Iterator

from described_run import SDK_LIBRARY, Launch, Run

from rocprofsys_multipass.trace import journal_pb2 as pb


def frame(message: pb.Frame) -> bytes:
    return framed(message.SerializeToString())


def framed(payload: bytes) -> bytes:
    head = b"MPFR" + struct.pack("<II", len(payload), zlib.crc32(payload))
    return head + struct.pack("<I", zlib.crc32(head)) + payload


def journal_header(version: int = 2, *, lost: int = 0, error: int = 0) -> bytes:
    head = b"RSMPJRNL" + struct.pack("<IIQI", version, error, lost, 0)
    return head + struct.pack("<I", zlib.crc32(head))


def journal_frames(run: Run) -> list[pb.Frame]:
    frames = [
        pb.Frame(
            run=pb.Run(
                tool_version="0.1.0",
                sdk_version="1.4.1",
                sdk_library=SDK_LIBRARY,
                simulated=run.simulated,
                kernel_replay=True,
                replay_mode=run.replay_mode,
                guid=run.guid,
                command=["./app", "it's"],
                pid=run.pid,
                hostname="host",
                rank=run.rank,
                start_ns=500,
                events=run.events,
                sets=run.sets,
                compute_panels=run.compute_panels,
                keeps_instances=run.keeps_instances,
                **dict.fromkeys(run.extras, True),
            )
        ),
        pb.Frame(agent=pb.Agent(index=0, gpu=False, node_id=0, name="CPU")),
        pb.Frame(agent=_agent(run)),
    ]
    for number, name in enumerate(run.kernels, 1):
        frames.append(pb.Frame(kernel=pb.Kernel(id=number, agent=1, name=f"_Z{number}", demangled=name, sgpr_count=16)))
    frames += [pb.Frame(dispatch=_dispatch(run, d)) for d in run.launches]
    frames += [pb.Frame(warning=pb.Warning(text=text)) for text in run.warnings]
    if run.closed:
        frames.append(pb.Frame(end=pb.End(dispatches=len(run.launches), end_ns=9000)))
    return frames


def _agent(run: Run) -> pb.Agent:
    agent = pb.Agent(index=1, gpu=True, device=0, node_id=1, name="gfx942", product_name="a GPU")
    for name, value in (run.properties | run.described).items():
        setattr(agent, name, value)
    agent.counters.extend(
        pb.Counter(
            name=name,
            block=name.split("_")[0],
            description=run.descriptions.get(name, ""),
            instances=math.prod(size for _, size in run.dimensions.get(name, ())),
            dimensions=[pb.Dimension(name=of, size=size) for of, size in run.dimensions.get(name, ())],
        )
        for name in run.counters
    )
    agent.plan.passes.extend(
        pb.PlannedPass(counters=p, sentinels=s) for p, s in zip(run.plan, run.sentinels_of_passes, strict=True)
    )
    for planned, blocks in zip(agent.plan.passes, run.blocks, strict=False):
        planned.blocks.extend(pb.BlockUse(block=b, registers=used, capacity=slots) for b, used, slots in blocks)
    agent.plan.lower_bound = len(run.plan)
    agent.plan.proof = "bound"
    agent.plan.unplaceable.extend(pb.Unplaceable(counter=name, reason=reason) for name, reason in run.unplaceable)
    return agent


def _dispatch(run: Run, d: Launch) -> pb.Dispatch:
    message = pb.Dispatch(
        dispatch_id=d.id,
        agent=1,
        kernel=run.kernels.index(d.kernel) + 1,
        queue_id=d.queue,
        thread_id=d.tid or run.pid,
        grid=d.grid,
        workgroup=d.workgroup,
        outcome=d.outcome,
        reason=d.reason,
        passes_planned=len(run.plan),
    )
    for name in ("warm_up", "timing"):
        if (times := getattr(d, name)) is not None:
            getattr(message, name).SetInParent()
            getattr(message, name).start_ns, getattr(message, name).end_ns = times
    for one in d.executions:
        record = message.passes.add(group=one.read_group, start_ns=one.start, end_ns=one.end)
        if one.index is not None:
            setattr(record, "pass", one.index)
        record.counters.extend(run.counters.index(c) for c in one.values)
        record.values.extend(one.values.values())
        if one.instances:
            record.instances.extend(_instances(one.instances.get(name, [])) for name in one.values)
    return message


def _instances(kept: list[float] | dict[int, float]) -> pb.Instances:
    """Positions are written where some are missing."""
    if isinstance(kept, list):
        return pb.Instances(values=kept)
    return pb.Instances(positions=kept, values=kept.values())


def journal_bytes(run: Run) -> bytes:
    return journal_header() + b"".join(frame(f) for f in journal_frames(run))


def frame_offsets(data: bytes) -> Iterator[int]:
    """Where the frames of a journal start, and where the last one ends."""
    offset = len(journal_header())
    while offset < len(data):
        yield offset
        offset += len(framed(b"")) + struct.unpack_from("<I", data, offset + 4)[0]
    yield offset
