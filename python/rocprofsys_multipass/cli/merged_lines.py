# SPDX-License-Identifier: MIT
"""What a merge made, in lines: of each process what was matched, and what was not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.markup import escape

from rocprofsys_multipass.cli.many import alike
from rocprofsys_multipass.spelling import plural

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import Console

    from rocprofsys_multipass.merge import CombineResult, Merged, MergedProcess, MergeResult

_SHOWN: Final = 5  # dispatches without a match, of each file
_PROCESSES: Final = 8  # in one line


def show_merge(result: MergeResult, terminal: Console) -> None:
    """Print a merge, without its files. Processes of which the same is to be said, as of most ranks, share it."""
    joined = {
        str(process): f" of {process.joined_with}" for process in result.processes if process.merged and process.joined
    }
    for names, (head, *lines) in alike(result.processes, _process, lambda one: (one.pid, one.rank)):
        each = "; of each:" if lines and " processes " in names else ""
        theirs = joined.get(names, "")  # a process of another run; of many together the ranks say which
        for line in [f"{names}: {head}{theirs}{each}", *lines]:
            terminal.print(escape(line), soft_wrap=True)
    for only, who in (
        (result.only_own, "rocprof-sys wrote no files there"),
        (result.only_host, "this tool collected nothing there"),
    ):
        if only:
            terminal.print(escape(f"not merged, since {who}: {_some(only)}"), soft_wrap=True)
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


def _process(process: MergedProcess) -> Iterator[str]:
    made = process.merged
    if not made:
        yield "not merged"
        return
    yield f"merged with rocprof-sys's {' and '.join(_kind(process, one) for one in made)}"
    counts = {(one.matched, one.added, one.removed, one.unmatched_count) for one in made}
    for one in made[:1] if len(counts) == 1 else made:
        where = "" if len(counts) == 1 else f"{_kind(process, one)}: "
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


def _some(names: Sequence[str]) -> str:
    more = len(names) - _PROCESSES
    return ", ".join(names[:_PROCESSES]) + (f" and {more} more" if more > 0 else "")
