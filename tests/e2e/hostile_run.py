# SPDX-License-Identifier: MIT
"""A capture with values that no simulated program has, and every output and table made of it by the real programs."""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import trace_tools as tools
from e2e_tools import Cli

from rocprofsys_multipass.trace import Dispatch, open_trace
from rocprofsys_multipass.trace import journal_pb2 as pb

PID: Final = 4711
NAMES: Final = {
    1: "f<'\"'>(char const*)",
    2: "g(`x`); DROP TABLE rocpd_string; --",
    3: "Füße::größer<λ, 漢字, 🚀>(int)",
    4: "tab\there, line\nbreak, escape\x1b[31m, bell\x07, delete\x7f, quote\\backslash",
    5: "k" * (64 << 10),
    6: "m" * (1 << 20),
    7: '=cmd|"/c calc"!A1, {json: [1]}, <b>&amp;</b>',
    8: " leading and trailing ",
    9: "%s %n {} {0} $(id) ${HOME}",
    10: "\u202eright to left\u200bzero width",
}
COMMAND: Final = ("python", "-c", "from multiprocessing.spawn import spawn_main; spawn_main(x='a')", "", '"`;$', "ü\n")
VALUES: Final = {
    "ONE": 1.0,
    "FRACTION": 0.1,
    "BIG_INTEGER": float(2**53 + 2),
    "ODD_INTEGER": float(2**53 - 1),
    "HUGE": 1e300,
    "NEGATIVE_ZERO": -0.0,
    "DENORMAL": 5e-324,
    "LARGEST": 1.7976931348623157e308,
    "NEGATIVE": -12345.678901234567,
    "U64": float(2**64),
}
NOT_FINITE: Final = {"NO_NUMBER": float("nan"), "INFINITE": float("inf"), "MINUS_INFINITE": float("-inf")}
COUNTERS: Final = (*VALUES, *NOT_FINITE)
IDS: Final = (1, 2**31, 2**32 + 1, 2**40 + 1, 2**53 + 1, 2**62 + 3, 2**63 - 1)
HANDLE: Final = 2**63 + 5  # of a queue


def bits(value: float) -> bytes:
    """To compare doubles exactly: -0.0 is not 0.0."""
    return struct.pack("<d", value)


def frames() -> list[pb.Frame]:
    """A run, a GPU with two planned passes, kernels with the names, and a dispatch of each."""
    run = pb.Run(tool_version="0.1.0", sdk_version="1.4.1", simulated=True, kernel_replay=True, replay_mode="auto")
    run.guid, run.pid, run.hostname, run.start_ns = tools.GUID, PID, "host'\"name", 500
    run.command.extend(COMMAND)
    agent = pb.Agent(index=1, gpu=True, device=0, node_id=1, name="gfx942", product_name="GPU \"X\" 'Y'")
    agent.counters.extend(
        pb.Counter(name=name, block="SQ", description=f"it's {name}", instances=1) for name in COUNTERS
    )
    agent.plan.passes.extend([pb.PlannedPass(counters=["ONE"]), pb.PlannedPass(counters=COUNTERS[1:])])
    agent.plan.lower_bound, agent.plan.proof = 2, "bound"
    made = [pb.Frame(run=run), pb.Frame(agent=agent)]
    made += [pb.Frame(kernel=pb.Kernel(id=n, agent=1, name=f"_Z{n}'", demangled=name)) for n, name in NAMES.items()]
    for number, name in enumerate(NAMES, 1):
        made.append(pb.Frame(dispatch=dispatch(IDS[number - 1] if number <= len(IDS) else number * 10, name, number)))
    return [*made, pb.Frame(end=pb.End(dispatches=len(NAMES), end_ns=2**60))]


def dispatch(dispatch_id: int, kernel: int, number: int) -> pb.Dispatch:
    """Replayed in two passes, the second with all values."""
    message = pb.Dispatch(dispatch_id=dispatch_id, agent=1, kernel=kernel, queue_id=HANDLE, thread_id=PID)
    message.correlation_id, message.outcome, message.passes_planned = 2**64 - 1, "replayed", 2
    message.grid.extend((2**32 - 1, 1, 1))
    message.workgroup.extend((64, 1, 1))
    for index, counters in enumerate((range(1), range(1, len(COUNTERS)))):
        start = number * 1000 + index * 100
        record = message.passes.add(group=index, start_ns=start, end_ns=start + 50)
        setattr(record, "pass", index)
        record.counters.extend(counters)
        record.values.extend((VALUES | NOT_FINITE)[COUNTERS[i]] for i in counters)
    return message


@dataclass(frozen=True)
class Exported:
    """A folder with a journal and what the commands made of it."""

    folder: Path
    stderr: str

    def path(self, ending: str) -> Path:
        return self.folder / f"multipass-{PID}.{ending}"

    def dispatches(self, ending: str) -> dict[int, Dispatch]:
        return {d.dispatch_id: d for d in open_trace(self.path(ending)).dispatches()}

    def document(self, name: str) -> Any:
        return json.loads((self.folder / name).read_text(encoding="utf-8"))


def exported(cli: Cli, folder: Path, content: list[pb.Frame], formats: str = "perfetto,rocpd,csv,json") -> Exported:
    """Every output of a capture with these frames."""
    folder.mkdir()
    made = Exported(folder, "")
    made.path("journal").write_bytes(tools.journal_header() + b"".join(map(tools.frame, content)))
    done = cli("export", folder, "--format", formats)
    assert done.returncode == 0, done.stderr
    return Exported(folder, done.stderr)
