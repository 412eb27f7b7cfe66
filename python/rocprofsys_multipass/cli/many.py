# SPDX-License-Identifier: MIT
"""What is said of many processes, shortly: those that are alike together, their files by kind."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from rich.markup import escape

from rocprofsys_multipass.cli.messages import invocation, show_files
from rocprofsys_multipass.opening import readable_size
from rocprofsys_multipass.spelling import process_name

if TYPE_CHECKING:
    from rich.console import Console

_LISTED: Final = 16  # files one by one: those of four processes
_NAMED: Final = 8  # processes
_HOW: Final = {
    "pftrace": "{command} open {folder}",
    "journal": "what was captured",
    "multipass-json": "summaries",
    "merge-json": "how the dispatches were matched",
}

Process = tuple[int, int | None]  # pid and rank
T = TypeVar("T")


def of_summary(summary: Mapping[str, Any]) -> Process:
    """The process that a summary is of."""
    return summary["pid"], summary.get("rank")


def alike(
    things: Iterable[T], lines: Callable[[T], Iterable[str]], process: Callable[[T], Process]
) -> list[tuple[str, tuple[str, ...]]]:
    """What there is to say, each once, with the names of the processes that it is said of."""
    found: dict[tuple[str, ...], list[Process]] = {}
    for thing in things:
        found.setdefault(tuple(lines(thing)), []).append(process(thing))
    return [(_names(of), said) for said, of in found.items() if said]


def _names(processes: Sequence[Process]) -> str:
    """``16 processes (ranks 0-15)``."""
    if len(processes) == 1:
        return process_name(*processes[0])
    ranks = {rank for _, rank in processes if rank is not None}
    if len(ranks) == len(processes):
        return f"{len(processes)} processes (ranks {_ranges(sorted(ranks))})"
    pids = ", ".join(str(pid) for pid, _ in processes[:_NAMED])
    return f"{len(processes)} processes ({pids}{', ...' if len(processes) > _NAMED else ''})"


def _ranges(numbers: Sequence[int]) -> str:
    """``0-3, 8``."""
    parts: list[list[int]] = []
    for number in numbers:
        if parts and number == parts[-1][-1] + 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    return ", ".join(str(part[0]) if len(part) == 1 else f"{part[0]}-{part[-1]}" for part in parts)


def show_all_files(files: Sequence[Path], terminal: Console, *, hints: bool = True) -> None:
    """As `show_files`; those of many processes by kind."""
    if len(files) <= _LISTED:
        show_files(files, terminal, hints=hints)
        return
    kinds: dict[tuple[Path, str, str], list[Path]] = {}
    for path in files:
        kinds.setdefault((path.parent, path.name.split("-")[0], path.suffix), []).append(path)
    for (folder, begin, suffix), paths in kinds.items():
        if len(paths) == 1:
            show_files(paths, terminal, hints=hints)
            continue
        how = _HOW.get(suffix[1:]) or _HOW.get(f"{begin}-{suffix[1:]}", "")
        size = readable_size(sum(path.stat().st_size for path in paths if path.is_file()))
        how = how.format(command=invocation(), folder=shlex.quote(str(folder))) if hints else ""
        line = f"  {folder / begin}-*{suffix} ({len(paths)} files, {size})" + (f": {how}" if how else "")
        terminal.print(escape(line), soft_wrap=True)
