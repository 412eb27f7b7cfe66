# SPDX-License-Identifier: MIT
"""What a run left behind."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rocprofsys_multipass.spelling import plural

if TYPE_CHECKING:
    from rocprofsys_multipass.compute import ModelExport
    from rocprofsys_multipass.merge import MergeResult


@dataclass(frozen=True, repr=False)
class Run:
    """What a run left behind.

    `exit_code` is what the command ends with: the application's own when it failed, else one of `ExitCode`.
    `summaries` has one summary (schema 1) per process that used a GPU, `files` all files of the run. `child_signal` is
    the number of the signal that ended the application, 0 when none did. `stdout` and `stderr` are empty unless they
    were captured. `warnings` are those that nobody has seen yet; what the plugin wrote to the application's own stderr
    while that was not captured is in `live_warnings`. `simulate` names the simulated GPUs that were asked for, by the
    call, a variable or a file; empty: real ones. `notes`: what was done otherwise than in a plain run, such as counters
    taken from rocprof-sys. `merged` is the merge with what rocprof-sys wrote, where `command` starts it; its files are
    not among `files`. `models` has the folders for rocprofiler-compute, whose files are not among `files` either.
    """

    exit_code: int
    child_exit_code: int
    output_dir: Path
    files: tuple[Path, ...]
    summaries: tuple[dict[str, Any], ...]
    warnings: tuple[str, ...]
    errors: tuple[str, ...]
    stdout: str = ""
    stderr: str = ""
    child_signal: int = 0
    live_warnings: tuple[str, ...] = ()
    simulate: str = ""
    notes: tuple[str, ...] = ()
    merged: MergeResult | None = None
    models: tuple[ModelExport, ...] = ()

    def __repr__(self) -> str:
        """How it ended and what there is of it, in a line."""
        told = [f"exit code {self.exit_code}", plural(len(self.summaries), "process"), plural(len(self.files), "file")]
        told += [
            plural(len(found), word) for found, word in ((self.errors, "error"), (self.warnings, "warning")) if found
        ]
        return f"<Run {str(self.output_dir)!r}: {', '.join(told)}>"

    @property
    def summary(self) -> dict[str, Any] | None:
        """The summary of the first process; None when no process used a GPU."""
        return self.summaries[0] if self.summaries else None
