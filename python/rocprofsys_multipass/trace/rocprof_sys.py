# SPDX-License-Identifier: MIT
"""What rocprof-sys calls things, in its traces and databases alike, and how its counters lie in time.

It draws the counters of dispatches on tracks: the value at the start of the dispatch, 0 at its end, and nothing that
says which dispatch it was (ROCm/rocm-systems projects/rocprofiler-systems @1b1610fc; names as of @07c11ab8, @fcb8ffaa).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

BY_QUEUE: Final = "rocm_kernel_dispatch"
BY_STREAM: Final = "rocm_hip_stream"
COUNTERS: Final = "rocm_counter_collection"
OF_JOIN: Final = "joined"  # of a dispatch with the counters of another run: what they are of, in extdata
JOINED_ID: Final = "joined_dispatch_id"  # the same in a trace, an argument of its slice
JOINED_NOTE: Final = "counters were measured in another run of the program{}, and joined with the dispatches here"
UNIT: Final = "Count"  # in the unit of every counter of dispatches, and of nothing else that it samples
_NAMES: Final = (re.compile(r" ?GPU (\S+) \[(\d{1,9})\]"), re.compile(r"(\S+) GPU (\d{1,9})"))
KERNEL_TRACKS: Final = ("GPU Kernel Dispatch ", "HIP Activity Stream ")  # how the names of tracks with kernels begin
_DESCRIPTOR: Final = re.compile(r"(?: \[clone \.kd\]|\.kd)$")
_QUEUE: Final = re.compile(r"GPU Kernel Dispatch \[(\d{1,9})\] Queue .*")

Span = tuple[int, int]  # start and end in ns


def counter_of(name: str) -> tuple[str, int] | None:
    """Counter and ordinal of the GPU in the name of a track or of an ``info_pmc``; None: it has none of the forms."""
    for form in _NAMES:
        match = form.fullmatch(name)
        if match:
            return match[1], int(match[2])
    return None


def dim3_of(value: object) -> tuple[int, int, int] | None:
    """Three numbers, however they are written: ``64,1,1``, ``(64, 1, 1)``, ``{64, 1, 1}``; None: it is no such text."""
    numbers = [int(text) for text in re.findall(r"\d{1,18}", value)] if isinstance(value, str) else []
    return (numbers[0], numbers[1], numbers[2]) if len(numbers) == len("xyz") else None


def kernel_name(name: str) -> str:
    """The name of a kernel without what the symbol of its descriptor has behind it."""
    return _DESCRIPTOR.sub("", name)


def gpu_of_queue(name: str) -> int | None:
    """Ordinal of the GPU in the name of a track of a queue; None: it is another track."""
    match = _QUEUE.fullmatch(name)
    return int(match[1]) if match else None


@dataclass
class Pulses:
    """The samples of one counter on one GPU: which value belongs to which execution."""

    counter: str
    _at: dict[int, list[float]] = field(default_factory=lambda: defaultdict(list))
    _ended: dict[int, int] = field(default_factory=lambda: defaultdict(int))  # executions that left a 0 at a time
    _claimed: int = 0

    def add(self, time_ns: int, value: float) -> None:
        """A sample."""
        self._at[time_ns].append(value)

    def has(self, time_ns: int) -> bool:
        """Whether there is a sample at this time."""
        return time_ns in self._at

    def value(self, interval: Span, alike: int) -> float | None:
        """What was counted from start to end; None: nothing, or it cannot be told apart from another execution's.

        To be asked in order of start: the 0 that an earlier execution left where this one starts is no value of it.
        `alike`: executions with these times.
        """
        start, end = interval
        at = self._at.get(start, [])
        values = [one for one in at if one]
        read = bool(values) or len(at) > self._ended[start]
        if not read or 0 not in self._at.get(end, ()):
            return None
        self._ended[end] += alike
        if alike > 1 or len(values) > 1:
            return None
        self._claimed += len(values)
        return values[0] if values else 0.0

    @property
    def unclaimed(self) -> int:
        """Values other than 0 that `value` did not give."""
        return sum(1 for at in self._at.values() for one in at if one) - self._claimed


def readings_of(tracks: Iterable[Pulses], executions: Iterable[Span]) -> Mapping[Span, dict[str, float]]:
    """The counters of each execution on one GPU. Executions with the same times have none: whose they are is open."""
    times = sorted(Counter(executions).items())
    found: dict[Span, dict[str, float]] = {}
    for track in tracks:
        for interval, alike in times:
            value = track.value(interval, alike)
            if value is not None:
                found.setdefault(interval, {})[track.counter] = value
    return found


def unclaimed_note(tracks: Iterable[Pulses]) -> str:
    """What a reader says of values that no execution has; empty: there are none."""
    count = sum(track.unclaimed for track in tracks)
    text = f"counter values that belong to no dispatch of that start and end are left out (values: {count})"
    return text if count else ""
