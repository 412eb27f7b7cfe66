# SPDX-License-Identifier: MIT
"""Perfetto's own verdict on a trace: its importer's statistics, where the importer can be had.

The program is never downloaded. `ROCPROFSYS_MULTIPASS_TRACE_PROCESSOR` names a `trace_processor_shell` to use.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from rocprofsys_multipass.verify.evidence import Evidence
from rocprofsys_multipass.verify.finding import Finding
from rocprofsys_multipass.verify.registry import check

VARIABLE: Final = "ROCPROFSYS_MULTIPASS_TRACE_PROCESSOR"
LOAD_SECONDS: Final = 60
_LOSSES: Final = "SELECT name, value FROM stats WHERE severity IN ('error', 'data_loss') AND value > 0 ORDER BY name"
_OPEN: Final = "SELECT name, ts FROM slice WHERE dur < 0 ORDER BY ts"


@check(
    "perfetto-stats",
    "error",
    "info",
    remedy="set ROCPROFSYS_MULTIPASS_TRACE_PROCESSOR to a trace_processor_shell, which "
    "get.perfetto.dev/trace_processor fetches, and so does the Python package perfetto when it opens a trace; of an "
    "error, write the trace again with `rocprof-sys-multipass export`",
)
def stats(evidence: Evidence) -> Iterator[Finding]:
    """Perfetto's importer reports no loss and no error, and no slice without an end."""
    raw = evidence.raw
    if raw is None:
        return
    where = raw.path.name
    program = os.environ.get(VARIABLE, "")
    if not program:
        hint = f"set {VARIABLE} to a trace_processor_shell (get.perfetto.dev/trace_processor) to have it checked"
        yield Finding("info", "perfetto-stats", where, "not looked at with Perfetto's own importer", hint)
        return
    if not os.access(program, os.X_OK):
        hint = f"correct {VARIABLE}, or unset it to go without"
        yield Finding("error", "perfetto-stats", where, f"{program} cannot be started", hint)
        return
    yield from _ask(raw.path, program)


def _ask(path: Path, program: str) -> Iterator[Finding]:
    from perfetto.trace_processor import TraceProcessor, TraceProcessorConfig, TraceProcessorException

    try:
        config = TraceProcessorConfig(bin_path=program, load_timeout=LOAD_SECONDS)
        processor = TraceProcessor(trace=str(path), config=config)
    except (TraceProcessorException, OSError) as error:
        hint = "open the trace in ui.perfetto.dev, which says more"
        yield Finding("error", "perfetto-stats", path.name, f"Perfetto cannot load it: {error}", hint)
        return
    try:
        losses = [(row.name, row.value) for row in processor.query(_LOSSES)]
        opened = [(row.name, row.ts) for row in processor.query(_OPEN)]
    finally:
        processor.close()
    for name, value in losses:
        yield Finding("error", "perfetto-stats", f"{path.name}: {name}", f"Perfetto counts {value}")
    for name, start in opened:
        yield Finding("error", "perfetto-stats", path.name, f"Perfetto finds no end of {name!r} from {start} on")
