# SPDX-License-Identifier: MIT
"""Run directories made by hand, of which folders for rocprofiler-compute are made by the commands."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import trace_tools as tools
from compute_tools import MI300X

RUN = replace(tools.sample_run(), described=MI300X)  # replayed twice, then declined, filtered, incomplete
OTHER = replace(RUN, pid=4712, guid=tools.GUID[:-1] + "2")
FILES = {"pmc_perf.csv", "sysinfo.csv", "profiling_config.yaml", "dispatches.csv", "notes.txt"}


def rows(model: Path) -> list[dict[str, str]]:
    with (model / "pmc_perf.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def asked(folder: Path, token: str = "0123456789abcdef" * 2, **members: object) -> None:
    """Have the journal of RUN be of a run that was asked for `members`."""
    frames = tools.journal_frames(RUN)
    frames[0].run.run_token = token
    data = tools.journal_header() + b"".join(tools.frame(one) for one in frames)
    (folder / "multipass-4711.journal").write_bytes(data)
    text = json.dumps({"schema": 1, "run_token": token, **members})
    (folder / "run-1.config.json").write_text(text, encoding="utf-8")
