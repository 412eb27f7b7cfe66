# SPDX-License-Identifier: MIT
"""The readings of a process column by column: a number for each, in place of an object.

numpy is needed, which is there with pandas. Columns of three lengths belong together: of the dispatches, of their
executions, and of the readings of these. Names are numbers too, positions in a list of words.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from rocprofsys_multipass.errors import TraceError
from rocprofsys_multipass.trace.model import Dispatch

ABSENT: Final = -(1 << 63)  # in a column of whole numbers
Whole = npt.NDArray[np.int64]
Real = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Words:
    """A column of texts."""

    at: Whole  # positions in `words`
    words: tuple[str, ...]

    def __getitem__(self, rows: Whole) -> Words:
        return Words(self.at[rows], self.words)


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """All readings of a process, in the order of the model; those of an execution in order of the counter's name."""

    process: Whole  # of each dispatch, in order: pid
    dispatch_id: Whole
    device: Whole  # or ABSENT
    kernel: Words
    timing_ns: Whole  # the kernel time of the timing pass, or ABSENT
    dispatch: Whole  # of each execution, in order: position of its dispatch
    index: Whole  # replay pass, or ABSENT
    timed_as: Whole  # the pass that a time of it is called by, or ABSENT: the index, or 0 of what is mixed
    group: Whole
    start_ns: Whole  # or ABSENT
    end_ns: Whole  # or ABSENT
    execution: Whole  # of each reading: position of its execution
    counter: Words
    value: Real
    canonical: Flags

    def times(self) -> tuple[Whole, Words]:
        """Of each dispatch the kernel time in ns, or ABSENT, and whose time that is (`Dispatch.time_of`)."""
        known = (self.start_ns != ABSENT) & (self.end_ns != ABSENT)
        lasted = np.where(known, self.end_ns - self.start_ns, ABSENT)
        first = np.full(len(self.dispatch_id), -1)  # the execution whose time it is
        for chosen in (np.flatnonzero(known), np.flatnonzero(known & (lasted > 0))):
            first[self.dispatch[chosen][::-1]] = chosen[::-1]  # what is written last stays: the first of each dispatch
        at_all = first >= 0
        time = np.where(at_all, lasted[first] if len(lasted) else ABSENT, ABSENT)
        index = np.where(at_all, self.timed_as[first] if len(lasted) else ABSENT, ABSENT)
        passes, number = np.unique(index, return_inverse=True)
        words = ("", "timing pass", "single run", *(f"pass {k}" for k in passes.tolist()))
        word = np.where(at_all, np.where(index == ABSENT, 2, number + 3), 0)
        by_timing = (self.timing_ns != ABSENT) & ((self.timing_ns > 0) | (time <= 0))
        return np.where(by_timing, self.timing_ns, time), Words(np.where(by_timing, 1, word), words)


def reading_keys(execution: Whole, counter: Words) -> Whole:
    """Numbers in whose order readings belong; equal ones: an execution has read the counter twice."""
    words = counter.words
    rank = np.empty(len(words), np.int64)
    rank[sorted(range(len(words)), key=words.__getitem__)] = np.arange(len(words))
    return execution * len(words) + rank[counter.at]


