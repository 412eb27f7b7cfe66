# SPDX-License-Identifier: MIT
"""What an export for rocprofiler-compute is asked for, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class ComputeOptions:
    """How dispatches become the directories that ``rocprof-compute analyze`` reads.

    `release`: of rocprofiler-compute, one of COMPUTE_RELEASES. `channels`: rows for the single channels of the L2
    cache; None: where the capture has single instances, True: always, which is a UsageError where it has none.
    `include_partial`: export too what lacks counters. `kernel_medians`: a row set per launch shape with the medians of
    its launches, in place of one per dispatch.
    """

    release: str = "3.3"
    channels: bool | None = None
    include_partial: bool = False
    kernel_medians: bool = False

    @property
    def first_number(self) -> int:
        """The number that ``analyze`` of the release prints for the first dispatch."""
        return 1 if self.release == "3.9" else 0

    @property
    def kind(self) -> str:
        """What a numbered dispatch of the directory is, in the column `kind` of dispatches.csv."""
        return "kernel_median" if self.kernel_medians else "dispatch"

    @property
    def thing(self) -> str:
        """The same in a sentence."""
        return "launch shape" if self.kernel_medians else "dispatch"


@dataclass(frozen=True)
class ModelExport:
    """The directory of one model of GPU.

    `gpu` is for people. `dispatches` were exported and `left_out` not, those that a filter of the user kept out not
    counted; `thing` is what they are: with kernel medians both are launch shapes. `warnings` are whole lines, each
    begins with the directory.
    """

    path: Path
    gpu: str
    dispatches: int
    left_out: int
    warnings: tuple[str, ...]
    thing: str = "dispatch"


@dataclass(frozen=True)
class ComputeExport:
    """All directories that were written. `warnings`: of these, and of models of which nothing was left."""

    models: tuple[ModelExport, ...]
    warnings: tuple[str, ...]
    files: tuple[Path, ...]
