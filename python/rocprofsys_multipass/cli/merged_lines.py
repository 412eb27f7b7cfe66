# SPDX-License-Identifier: MIT
"""What a merge made, in lines: of each process what was matched, and what was not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.markup import escape

from rocprofsys_multipass.cli.messages import show_files
from rocprofsys_multipass.spelling import plural

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import Console

    from rocprofsys_multipass.merge import CombineResult, Merged, MergedProcess, MergeResult

_SHOWN: Final = 5  # dispatches without a match, of each file
_PROCESSES: Final = 8  # in one line
_FILES: Final = 12


def show_merge(result: MergeResult, terminal: Console) -> None:
    """Print a merge, without its files. Processes of which the same is to be said, as of most ranks, share a line."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for process in result.processes:
        alike.setdefault(tuple(_process(process)), []).append(str(process))
    for (head, *lines), names in alike.items():
        each = "; of each:" if lines and len(names) > 1 else ""
        for line in [f"{_some(names, _PROCESSES)}: {head}{each}", *lines]:
            terminal.print(escape(line), soft_wrap=True)
    for only, who in ((result.only_own, "rocprof-sys has no files"), (result.only_host, "this tool has none")):
        if only:
            terminal.print(escape(f"not merged, since {who}: {_some(only, _PROCESSES)}"), soft_wrap=True)
    if result.together is not None:
        show_combined(result.together, terminal)
    for note in result.notes:
        terminal.print(escape(f"note: {note}"), soft_wrap=True)


def show_combined(result: CombineResult, terminal: Console) -> None:
    """Print what was combined, without the files."""
    for one in result.combined:
        terminal.print(escape(f"{one.target.name}: {plural(one.processes, 'process')} in one"), soft_wrap=True)
        for note in one.notes:
            terminal.print(escape(f"  note: {note}"), soft_wrap=True)
    for note in result.notes:
        terminal.print(escape(f"note: {note}"), soft_wrap=True)


def show_first_files(result: MergeResult | CombineResult, terminal: Console) -> None:
    """Print the files, of many processes the first ones."""
    show_files(result.files[:_FILES], terminal)
    if len(result.files) > _FILES:
        terminal.print(escape(f"  and {len(result.files) - _FILES} more in {result.output}"), soft_wrap=True)


def _process(process: MergedProcess) -> Iterator[str]:
    made = process.merged
    if not made:
        yield "not merged"
        return
    yield f"merged with rocprof-sys's {' and '.join(_kind(process, one) for one in made)}"
    alike = {(one.matched, one.added, one.removed, one.unmatched_count) for one in made}
    for one in made[:1] if len(alike) == 1 else made:
        where = "" if len(alike) == 1 else f"{_kind(process, one)}: "
        yield f"  {where}{_counts(one)}"
        yield from (f"    dispatch {lost.dispatch_id}: {lost.reason}" for lost in one.unmatched[:_SHOWN])
        if one.unmatched_count > _SHOWN:
            yield f"    and {one.unmatched_count - _SHOWN:,} more"
    if process.joined:
        yield from (f"  {line}" for line in process.joined.lines())
    for note in dict.fromkeys((*(note for one in made for note in one.notes), *process.notes)):
        yield f"  note: {note}"


def _kind(process: MergedProcess, merged: Merged) -> str:
    return "trace" if merged is process.trace else "database"


def _counts(merged: Merged) -> str:
    """``12 dispatches matched, 24 repeated executions taken out``."""
    parts = [
        f"{plural(count, word)} {what}"
        for count, word, what in (
            (merged.matched, "dispatch", "matched"),
            (merged.added, "dispatch", "added, which rocprof-sys did not record"),
            (merged.removed, "repeated execution", "taken out"),
            (merged.unmatched_count, "dispatch", "without a match:"),
        )
        if count
    ]
    return ", ".join(parts) or "no dispatches in either"


def _some(names: Sequence[str], most: int) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")
