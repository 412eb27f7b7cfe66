# SPDX-License-Identifier: MIT
"""``notes.txt`` of a directory, and what is to be said of the captures: for people, in plain sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from rocprofsys_multipass.compute.numbering import Capture
from rocprofsys_multipass.compute.result import ComputeOptions
from rocprofsys_multipass.compute.sysinfo import Sysinfo
from rocprofsys_multipass.compute.tally import Tally
from rocprofsys_multipass.spelling import plural, process_name, were
from rocprofsys_multipass.trace.agent import Agent
from rocprofsys_multipass.visible import visible

_NAMED: Final = 16
PROFILING_TEXT: Final = (
    "# Written by rocprofsys-multipass: says that pmc_perf.csv has a row for each dispatch and counter.\n"
    "format_rocprof_output: rocpd\n"
)


def capture_warnings(capture: Capture) -> Iterator[str]:
    """What a capture lacks of the run, so that an export of it does."""
    process, path = capture.process, capture.path
    if process.records_lost:
        yield f"{path}: {plural(process.records_lost, 'record')} lost at least, dispatches among them may be: run again"
    if not process.closed:
        flight = f"{plural(process.in_flight, 'dispatch')} in flight" if process.in_flight else "no dispatch in flight"
        known = f" ({flight} at its last checkpoint)" if process.in_flight is not None else ""
        yield f"{path}: the process died or still runs{known}: what it recorded until then is exported"
    notes = process.notes
    if notes:
        more = f" and {were(len(notes) - 1, 'thing')} noted beside it" if len(notes) > 1 else ""
        yield f"{path}: {notes[0]}{more}: see `rocprof-sys-multipass verify`"


@dataclass(frozen=True, kw_only=True)
class Notes:
    """What the file is made of.

    `warnings`: all that were given, of the directory and of its captures. `changed_names`: what kernels are called, by
    the name that rows have.
    """

    name: str
    options: ComputeOptions
    sysinfo: Sysinfo
    tally: Tally
    captures: Sequence[Capture]
    agents: Sequence[Agent]
    warnings: Sequence[str]
    changed_names: Mapping[str, str]

    def text(self) -> str:
        """The file."""
        paragraphs = (
            _what(self.options, self.tally),
            _of(self.captures),
            *(f"Warning: {text}." for text in self.warnings),
            *(f"{text}." for text in self.sysinfo.assumed),
            *_warned_of(self.captures),
            *_unplaced(self.agents),
            *_changed(self.changed_names),
            *_reading(self.options, self.tally),
            f"To read it, in the folder that {self.name} is in (a path with '..' in it is refused):",
            f"  rocprof-compute analyze -p {self.name}",
        )
        return "\n\n".join(paragraphs) + "\n"


def _what(options: ComputeOptions, tally: Tally) -> str:
    filtered = f", {tally.filtered:,} filtered" if tally.filtered else ""
    counts = f"{plural(tally.exported, options.thing)} exported, {tally.left:,} left out{filtered}"
    if options.kernel_medians:
        first = (
            "Medians of launch shapes: each numbered dispatch stands for all launches of a kernel with one grid and\n"
            "work-group, and no single launch had these values. It starts at 0 and ends with the median of their times."
        )
    else:
        first = "Each number is one dispatch, with the counters that were read in all of its passes."
    return (
        f"{first}\nWritten by rocprofsys-multipass for rocprofiler-compute {options.release}: {counts}.\n"
        "dispatches.csv says what is behind each number, and of what was left out why."
    )


def _of(captures: Sequence[Capture]) -> str:
    names = [f"{process_name(one.process.pid, one.process.rank)}, {one.path.name}" for one in captures]
    return _list(f"Of {plural(len(captures), 'capture')}:", names)


def _list(title: str, items: Sequence[str]) -> str:
    """A line for the title and for each of the first items, and how many more there are."""
    more = [f"and {len(items) - _NAMED:,} more"] if len(items) > _NAMED else []
    return "\n  ".join([title, *items[:_NAMED], *more])


def _warned_of(captures: Sequence[Capture]) -> Iterator[str]:
    """What was said when the captures were made, such as which metrics of panels are lost."""
    texts = list(dict.fromkeys(visible(" ".join(text.split())) for one in captures for text in one.process.warnings))
    if texts:
        yield _list("During the runs these warnings were given:", texts)


def _unplaced(agents: Sequence[Agent]) -> Iterator[str]:
    """Counters that were asked for and read in no pass: metrics that need them are blank."""
    names = sorted({one.counter for agent in agents for one in agent.unplaceable_counters})
    if names:
        yield f"Asked for and in no pass, so that metrics which need them are blank: {', '.join(names)}."


def _changed(names: Mapping[str, str]) -> Iterator[str]:
    """Kernels that have another name in rows."""
    if names:
        told = "Kernels with names that analyze would not read as they are, or that another kernel has here:"
        yield _list(told, [f"{shown!r} is {original!r}" for shown, original in sorted(names.items())])


def _reading(options: ComputeOptions, tally: Tally) -> Iterator[str]:
    times = (
        "Times are medians too. Counters come from launches and passes that ran at other times."
        if options.kernel_medians
        else "Times of a dispatch are those of its pass 0, or of its timing pass, on every row: a rate divides what\n"
        "another pass counted by them."
    )
    yield times
    found = (
        f"\nThe sentinels of the caches say that they did in {plural(tally.other_caches, options.thing)}: "
        "column caches of dispatches.csv."
        if tally.other_caches
        else ""
    )
    yield (
        "The state of the caches is not restored between passes: of panels 13, 14, 16, 17 and 18, which count caches,\n"
        f"the first pass may differ from the others.{found}"
    )
    yield "No test of rocprofsys-multipass runs rocprof-compute itself; the form follows what its releases read."
