# SPDX-License-Identifier: MIT
"""Makes the three kinds of files by hand, so that readers and checks are tested against something they did not write.

A run is described once (`described_run`), then written as a journal with protobuf, as a Perfetto trace with the classes
of the `perfetto` package, and as a database with SQL of its own. Here is all of it under one name.
"""

from __future__ import annotations

import json
from pathlib import Path

from described_run import GUID, PID, Execution, Launch, Run, replayed, sample_run, shifted, with_execution, with_launch
from handmade_database import DatabaseFile, write_database, write_strict
from handmade_journal import frame, frame_offsets, framed, journal_bytes, journal_frames, journal_header
from handmade_summary import summary_of
from handmade_trace import GPU, KERNELS, QUEUE, TraceFile, annotate, trace_bytes

__all__ = [
    "GPU",
    "GUID",
    "KERNELS",
    "PID",
    "QUEUE",
    "DatabaseFile",
    "Execution",
    "Launch",
    "Run",
    "TraceFile",
    "annotate",
    "frame",
    "frame_offsets",
    "framed",
    "journal_bytes",
    "journal_frames",
    "journal_header",
    "replayed",
    "sample_run",
    "shifted",
    "summary_of",
    "trace_bytes",
    "with_execution",
    "with_launch",
    "write_database",
    "write_run",
    "write_strict",
]


def write_run(folder: Path, run: Run, *, files: tuple[str, ...] = ("journal", "db", "pftrace", "json")) -> Path:
    """A run directory."""
    folder.mkdir(parents=True, exist_ok=True)
    name = f"multipass-{run.pid}" if run.rank is None else f"multipass-rank{run.rank}"
    if "journal" in files:
        (folder / f"{name}.journal").write_bytes(journal_bytes(run))
    if "pftrace" in files:
        (folder / f"{name}.pftrace").write_bytes(trace_bytes(run))
    if "db" in files:
        write_database(folder / f"{name}.db", run)
    if "json" in files:
        named = {"journal": "journal", "pftrace": "perfetto", "db": "rocpd"}
        written = {named[f]: str(folder / f"{name}.{f}") for f in files if f in named}
        summary = summary_of(run) | {"files": dict.fromkeys(named.values()) | written}
        (folder / f"{name}.json").write_text(json.dumps(summary), encoding="utf-8")
    return folder
