# SPDX-License-Identifier: MIT
"""Traces to merge: what rocprof-sys would have drawn of a run that this tool recorded, and helpers to look at both."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import handmade_foreign as foreign
from described_run import Launch, Run
from handmade_foreign_trace import rocprof_sys_trace
from handmade_trace import trace_bytes

from rocprofsys_multipass.merge.merged import Merged
from rocprofsys_multipass.merge.trace.merge import merge_trace
from rocprofsys_multipass.trace.wire import packets


def host_run(run: Run, keep: Callable[[Launch], bool] = lambda _: True, *, regions: bool = False) -> foreign.Run:
    """The same dispatches as rocprof-sys sees them: each execution, without a pass, no counters.

    `regions`: and the call that launched each, which lasts from before its first execution until after its last.
    """
    launches = tuple(_host_launch(d) for d in run.launches if keep(d))
    calls = tuple(call_of(d) for d in launches) if regions else ()
    return foreign.Run(launches, pid=run.pid, regions=calls)


def call_of(d: foreign.Launch) -> foreign.Region:
    """The call that launched a dispatch, as rocprof-sys has it."""
    return foreign.Region("hipLaunchKernel", d.executions[0].start - 10, d.executions[-1].end + 10, correlation=d.id)


def _host_launch(d: Launch) -> foreign.Launch:
    times = [(e.start, e.end) for e in d.executions]
    times += [one for one in (d.warm_up, d.timing) if one]
    executions = tuple(foreign.Execution(start, end) for start, end in sorted(times))
    return foreign.Launch(d.id, executions, kernel=d.kernel)


class Pair:
    """The two inputs in a folder, and where they are merged to."""

    def __init__(self, folder: Path, run: Run, host: bytes) -> None:
        self.host, self.own = folder / f"perfetto-trace-{run.pid}.proto", folder / f"multipass-{run.pid}.pftrace"
        self.target = folder / "merged.pftrace"
        self.host.write_bytes(host)
        self.own.write_bytes(trace_bytes(run))

    def merge(self, **options: Any) -> Merged:
        return merge_trace(self.host, self.own, self.target, **options)


def pair(
    folder: Path, run: Run, keep: Callable[[Launch], bool] = lambda _: True, *, regions: bool = False, **options: Any
) -> Pair:
    """`run` as both tools drew it; `options` of the trace of rocprof-sys."""
    return Pair(folder, run, rocprof_sys_trace(host_run(run, keep, regions=regions), **options))


def contents(path: Path) -> list[bytes]:
    """The packets of a trace."""
    return [content for _, content in packets(path.read_bytes())]