class Collector:
    """Collects dispatches, executions and readings one after another, and makes columns of them.

    TypeError, OverflowError: a number is none, or has more than 64 bits; those of which a journal may have so many are
    told as TraceError.
    """

    def __init__(self) -> None:
        self._names: dict[str, int] = {}
        self._kernels: dict[str, int] = {}
        self._process, self._dispatch_id, self._device, self._kernel = (array("q") for _ in range(4))
        self._timing = array("q")
        self._dispatch, self._index, self._timed_as, self._group = (array("q") for _ in range(4))
        self._start, self._end = array("q"), array("q")
        self._count = array("q")  # of each execution: its readings
        self._counter, self._value, self._canonical = array("q"), array("d"), array("b")

    def codes(self, names: Iterable[str]) -> array[int]:
        """What stands for these counters."""
        known = self._names
        return array("q", [known.setdefault(name, len(known)) for name in names])

    def dispatch(self, process: int, dispatch_id: int, device: int | None, kernel: str, timing_ns: int | None) -> None:
        """Begins a dispatch. TraceError: a number of it has more bits than a data frame takes."""
        self._process.append(process)
        try:
            self._dispatch_id.append(dispatch_id)
            self._timing.append(ABSENT if timing_ns is None else timing_ns)
        except OverflowError as error:
            raise _too_large(
                process, dispatch_id, f"its id, or the time of its timing pass, {timing_ns} ns,"
            ) from error
        self._device.append(ABSENT if device is None else device)
        self._kernel.append(self._kernels.setdefault(kernel, len(self._kernels)))

    def execution(
        self, index: int | None, group: int, start_ns: int | None, end_ns: int | None, *, mixed: bool = False
    ) -> None:
        """Begins an execution of the dispatch that was begun last. TraceError as of `dispatch`."""
        number = ABSENT if index is None else index
        self._dispatch.append(len(self._dispatch_id) - 1)
        self._index.append(number)
        self._timed_as.append(0 if mixed else number)
        self._group.append(group)
        try:
            self._start.append(ABSENT if start_ns is None else start_ns)
            self._end.append(ABSENT if end_ns is None else end_ns)
        except OverflowError as error:
            said = f"a time of it, {start_ns} to {end_ns} ns,"
            raise _too_large(self._process[-1], self._dispatch_id[-1], said) from error

    def readings(self, counters: array[int], values: Iterable[float], canonical: Iterable[int]) -> None:
        """What the execution that was begun last has read; `counters` as `codes` gave them."""
        self._count.append(len(counters))
        self._counter.extend(counters)
        self._value.extend(values)
        self._canonical.extend(canonical)

    def add(self, d: Dispatch) -> None:
        """A dispatch with all that it has."""
        self.dispatch(d.process, d.dispatch_id, d.agent.device, d.kernel, d.timing.duration_ns if d.timing else None)
        for p in d.passes:
            self.execution(p.index, p.group, p.start_ns, p.end_ns, mixed=p.mixed and d.outcome == "replayed")
            read = p.readings
            self.readings(self.codes([r.counter for r in read]), [r.value for r in read], [r.canonical for r in read])

    def columns(self) -> Columns:
        """What was collected."""
        execution = np.repeat(np.arange(len(self._count)), _whole(self._count))
        counter = Words(_whole(self._counter), tuple(self._names))
        order = np.argsort(reading_keys(execution, counter), kind="stable")
        return Columns(
            process=_whole(self._process),
            dispatch_id=_whole(self._dispatch_id),
            device=_whole(self._device),
            kernel=Words(_whole(self._kernel), tuple(self._kernels)),
            timing_ns=_whole(self._timing),
            dispatch=_whole(self._dispatch),
            index=_whole(self._index),
            timed_as=_whole(self._timed_as),
            group=_whole(self._group),
            start_ns=_whole(self._start),
            end_ns=_whole(self._end),
            execution=execution[order],
            counter=counter[order],
            value=np.frombuffer(self._value, np.float64)[order],
            canonical=np.frombuffer(self._canonical, np.bool_)[order],
        )


def _too_large(process: int, dispatch_id: int, what: str) -> TraceError:
    return TraceError(
        f"process {process}, dispatch {dispatch_id}: {what} has more than 63 bits, which a data frame cannot hold; "
        "take the numbers from Trace.dispatches()"
    )


def _whole(numbers: array[int]) -> Whole:
    return np.frombuffer(numbers, np.int64)


def columns_of(dispatches: Iterable[Dispatch]) -> Columns:
    """The readings of these dispatches."""
    collector = Collector()
    for d in dispatches:
        collector.add(d)
    return collector.columns()


def joined(texts: Sequence[Words]) -> Words:
    """One column of several, each word of which has one position."""
    if len(texts) == 1:
        return texts[0]
    known: dict[str, int] = {}
    parts = []
    for one in texts:
        positions = [known.setdefault(word, len(known)) for word in one.words]
        parts.append(np.array(positions, np.int64)[one.at])
    return Words(np.concatenate(parts), tuple(known))
