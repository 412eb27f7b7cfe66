# SPDX-License-Identifier: MIT
"""What the sections of the report for a terminal are built of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from rich.console import RenderableType
from rich.text import Text

from rocprofsys_multipass.spelling import plural
from rocprofsys_multipass.trace import OUTCOMES, Dispatch, Outcome

NAME_LEAST: Final = 20  # columns of a kernel's or counter's name
PASS_COLOURS: Final = ("cyan", "green", "yellow", "magenta", "blue", "red")
OUTCOME_STYLE: Final[Mapping[Outcome, str]] = {
    "replayed": "green",
    "single_pass": "green",
    "declined": "yellow",
    "filtered": "dim",
    "incomplete": "red",
}


def cut(text: Text, width: int) -> Text:
    """The text itself, of so many columns at most."""
    text.truncate(width, overflow="ellipsis")
    return text


def section(title: str, subtitle: str) -> Iterator[RenderableType]:
    """A heading."""
    yield Text()
    yield Text.assemble((title, "bold"), ("  " + subtitle if subtitle else "", "dim"))


def outcomes(dispatches: Sequence[Dispatch]) -> Text:
    """How many there are, and what became of them."""
    counts = Counter(d.outcome for d in dispatches)
    reasons = Counter((d.outcome, d.reason) for d in dispatches if d.reason)
    line = Text.assemble((plural(len(dispatches), "dispatch"), "bold"), ":")
    for outcome in OUTCOMES:
        if not counts[outcome]:
            continue
        line.append(f"  {counts[outcome]:,} {outcome}", OUTCOME_STYLE[outcome])
        why = [f"{reason} {n}" for (of, reason), n in sorted(reasons.items()) if of == outcome]
        if why:
            line.append(f" ({', '.join(why)})", "dim")
    return line
