# SPDX-License-Identifier: MIT
"""Captures made by hand, and their export for rocprofiler-compute read back with the csv module."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from trace_tools import Execution, Launch, Run, frame, journal_frames, journal_header

from rocprofsys_multipass.compute import ComputeExport, ComputeOptions, write_compute
from rocprofsys_multipass.trace import journal_pb2 as pb

PLAN = (("GRBM_GUI_ACTIVE", "SQ_BUSY_CU_CYCLES", "SQ_WAVES"), ("SQ_INSTS", "SQ_WAVES"))
SENTINELS = ((), ("SQ_WAVES",))
MI300X: dict[str, str | int] = {
    "cu_count": 304,
    "simd_per_cu": 4,
    "num_shader_banks": 32,
    "wave_front_size": 64,
    "max_waves_per_cu": 32,
    "num_xcc": 8,
    "max_engine_clk_fcompute": 2100,
    "mem_clk_max": 1300,
    "memory_partition": "NPS1",
}
Edit = Callable[[pb.Frame], None]
Rows = list[dict[str, str]]


def launch(dispatch_id: int, start: int = 1000, *, cycles: float = 80, waves: float = 512, **more: object) -> Launch:
    """A replayed dispatch with two passes, of 100 and 110 ns."""
    passes = (
        Execution(0, start, start + 100, {"GRBM_GUI_ACTIVE": cycles, "SQ_BUSY_CU_CYCLES": 40, "SQ_WAVES": waves}),
        Execution(1, start + 200, start + 310, {"SQ_INSTS": 1000 + dispatch_id, "SQ_WAVES": waves}),
    )
    return replace(Launch(dispatch_id, passes), **more)  # type: ignore[arg-type]


def group(dispatch_id: int, read: int, start: int = 1000, **more: object) -> Launch:
    """A dispatch that was not replayed: it reads one group."""
    whole = launch(dispatch_id, start)
    one = replace(whole.executions[read], index=None, group=read)
    return replace(whole, executions=(one,), outcome="declined", reason="budget", **more)  # type: ignore[arg-type]


def with_values(of: Launch, execution: int, **values: float | None) -> Launch:
    """A launch with other values in an execution; None: without that counter."""
    executions = list(of.executions)
    read = {name: value for name, value in (executions[execution].values | values).items() if value is not None}
    executions[execution] = replace(executions[execution], values=read)
    return replace(of, executions=tuple(executions))


def timed(of: Launch, start: int, end: int) -> Launch:
    return replace(of, executions=(replace(of.executions[0], start=start, end=end), *of.executions[1:]))


def only(of: Launch, *executions: int, outcome: str = "incomplete", reason: str = "process_end") -> Launch:
    return replace(of, executions=tuple(of.executions[k] for k in executions), outcome=outcome, reason=reason)


def run_of(*launches: Launch, **more: object) -> Run:
    """A run on an MI300X."""
    return replace(Run(launches, plan=PLAN, sentinels=SENTINELS, described=MI300X), **more)  # type: ignore[arg-type]


def write_journal(path: Path, run: Run, edit: Edit | None = None) -> Path:
    """The journal of a run, each frame changed by `edit`."""
    frames = journal_frames(run)
    for one in frames:
        _complete(one)
        if edit is not None:
            edit(one)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(journal_header() + b"".join(map(frame, frames)))
    return path


def _complete(one: pb.Frame) -> None:
    if one.HasField("kernel"):
        one.kernel.arch_vgpr_count, one.kernel.accum_vgpr_count, one.kernel.group_segment_size = 24, 8, 4096
    elif one.HasField("dispatch"):
        one.dispatch.private_segment_size = 16


def export(journals: Path | Iterable[Path], folder: Path, **options: object) -> ComputeExport:
    """The export of some journals."""
    paths = [journals] if isinstance(journals, Path) else list(journals)
    return write_compute(paths, folder, ComputeOptions(**options))  # type: ignore[arg-type]


def exported(folder: Path, run: Run, edit: Edit | None = None, **options: object) -> Path:
    """The only directory of the export of one capture, which is made here too."""
    journal = write_journal(folder / f"multipass-{run.pid}.journal", run, edit)
    (model,) = export(journal, folder / "compute", **options).models
    return model.path


def rows(directory: Path, name: str = "pmc_perf.csv") -> Rows:
    """The rows of a table."""
    with (directory / name).open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def by_dispatch(directory: Path) -> dict[int, dict[str, float]]:
    """The counters of each number."""
    found: dict[int, dict[str, float]] = {}
    for row in rows(directory):
        found.setdefault(int(row["Dispatch_ID"]), {})[row["Counter_Name"]] = float(row["Counter_Value"])
    return found


def content(folder: Path) -> dict[str, bytes]:
    """Every file below a folder."""
    return {str(one.relative_to(folder)): one.read_bytes() for one in sorted(folder.rglob("*")) if one.is_file()}
