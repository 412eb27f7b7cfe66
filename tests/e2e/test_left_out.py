# SPDX-License-Identifier: MIT
"""Exporter (C++) and readers (Python) tell of readings that are no numbers in the same words, and count alike."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import trace_tools as tools

import rocprofsys_multipass as mp
from rocprofsys_multipass.native import Native
from rocprofsys_multipass.run.export import export_journal

NAN, INF = float("nan"), float("inf")
MANY = tuple(f"SQ_{n:02}" for n in range(40))


def test_what_is_left_out_is_told_of_alike(native: Native, tmp_path: Path) -> None:
    run = replace(tools.sample_run(), plan=(("SQ_WAVES", "GRBM_COUNT", *MANY), ("SQ_WAVES", "TCC_HIT")))
    for launch, execution, values in (
        (0, 0, {"SQ_WAVES": 512.0, "GRBM_COUNT": NAN, **dict.fromkeys(MANY[:36], INF)}),
        (0, 1, {"SQ_WAVES": -INF, "TCC_HIT": 300.0}),
        (1, 0, {"SQ_WAVES": NAN, "GRBM_COUNT": NAN}),
        (2, 0, {"SQ_WAVES": 1.5, "TCC_HIT": NAN}),
    ):
        run = tools.with_execution(run, launch, execution, values=values)
    journal = tools.write_run(tmp_path, run, files=("journal",)) / f"multipass-{tools.PID}.journal"
    said = export_journal(native.exporter, journal, ("perfetto", "rocpd"))
    assert said.error == ""
    (process,) = mp.open_trace(journal).processes
    assert len(process.left_out) == 33
    assert said.warnings == tuple(f"{journal}: {text}" for text in process.left_out)
    summary = json.loads(journal.with_suffix(".json").read_text(encoding="utf-8"))
    assert summary["readings"] == process.values_recorded
