# SPDX-License-Identifier: MIT
"""Text of a trace on a terminal: what would steer the terminal is shown in its place.

Names of kernels, agents and commands come from files that others may have written. A terminal obeys escape sequences in
them, and shows text after a direction mark in another order than it is in.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

_PICTURES: Final = 0x2400  # U+2400 and on: pictures of U+0000 to U+001F
_DELETE: Final = 0x7F
_KEPT: Final = (ord("\n"), ord("\t"))
_UNSEEN: Final = (*range(0x80, 0xA0), 0x2028, 0x2029, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
_VISIBLE: Final = (
    {code: _PICTURES + code for code in range(0x20) if code not in _KEPT}
    | {_DELETE: 0x2421}
    | dict.fromkeys(_UNSEEN, "\N{REPLACEMENT CHARACTER}")
)


def visible(text: str) -> str:
    """The text with a visible character for each that steers a terminal; lines and tabs stay."""
    return text if text.isprintable() else text.translate(_VISIBLE)


class VisibleConsole(Console):
    """A console that prints every text as `visible` has it; its own colours are not text."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """The parts of what is printed, as rich makes them."""
        for part in super().render(renderable, options):
            yield part if part.control else Segment(visible(part.text), part.style)
