# SPDX-License-Identifier: MIT
"""What limits replay: the values of ``--replay-budget``, ``--max-replays``, ``--unsafe`` and ``--host-memory``.

As `config.values`: each function makes a value of a text, or raises ValueError with a reason. The plugin reads the same
texts from its variables (library/tool/replay_limits.cpp); tests/data/replay_limits.json holds both to one grammar.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from rocprofsys_multipass.config.quantities import duration_ns, share, size_bytes
from rocprofsys_multipass.config.text import check_text, readable
from rocprofsys_multipass.config.values import LAST_LAUNCH, near, split_names

SAFETY_REASONS: Final = (
    "virtual_memory",
    "managed_memory",
    "pool_memory",
    "fine_grained_memory",
    "pinned_memory",
    "exported_memory",
    "imported_memory",
    "copy_in_flight",
    "collectives",
    "host_memory",
    "window_time",
    "budget",
)
"""The reasons not to replay that ``--unsafe`` lifts (library/model/dispatch.hpp: kSafetyReasons)."""

NO_LIMIT: Final = "none"
_ALL: Final = "all"
_OTHER_WAYS: Final = {
    "max_replays": "'max-replays none' lifts that",
    "no_replay_list": "'replay-everything' lifts that",
    "none": "without this option no reason is lifted",
}
_BLANKS: Final = " \t"
_BUDGET_FORM: Final = "write a duration such as 90s, a share such as 10%, both with a comma, or none"


@dataclass(frozen=True)
class Budget:
    """The wall time that replays may take: the larger of both parts. Both 0: no limit."""

    seconds: float = 0.0
    share: float = 0.0  # of the wall time so far, from 0 to 1


def replay_budget(value: str) -> Budget:
    """A duration, a share of the wall time, both with a comma between them, or ``none``."""
    if check_text(value).strip(_BLANKS) == NO_LIMIT:
        return Budget()
    seconds, part_of_all = 0.0, 0.0
    for part in (item.strip(_BLANKS) for item in value.split(",")):
        if part == NO_LIMIT or not part:
            fault = "none stands alone" if part else "a part is empty"
            raise _wrong(value, fault)
        if (part_of_all if part.endswith("%") else seconds) > 0:
            kind = "shares" if part.endswith("%") else "durations"
            raise _wrong(value, f"there are two {kind}")
        try:
            if part.endswith("%"):
                part_of_all = share(part)
            else:
                seconds = duration_ns(part) / 1e9
        except ValueError as error:
            nothing = "; to replay nothing, use 'replay rotate'" if re.fullmatch(r"[0.]+[a-z%]+", part) else ""
            reason = f"{error}{nothing}"
            raise ValueError(reason) from error
    return Budget(seconds, part_of_all)


def max_replays(value: str) -> int:
    """A number from 1, or ``none``, which is 0."""
    text = value.strip(_BLANKS)
    if text == NO_LIMIT:
        return 0
    if re.fullmatch(r"0*[1-9][0-9]{0,9}", text, re.ASCII) and int(text) <= LAST_LAUNCH:
        return int(text)
    hint = ": to replay nothing, use 'replay rotate'" if text == "0" else ""
    reason = f"'{readable(value)}' is neither a number from 1 to {LAST_LAUNCH} nor none{hint}"
    raise ValueError(reason)


def unsafe(value: str) -> tuple[str, ...]:
    """Names of `SAFETY_REASONS`, each once, in that order; ``all`` is all of them."""
    names = split_names(check_text(value))
    if not names:
        reason = f"it is empty: name what is lifted, of {', '.join(SAFETY_REASONS)}, or all"
        raise ValueError(reason)
    for name in names:
        if name in (*SAFETY_REASONS, _ALL):
            continue
        if other := _OTHER_WAYS.get(name.replace("-", "_")):
            reason = f"'{readable(name)}' is not a reason of safety: {other}"
            raise ValueError(reason)
        known = (*SAFETY_REASONS, _ALL)
        reason = f"'{readable(name)}' is not one of {', '.join(known)}{near(name, known)}"
        raise ValueError(reason)
    return SAFETY_REASONS if _ALL in names else tuple(name for name in SAFETY_REASONS if name in names)


def host_memory(value: str) -> int:
    """A size, in bytes."""
    text = check_text(value).strip(_BLANKS)
    if text in (NO_LIMIT, "0"):
        reason = f"'{text}' is no size: 'unsafe host_memory' lifts the limit; write a size such as 64GB"
        raise ValueError(reason)
    return size_bytes(text)


def _wrong(value: str, fault: str) -> ValueError:
    return ValueError(f"'{readable(value)}' is not a budget: {fault}; {_BUDGET_FORM}")
