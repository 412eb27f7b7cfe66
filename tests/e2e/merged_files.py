# SPDX-License-Identifier: MIT
"""What is in a merged trace and database, as text without times and process numbers, to be compared."""

from __future__ import annotations

import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path

from rocprofsys_multipass.trace.perfetto_file import decode

_OF_TIME = ("begin_ns", "end_ns", "kernel_id", "corr_id", "thread_id", "stream_id", "queue", "kernel_object")
_COUNTERS = (
    "SELECT dispatch_id, kernel_name, counter_name, value FROM counters_collection ORDER BY dispatch_id, counter_name"
)
_PASSES = (
    "SELECT dispatch_id, replay_pass, counter_name, value, is_canonical FROM replay_counters_collection "
    "ORDER BY dispatch_id, replay_pass, counter_name"
)


def described_trace(path: Path) -> str:
    """Tracks with the number of slices on each, values of counters, and the arguments of kernels."""
    raw = decode(path)
    lines = [f"problem: {one}" for one in raw.problems]
    slices = Counter((raw.path_of(one.track), one.category) for one in raw.slices)
    lines += [f"{where}: {count} slices of {category}" for (where, category), count in sorted(slices.items())]
    lines += sorted(
        f"{raw.path_of(uuid)}: {' '.join(f'{value:g}' for value in samples.values)}"
        for uuid, samples in raw.samples.items()
        if raw.path_of(uuid).endswith(tuple("0123456789"))  # passes: what the process samples differs
    )
    for one in raw.slices:
        if one.category == "rocm_kernel_dispatch":
            told = {name: value for name, value in one.annotations.items() if name not in _OF_TIME}
            lines.append(f"{raw.path_of(one.track)}: {one.name} {told}")
    return "\n".join(lines) + "\n"


def described_database(path: Path) -> str:
    """Rows of the tables, kernels, counters of dispatches, readings of passes."""
    with closing(sqlite3.connect(path)) as db:
        views = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'view' ORDER BY name")]
        tables = [name for name in views if name.startswith("rocpd_")]
        lines = [f"{name}: {db.execute(f'SELECT COUNT(*) FROM {name}').fetchone()[0]} rows" for name in tables]
        lines += [f"refers to nothing: {row}" for row in db.execute("PRAGMA foreign_key_check")]
        lines += [f"top_kernels: {name} {calls}" for name, calls, *_ in db.execute("SELECT * FROM top_kernels")]
        lines += [" ".join(map(str, ("counters_collection:", *row))) for row in db.execute(_COUNTERS)]
        lines += [" ".join(map(str, ("pass:", *row))) for row in db.execute(_PASSES)]
    return "\n".join(lines) + "\n"
