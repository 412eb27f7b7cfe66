# SPDX-License-Identifier: MIT
"""The options of rocprof-sys-run and rocprof-sys-sample, as far as they decide what is counted and where it is written.

A word is an option when it begins with ``-``, is more than dashes, and no number. Words behind an option are its
values, until the next option or its largest number of values, counted over all places where it is given; further words
are passed over. ``--name=value`` is a first value. Letters behind one dash are options without values. (Timemory's
argument parser: ROCm/timemory source/timemory/utility/argparse.cpp @6381b633; options: ROCm/rocm-systems,
projects/rocprofiler-systems/source/lib/core/argparse.cpp @1b1610fc, and the tables of flags of mid 2026.)
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

EVENTS: Final = "ROCPROFSYS_ROCM_EVENTS"
DOMAINS: Final = "ROCPROFSYS_ROCM_DOMAINS"
POLLED: Final = "ROCPROFSYS_GPU_PERF_COUNTERS"
STREAMED: Final = "ROCPROFSYS_ROCM_SPM_EVENTS"
CONFIG: Final = "ROCPROFSYS_CONFIG_FILE"
OUTPUT_PATH: Final = "ROCPROFSYS_OUTPUT_PATH"
OUTPUT_PREFIX: Final = "ROCPROFSYS_OUTPUT_PREFIX"
PRESET: Final = "preset"

_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")


@dataclass(frozen=True)
class LauncherOption:
    """An option: what it sets, and how many values it takes at most (None: any number)."""

    sets: str
    most: int | None = None


OPTIONS: Final = {
    "G": LauncherOption(EVENTS),
    "gpu-events": LauncherOption(EVENTS),
    "rocm-events": LauncherOption(EVENTS),
    "rocm": LauncherOption(DOMAINS, 1),
    "rocm-domains": LauncherOption(DOMAINS),
    "gpu-perf-counters": LauncherOption(POLLED),
    "spm-events": LauncherOption(STREAMED),
    "rocm-spm-events": LauncherOption(STREAMED),
    "c": LauncherOption(CONFIG),
    "config": LauncherOption(CONFIG),
    "o": LauncherOption(OUTPUT_PATH, 2),
    "output": LauncherOption(OUTPUT_PATH, 2),
    "output-path": LauncherOption(OUTPUT_PATH),
    "output-prefix": LauncherOption(OUTPUT_PREFIX),
    "time-output": LauncherOption("ROCPROFSYS_TIME_OUTPUT", 1),
    "use-pid": LauncherOption("ROCPROFSYS_USE_PID", 1),
    "preset": LauncherOption(PRESET, 1),
}
"""By name without dashes. Settings without an option of their own have one by their name."""

TELLING: Final = ("h", "?", "help", "version", "list-presets", "explain", "export-config")
"""Options with which a launcher tells something and starts nothing."""


@dataclass(frozen=True)
class Given:
    """One use of an option. `word` is its index, `values` has each value with its word and what stands before it."""

    name: str
    word: int
    values: tuple[tuple[int, str, str], ...]

    @property
    def sets(self) -> str:
        """What the option sets; empty for one that is of no concern."""
        return OPTIONS[self.name].sets if self.name in OPTIONS else ""

    @property
    def text(self) -> str:
        """The option as people write it."""
        return f"-{self.name}" if len(self.name) == 1 else f"--{self.name}"


def read_options(words: Sequence[str], span: range) -> list[Given]:
    """The options among these words of a command line, in order."""
    reader = _Reader()
    for at in span:
        reader.take(at, words[at])
    return reader.found


class _Reader:
    def __init__(self) -> None:
        self.found: list[Given] = []
        self._open = False  # the last option found may have further values
        self._counts: Counter[str] = Counter()

    def take(self, at: int, word: str) -> None:
        if not _is_option(word):
            if word and self._open:
                self._add(at, "", word)
            return
        dashes = len(word) - len(word.lstrip("-"))
        name, equals, value = word[dashes:].partition("=")
        if dashes == 1 and len(name) > 1:
            self.found += [Given(letter, at, ()) for letter in name]
            self._open = False
            return
        self.found.append(Given(name, at, ()))
        self._open = True
        if equals:
            self._add(at, word[: len(word) - len(value)], value)

    def _add(self, at: int, prefix: str, value: str) -> None:
        """A value for the last option, unless it and its other names have as many as they take."""
        last = self.found[-1]
        option = OPTIONS.get(last.name)
        if option and option.most is not None and self._counts[option.sets] >= option.most:
            self._open = False
            return
        self._counts[last.sets] += 1
        self.found[-1] = replace(last, values=(*last.values, (at, prefix, value)))


def _is_option(word: str) -> bool:
    return word.startswith("-") and word.strip("-") != "" and not _NUMBER.fullmatch(word)
