# SPDX-License-Identifier: MIT
"""What kind of thing a counter counts, by its name, as far as comparing passes needs to know it."""

from __future__ import annotations

import re
from functools import cache
from typing import Final, Literal

Nature = Literal["work", "time", "cache"]

_TIME: Final = re.compile(r"CYCLES|GRBM_|LEVEL|WAIT|TIME|(?i:BUSY|STALL|LATENCY|OCCUPANCY|UTIL)")
_CACHE: Final = re.compile(
    r"^(TCC|TCP|TCA|GL2C|GL2A|GL1C|GL1A|SQC)_|^(FETCH_SIZE|WRITE_SIZE)$|^(L2CacheHit|MemUnit|Fetch|Write)"
)


@cache
def nature_of(counter: str) -> Nature:
    """Whether two passes over the same memory must read the same: `work`, yes.

    `time`: no pass takes as long as another. `cache`: requests and hits depend on what the caches hold, and the first
    pass finds them colder than those that follow it.
    """
    if _TIME.search(counter):
        return "time"
    return "cache" if _CACHE.search(counter) else "work"
