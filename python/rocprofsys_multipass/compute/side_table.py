# SPDX-License-Identifier: MIT
"""``dispatches.csv``: what is behind each number that ``analyze`` prints, and what was left out and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from rocprofsys_multipass.compute.medians import Shape
from rocprofsys_multipass.trace.agreement import verdict_words
from rocprofsys_multipass.trace.model import Dispatch, Process
from rocprofsys_multipass.trace.tidy import cell

SIDE_COLUMNS: Final = (
    *("Dispatch_ID", "kind", "exported", "why_not", "pid", "rank", "hostname", "agent", "GPU_ID", "dispatch_id"),
    *("kernel", "outcome", "reason", "passes", "start", "end", "sentinels", "caches", "launches"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SideRow:
    """A dispatch as the table has it behind its number.

    `agent`: ordinal of the GPU in the process; `gpu`: its GPU_ID; `work`, `caches`: the verdicts on its passes; times
    in ns.
    """

    process: Process
    agent: int | None
    gpu: int | None
    dispatch_id: int | None
    kernel: str
    outcome: str
    reason: str = ""
    passes: int | None = None
    start_ns: int | None
    end_ns: int | None
    work: str
    caches: str
    launches: int = 1

    @property
    def where(self) -> str:
        """How a message, which is one line, names it."""
        one = f"dispatch {self.dispatch_id}" if self.dispatch_id is not None else " ".join(self.kernel.split())
        return f"{one} of process {self.process.pid}"

    def line(self, kind: str, number: int | None, why_not: str) -> str:
        """A line of the table. `number`: as ``analyze`` prints it; None: it is left out."""
        exported = "no" if number is None else "yes"
        of_process = (self.process.pid, self.process.rank, self.process.hostname)
        identity = (*of_process, self.agent, self.gpu, self.dispatch_id, self.kernel)
        outcome = (self.outcome, self.reason, self.passes)
        rest = (self.start_ns, self.end_ns, self.work, self.caches, self.launches)
        return ",".join(map(cell, (number, kind, exported, why_not, *identity, *outcome, *rest))) + "\n"


def row_of_dispatch(process: Process, d: Dispatch, kernel: str, gpu: int | None) -> SideRow:
    """One dispatch. `kernel`: its name in rows."""
    work, _, caches = verdict_words(process, d)
    return SideRow(
        process=process,
        agent=d.agent.device,
        gpu=gpu,
        dispatch_id=d.dispatch_id,
        kernel=kernel,
        outcome=d.outcome,
        reason=d.reason,
        passes=len(d.passes),
        start_ns=d.start_ns,
        end_ns=d.end_ns,
        work=work,
        caches=caches,
    )


def row_of_shape(process: Process, shape: Shape, gpu: int | None) -> SideRow:
    """A launch shape; its outcome is that of its launches, where they have one."""
    outcomes = shape.outcomes or ("filtered",)
    duration = shape.duration_ns
    return SideRow(
        process=process,
        agent=shape.first.agent.device,
        gpu=gpu,
        dispatch_id=None,
        kernel=shape.kernel,
        outcome=next(iter(outcomes)) if len(outcomes) == 1 else "",
        start_ns=None if duration is None else 0,
        end_ns=duration,
        work=shape.work,
        caches=shape.caches,
        launches=shape.launches or shape.filtered,
    )
