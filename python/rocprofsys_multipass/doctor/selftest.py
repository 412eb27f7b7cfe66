# SPDX-License-Identifier: MIT
"""The self-test: the bundled application from end to end, into a folder that is removed again."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from rocprofsys_multipass.config import COMMAND_LINE, PREFIX
from rocprofsys_multipass.demo import DEMO_DEVICE, DEMO_EVENTS
from rocprofsys_multipass.doctor.check import Check, ok, problem
from rocprofsys_multipass.errors import MultipassError
from rocprofsys_multipass.native import NATIVE_VARIABLE
from rocprofsys_multipass.run import execute
from rocprofsys_multipass.verify import verify

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rocprofsys_multipass.native import Native
    from rocprofsys_multipass.run import Run

_NAME = "selftest"
_KEPT = (NATIVE_VARIABLE, f"{PREFIX}SIM_FAULTS", f"{PREFIX}SIM_TRUTH")
_SIMULATED = "the bundled application is built for simulated GPUs"


def self_test(native: Native, environ: Mapping[str, str], devices: str = "") -> Check:
    """Run the demonstration on `devices`, simulated; empty: one that it is made for. Then verify all its files.

    The user's options of runs do not count here, other variables do.
    """
    chosen = devices or DEMO_DEVICE
    clean = {name: value for name, value in environ.items() if name in _KEPT or not name.startswith(PREFIX)}
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="rocprofsys-multipass-") as folder:
        given = {"events": ",".join(DEMO_EVENTS), "simulate": chosen, "output": str(Path(folder) / "out")}
        try:
            run = execute([native.demo], given, clean, COMMAND_LINE, capture=True)
            faults = _faults(run)
        except MultipassError as error:
            run, faults = None, list(error.messages)
        took = f"{time.monotonic() - start:.1f} s"
    title = f"on simulated {chosen} ({_SIMULATED})"
    if run is None or faults:
        todo = "see the checks above; rocprof-sys-multipass demo shows the run"
        return problem(_NAME, f"failed {title} in {took}: {'; '.join(faults)}", str(native.demo), todo)
    return ok(_NAME, f"passed {title} in {took}: {_outcome(run)}; all files verified", str(native.demo))


def _faults(run: Run) -> list[str]:
    """Why the run is no success."""
    faults = list(run.errors)
    if run.child_exit_code:
        faults.append(f"the application ended with {run.child_exit_code}")
    if run.summary is None:
        return [*faults, "nothing was captured"]
    counts = run.summary["dispatches"]
    complete = counts["replayed"] + counts["single_pass"]
    if not complete or counts["incomplete"] or counts["declined"]:
        faults.append(f"of {counts['seen']} launches, {complete} were read completely")
        faults.extend(run.summary["warnings"])
    findings = [one for one in verify(run.output_dir) if one.severity == "error"]
    faults.extend(f"{one.check}: {one.message}" for one in findings)
    return faults


def _outcome(run: Run) -> str:
    summary = run.summary or {}
    passes = max((agent["pass_count"] for agent in summary["agents"]), default=0)
    return f"{summary['dispatches']['seen']} launches, {summary['readings']} readings in {passes} passes"
