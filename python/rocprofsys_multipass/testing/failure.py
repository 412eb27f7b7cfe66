# SPDX-License-Identifier: MIT
"""What a check found wrong, as data and as text, and the exception that carries it.

A check is a plain function that returns None, or a `Failed`; an assertion raises `CheckError` with it. So every check
can be tried, and used, without pytest.
"""

from __future__ import annotations

import os
import shlex
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar

from rocprofsys_multipass.trace import Trace, open_trace

if TYPE_CHECKING:
    from pathlib import Path

    from rocprofsys_multipass.trace import Dispatch

_Key = TypeVar("_Key", bound=Hashable)

MOST_SHOWN: Final = 8  # of rows or blocks of one kind
_WHOLE: Final = 2**53  # whole numbers up to here are exact as floats

Source = str | os.PathLike[str] | Trace
"""What a check looks at: a trace, or what `open_trace` takes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """One thing that is not as asserted. What does not apply is None or empty.

    `got` is in the unit of the counter; `read_in` names the pass that it is from: `pass 0`, `single pass`
    where the plan has but one, `group 1` where a launch that was not replayed read one group of several.
    """

    message: str
    process: int | None = None
    dispatch_id: int | None = None
    kernel: str = ""
    agent: str = ""
    counter: str = ""
    expected: str = ""
    got: float | None = None
    read_in: str = ""


@dataclass(frozen=True, slots=True)
class Failed:
    """What a check found: `title` is one line, `body` lines for people, `hints` what to do, `failures` each thing."""

    title: str
    failures: tuple[Failure, ...]
    body: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()

    def __str__(self) -> str:
        parts = [self.title, *(f"  {line}".rstrip() for line in ("", *self.body))]
        if self.hints:
            parts += ["", *(f"  {hint}" for hint in self.hints)]
        return "\n".join(parts)


class CheckError(AssertionError):
    """An assertion of `mp.testing` that does not hold. `failures` has each thing that is wrong, `failed` all of it."""

    __module__ = "rocprofsys_multipass"  # where it is public; tracebacks name it so

    def __init__(self, failed: Failed) -> None:
        super().__init__(str(failed))
        self.failed = failed

    @property
    def failures(self) -> tuple[Failure, ...]:
        """Each thing that is wrong."""
        return self.failed.failures

    def __reduce__(self) -> tuple[type[CheckError], tuple[Failed]]:
        return CheckError, (self.failed,)  # else it would be made of its text


def raise_if(failed: Failed | None) -> None:
    """Raise what a check returned, if it is anything."""
    __tracebackhide__ = True
    if failed is not None:
        raise CheckError(failed)


def opened(source: Source) -> Trace:
    """The trace, read where it is not yet."""
    return source if isinstance(source, Trace) else open_trace(os.fspath(source))


def counted(trace: Trace, kernel: str | None, device: int | str | None) -> list[Dispatch]:
    """The dispatches that match and were to be counted: those that a filter of the run left out are not."""
    return [d for d in trace.dispatches(kernel, agent=device) if d.outcome != "filtered"]


def outputs_of(trace: Trace) -> list[Path]:
    """The outputs of the processes of a trace that are still there; none of one that was made in memory."""
    stems = dict.fromkeys(process.path.with_suffix("") for process in trace.processes)
    named = [stem.with_name(stem.name + suffix) for stem in stems for suffix in (".journal", ".db", ".pftrace")]
    read = [process.path for process in trace.processes if process.path.is_file()]
    return list(dict.fromkeys([*read, *(path for path in named if read and path.is_file())]))


def where_to_look(trace: Trace, *commands: str) -> list[str]:
    """The hints that name the files of a trace; `{}` in a command is the run directory, or the file."""
    files = outputs_of(trace)
    folders = list(dict.fromkeys(path.parent for path in files))
    if not folders:
        return []
    place = folders[0] if len(files) > 1 or files[0].suffix == ".journal" else files[0]
    quoted = shlex.quote(str(place))
    return [f"run: {place}", *(f"try: rocprof-sys-multipass {command.format(quoted)}" for command in commands)]


def launch_of(d: Dispatch) -> str:
    """Kernel, GPU and launch shape: `axpy(float*, int) on GPU 0 [gfx942], grid 1024 x 1 x 1, work-group 64 x 1 x 1`."""
    shape = [
        f"{what} {' x '.join(map(str, size))}"
        for what, size in (("grid", d.grid), ("work-group", d.workgroup))
        if size is not None
    ]
    return ", ".join([f"{d.kernel} on {d.agent.label}", *shape])


def exact(number: float) -> str:
    """A value in full where that is readable: whole numbers, others with twelve digits; all with commas."""
    if abs(number) < _WHOLE and number == int(number):
        return f"{int(number):,}"
    return f"{number:,.12g}"


def ids(chosen: Sequence[Dispatch]) -> str:
    """The ids of dispatches, with those of the process where there are several: `1, 2, 3 and 5 more`."""
    several = len({d.process for d in chosen}) > 1
    names = [f"{d.process}/{d.dispatch_id}" if several else str(d.dispatch_id) for d in chosen[:MOST_SHOWN]]
    more = len(chosen) - len(names)
    return ", ".join(names) + (f" and {more} more" if more else "")


def numbered(chosen: Sequence[Dispatch]) -> str:
    """``dispatches 1, 2, 3``, as `ids`."""
    return f"{'dispatch' if len(chosen) == 1 else 'dispatches'} {ids(chosen)}"


def outcome_text(d: Dispatch) -> str:
    """``declined (graph)``."""
    return f"{d.outcome} ({d.reason})" if d.reason else d.outcome


def grouped(chosen: Iterable[Dispatch], key: Callable[[Dispatch], _Key]) -> list[tuple[_Key, list[Dispatch]]]:
    """Dispatches with one key together, in order of the first."""
    groups: dict[_Key, list[Dispatch]] = defaultdict(list)
    for d in chosen:
        groups[key(d)].append(d)
    return list(groups.items())


def columns(rows: Sequence[Sequence[str]], left: frozenset[int] = frozenset()) -> list[str]:
    """Rows of texts in columns, those in `left` aligned there, the others on the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            text.ljust(width) if i in left else text.rjust(width) for i, (text, width) in enumerate(cells)
        ).rstrip()
        for cells in (list(zip(row, widths, strict=True)) for row in rows)
    ]
