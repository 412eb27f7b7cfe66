# SPDX-License-Identifier: MIT
"""Text for streams that cannot show all of it, such as those of the C locale."""

from __future__ import annotations

from typing import Final

# One character for one, so that columns stay where they are.
_PLAIN: Final = str.maketrans(
    {"\N{MICRO SIGN}": "u", "\N{MULTIPLICATION SIGN}": "x", "\N{MIDDLE DOT}": ".", "\N{HORIZONTAL ELLIPSIS}": "~"}
    | {"\N{FULL BLOCK}": "="}
    | dict.fromkeys("\u2500\u2501\u2550\u2574\u2576\u2578\u257a", "-")
    | dict.fromkeys("\u2502\u2503\u2551\u2575\u2577", "|")
    | dict.fromkeys("\u250c\u2510\u2514\u2518\u251c\u2524\u252c\u2534\u253c\u253f\u2547", "+")
)


def encodable(text: str, encoding: str | None) -> str:
    """The text itself where `encoding` has all of it; else with ASCII for lines, dots and units, `?` for the rest.

    `encoding` None: of a stream that takes any text, as it is in memory.
    """
    if encoding is None:
        return text
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.translate(_PLAIN).encode(encoding, "replace").decode(encoding)
    return text
