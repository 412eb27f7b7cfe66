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
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

EVENTS: Final = "ROCPROFSYS_ROCM_EVENTS"
DOMAINS: Final = "ROCPROFSYS_ROCM_DOMAINS"
POLLED: Final = "ROCPROFSYS_GPU_PERF_COUNTERS"
CONFIG: Final = "ROCPROFSYS_CONFIG_FILE"
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
    "c": LauncherOption(CONFIG),
    "config": LauncherOption(CONFIG),
    "o": LauncherOption("ROCPROFSYS_OUTPUT_PATH", 2),
    "output": LauncherOption("ROCPROFSYS_OUTPUT_PATH", 2),
    "output-path": LauncherOption("ROCPROFSYS_OUTPUT_PATH"),
    "output-prefix": LauncherOption("ROCPROFSYS_OUTPUT_PREFIX"),
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

    def joined(self, separator: str = ",") -> str:
        """The values as one text."""
        return separator.join(value for _, _, value in self.values)


def read_options(words: Sequence[str], span: range) -> list[Given]:
    """The options among these words of a command line, in order."""
    found: list[Given] = []
    counts: dict[str, int] = {}
    values: list[tuple[int, str, str]] | None = None
    most: int | None = None

    def begin(name: str, at: int) -> None:
        nonlocal values, most
        values = []
        option = OPTIONS.get(name)
        most = option.most if option else None
        key = option.sets if option else name
        if most is not None:
            most -= counts.get(key, 0)
        found.append(Given(name, at, ()))

    def end() -> None:
        nonlocal values
        if values is not None and found:
            last = found[-1]
            found[-1] = Given(last.name, last.word, tuple(values))
            key = last.sets or last.name
            counts[key] = counts.get(key, 0) + len(values)
        values = None

    for at in span:
        word = words[at]
        if _is_option(word):
            end()
            dashes = len(word) - len(word.lstrip("-"))
            name, equals, value = word[dashes:].partition("=")
            if dashes == 1 and len(name) > 1:
                found += [Given(letter, at, ()) for letter in name]
                continue
            begin(name, at)
            if equals and values is not None:
                values.append((at, word[: -len(value)] if value else word, value))
        elif word and values is not None and (most is None or len(values) < most):
            values.append((at, "", word))
    end()
    return found


def _is_option(word: str) -> bool:
    return word.startswith("-") and word.strip("-") != "" and not _NUMBER.fullmatch(word)
