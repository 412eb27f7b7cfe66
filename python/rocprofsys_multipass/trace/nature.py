# SPDX-License-Identifier: MIT
"""What kind of thing a counter counts, by its name: the one place that says what two passes can be compared by.

The exporter has the same in C++ (library/apps/export/counter_kind.cpp); `tests/e2e/test_counter_kinds.py` compares
both over every known counter. Reasons: docs/decisions/0019-what-passes-are-compared-by.md.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final, Literal

CounterKind = Literal["instructions", "waves", "clock", "cache", "time", "traffic", "other"]
Nature = Literal["work", "time", "cache"]

CLOCK: Final = "GRBM_GUI_ACTIVE"
EVIDENCE: Final[frozenset[CounterKind]] = frozenset(("instructions", "waves", "clock", "cache"))
"""Kinds that verdicts rest on."""

_RULES: Final[tuple[tuple[CounterKind, re.Pattern[str]], ...]] = (  # the first that matches
    ("clock", re.compile(rf"{CLOCK}$")),
    ("time", re.compile(r".*(CYCLES|LEVEL|WAIT|TIME|BUSY|STALL|LATENCY|OCCUPANCY|UTIL|SAVED|RESTORED)")),
    ("instructions", re.compile(r"SQ_(WAVE(32|64)_)?INSTS")),
    ("waves", re.compile(r"SQ_(WAVES|ITEMS)")),
    ("cache", re.compile(r"(TC[CPA]|GL[12][CA]|SQC)_.*(HIT|MISS|RDREQ)|(FETCH_SIZE|L2CacheHit)$")),
    ("time", re.compile(r"GRBM_|.*(Cycles|Busy|Stall|Latency|Occupancy|Util)")),  # a block, and metrics
    ("traffic", re.compile(r"(TC[CPA]|GL[12][CA]|SQC)_|WRITE_SIZE$|MemUnit|Fetch|Write")),
    ("other", re.compile("")),
)
_NATURES: Final[dict[CounterKind, Nature]] = {"clock": "time", "time": "time", "cache": "cache", "traffic": "cache"}


@cache
def kind_of_counter(counter: str) -> CounterKind:
    """What a counter says of two passes.

    - `instructions`: the work. `waves`: follow the size of the launch; they may show different work, never the same.
    - `clock`: with the duration of its pass. `time`: no pass takes as long as another, and some of it is not the
      kernel's own.
    - `cache`: what the caches held. `traffic`: requests to caches and writes, which follow work and caches both.
    - `other`: nothing is known that would make it differ over the same work.
    """
    return next(kind for kind, pattern in _RULES if pattern.match(counter))


def nature_of(counter: str) -> Nature:
    """Whether two passes over the same memory must read the same: `work`, yes.

    `time`: no pass takes as long as another. `cache`: requests and hits depend on what the caches hold, and the first
    pass finds them colder than those that follow it.
    """
    return _NATURES.get(kind_of_counter(counter), "work")
