# SPDX-License-Identifier: MIT
"""A journal of many dispatches, as a long run leaves it: numbers are made up, layout and order are the plugin's."""

from __future__ import annotations

import random
import struct
import zlib
from pathlib import Path
from typing import Final

from rocprofsys_multipass.trace import journal_pb2 as pb

PASSES: Final = 3
COUNTERS: Final = 8  # of a pass; the first is in every pass, as a sentinel is
KERNELS: Final = tuple(f"void ns::kernel_{n}<float, {n}>(float const*, float*, int)" for n in range(16))
_PID: Final = 4242


def _frame(message: pb.Frame) -> bytes:
    payload = message.SerializeToString()
    head = b"MPFR" + struct.pack("<II", len(payload), zlib.crc32(payload))
    return head + struct.pack("<I", zlib.crc32(head)) + payload


def _described(passes: int, width: int) -> list[pb.Frame]:
    run = pb.Run(tool_version="0.1.0", sdk_version="1.4.1", simulated=True, kernel_replay=True, replay_mode="auto")
    run.guid, run.pid, run.start_ns = "0190aaaa-bbbb-7ccc-8ddd-eeeeffff0001", _PID, 500
    run.command.append("./app")
    run.hostname = run.machine_id = "host"
    gpu = pb.Agent(index=1, gpu=True, device=0, node_id=1, name="gfx942", product_name="a GPU")
    names = ["SQ_WAVES", *(f"TCC_EVENT_{n:02}" for n in range(passes * (width - 1)))]
    gpu.counters.extend(pb.Counter(name=name, block=name.split("_")[0], instances=1) for name in names)
    for k in range(passes):
        counters = [names[c] for c in _positions(k, width)]
        gpu.plan.passes.add(counters=counters, sentinels=["SQ_WAVES"] if k else [])
    gpu.plan.lower_bound, gpu.plan.proof = passes, "bound"
    kernels = [pb.Kernel(id=n, agent=1, name=f"_Z{n}", demangled=name) for n, name in enumerate(KERNELS, 1)]
    agents = [pb.Agent(index=0, gpu=False, node_id=0, name="CPU"), gpu]
    return [
        pb.Frame(run=run),
        *(pb.Frame(agent=one) for one in agents),
        *(pb.Frame(kernel=one) for one in kernels),
    ]


def _positions(group: int, width: int) -> list[int]:
    first = 1 + group * (width - 1)
    return [0, *range(first, first + width - 1)]


def write_journal(path: Path, dispatches: int, *, passes: int = PASSES, counters: int = COUNTERS) -> int:
    """Writes the journal; the number of readings in it. `counters`: of a pass."""
    chance = random.Random(dispatches)  # the same file each time
    now = 1_000_000_000_000
    with path.open("wb") as file:
        head = b"RSMPJRNL" + struct.pack("<IIQI", 2, 0, 0, 0)
        file.write(head + struct.pack("<I", zlib.crc32(head)))
        file.writelines(map(_frame, _described(passes, counters)))
        for number in range(1, dispatches + 1):
            one = pb.Dispatch(dispatch_id=number, agent=1, kernel=1 + chance.randrange(len(KERNELS)), queue_id=1)
            one.thread_id, one.correlation_id = _PID, number
            one.grid.extend((1024, 1, 1))
            one.workgroup.extend((64, 1, 1))
            one.outcome, one.passes_planned = "replayed", passes
            waves = float(chance.randrange(1, 4096))
            for k in range(passes):
                now += 2000
                took = one.passes.add(group=k, start_ns=now, end_ns=now + chance.randrange(900, 1900))
                setattr(took, "pass", k)
                took.counters.extend(_positions(k, counters))
                took.values.extend([waves, *(float(chance.randrange(1 << 30)) for _ in range(counters - 1))])
            file.write(_frame(pb.Frame(dispatch=one)))
        file.write(_frame(pb.Frame(end=pb.End(dispatches=dispatches, end_ns=now))))
    return dispatches * passes * counters
