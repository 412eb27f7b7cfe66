# SPDX-License-Identifier: MIT
"""What became of the files of several processes that were put into one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rocprofsys_multipass.errors import UsageError


@dataclass(frozen=True)
class Combined:
    """One file of the files of many processes. `processes` are those in it, `notes` what to know about it."""

    target: Path
    processes: int
    notes: tuple[str, ...] = ()


def check_inputs(inputs: Sequence[Path], target: Path) -> None:
    """UsageError: there is nothing to combine, a file is given twice, or the target is one of the files."""
    if not inputs:
        raise UsageError("nothing to combine: give the files of at least one process")
    seen: dict[Path, Path] = {}
    for path in inputs:
        if path.resolve() in seen:
            raise UsageError(f"{path} is the same file as {seen[path.resolve()]}: give each once")
        seen[path.resolve()] = path
    if target.resolve() in seen:
        raise UsageError(f"{target} is one of the files to combine: give another name for the result")
